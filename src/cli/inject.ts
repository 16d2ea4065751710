import { ask } from './ask.ts'
import { branchHere, mustBeKnown, projectHere } from './here.ts'
import { parse } from './parse.ts'
import { dim, plural, say, sayJson } from './print.ts'

type Brief = {
  project: string
  branch: string | null
  text: string
  tokens: number
  leftOut: number
  items: { kind: string; id: number; tokens: number; why: string }[]
  left: { kind: string; id: number; why: string }[]
}

export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('inject', args)
  // Where another project is named, the branch here says nothing.
  const branch = values.branch ?? (values.project ? null : branchHere())
  const question = new URLSearchParams({
    format: 'json',
    project: values.project ?? projectHere(),
    ...(branch ? { branch } : {}),
    ...(values.brief ? { tokens: '200' } : {}),
    ...(values.prompt === undefined ? {} : { prompt: values.prompt }),
  })
  const brief = await ask<Brief>(`/api/context/inject?${question}`)
  if (!brief.text) await mustBeKnown(values)
  if (values.json) return sayJson(brief)
  if (!brief.text)
    say(values.prompt === undefined ? `Nothing is remembered of ${brief.project} yet.` : 'With this prompt nothing would be told.')
  else say(brief.text)
  if (values.explain) explain(brief)
}

/** How many of those that were left out are named. */
const NAMED = 30

function explain({ branch, items, left, tokens }: Brief): void {
  const budget = `${tokens} tokens, ${plural(items.length, 'memory', 'memories')} told, ${left.length} left out`
  say(dim(`\n${branch ? `On branch ${branch}: ` : ''}${budget}`))
  for (const item of items) say(dim(`+ ${item.kind} ${item.id}: ${item.why} (${item.tokens} tokens)`))
  for (const item of left.slice(0, NAMED)) say(dim(`- ${item.kind} ${item.id}: ${item.why}`))
  if (left.length > NAMED) say(dim(`- and ${left.length - NAMED} more`))
}
