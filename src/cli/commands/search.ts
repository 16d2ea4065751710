import { AGENT_NAMES, AGENT_TITLES, DEFAULT_AGENT } from '../../core/agent.ts'
import { type Hit, MAX_NEAREST_SHOWN } from '../../core/hit.ts'
import { groupRanked } from '../../core/memory-groups.ts'
import { MEMORY_KINDS, type MemoryKind, shortMemoryId } from '../../core/memory-kinds.ts'
import { shorten } from '../../core/text.ts'
import { clockOf } from '../../core/time-format.ts'
import { describeOutcomes } from '../../core/work-outcome.ts'
import type { SearchHit, SearchResponse } from '../../wire/contract/memories.ts'
import { MAX_QUERY_CHARS_IN_URL } from '../../wire/viewer-pages.ts'
import { call } from '../call.ts'
import { json, limit, project } from '../command.ts'
import { currentCommandName, projectNamer, requireKnownProject, searchScope } from '../current-project.ts'
import { defineCommand } from '../parse.ts'
import { bold, dim, fitToTerminal, icon, invalidInput, plural, print, printJson, table, yellow } from '../print.ts'

export const command = defineCommand({
  name: 'search',
  summary: 'find memories',
  usage: `recollect search <words…> [--project P] [--all] [--kind observation|summary|prompt|note|commit] [--agent A]
                        [--limit N] [--explain] [--web] [--json]

  Searches this folder's project and, if nothing there is close, all projects. The query may contain filters (type:bugfix path:src
  -tag:draft agent:codex since:7d) and times ("last week").`,
  words: '<words…>',
  isQuery: true,
  options: {
    project,
    all: { type: 'boolean', about: 'search all projects' },
    kind: { type: 'string', of: MEMORY_KINDS, about: 'find only memories of this kind' },
    agent: {
      type: 'string',
      of: AGENT_NAMES,
      value: 'A',
      about: `find only memories from sessions of this agent: ${AGENT_NAMES.join(', ')}`,
    },
    limit: limit('20', 200),
    web: { type: 'boolean', about: 'open the search in the viewer' },
    explain: { type: 'boolean', about: 'show what each score consists of, and how times and names were understood' },
    json,
  },
  async run({ values, positionals }) {
    const query = positionals.join(' ')
    if (!query.trim()) throw invalidInput('nothing to search for: recollect search <words>')
    if (values.web) return openInViewer(query, values)
    const { kind, agent, limit, json, explain } = values
    const found = await call('POST /api/search', { query, limit, kind, agent, ...searchScope(values) })
    if (found.projectProblem !== null) throw invalidInput(found.projectProblem)
    if (found.hits.length === 0) await requireKnownProject(values)
    if (json) return printJson({ query, ...found })
    printRemarks(query, found, explain ?? false)
    if (found.hits.length > 0) await printHits(query, found, explain ?? false)
  },
})

type SearchFlags = {
  agent?: string | undefined
  all?: boolean | undefined
  project?: string | undefined
  kind?: MemoryKind | undefined
  json?: boolean | undefined
}

async function openInViewer(query: string, values: SearchFlags): Promise<undefined> {
  const { openViewer } = await import('./view.ts')
  const search = {
    q: `${query}${values.agent ? ` agent:${values.agent}` : ''}`.slice(0, MAX_QUERY_CHARS_IN_URL),
    ...(values.kind ? { kind: values.kind } : {}),
    ...(values.project && !values.all ? { project: values.project } : {}),
  }
  return openViewer(`/search?${new URLSearchParams(search)}`, { json: values.json })
}

/** Prints what to know before reading the hits: unusable filters, a missing embedder, how times were understood, where the hits are from. */
function printRemarks(query: string, found: SearchResponse, explain: boolean): undefined {
  for (const problem of found.problems) print(yellow(problemText(problem)))
  if (found.embedderProblem !== null) print(yellow(`Searched without the embedder: ${found.embedderProblem}`))
  if (explain) for (const { word, meaning } of found.understood) print(dim(`“${word}” was understood as ${meaning}`))
  if (found.hits.length === 0) return print(`No memory matches “${shorten(query, 200)}”.`)
  if (found.time) print(found.time.kept ? dim(found.time.said) : yellow(found.time.said))
  if (found.message) print(found.isClose ? dim(found.message) : yellow(found.message))
}

