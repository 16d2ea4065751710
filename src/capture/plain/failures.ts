import type { OpenFailure } from '../../core/memory.ts'
import { shorten } from '../../core/text.ts'
import type { Edit } from './edits.ts'
import { unique } from './lists.ts'
import { type Run, shownRun, shownTotals } from './runs.ts'
import { MOST_NAMES } from './tests-output.ts'

/** A check that failed and passes now, with the edits made in between. */
export type Solved = {
  failure: OpenFailure
  /** The run that failed, or null when that was in an earlier turn. */
  failed: Run | null
  passed: Run
  edits: Edit[]
}

/** How many failures are carried from turn to turn; older ones are forgotten, nobody came back to them. */
const MOST_OPEN = 10

/**
 * Follows every failing check until it passes. A pass counts when it is the same check, a wider run of it, or a narrower one
 * aimed at what had failed. Failures that passed without an edit (a retry, an automatic format) are closed silently.
 */
export function followFailures(
  runs: Run[],
  edits: Edit[],
  carried: OpenFailure[],
  promptNumber: number,
): { solved: Solved[]; open: OpenFailure[] } {
  let open: { failure: OpenFailure; failed: Run | null; seen: string[] }[] = carried.map((failure) => ({
    failure,
    failed: null,
    seen: failure.names,
  }))
  const solved: Solved[] = []
  for (const run of runs) {
    const same = open.filter((o) => concerns(run, o.failure))
    if (run.passed) {
      open = open.filter((o) => !same.includes(o))
      for (const { failure, failed, seen } of same) {
        const between = edits.filter((edit) => edit.index > (failed?.index ?? -1) && edit.index < run.index)
        if (between.length > 0) solved.push({ failure: { ...failure, names: seen }, failed, passed: run, edits: between })
      }
    } else {
      // Failing again keeps the first failure: the story is what broke and what finally helped.
      const earlier = same.find((o) => o.failed) ?? same[0]
      open = open.filter((o) => !same.includes(o))
      const failure = earlier ? mergeFailures(earlier.failure, run, promptNumber) : failureOf(run, promptNumber)
      // What is open is what fails now; what was put right is everything that failed on the way.
      const seen = unique([...(earlier?.seen ?? []), ...failure.names]).slice(0, MOST_NAMES)
      open.push({ failure, failed: earlier ? earlier.failed : run, seen })
    }
  }
  return { solved, open: open.map((o) => o.failure).slice(-MOST_OPEN) }
}

/** `3 of 40 tests fail: a, b, c` or the error line: what a failure looked like, in one fact. */
export function describeFailure(failure: OpenFailure): string {
  const names = failure.names.slice(0, 4).join('; ')
  return [`\`${shorten(failure.command, 80)}\` failed`, names || failure.error].filter(Boolean).join(': ')
}

function failureOf(run: Run, promptNumber: number): OpenFailure {
  const names = run.kind === 'test' ? (run.report?.names ?? []) : []
  const error = run.problems?.first[0] ?? (names.length > 0 ? shownTotals(run.report) : run.error)
  return { command: shownRun(run), names, error, at: run.at, promptNumber }
}

/** The latest run says best what is wrong and when, unless a filter left it with nothing to say. */
function mergeFailures(earlier: OpenFailure, run: Run, promptNumber: number): OpenFailure {
  // What has to pass again is the check that failed first; a narrower run on the way does not take its place.
  const now = { ...failureOf(run, promptNumber), command: earlier.command }
  return now.names.length > 0 ? now : { ...now, names: earlier.names, error: earlier.error || now.error }
}

function concerns(run: Run, failure: OpenFailure): boolean {
  if (failure.command === shownRun(run)) return true
  // A commit or push that went through a hook which runs the tests has run the tests.
  if (run.kind === 'git' && run.passed) return failure.names.length > 0 && (run.report?.passed ?? 0) > 0
  if (failure.command !== run.tool && !failure.command.startsWith(`${run.tool} `)) return false
  const before = failure.command.slice(run.tool.length).split(' ').filter(Boolean)
  if (run.args.every((arg) => before.includes(arg) || arg === './...' || arg === '.')) return true
  const failing = [...failure.names, failure.error].join('\n')
  return run.args.some((arg) => arg.length > 3 && !arg.startsWith('-') && failing.includes(arg.replace(/^\.\//, '')))
}
