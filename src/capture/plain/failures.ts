import { compareSuites } from '../../core/check-command.ts'
import type { OpenFailure } from '../../core/memory.ts'
import { shorten } from '../../core/text.ts'
import { type CheckRun, describeRun, describeTotals } from './check-runs.ts'
import { type CommandKind, partsOf } from './commands.ts'
import type { TurnEdit } from './edits.ts'
import { unique } from './lists.ts'
import { MAX_FAILING_TESTS } from './tests-output.ts'

/** A check that failed and now passes, with the edits in between. */
export type SolvedFailure = {
  failure: OpenFailure
  /** The failed run; null if it was in an earlier turn. */
  failed: CheckRun | null
  passed: CheckRun
  edits: TurnEdit[]
  /** Of `edits`, those after the last run that failed: the fix, as far as anyone can tell. */
  lastEdits: TurnEdit[]
}

/** A check that passed again although nothing was edited. */
type PassedAgain = Omit<SolvedFailure, 'edits' | 'lastEdits'>

/** Older failures are dropped: the session did not return to them. */
const MAX_OPEN_FAILURES = 10

/**
 * Follows each failing check until the same check passes, or a wider run by the same program. Anything less, such as the failing test alone or a
 * script that may have run it, leaves it unclear: no longer failing and not fixed. A check that passes without an edit (a retry, an automatic
 * format) is `retried`, not solved.
 */
export function followFailures(
  runs: CheckRun[],
  edits: TurnEdit[],
  carried: OpenFailure[],
  promptNumber: number,
): { solved: SolvedFailure[]; retried: PassedAgain[]; open: OpenFailure[] } {
  let open: { failure: OpenFailure; failed: CheckRun | null; lastFailedIndex: number; seen: string[] }[] = carried.map((failure) => ({
    failure,
    failed: null,
    lastFailedIndex: -1,
    seen: failure.names,
  }))
  const solved: SolvedFailure[] = []
  const retried: PassedAgain[] = []
  for (const run of runs) {
    if (run.passed) {
      open = open.flatMap((o) => {
        const { failed, seen } = o
        const failure = remainingFailure(o.failure, run)
        if (failure) return { ...o, failure }
        const between = edits.filter((edit) => edit.index > (failed?.index ?? -1) && edit.index < run.index)
        const { isUnclear: _, ...cause } = o.failure
        const passed = { failure: { ...cause, names: seen }, failed, passed: run }
        const lastEdits = between.filter((edit) => edit.index > o.lastFailedIndex)
        if (between.length > 0) solved.push({ ...passed, edits: between, lastEdits })
        else retried.push(passed)
        return []
      })
    } else {
      const same = open.filter((o) => isSameCheck(run, o.failure))
      // If a check fails again, keep its first failure: what matters is what broke and what finally fixed it.
      const earlier = same.find((o) => o.failed) ?? same[0]
      open = open.filter((o) => !same.includes(o))
      const failure = earlier ? mergeFailures(earlier.failure, run, promptNumber) : failureOf(run, promptNumber)
      // An open failure lists the tests that fail now; a solved one lists all that failed on the way.
      const seen = unique([...(earlier?.seen ?? []), ...failure.names]).slice(0, MAX_FAILING_TESTS)
      open.push({ failure, failed: earlier ? earlier.failed : run, lastFailedIndex: run.index, seen })
    }
  }
  return { solved, retried, open: open.map((o) => o.failure).slice(-MAX_OPEN_FAILURES) }
}

/** A failure as one fact: the command with its failing tests or its error. */
export function describeFailure(failure: OpenFailure): string {
  const names = failure.names.slice(0, 4).join('; ')
  return [`\`${shorten(failure.command, 80)}\` failed`, names || failure.error].filter(Boolean).join(': ')
}

function failureOf(run: CheckRun, promptNumber: number): OpenFailure {
  const names = run.kind === 'test' ? (run.report?.names ?? []) : []
  const error = run.problems?.first[0] ?? (names.length > 0 ? describeTotals(run.report) : run.error)
  const suite = { ...(run.report?.runner ? { runner: run.report.runner } : {}), ...(run.folder ? { folder: run.folder } : {}) }
  return { command: describeRun(run), names, error, at: run.at, promptNumber, ...suite }
}

