import { shorten } from '../../core/text.ts'
import { coversWholeProject } from './check-scope.ts'
import type { CommandKind, CommandPart, FinishedCommand } from './commands.ts'
import { countNoun } from './lists.ts'
import { displayPath } from './paths.ts'
import { errorLine, isMisuse, type Problems, readProblems } from './problems.ts'
import { readTestReport, saysFailed, type TestReport } from './tests-output.ts'

/** One check (a test run, a build, a lint, …) and how it ended. */
export type CheckRun = {
  /** Place among the turn's acts. */
  index: number
  kind: CommandKind
  tool: string
  args: string[]
  /** It ran over the whole project, and not over a part of it. */
  isWhole: boolean
  passed: boolean
  report: TestReport | null
  problems: Problems | null
  /** The line that says why, when it failed. */
  error: string
  at: number
}

const CHECK_KINDS: CommandKind[] = ['test', 'typecheck', 'lint', 'build', 'migrate', 'install', 'run']

/** The checks among a turn's commands, in order. A run whose end cannot be known (its output went into a filter) is left out. */
export function checkRunsOf(commands: FinishedCommand[], folder: string): CheckRun[] {
  return commands.flatMap(({ parts, output, failed, exitCode, index, at }) => {
    const checks = parts.filter(isCheck)
    // `| grep FAIL` that found nothing ends with an exit code of its own.
    const silent = output.trim() === '' && (checks.at(-1)?.filter.includes('grep') ?? false)
    if (checks.length === 0 || (failed && isMisuse(output, exitCode))) return []
    const elsewhere = parts.some((part) => entersSubfolder(part, folder))
    return runsIn(checks, output, failed && !silent, exitCode !== null || failed).map((run) => ({
      ...run,
      isWhole: coversWholeProject(run) && !elsewhere,
      index,
      at,
    }))
  })
}

/** `bun test src/auth.test.ts`, as short as it can be recognised. */
export function describeRun(run: Pick<CheckRun, 'kind' | 'tool' | 'args'>): string {
  // What a commit or a push was given is its message or its branch, not what it is.
  return run.kind === 'git' ? run.tool : shorten([run.tool, ...run.args].join(' '), 80)
}

/** `1321 tests pass` or `3 of 40 tests fail`; empty when the run printed no totals. */
export function describeTotals(report: TestReport | null): string {
  if (!report) return ''
  const { passed, failed, unit } = report
  if (failed > 0)
    return passed > 0
      ? `${failed} of ${countNoun(passed + failed, unit)} fail`
      : `${countNoun(failed, unit)} fail${failed === 1 ? 's' : ''}`
  return passed > 0 ? `${countNoun(passed, unit)} pass${passed === 1 ? 'es' : ''}` : ''
}

/** `cd web && npm test` tests a part of the project. */
function entersSubfolder({ words: [program, path = ''] }: CommandPart, folder: string): boolean {
  const shown = displayPath(path, folder).replace(/^\.\//, '')
  return program === 'cd' && shown !== '' && !/^(?:[/~$-]|\.|[A-Za-z]:)/.test(shown)
}

/** Git is a check only where a hook or the other side can say no. */
function isCheck(part: CommandPart): boolean {
  return CHECK_KINDS.includes(part.kind) || (part.kind === 'git' && / (commit|push)$/.test(part.tool))
}

/**
 * One shell line may hold several checks, and its output and exit code belong to all of them. What the output reports (failing
 * tests, compiler errors) is pinned on the check of that kind; those before it passed, those after it never ran.
 */
function runsIn(parts: CommandPart[], output: string, failed: boolean, ended: boolean): Omit<CheckRun, 'index' | 'at' | 'isWhole'>[] {
  const kinds = parts.map((part) => part.kind)
  const report = kinds.some((kind) => kind === 'test' || kind === 'git') ? readTestReport(output) : null
  const problems = kinds.some((kind) => kind !== 'test') ? readProblems(output) : null
  const testsFail = (report?.failed ?? 0) > 0 || (kinds.every((kind) => kind === 'test') && saysFailed(output))
  const complains = problems !== null || saysFailed(output)
  // Failing tests were reached, so everything before them passed. When nothing says which one failed, it was the last to start.
  const found = testsFail
    ? kinds.lastIndexOf('test')
    : complains
      ? kinds.findIndex((kind) => ['typecheck', 'lint', 'build'].includes(kind))
      : -1
  const broken = found >= 0 ? found : failed ? parts.length - 1 : -1
  return parts.flatMap((part, n) => {
    if (broken >= 0 && n > broken) return []
    const passed = n !== broken
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
        error: passed ? '' : errorLine(output),
      },
    ]
  })
}

/** A filter hides the exit code: then a test run has passed when it printed its totals, or nothing where failures would stand. */
function isCredible(part: CommandPart, report: TestReport | null, output: string, ended: boolean): boolean {
  if (report) return true
  if (!ended) return false
  return part.kind !== 'test' || part.filter === '' || (output.trim() === '' && SHOWS_FAILURES.test(part.filter))
}

/** Filters that let failures through: `grep FAIL`, `grep -v ok`. */
const SHOWS_FAILURES = /grep\b.*(?:fail|error|not ok|✗|✖)|grep\b.*-v.*(?:ok|pass)/i
