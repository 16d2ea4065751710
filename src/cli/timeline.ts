import { isMemoryId, type Kind, memoryId } from '../core/kinds.ts'
import { age } from '../core/when.ts'
import { ask, post } from './ask.ts'
import { projectHere } from './here.ts'
import { momentOf } from './import.ts'
import { parse } from './parse.ts'
import { bold, CliError, dim, EXIT, fit, say, sayJson, table } from './print.ts'

type Item = { kind: Kind; id: string; type: string; title: string; at: number; tokens: number; anchor: boolean }

/** What happened around a memory, a question's best answer, or a moment. */
export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('timeline', args)
  const anchor = positionals.join(' ')
  const id = positionals.length === 1 && isMemoryId(anchor) ? anchor : null
  if (!anchor && !values.at)
    throw new CliError('around what? recollect timeline 12, recollect timeline "login fails", or --at 2026-03-01', EXIT.invalid)
  const question = {
    depth_before: values.before,
    depth_after: values.after,
    ...(id ? { anchor: id } : anchor ? { query: anchor } : {}),
    ...(values.at ? { at: momentOf(values.at, Date.now()) } : {}),
    project: values.project ?? projectHere(),
  }
  const answer = await ask<{ project: string | null; items: Item[] }>('/api/timeline', post(question))
  if (values.json) return sayJson(answer)
  if (answer.items.length === 0) return say('Nothing is remembered around there.')
  const now = Date.now()
  const rows = answer.items.map((item) => [
    item.anchor ? bold('►') : ' ',
    memoryId(item.kind, item.id),
    age(item.at, now),
    item.type,
    dim(`~${item.tokens}t`),
    item.anchor ? bold(item.title) : item.title,
  ])
  for (const line of table(rows).split('\n')) say(fit(line))
}
