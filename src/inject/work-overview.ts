import type { Entity, EntityKind } from '../core/entities.ts'
import type { Observation, Traces } from '../core/memory.ts'
import { countTokens } from '../core/tokens.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { WithBranch } from '../store/store.ts'
import { turnKey } from './commits.ts'
import { type BriefPart, lineItem } from './page.ts'

/** Shares of the budget. Measured: files help the next session most for their price; names and errors are cheap if there are few. */
const FILES_SHARE = 0.4
const NAMES_SHARE = 0.15
const ERRORS_SHARE = 0.04
/** Work on the session's own branch counts this much more. */
const BRANCH_WORTH_FACTOR = 2

/** The sources of the overview, besides the observations themselves. */
export type TracedWork = {
  /** The branch of the session that gets the brief; null if unknown. */
  branch: string | null
  /** The names in each observation and its turn. */
  mentioned: Map<number, Entity[]>
  /** The traces of each turn's tools, by `turnKey`. */
  traces: Map<string, Traces>
}

/** A line that combines many memories. `cut` counts the names that exceeded its share of the tokens. */
export type OverviewLine = BriefPart & { cut: number; share: number }

/** The files, the names in code and the errors of recent work. */
export function overviewLines(observations: WithBranch<Observation>[], traced: TracedWork, tokens: number): OverviewLine[] {
  const turns = tracedTurns(observations, traced.traces)
  return [
    filesLine(observations, traced, tokens * FILES_SHARE),
    namesLine(turns, tokens * NAMES_SHARE, traced.branch),
    ...errorLines(observations, turns, traced, tokens * ERRORS_SHARE),
  ]
}

/** Names by how much work they had and how recent it was. */
function rankByWorth<T extends { branch: string | null }>(
  newestFirst: T[],
  branch: string | null,
  namesOf: (one: T, position: number) => { name: string; amount: number }[],
): { name: string; worth: number }[] {
  const worth = new Map<string, number>()
  for (const [position, one] of newestFirst.entries()) {
    const recency = (branch !== null && one.branch === branch ? BRANCH_WORTH_FACTOR : 1) / (1 + position / 12)
    for (const { name, amount } of namesOf(one, position)) worth.set(name, (worth.get(name) ?? 0) + amount * recency)
  }
  return [...worth].map(([name, worth]) => ({ name, worth })).sort((a, b) => b.worth - a.worth)
}

/** The names with the highest worth, as the reason for a line. */
const describeWorth = (best: { name: string; worth: number }[]) =>
  `by amount and recency: ${best
    .slice(0, 3)
    .map(({ name, worth }) => `${neutralizeText(name.slice(name.indexOf('\n') + 1))} ${worth.toFixed(1)}`)
    .join(', ')}${best.length > 3 ? ' …' : ''}`

const entityNames = (entities: Entity[] = [], kind: EntityKind) => entities.flatMap((entity) => (entity.kind === kind ? [entity.name] : []))

/** The files of recent work, grouped by folder so that each costs few tokens. */
function filesLine(observations: WithBranch<Observation>[], { mentioned, branch }: TracedWork, share: number): OverviewLine {
  const mentionedFiles = observations.map((o) => entityNames(mentioned.get(o.id), 'file'))
  const fullPath = fullPathResolver([...observations.flatMap((o) => [...o.filesModified, ...o.filesRead]), ...mentionedFiles.flat()])
  const of = (names: string[], amount: number) => [...new Set(names.map(fullPath))].map((name) => ({ name, amount }))
  const files = rankByWorth(observations, branch, (o, position) => [
    ...of(o.filesModified, 2),
    ...of(o.filesRead, 1),
    ...of(mentionedFiles[position] ?? [], 0.5),
  ]).filter(({ name }) => isShowablePath(name))
  // The folder of a file that was only mentioned is unknown: next to files of the root folder it would look like one of them.
  const known = new Set(observations.flatMap((o) => [...o.filesModified, ...o.filesRead]))
  const folders = new Map<string, string[]>()
  const withoutFolder: string[] = []
  let cost = 10
  let shown = 0
  for (const { name: path } of files) {
    const name = fileName(path)
    const folder = path.slice(0, path.length - name.length)
    cost += countTokens(folders.has(folder) ? ` ${name}` : ` ${path};`) + 1
    if (cost > share) break
    shown++
    if (folder === '' && !known.has(path)) withoutFolder.push(name)
    else folders.set(folder, [...(folders.get(folder) ?? []), name])
  }
  const parts = [...folders].map(([folder, names]) => (names.length > 1 ? `${folder}{${names.join(', ')}}` : folder + names[0]))
  const lines = [
    ...(parts.length > 0 ? [`Recently used files: ${neutralizeText(parts.join(' '))}`] : []),
    ...(withoutFolder.length > 0 ? [`Files mentioned: ${neutralizeText(withoutFolder.join(', '))}`] : []),
  ]
  return { of: lineItem('files', `${shown} of ${files.length} ${describeWorth(files)}`), lines, cut: files.length - shown, share }
}

