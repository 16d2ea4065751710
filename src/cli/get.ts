import { parseArgs } from 'node:util'
import type { Observation } from '../core/memory.ts'
import { ago } from '../core/when.ts'
import { ask, post } from './ask.ts'
import { bold, CliError, dim, EXIT, say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<number | undefined> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { json: { type: 'boolean' } } })
  const ids = positionals.map((word) => Number(word.replace(/^#/, '')))
  if (ids.length === 0 || ids.some((id) => !Number.isInteger(id))) {
    throw new CliError('give the ids of observations, as search shows them: recollect get 12 15', EXIT.invalid)
  }
  const found = await ask<Observation[]>('/api/observations/batch', post({ ids }))
  const missing = ids.filter((id) => !found.some((o) => o.id === id))
  if (values.json) sayJson(found)
  else found.forEach(sayObservation)
  if (missing.length > 0) throw new CliError(`there is no observation ${missing.join(', ')}`, EXIT.invalid)
  return EXIT.done
}

function sayObservation(o: Observation): void {
  say(`${bold(`#${o.id} ${o.title}`)}  ${dim(`${o.type}, ${ago(o.at, Date.now())}, ${o.project}, by ${o.model}`)}`)
  if (o.subtitle) say(o.subtitle)
  if (o.narrative) say(`\n${o.narrative}`)
  for (const fact of o.facts) say(`  - ${fact}`)
  if (o.filesModified.length > 0) say(dim(`  changed: ${o.filesModified.join(', ')}`))
  if (o.filesRead.length > 0) say(dim(`  read: ${o.filesRead.join(', ')}`))
  say()
}
