import type { OpenFailure } from '../../core/memory.ts'
import { shorten } from '../../core/text.ts'
import { type CheckRun, describeRun, describeTotals } from './check-runs.ts'
import { mayBeSameCheck } from './check-scope.ts'
import { type CommandKind, partsOf } from './commands.ts'
import type { TurnEdit } from './edits.ts'
import { unique } from './lists.ts'
import { MAX_FAILING_TESTS } from './tests-output.ts'

/** A check that failed and passes now, with the edits made in between. */
export type SolvedFailure = {
  failure: OpenFailure
  /** The run that failed, or null when that was in an earlier turn. */
  failed: CheckRun | null
  passed: CheckRun
  edits: TurnEdit[]
}

/** How many failures are carried from turn to turn; older ones are forgotten, nobody came back to them. */
const MAX_OPEN_FAILURES = 10

/**
 * Follows every failing check until it passes. A pass counts when it is the same check, a wider run of it, a run over everything of its kind
 * by whatever runner, or a narrower one aimed at what had failed. Failures that passed without an edit (a retry, an automatic format) are
 * closed silently, and so are those that a run of another language leaves in doubt.
 */
export function followFailures(
  runs: CheckRun[],
  edits: TurnEdit[],
  carried: OpenFailure[],
  promptNumber: number,
): { solved: SolvedFailure[]; open: OpenFailure[] } {
  let open: { failure: OpenFailure; failed: CheckRun | null; seen: string[] }[] = carried.map((failure) => ({
    failure,
    failed: null,
    seen: failure.names,
  }))
  const solved: SolvedFailure[] = []
  for (const run of runs) {
    if (run.passed) {
      open = open.flatMap((o) => {
        const { failed, seen } = o
        const failure = remainingFailure(o.failure, run)
        if (failure) return { ...o, failure }
        const between = edits.filter((edit) => edit.index > (failed?.index ?? -1) && edit.index < run.index)
        if (between.length > 0 && (run.kind === 'git' || mayBeSameCheck(run.tool, o.failure.command)))
          solved.push({ failure: { ...o.failure, names: seen }, failed, passed: run, edits: between })
        return []
      })
    } else {
      const same = open.filter((o) => isSameCheck(run, o.failure))
      // Failing again keeps the first failure: the story is what broke and what finally helped.
      const earlier = same.find((o) => o.failed) ?? same[0]
      open = open.filter((o) => !same.includes(o))
      const failure = earlier ? mergeFailures(earlier.failure, run, promptNumber) : failureOf(run, promptNumber)
      // What is open is what fails now; what was put right is everything that failed on the way.
      const seen = unique([...(earlier?.seen ?? []), ...failure.names]).slice(0, MAX_FAILING_TESTS)
      open.push({ failure, failed: earlier ? earlier.failed : run, seen })
    }
  }
  return { solved, open: open.map((o) => o.failure).slice(-MAX_OPEN_FAILURES) }
}

/** `3 of 40 tests fail: a, b, c` or the error line: what a failure looked like, in one fact. */
export function describeFailure(failure: OpenFailure): string {
  const names = failure.names.slice(0, 4).join('; ')
  return [`\`${shorten(failure.command, 80)}\` failed`, names || failure.error].filter(Boolean).join(': ')
}

function failureOf(run: CheckRun, promptNumber: number): OpenFailure {
  const names = run.kind === 'test' ? (run.report?.names ?? []) : []
  const error = run.problems?.first[0] ?? (names.length > 0 ? describeTotals(run.report) : run.error)
  return { command: describeRun(run), names, error, at: run.at, promptNumber }
}

/** The latest run says best what is wrong and when, unless a filter left it with nothing to say. */
function mergeFailures(earlier: OpenFailure, run: CheckRun, promptNumber: number): OpenFailure {
  const now = failureOf(run, promptNumber)
  // What has to pass again is the check that failed first; a narrower run on the way does not take its place, one of everything does.
  const command = run.isWhole ? now.command : earlier.command
  return now.names.length > 0 ? { ...now, command } : { ...now, command, names: earlier.names, error: earlier.error || now.error }
}

/** What still fails, for all one knows, after a run that passed: null when that shows nothing is left. */
function remainingFailure(failure: OpenFailure, run: CheckRun): OpenFailure | null {
  // A commit or push that went through a hook which runs the tests has run the tests.
  const ranTests = run.kind === 'git' && (run.report?.passed ?? 0) > 0
  if (failure.command === describeRun(run)) return null
  // Of several runs in one line nobody knows which of them reported this.
  if ((run.report?.failed ?? 0) > 0) return failure
  const kind = kindOf(failure)
  if (
    kind === 'test'
      ? ranTests || (run.isWhole && run.kind === kind)
      : run.isWhole && run.kind === kind && mayBeSameCheck(run.tool, failure.command)
  )
    return null
  const before = argsOfFailedRun(run, failure)
  if (before && isWithin(run, before)) return null
  const aims = targetsOf(run).filter((aim) => before || (run.kind === 'test' && aim.length >= MIN_TARGET_NAME_CHARS))
  const names = failure.names.filter((name) => !aims.some((aim) => name.includes(aim)))
  if (names.length < failure.names.length) return names.length > 0 ? { ...failure, names } : null
  return before && aims.some((aim) => failure.error.includes(aim)) ? null : failure
}

/** Shorter than this, what one runner was pointed at may be a word in the names that another prints. */
const MIN_TARGET_NAME_CHARS = 8

function isSameCheck(run: CheckRun, failure: OpenFailure): boolean {
  const before = argsOfFailedRun(run, failure)
  if (failure.command === describeRun(run) || (before && isWithin(run, before))) return true
  const failing = [...failure.names, failure.error].join('\n')
  return before !== null && targetsOf(run).some((aim) => failing.includes(aim))
}

/** Tests are known by their names; of anything else its command says what it was. */
function kindOf(failure: OpenFailure): CommandKind | undefined {
  return failure.names.length > 0 ? 'test' : partsOf(failure.command)[0]?.kind
}

/** What the failing run was pointed at, when it was of the same tool. */
function argsOfFailedRun(run: CheckRun, { command }: OpenFailure): string[] | null {
  const isOfTool = run.kind !== 'git' && (command === run.tool || command.startsWith(`${run.tool} `))
  return isOfTool ? command.slice(run.tool.length).split(' ').filter(Boolean) : null
}

const isWithin = (run: CheckRun, before: string[]) => run.args.every((arg) => before.includes(arg) || arg === './...' || arg === '.')

/** The files and tests that a run was aimed at: `TestA` and `TestB` of `-run '^TestA$|^TestB$'`. */
function targetsOf(run: CheckRun): string[] {
  const pointed = run.args.filter((arg) => !arg.startsWith('-')).flatMap((arg) => arg.split('|'))
  return pointed.map((arg) => arg.replace(/^\.\/|^\^|\$$/g, '')).filter((aim) => aim.length > 3)
}
