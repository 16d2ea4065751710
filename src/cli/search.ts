import { parseArgs } from 'node:util'
import { asProjectKey } from '../core/ids.ts'
import { projectName } from '../core/project.ts'
import { age } from '../core/when.ts'
import { ask } from './ask.ts'
import { projectHere } from './here.ts'
import { bold, CliError, dim, EXIT, plural, say, sayJson, table } from './print.ts'

type Hit = {
  kind: string
  id: string
  type: string
  title: string
  snippet: string
  project: string
  at: number
  score: number
  tokens: number
}

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      all: { type: 'boolean' },
      project: { type: 'string' },
      kind: { type: 'string' },
      limit: { type: 'string', default: '20' },
    },
  })
  const query = positionals.join(' ')
  if (!query.trim()) throw new CliError('what should be found? recollect search <words>', EXIT.invalid)
  const find = (project: string | null) => {
    const question = new URLSearchParams({
      query,
      limit: values.limit,
      ...(project ? { project } : {}),
      ...(values.kind ? { kind: values.kind } : {}),
    })
    return ask<{ hits: Hit[] }>(`/api/search?${question}`)
  }
  const here = values.all ? null : (values.project ?? projectHere())
  let { hits } = await find(here)
  const everywhere = hits.length === 0 && !values.project
  if (everywhere && here) hits = (await find(null)).hits
  if (values.json) return sayJson({ query, project: everywhere ? null : here, hits })
  if (hits.length === 0) return say(`Nothing is remembered about “${query}”.`)
  if (everywhere && here) say(dim('Nothing in this project; from all projects:\n'))
  const now = Date.now()
  const one = new Set(hits.map((hit) => hit.project)).size === 1
  const rows = hits.map((hit) => [
    `${letter(hit.kind)}${hit.id}`,
    age(hit.at, now),
    hit.type,
    `${bold(hit.title)}${one ? '' : dim(`  ${projectName(asProjectKey(hit.project))}`)}  ${dim(`~${hit.tokens}t`)}`,
  ])
  for (const [index, line] of table(rows).split('\n').entries()) {
    say(line)
    const snippet = hits[index]?.snippet
    if (snippet) say(dim(`    ${snippet}`))
  }
  say(dim(`\n${plural(hits.length, 'hit')}. Observations (#) in full: recollect get <id>`))
}

const letter = (kind: string) => ({ observation: '#', summary: 'S', prompt: 'P', note: 'N' })[kind] ?? ''