const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1)

const isShowablePath = (path: string) => !OUTSIDE_PROJECT.test(path) && path.length <= MAX_PATH_CHARACTERS
/** A longer path would leave no room for others. */
const MAX_PATH_CHARACTERS = 200
/** Paths outside the project, and redacted ones. */
const OUTSIDE_PROJECT = /^(?:[/~]|\.\.|[a-z]:)|REDACTED/i

/** People name a file by the end of its path. If only one known path ends that way, it is that file. */
function fullPathResolver(paths: string[]): (path: string) => string {
  const byEnd = new Map<string, Set<string>>()
  for (const path of new Set(paths)) {
    for (let cut = path.indexOf('/'); cut >= 0; cut = path.indexOf('/', cut + 1)) {
      const end = path.slice(cut + 1)
      byEnd.set(end, (byEnd.get(end) ?? new Set()).add(path))
    }
  }
  return (path) => {
    // src/a.ts and app/src/a.ts both end in a.ts; the longer one is the full path.
    const ending = [...(byEnd.get(path) ?? [])].filter((one) => !byEnd.has(one))
    return ending.length === 1 ? (ending[0] ?? path) : path
  }
}

/** The traces of a turn, and the newest of its observations. */
type TracedTurn = Traces & { newest: WithBranch<Observation>; branch: string | null }

/** The turns that left traces, in the order of their observations. */
function tracedTurns(observations: WithBranch<Observation>[], traces: TracedWork['traces']): TracedTurn[] {
  return [...Map.groupBy(observations, turnKey)].flatMap(([turn, [first, ...others]]) => {
    const traced = traces.get(turn)
    return traced && first ? [{ ...traced, newest: [first, ...others].toSorted(byNewest)[0] ?? first, branch: first.branch }] : []
  })
}

/** By time, not by id: work that was imported later has a higher id than newer work. */
const byNewest = (a: { id: number; at: number }, b: { id: number; at: number }) => b.at - a.at || b.id - a.id

/** Names in the changed code, by file: what to search for in the code or in memory. */
function namesLine(turns: TracedTurn[], share: number, branch: string | null): OverviewLine {
  const best = rankByWorth(turns, branch, ({ names }) =>
    names.flatMap(([path, found]) => {
      // A test is full of made-up names.
      const amount = IS_TEST.test(path) ? 0.5 : 1
      return isShowablePath(path) ? found.map((name, rank) => ({ name: `${path}\n${name}`, amount: amount / (1 + rank / 8) })) : []
    }),
  )
  const found = best.map(({ name }) => name.split('\n') as [path: string, name: string])
  const fullPath = fullPathResolver(found.map(([path]) => path))
  const shortPath = (path: string) => [fileName(path)].find((name) => fullPath(name) === path) ?? path
  const byFile = new Map<string, string[]>()
  const shown = new Set<string>()
  let cost = countTokens(NAMES_HEADING)
  for (const [path, name] of found) {
    const ofFile = byFile.get(path) ?? []
    if (shown.has(name) || ofFile.length === MAX_NAMES_PER_FILE) continue
    cost += countTokens(ofFile.length > 0 ? `, ${name}` : `; ${shortPath(path)}: ${name}`)
    if (cost > share) break
    shown.add(name)
    byFile.set(path, [...ofFile, name])
  }
  const total = new Set(found.map(([, name]) => name)).size
  const lines =
    byFile.size > 0
      ? [NAMES_HEADING + neutralizeText([...byFile].map(([path, names]) => `${shortPath(path)}: ${names.join(', ')}`).join('; '))]
      : []
  return { of: lineItem('names', `${shown.size} of ${total} ${describeWorth(best)}`), lines, cut: total - shown.size, share }
}

