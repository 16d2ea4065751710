import { shorten } from '../../core/text.ts'
import { coversWholeProject } from './check-scope.ts'
import type { CommandKind, CommandPart, FinishedCommand } from './commands.ts'
import { countNoun } from './lists.ts'
import { displayPath } from './paths.ts'
import { errorLine, isMisuse, type Problems, readProblems } from './problems.ts'
import { readTestReport, saysFailed, type TestReport } from './tests-output.ts'

/** One check (a test run, a build, a lint, …) and how it ended. */
export type CheckRun = {
  /** Position among the turn's actions. */
  index: number
  kind: CommandKind
  tool: string
  args: string[]
  /** The folder that its line enters first; empty if it enters none. */
  folder: string
  /** It covered the whole project. */
  isWhole: boolean
  passed: boolean
  report: TestReport | null
  problems: Problems | null
  /** The line that says why it failed, or empty. */
  error: string
  at: number
}

const CHECK_KINDS: CommandKind[] = ['test', 'typecheck', 'lint', 'build', 'migrate', 'install', 'run']

/** The checks among a turn's commands, in order. Leaves out runs whose result is unknown because a filter hid it. */
export function checkRunsOf(commands: FinishedCommand[], folder: string): CheckRun[] {
  return commands.flatMap(({ parts, output, failed, exitCode, index, at }) => {
    const checks = parts.filter(isCheck)
    // `| grep FAIL` that finds nothing exits with an error of its own.
    const foundNothing = output.trim() === '' && (checks.at(-1)?.filter.includes('grep') ?? false)
    if (checks.length === 0 || isMisuse(output, exitCode, failed)) return []
    const entered = parts.map((part) => enteredSubfolder(part, folder)).find((path) => path !== '') ?? ''
    const ended = exitCode !== null || failed
    const runs = hasOwnExitCode(parts, checks, exitCode)
      ? [passedRun(checks[0], output)]
      : runsIn(checks, output, failed && !foundNothing, ended)
    return runs.map((run) => ({ ...run, isWhole: coversWholeProject(run) && entered === '', folder: entered, index, at }))
  })
}

type RunResult = Omit<CheckRun, 'index' | 'at' | 'isWhole' | 'folder'>

/** The line is one check, and its exit code 0 is the check's own: errors in its output were printed by something that passes. A commit can succeed although a hook saw failures. */
function hasOwnExitCode(parts: CommandPart[], checks: CommandPart[], exitCode: number | null): checks is [CommandPart] {
  const [only] = checks
  return exitCode === 0 && checks.length === 1 && only === parts.at(-1) && only?.filter === '' && only.kind !== 'git'
}

function passedRun({ kind, tool, args }: CommandPart, output: string): RunResult {
  const printed = kind === 'test' ? readTestReport(output) : null
  const report = printed && { ...printed, failed: 0, names: [] }
  return { kind, tool, args, passed: true, report, problems: null, error: '' }
}

/** `bun test src/auth.test.ts`, shortened. */
export function describeRun(run: Pick<CheckRun, 'kind' | 'tool' | 'args'>): string {
  // The arguments of a commit or push are its message or branch; they do not identify the check.
  return run.kind === 'git' ? run.tool : shorten([run.tool, ...run.args].join(' '), 80)
}

/** `1321 tests pass` or `3 of 40 tests fail`; empty if the run printed no totals. */
export function describeTotals(report: TestReport | null): string {
  if (!report) return ''
  const { passed, failed, unit } = report
  if (failed > 0)
    return passed > 0
      ? `${failed} of ${countNoun(passed + failed, unit)} fail`
      : `${countNoun(failed, unit)} fail${failed === 1 ? 's' : ''}`
  return passed > 0 ? `${countNoun(passed, unit)} pass${passed === 1 ? 'es' : ''}` : ''
}

/** `web` for `cd web`: a check behind it covers a part of the project. Empty for other commands, and for folders elsewhere. */
function enteredSubfolder({ words: [program, path = ''] }: CommandPart, folder: string): string {
  const shown = displayPath(path, folder).replace(/^\.\//, '')
  return program === 'cd' && !/^(?:[/~$-]|\.|[A-Za-z]:)/.test(shown) ? shown.replace(/\/$/, '') : ''
}

/** Of the git commands, only commit and push count: a hook or the server can reject them. */
function isCheck(part: CommandPart): boolean {
  return CHECK_KINDS.includes(part.kind) || (part.kind === 'git' && / (commit|push)$/.test(part.tool))
}

/**
 * One shell line may contain several checks that share its output and exit code. A reported problem (failing tests, compiler errors)
 * is attributed to the check of that kind; the checks before it passed, and those after it never ran.
 */
function runsIn(parts: CommandPart[], output: string, failed: boolean, ended: boolean): RunResult[] {
  const kinds = parts.map((part) => part.kind)
  const report = kinds.some((kind) => kind === 'test' || kind === 'git') ? readTestReport(output) : null
  const problems = kinds.some((kind) => kind !== 'test') ? readProblems(output) : null
  // Complete totals without a failure are right about it, whatever else the suite printed.
  const allPass = !failed && report !== null && report.isComplete && report.failed === 0 && report.passed > 0
  const testsFail = (report?.failed ?? 0) > 0 || (kinds.every((kind) => kind === 'test') && !allPass && saysFailed(output))
  const reportsErrors = problems !== null || (!allPass && saysFailed(output))
  // If tests failed, everything before them passed. If nothing shows which check failed, it was the last one.
  const reported = testsFail
    ? kinds.lastIndexOf('test')
    : reportsErrors
      ? kinds.findIndex((kind) => ['typecheck', 'lint', 'build'].includes(kind))
      : -1
  const failedIndex = reported >= 0 ? reported : failed ? parts.length - 1 : -1
  return parts.flatMap((part, n) => {
    if (failedIndex >= 0 && n > failedIndex) return []
    const passed = n !== failedIndex
    if (passed && !isCredible(part, report, output, ended)) return []
    const own = part.kind === 'test' || part.kind === 'git' ? report : null
    return [
      {
        kind: part.kind,
        tool: part.tool,
        args: part.args,
        passed,
        report: own,
        problems: passed ? null : problems,
        error: passed ? '' : errorOf(own, output),
      },
    ]
  })
}

/** The totals of failed tests say more than the last error in their output, which a passing test may have printed; a missing module says most. */
function errorOf(report: TestReport | null, output: string): string {
  const missing = /^(?:error|Error|ModuleNotFoundError|ImportError): (?:Cannot find (?:module|package)|No module named) .+$/m.exec(
    output,
  )?.[0]
  if (missing) return shorten(missing, 200)
  return (report?.failed ?? 0) > 0 && report?.unit === 'test' && report.isComplete ? describeTotals(report) : errorLine(output)
}

/** A filter hides the exit code. Then a test run passed if it printed totals, or if a filter for failures printed nothing. */
function isCredible(part: CommandPart, report: TestReport | null, output: string, ended: boolean): boolean {
  if (report) return true
  if (!ended) return false
  return part.kind !== 'test' || part.filter === '' || (output.trim() === '' && SHOWS_FAILURES.test(part.filter))
}

/** Filters that show failures: `grep FAIL`, `grep -v ok`. */
const SHOWS_FAILURES = /grep\b.*(?:fail|error|not ok|✗|✖)|grep\b.*-v.*(?:ok|pass)/i