/** Most messages name the word; the others follow it. */
const problemText = ({ word, message }: SearchResponse['problems'][number]) =>
  message.startsWith(word) || message.includes(`“${word}”`) ? message : `${word}: ${message}`

/** Which agent it comes from. Most come from the usual one, which needs no word. */
const agentLabel = ({ agent }: SearchHit) => (agent === null || agent === DEFAULT_AGENT ? '' : dim(`${AGENT_TITLES[agent]}  `))

async function printHits(query: string, { hits: all, project, isClose }: SearchResponse, explain: boolean): Promise<void> {
  const hits = isClose ? all : all.slice(0, MAX_NEAREST_SHOWN)
  const highlight = queryHighlighter(query)
  const outcomes = describeOutcomes(hits.map(({ outcome }) => outcome))
  const nameOf = hits.some((hit) => hit.project !== project) ? await projectNamer() : null
  const rows = hits.map((hit) => [
    shortMemoryId(hit.kind, hit.id),
    clockOf(hit.at),
    `${icon(hit.kind, hit.type)}${hit.type}`,
    dim(`~${hit.tokens}t`),
    `${nameOf ? dim(`${nameOf(hit.project)}  `) : ''}${agentLabel(hit)}${bold(highlight(hit.title))}`,
  ])
  const lines = table(rows).split('\n')
  for (const [index, hit] of groupedHits(hits)) {
    print(fitToTerminal(lines[index] ?? ''))
    if (hit.code) print(yellow(fitToTerminal(`    [${hit.code.isHistory ? 'history, ' : ''}${hit.code.text}]`)))
    const more = highlight(hit.snippet.replace(/\s+/g, ' ').trim(), dim)
    if (more.trim()) print(fitToTerminal(`    ${more}`))
    if (outcomes[index]) print(fitToTerminal(`    → ${outcomes[index]}`))
    if (explain) print(dim(`    ${explainScore(hit)}`))
  }
  print(dim(`\n${plural(hits.length, 'hit')}. To read one: ${currentCommandName()} get <id>`))
}

/** The hits by day and file, with a heading before each group. */
function* groupedHits<H extends { at: number; file: string | null }>(hits: H[]): Generator<[number, H]> {
  for (const { day, file, places } of groupRanked(hits)) {
    print(dim(fitToTerminal(file === null ? day : `${day}  ${file}`)))
    for (const place of places) {
      const hit = hits[place]
      if (hit) yield [place, hit]
    }
  }
}

/**
 * Returns a function that marks the words of a query in a text, also at the start of longer words, and passes the rest through `otherwise`.
 * Filters and words of one or two letters are not marked.
 */
export function queryHighlighter(query: string, mark: (text: string) => string = yellow) {
  const words = query.match(/(?<![\p{L}\p{N}:_-])-?[\p{L}\p{N}_]{3,}(?![\p{L}\p{N}_]*:)/gu)?.filter((word) => !word.startsWith('-')) ?? []
  const pattern =
    words.length > 0 ? new RegExp(`((?<![\\p{L}\\p{N}])(?:${words.slice(0, MAX_MARKED_WORDS).map(RegExp.escape).join('|')}))`, 'giu') : null
  return (text: string, otherwise: (text: string) => string = (plain) => plain): string =>
    pattern
      ? text
          .split(pattern)
          .map((part, i) => (i % 2 === 1 ? mark(part) : part && otherwise(part)))
          .join('')
      : otherwise(text)
}

/** Only a pasted text has more words than this. */
const MAX_MARKED_WORDS = 60

/** The signals of the score, strongest first. */
function explainScore(hit: Hit): string {
  const shares = Object.entries(hit.signals)
    .sort((a, b) => b[1] - a[1])
    .map(([signal, amount]) => `${signal} ${amount.toFixed(2)}`)
  if (shares.length === 0) return 'ordered by time: apart from filters and times, the query has no words to search for'
  const also = hit.also.length > 0 ? `; ${hit.also.join(', ')} say the same` : ''
  return `score ${hit.score.toFixed(2)} = ${shares.join(' + ').replaceAll('+ -', '- ')}; its text contains ${Math.round(hit.coverage * 100)} % of the query${also}`
}