const NAMES_HEADING = 'Names in changed code: '
const MAX_NAMES_PER_FILE = 12
const IS_TEST = /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|[._-](?:test|spec)s?\.\w+$/

/**
 * Errors that were mentioned or that made a check fail, each with its last observation. An error class in the changed code is a name, not an
 * error. Errors that passing checks print again and again get a separate line, so that the model does not investigate them.
 */
function errorLines(
  observations: WithBranch<Observation>[],
  turns: TracedTurn[],
  { mentioned, branch }: TracedWork,
  share: number,
): OverviewLine[] {
  const namesInCode = new Set(turns.flatMap(({ names }) => names.flatMap(([, found]) => found)))
  const harmless = errorsOfPassingChecks(turns)
  const isRelevant = (name: string) => !namesInCode.has(name) && !harmless.has(name)
  const sources = [
    ...observations.map((o) => ({
      id: o.id,
      at: o.at,
      branch: o.branch,
      names: entityNames(mentioned.get(o.id), 'error').filter(isRelevant),
    })),
    ...turns.map(({ newest: { id, at }, branch, errors }) => ({ id, at, branch, names: failedErrorNames(errors).filter(isRelevant) })),
  ].sort(byNewest)
  const errors = rankByWorth(sources, branch, ({ names }) => names.map((name) => ({ name, amount: 1 })))
  const lastIn = (error: string) => sources.find(({ names }) => names.includes(error))?.id
  const byCheck = [...Map.groupBy(harmless, ([, command]) => command)]
  const named = errors.map(({ name }) => `${name} (#${lastIn(name)})`)
  const checks = byCheck.map(([command, printed]) => `\`${command}\`: ${printed.map(([name]) => name).join(' ')}`)
  const recent = listWithinBudget('Recent errors: ', named, share)
  const passing = listWithinBudget('Checks that print errors but pass: ', checks, share)
  return [
    { of: lineItem('errors', `${errors.length - recent.cut} of ${errors.length} ${describeWorth(errors)}`), share, ...recent },
    { of: lineItem('checks', 'they passed in several turns and printed these errors each time'), share, ...passing },
  ]
}

const failedErrorNames = (errors: Traces['errors']) => [...new Set(errors.flatMap(({ name, passed }) => (passed ? [] : [name])))]

/** The errors that passing checks printed in several turns, each with its check. A `git commit` that runs the check is not the check. */
function errorsOfPassingChecks(turns: TracedTurn[]): Map<string, string> {
  const printed = turns.flatMap(({ errors, newest }) =>
    errors.flatMap(({ name, command, passed }) => (passed ? [{ name, command, newest }] : [])),
  )
  const repeated = [...Map.groupBy(printed, ({ name }) => name)].filter(([, times]) => new Set(times.map(({ newest }) => newest)).size > 1)
  return new Map(
    repeated.map(([name, times]) => [name, (times.find(({ command }) => !command.startsWith('git ')) ?? times[0])?.command ?? '']),
  )
}

/** As many names as the tokens allow. No line without names. */
function listWithinBudget(heading: string, names: string[], tokens: number): Pick<OverviewLine, 'lines' | 'cut'> {
  let cost = countTokens(heading)
  const over = names.findIndex((name) => {
    cost += countTokens(`${name}, `)
    return cost > tokens
  })
  const shown = over < 0 ? names : names.slice(0, over)
  return { lines: shown.length > 0 ? [heading + neutralizeText(shown.join(', '))] : [], cut: names.length - shown.length }
}