/** Uses the details of the latest run, unless a filter hid them. */
function mergeFailures(earlier: OpenFailure, run: CheckRun, promptNumber: number): OpenFailure {
  const now = failureOf(run, promptNumber)
  // The check that failed first has to pass. A narrower run in between does not replace it; a run of the whole project does.
  const command = run.isWhole ? now.command : earlier.command
  const runner = now.runner ?? earlier.runner
  const merged = { ...now, command, ...(runner ? { runner } : {}) }
  return now.names.length > 0 ? merged : { ...merged, names: earlier.names, error: earlier.error || now.error }
}

/** What may still fail after a passing run; null if nothing does. */
function remainingFailure(failure: OpenFailure, run: CheckRun): OpenFailure | null {
  const isElsewhere = run.folder !== '' && failure.folder !== undefined && run.folder !== failure.folder
  if (isElsewhere) return failure
  if (failure.command === describeRun(run)) return null
  // The line ran several checks, and it is unknown which of them reported the failures.
  if ((run.report?.failed ?? 0) > 0) return failure
  const before = argsOfFailedRun(run, failure)
  if (before && isWithin(run, before)) return null
  if (coversSuite(run, failure)) {
    const match = compareSuites({ command: run.kind === 'git' ? 'git' : describeRun(run), ...runnerIn(run) }, failure)
    if (match === 'same') return null
    return match === 'unclear' ? { ...failure, isUnclear: true } : failure
  }
  return withoutSelected(failure, run, before !== null)
}

const runnerIn = ({ report }: CheckRun) => (report?.runner ? { runner: report.runner } : {})

/** Whether a run covers everything of the failure's kind: the whole project, or the tests that the hook of a commit or push ran. */
function coversSuite(run: CheckRun, failure: OpenFailure): boolean {
  const kind = kindOf(failure)
  if (run.kind === 'git') return kind === 'test' && (run.report?.passed ?? 0) > 0
  return run.isWhole && run.kind === kind
}

/** The failure without the tests that a narrower run selected and saw pass. Alone they may pass for other reasons, so nothing is solved. */
function withoutSelected(failure: OpenFailure, run: CheckRun, isSameTool: boolean): OpenFailure {
  const targets = targetsOf(run).filter((target) => isSameTool || (run.kind === 'test' && target.length >= MIN_TARGET_NAME_CHARS))
  const names = failure.names.filter((name) => !targets.some((target) => name.includes(target)))
  if (names.length < failure.names.length) return names.length > 0 ? { ...failure, names } : { ...failure, isUnclear: true }
  return isSameTool && targets.some((target) => failure.error.includes(target)) ? { ...failure, isUnclear: true } : failure
}

/** A shorter target could be a common word in the test names of another runner. */
const MIN_TARGET_NAME_CHARS = 8

function isSameCheck(run: CheckRun, failure: OpenFailure): boolean {
  const before = argsOfFailedRun(run, failure)
  if (failure.command === describeRun(run) || (before && isWithin(run, before))) return true
  const failing = [...failure.names, failure.error].join('\n')
  return before !== null && targetsOf(run).some((target) => failing.includes(target))
}

/** A failure with test names is a test; otherwise its command determines the kind. */
function kindOf(failure: OpenFailure): CommandKind | undefined {
  return failure.names.length > 0 ? 'test' : partsOf(failure.command)[0]?.kind
}

/** The arguments of the failed run, if it used the same tool. */
function argsOfFailedRun(run: CheckRun, { command }: OpenFailure): string[] | null {
  const isSameTool = run.kind !== 'git' && (command === run.tool || command.startsWith(`${run.tool} `))
  return isSameTool ? command.slice(run.tool.length).split(' ').filter(Boolean) : null
}

const isWithin = (run: CheckRun, before: string[]) => run.args.every((arg) => before.includes(arg) || arg === './...' || arg === '.')

/** The files and tests that a run selects: `TestA` and `TestB` for `-run '^TestA$|^TestB$'`. */
function targetsOf(run: CheckRun): string[] {
  const selected = run.args.filter((arg) => !arg.startsWith('-')).flatMap((arg) => arg.split('|'))
  return selected.map((arg) => arg.replace(/^\.\/|^\^|\$$/g, '')).filter((target) => target.length > 3)
}
