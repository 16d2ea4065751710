import type { Hit, QueryTimeReference } from '../core/hit.ts'
import { memoryId } from '../core/memory-kinds.ts'
import { projectName } from '../core/project.ts'
import { shorten } from '../core/text.ts'
import { formatAge } from '../core/time-format.ts'
import { terminalWidth } from '../platform/environment.ts'
import { MAX_QUERY_CHARS_IN_URL } from '../wire/viewer-pages.ts'
import { ask, post } from './ask.ts'
import { currentCommandName, requireKnownProject, searchScope } from './current-project.ts'
import { parse } from './parse.ts'
import { bold, CliError, dim, EXIT, fitToTerminal, icon, plural, say, sayJson, table, yellow } from './print.ts'

type CliSearchResponse = {
  hits: Hit[]
  /** Where they were looked for; null for all projects. */
  project: string | null
  /** What is to be known of them: that none is close, or from where they are. */
  message: string
  understood: { word: string; meaning: string; from: 'filter' | 'text' }[]
  time: QueryTimeReference | null
  isClose: boolean
  problems: { word: string; message: string }[]
  /** Why a project that the question names is none, or null. */
  projectProblem: string | null
  /** What keeps the embedder from helping, or null. */
  embedderProblem: string | null
}

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('search', args)
  const query = positionals.join(' ')
  if (!query.trim()) throw new CliError('what should be found? recollect search <words>', EXIT.invalid)
  if (values.web) {
    const { openViewer: open } = await import('./view.ts')
    const project = values.all ? undefined : values.project
    const asked = {
      q: query.slice(0, MAX_QUERY_CHARS_IN_URL),
      ...(values.kind ? { kind: values.kind } : {}),
      ...(project ? { project } : {}),
    }
    return open(`/search?${new URLSearchParams(asked)}`, values)
  }
  const asked = { query, limit: values.limit, kind: values.kind, ...searchScope(values) }
  const found = await ask<CliSearchResponse>('/api/search', post(asked))
  if (found.projectProblem !== null) throw new CliError(found.projectProblem, EXIT.invalid)
  if (found.hits.length === 0) await requireKnownProject(values)
  const { hits, understood, problems, time } = found
  if (values.json) return sayJson({ query, ...found })
  for (const problem of problems) say(yellow(`${problem.word}: ${problem.message}`))
  if (found.embedderProblem !== null) say(yellow(`Found without the embedder: ${found.embedderProblem}`))
  if (values.explain) for (const { word, meaning } of understood) say(dim(`“${word}” was understood as ${meaning}`))
  if (hits.length === 0) return say(`Nothing is remembered about “${shorten(query, 200)}”.`)
  if (time) say(time.kept ? dim(time.said) : yellow(time.said))
  if (found.message) say(found.isClose ? dim(found.message) : yellow(found.message))
  const now = Date.now()
  const shown = queryHighlighter(query)
  const isElsewhere = hits.some((hit) => hit.project !== found.project)
  // The id of a note is long; where there is little room it stands on the second line.
  const below = (hit: Hit) => (hit.kind === 'note' && terminalWidth() !== null ? `${memoryId(hit.kind, hit.id)}  ` : '')
  const rows = hits.map((hit) => [
    memoryId(hit.kind, below(hit) ? '' : hit.id),
    formatAge(hit.at, now),
    `${icon(hit.kind, hit.type)}${hit.type}`,
    dim(`~${hit.tokens}t`),
    `${isElsewhere ? dim(`${projectName(hit.project)}  `) : ''}${bold(shown(hit.title))}`,
  ])
  for (const [index, line] of table(rows).split('\n').entries()) {
    const hit = hits[index]
    if (!hit) continue
    say(fitToTerminal(line))
    const more = `${below(hit)}${shown(hit.snippet.replace(/\s+/g, ' ').trim(), dim)}`
    if (more.trim()) say(fitToTerminal(`    ${more}`))
    if (values.explain) say(dim(`    ${explainScore(hit)}`))
  }
  say(dim(`\n${plural(hits.length, 'hit')}. In full: ${currentCommandName()} get <id>`))
}

/**
 * Marks the words of a question where they stand in a text, also at the beginning of longer ones; the rest is said as `otherwise` says it.
 * Filters are no words, and short ones would be everywhere.
 */
export function queryHighlighter(query: string, mark: (text: string) => string = yellow) {
  const words = query.match(/(?<![\p{L}\p{N}:_-])-?[\p{L}\p{N}_]{3,}(?![\p{L}\p{N}_]*:)/gu)?.filter((word) => !word.startsWith('-')) ?? []
  const wanted =
    words.length > 0 ? new RegExp(`((?<![\\p{L}\\p{N}])(?:${words.slice(0, MAX_MARKED_WORDS).map(RegExp.escape).join('|')}))`, 'giu') : null
  return (text: string, otherwise: (text: string) => string = (plain) => plain): string =>
    wanted
      ? text
          .split(wanted)
          .map((part, i) => (i % 2 === 1 ? mark(part) : part && otherwise(part)))
          .join('')
      : otherwise(text)
}

/** Of a pasted text; a question has fewer words. */
const MAX_MARKED_WORDS = 60

/** Which signals made the score, the strongest first. */
function explainScore(hit: Hit): string {
  const shares = Object.entries(hit.signals)
    .sort((a, b) => b[1] - a[1])
    .map(([signal, amount]) => `${signal} ${amount.toFixed(2)}`)
  if (shares.length === 0) return 'by its time alone; beside what it is narrowed to, the question names nothing to look for'
  const also = hit.also.length > 0 ? `; also told by ${hit.also.join(', ')}` : ''
  return `score ${hit.score.toFixed(2)} = ${shares.join(' + ').replaceAll('+ -', '- ')}; its text holds ${Math.round(hit.coverage * 100)} % of the question${also}`
}
