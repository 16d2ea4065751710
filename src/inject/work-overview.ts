import type { Entity, EntityKind } from '../core/entities.ts'
import type { Observation, Traces } from '../core/memory.ts'
import { countTokens } from '../core/tokens.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { WithBranch } from '../store/store.ts'
import { turnKey } from './commits.ts'
import { type BriefPart, lineItem } from './page.ts'

/** How much of the budget may name files: measured, it is what the next session needs most for its price. */
const FILES_SHARE = 0.4
/** And names of code and errors, which cost little where there are few. */
const NAMES_SHARE = 0.15
const ERRORS_SHARE = 0.04
/** How much more what was done on the branch counts. */
const BRANCH_WORTH_FACTOR = 2

/** What lines are gathered from, besides the observations themselves. */
export type TracedWork = {
  /** The branch of the session that is told; null when nobody knows. */
  branch: string | null
  /** What each observation names, and what was said in its turn. */
  mentioned: Map<number, Entity[]>
  /** What the tools of their turns left, by `turnOf`. */
  traces: Map<string, Traces>
}

/** A line that is gathered from many memories. `cut` counts what it could name besides and has no room in its share of the tokens. */
export type OverviewLine = BriefPart & { cut: number; share: number }

/** The files, the names of code and the errors that many observations have in common, the best first. */
export function overviewLines(observations: WithBranch<Observation>[], traced: TracedWork, tokens: number): OverviewLine[] {
  const turns = tracedTurns(observations, traced.traces)
  return [
    filesLine(observations, traced, tokens * FILES_SHARE),
    namesLine(turns, tokens * NAMES_SHARE, traced.branch),
    ...errorLines(observations, turns, traced, tokens * ERRORS_SHARE),
  ]
}

/** What the observations, or their turns, are about, the most and the latest first. */
function rankByWorth<T extends { branch: string | null }>(
  newestFirst: T[],
  branch: string | null,
  about: (one: T, place: number) => { name: string; amount: number }[],
): { name: string; worth: number }[] {
  const worth = new Map<string, number>()
  for (const [place, one] of newestFirst.entries()) {
    const fresh = (branch !== null && one.branch === branch ? BRANCH_WORTH_FACTOR : 1) / (1 + place / 12)
    for (const { name, amount } of about(one, place)) worth.set(name, (worth.get(name) ?? 0) + amount * fresh)
  }
  return [...worth].map(([name, worth]) => ({ name, worth })).sort((a, b) => b.worth - a.worth)
}

/** What put the first of them first. */
const describeWorth = (best: { name: string; worth: number }[]) =>
  `by how much and how lately: ${best
    .slice(0, 3)
    .map(({ name, worth }) => `${neutralizeText(name.slice(name.indexOf('\n') + 1))} ${worth.toFixed(1)}`)
    .join(', ')}${best.length > 3 ? ' …' : ''}`

const entityNames = (entities: Entity[] = [], kind: EntityKind) => entities.flatMap((entity) => (entity.kind === kind ? [entity.name] : []))

/** The files that were worked on lately, gathered by folder so that each costs a few tokens. */
function filesLine(observations: WithBranch<Observation>[], { mentioned, branch }: TracedWork, share: number): OverviewLine {
  const spoken = observations.map((o) => entityNames(mentioned.get(o.id), 'file'))
  const whole = fullPathResolver([...observations.flatMap((o) => [...o.filesModified, ...o.filesRead]), ...spoken.flat()])
  const of = (names: string[], amount: number) => [...new Set(names.map(whole))].map((name) => ({ name, amount }))
  const files = rankByWorth(observations, branch, (o, place) => [
    ...of(o.filesModified, 2),
    ...of(o.filesRead, 1),
    ...of(spoken[place] ?? [], 0.5),
  ]).filter(({ name }) => isShowablePath(name))
  // Of a file that was only spoken of nobody knows where it is: beside those of the root it would pass for one of them.
  const known = new Set(observations.flatMap((o) => [...o.filesModified, ...o.filesRead]))
  const folders = new Map<string, string[]>()
  const somewhere: string[] = []
  let cost = 10
  let told = 0
  for (const { name: path } of files) {
    const name = fileName(path)
    const folder = path.slice(0, path.length - name.length)
    cost += countTokens(folders.has(folder) ? ` ${name}` : ` ${path};`) + 1
    if (cost > share) break
    told++
    if (folder === '' && !known.has(path)) somewhere.push(name)
    else folders.set(folder, [...(folders.get(folder) ?? []), name])
  }
  const parts = [...folders].map(([folder, names]) => (names.length > 1 ? `${folder}{${names.join(', ')}}` : folder + names[0]))
  const lines = [
    ...(parts.length > 0 ? [`Files worked on lately: ${neutralizeText(parts.join(' '))}`] : []),
    ...(somewhere.length > 0 ? [`Files spoken of: ${neutralizeText(somewhere.join(', '))}`] : []),
  ]
  return { of: lineItem('files', `${told} of ${files.length} ${describeWorth(files)}`), lines, cut: files.length - told, share }
}

