import { parseArgs } from 'node:util'
import { ask } from './ask.ts'
import { projectHere } from './here.ts'
import { dim, plural, say, sayJson } from './print.ts'

type Brief = {
  project: string
  text: string
  tokens: number
  leftOut: number
  items: { kind: string; id: number; tokens: number; why: string }[]
}

export async function run(args: string[]): Promise<undefined> {
  const { values } = parseArgs({
    args,
    options: { json: { type: 'boolean' }, project: { type: 'string' }, explain: { type: 'boolean' }, brief: { type: 'boolean' } },
  })
  const question = new URLSearchParams({
    format: 'json',
    project: values.project ?? projectHere(),
    ...(values.brief ? { tokens: '200' } : {}),
  })
  const brief = await ask<Brief>(`/api/context/inject?${question}`)
  if (values.json) return sayJson(brief)
  if (!brief.text) return say(`Nothing is remembered of ${brief.project} yet.`)
  say(brief.text)
  if (!values.explain) return
  say()
  for (const item of brief.items) say(dim(`${item.kind} ${item.id}: ${item.why} (${item.tokens} tokens)`))
  say(dim(`${brief.tokens} tokens in all, ${plural(brief.leftOut, 'observation')} left out for room`))
}