const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1)

const isShowablePath = (path: string) => !OUTSIDE_PROJECT.test(path) && path.length <= MAX_PATH_CHARACTERS
/** A longer one would leave no room for others. */
const MAX_PATH_CHARACTERS = 200
/** On the machine, not in the project; what was hidden is no name. */
const OUTSIDE_PROJECT = /^(?:[/~]|\.\.|[a-z]:)|REDACTED/i

/** A file is spoken of by its name or the end of its path; where only one known path ends so, that one is meant. */
function fullPathResolver(paths: string[]): (path: string) => string {
  const byEnd = new Map<string, Set<string>>()
  for (const path of new Set(paths)) {
    for (let cut = path.indexOf('/'); cut >= 0; cut = path.indexOf('/', cut + 1)) {
      const end = path.slice(cut + 1)
      byEnd.set(end, (byEnd.get(end) ?? new Set()).add(path))
    }
  }
  return (path) => {
    // Of src/a.ts and app/src/a.ts the longer one is whole, and both end in a.ts.
    const ending = [...(byEnd.get(path) ?? [])].filter((one) => !byEnd.has(one))
    return ending.length === 1 ? (ending[0] ?? path) : path
  }
}

/** What the turn of some observations left, and the newest of these. */
type TracedTurn = Traces & { newest: WithBranch<Observation>; branch: string | null }

/** The turns that left something, in the order of their observations. */
function tracedTurns(observations: WithBranch<Observation>[], traces: TracedWork['traces']): TracedTurn[] {
  return [...Map.groupBy(observations, turnKey)].flatMap(([turn, [first, ...others]]) => {
    const left = traces.get(turn)
    return left && first ? [{ ...left, newest: [first, ...others].toSorted(byNewest)[0] ?? first, branch: first.branch }] : []
  })
}

/** By time: what was imported late has a higher number than newer work. */
const byNewest = (a: { id: number; at: number }, b: { id: number; at: number }) => b.at - a.at || b.id - a.id

/** What stands in the places that were changed, beside the file: what to look for in the code, or to ask for. */
function namesLine(turns: TracedTurn[], share: number, branch: string | null): OverviewLine {
  const best = rankByWorth(turns, branch, ({ names }) =>
    names.flatMap(([path, found]) => {
      // A test is full of names that it only makes up.
      const amount = IS_TEST.test(path) ? 0.5 : 1
      return isShowablePath(path) ? found.map((name, rank) => ({ name: `${path}\n${name}`, amount: amount / (1 + rank / 8) })) : []
    }),
  )
  const places = best.map((place) => place.name.split('\n') as [path: string, name: string])
  const whole = fullPathResolver(places.map(([path]) => path))
  const shown = (path: string) => [fileName(path)].find((name) => whole(name) === path) ?? path
  const byFile = new Map<string, string[]>()
  const told = new Set<string>()
  let cost = countTokens(NAMES_HEADING)
  for (const [path, name] of places) {
    const beside = byFile.get(path) ?? []
    if (told.has(name) || beside.length === MAX_NAMES_PER_FILE) continue
    cost += countTokens(beside.length > 0 ? `, ${name}` : `; ${shown(path)}: ${name}`)
    if (cost > share) break
    told.add(name)
    byFile.set(path, [...beside, name])
  }
  const all = new Set(places.map(([, name]) => name)).size
  const lines =
    byFile.size > 0
      ? [NAMES_HEADING + neutralizeText([...byFile].map(([path, names]) => `${shown(path)}: ${names.join(', ')}`).join('; '))]
      : []
  return { of: lineItem('names', `${told.size} of ${all} ${describeWorth(best)}`), lines, cut: all - told.size, share }
}

const NAMES_HEADING = 'Names in what was changed: '
const MAX_NAMES_PER_FILE = 12
const IS_TEST = /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|[._-](?:test|spec)s?\.\w+$/

/**
 * Errors that were met, by what was said and by checks that failed, and where the last time was. One that stands in the code is a name there.
 * What checks print turn after turn and pass all the same is said to be so: whoever meets it need not look into it.
 */
function errorLines(
  observations: WithBranch<Observation>[],
  turns: TracedTurn[],
  { mentioned, branch }: TracedWork,
  share: number,
): OverviewLine[] {
  const inCode = new Set(turns.flatMap(({ names }) => names.flatMap(([, found]) => found)))
  const usual = errorsOfPassingChecks(turns)
  const isMet = (name: string) => !inCode.has(name) && !usual.has(name)
  const met = [
    ...observations.map((o) => ({ id: o.id, at: o.at, branch: o.branch, names: entityNames(mentioned.get(o.id), 'error').filter(isMet) })),
    ...turns.map(({ newest: { id, at }, branch, errors }) => ({ id, at, branch, names: failedErrorNames(errors).filter(isMet) })),
  ].sort(byNewest)
  const errors = rankByWorth(met, branch, ({ names }) => names.map((name) => ({ name, amount: 1 })))
  const metIn = (error: string) => met.find(({ names }) => names.includes(error))?.id
  const byCheck = [...Map.groupBy(usual, ([, command]) => command)]
  const named = errors.map(({ name }) => `${name} (#${metIn(name)})`)
  const checks = byCheck.map(([command, printed]) => `\`${command}\`: ${printed.map(([name]) => name).join(' ')}`)
  const [told, passing] = [
    listWithinBudget('Errors met lately: ', named, share),
    listWithinBudget('Checks that print errors and pass all the same: ', checks, share),
  ]
  return [
    { of: lineItem('errors', `${errors.length - told.cut} of ${errors.length} ${describeWorth(errors)}`), share, ...told },
    { of: lineItem('checks', 'they printed the same errors in several turns and passed'), share, ...passing },
  ]
}

const failedErrorNames = (errors: Traces['errors']) => [...new Set(errors.flatMap(({ name, passed }) => (passed ? [] : [name])))]

/** The errors that passing checks printed in several turns, each with the check; a commit only runs it. */
function errorsOfPassingChecks(turns: TracedTurn[]): Map<string, string> {
  const printed = turns.flatMap(({ errors, newest }) =>
    errors.flatMap(({ name, command, passed }) => (passed ? [{ name, command, newest }] : [])),
  )
  const often = [...Map.groupBy(printed, ({ name }) => name)].filter(([, times]) => new Set(times.map(({ newest }) => newest)).size > 1)
  return new Map(
    often.map(([name, times]) => [name, (times.find(({ command }) => !command.startsWith('git ')) ?? times[0])?.command ?? '']),
  )
}

/** As many as the tokens allow; nothing for none. */
function listWithinBudget(head: string, names: string[], tokens: number): Pick<OverviewLine, 'lines' | 'cut'> {
  let cost = countTokens(head)
  const over = names.findIndex((name) => {
    cost += countTokens(`${name}, `)
    return cost > tokens
  })
  const shown = over < 0 ? names : names.slice(0, over)
  return { lines: shown.length > 0 ? [head + neutralizeText(shown.join(', '))] : [], cut: names.length - shown.length }
}
