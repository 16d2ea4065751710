import { linesOf } from '../../core/text.ts'
import { unique } from './lists.ts'

/** The results that a test run printed. */
export type TestReport = {
  passed: number
  failed: number
  /** Go counts packages; other runners count tests. */
  unit: 'test' | 'package'
  /** Names of failing tests as printed, at most `MAX_FAILING_TESTS`. */
  names: string[]
}

export const MAX_FAILING_TESTS = 12

/** Reads the totals and the failing tests from the output of a test run; null if it shows neither. */
export function readTestReport(output: string): TestReport | null {
  const sum = { passed: 0, failed: 0, goodPackages: 0, badPackages: 0 }
  let hasTotals = false
  let file = ''
  // TAP prints the location below a failing test. If `tail` cut off the name, the location is all there is.
  let location = ''
  let isNameCutOff = true
  const names: string[] = []
  // Add up the totals of workspaces and packages, but count a total that is printed twice (TAP and spec) once.
  const seen = new Set<string>()
  for (const raw of linesOf(output)) {
    if (!WORTH_READING.test(raw)) continue
    const line = raw.trim()
    file = fileOf(line) ?? file
    const totals = totalsOn(line)
    if (totals) {
      hasTotals = true
      if (seen.has(line)) continue
      seen.add(line)
      for (const key of Object.keys(totals) as (keyof TestTotals)[]) sum[key] += totals[key] ?? 0
      continue
    }
    if (/^(?:not )?ok \d/.test(line)) isNameCutOff = false
    if (isNameCutOff) location = /^location: '(?:[^']{0,300}[\\/])?([^'\\/]+:\d+):\d+'$/.exec(line)?.[1] ?? location
    const name = isNameCutOff && line.startsWith('failureType:') && location ? location : failingTestOn(line)
    if (name && names.length < 4 * MAX_FAILING_TESTS) names.push(/[/\\.:>›]/.test(name) || !file ? name : `${file} › ${name}`)
  }
  const distinct = withoutEchoes(unique(names))
  if (!hasTotals && distinct.length === 0) return null
  const unit = sum.passed + sum.failed === 0 && sum.goodPackages > 0 ? 'package' : 'test'
  return {
    passed: unit === 'package' ? sum.goodPackages : sum.passed,
    failed: sum.failed || distinct.length || sum.badPackages,
    unit,
    names: distinct.slice(0, MAX_FAILING_TESTS),
  }
}

/** A cheap test before the other patterns run: most lines of a log are neither totals nor failures. */
const WORTH_READING =
  /^\s+location: |fail|pass|error|✗|✖|×|●|not ok|\btests?\b|examples|\bruns\b|\bOK\b|^\s*\d+\)|^ok\s|\.(test|spec)\.|_test\.|rspec/i

/** One pattern for each format of totals. */
const TOTALS: RegExp[] = [
  // jest: `Tests: 5 failed, 1 skipped, 473 passed, 478 total`; vitest: `Tests  2 failed | 30 passed (32)`
  /^Tests:?\s+(?:(?<failed>\d+) failed[,| ]+)?(?:\d+ (?:skipped|todo|pending)[,| ]+)*(?:(?<passed>\d+) passed)?(?:[,| ]+\d+ \w+)*\s*(?:\(\d+\))?$/,
  // bun and mocha print two lines
  /^(?<passed>\d+) pass(?:ing|es)?(?: \([\w. ]+\))?$/,
  /^(?<failed>\d+) fail(?:ing|s)?$/,
  // node --test: `# pass 5` and `ℹ fail 1`
  /^[#ℹ] pass (?<passed>\d+)$/,
  /^[#ℹ] fail (?<failed>\d+)$/,
  // pytest: `==== 2 failed, 30 passed, 1 warning in 1.20s ====`
  /^=*\s*(?:(?<failed>\d+) failed,? ?)?(?:(?<passed>\d+) passed,? ?)?(?:\d+ \w+,? ?)*in [\d.]+s(?: \([\d:]+\))?\s*=*$/,
  // unittest
  /^FAILED \((?:failures=(?<failed>\d+))?(?:, )?(?:errors=(?<errors>\d+))?[^)]{0,60}\)$/,
  // cargo test and nextest
  /^test result: \w+\. (?<passed>\d+) passed; (?<failed>\d+) failed;/,
  /tests? run: (?<passed>\d+) passed(?: \([^)]{0,60}\))?(?:, (?<failed>\d+) failed)?/,
  // rspec, minitest, ExUnit
  /^(?<total>\d+) (?:examples|tests), (?<failed>\d+) failures?/,
  /^(?<total>\d+) runs, \d+ assertions, (?<failed>\d+) failures, (?<errors>\d+) errors/,
  // phpunit
  /^OK \((?<passed>\d+) tests?, \d+ assertions?\)$/,
  /^Tests: (?<total>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, Failures: (?<failed>\d+))?/,
  // maven's final total (totals of single classes end with a time), gradle
  /^(?:\[\w+\]\s+)?Tests run: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<errors>\d+), Skipped: \d+$/,
  /^(?<total>\d+) tests completed, (?<failed>\d+) failed/,
  // dotnet
  /^(?:Passed|Failed)!\s+-\s+Failed:\s+(?<failed>\d+), Passed:\s+(?<passed>\d+),/,
  // ctest
  /^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)$/,
  // playwright and deno
  /^(?<passed>\d+) passed \([\d.]+\w+\)$/,
  /^(?<failed>\d+) failed$/,
  /^(?:ok|FAILED) \| (?<passed>\d+) passed(?: \([^)]{0,40}\))? \| (?<failed>\d+) failed/,
  // XCTest
  /^Executed (?<total>\d+) tests?, with (?<failed>\d+) failures?/,
  // go prints one line for each package
  /^(?<ok>ok)\s+[\w./-]+\s+(?:[\d.]+s|\(cached\))/,
  /^(?<broken>FAIL)\s+[\w./-]+\s+(?:[\d.]+s|\[\w+ failed\])/,
]

type TestTotals = { passed?: number; failed?: number; goodPackages?: number; badPackages?: number }

function totalsOn(line: string): TestTotals | null {
  if (!/\d|^ok\s|^FAIL\s/.test(line)) return null
  for (const pattern of TOTALS) {
    const g = pattern.exec(line)?.groups
    if (!g) continue
    const bad = Number(g.failed ?? 0) + Number(g.errors ?? 0)
    if (g.ok) return { goodPackages: 1 }
    if (g.broken) return { badPackages: 1 }
    if (g.passed === undefined && g.failed === undefined && g.errors === undefined && g.total === undefined) continue
    return { passed: g.passed !== undefined ? Number(g.passed) : Math.max(0, Number(g.total ?? 0) - bad), failed: bad }
  }
  return null
}

/** One pattern for each format of a failing test; the first group is its name. */
const FAILING: RegExp[] = [
  /^\(fail\) (.+?)(?: \[[\d.]+\w+\])?$/, // bun
  /^✗ (.+?)(?: \[[\d.]+\w+\])?$/,
  /^● (.+ › .+)$/, // jest
  /^FAIL\s+(\S+ > .+)$/, // vitest
  /^[×✖] (.+?)(?: \(?[\d.]+m?s\)?)?$/, // vitest's tree, node's spec reporter
  /^not ok \d+ -? ?(.+?)(?: # .*)?$/, // TAP
  /^--- FAIL: (\S+) \(/, // go
  /^FAILED (\S+::\S+)/, // pytest
  /^(?:FAIL|ERROR): (\w+ \([\w.]+\))/, // unittest
  /^test (\S+) \.\.\. FAILED$/, // cargo
  /^FAIL \[\s*[\d.]+s\]\s+(.+)$/, // nextest
  /^rspec (\.\/\S+) # .+$/, // rspec
  /^(\w+ > .+) FAILED$/, // gradle
  /^Failed (\S+) \[[<\d. ]+\w+\]$/, // dotnet
  /^\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT)\)$/, // ctest
  /^\d+\) (\[\w+\] › .+)$/, // playwright
  /^\d+\) ([\w\\]+::\w+)/, // phpunit
  /^\[ERROR\]\s+(\w+\.\w+):\d+/, // maven
]

function failingTestOn(line: string): string | null {
  for (const pattern of FAILING) {
    const name = pattern.exec(line)?.[1]?.trim()
    // Node and vitest print the same cross before summaries such as `✖ failing tests:`.
    if (name && !/^(failing tests:?|\d+ (problems?|of \d+ failed|error))/.test(name)) return name
  }
  return null
}

/** The test file that a line names; the tests that follow belong to it. */
function fileOf(line: string): string | null {
  return /^(?:FAIL\s+|❯ )?((?:[\w@.-]+\/)*[\w.-]+(?:\.(?:test|spec)|_test|_spec)\.\w+)(?::|\s*\(|$)/.exec(line)?.[1] ?? null
}

/** Runners repeat a failure in their summary, with or without its file or suite. Keeps the longest form. */
function withoutEchoes(names: string[]): string[] {
  return names.filter((name) => !names.some((other) => other !== name && other.length > name.length && other.endsWith(name)))
}

/** Whether the output shows a failure. Needed when a pipe has hidden the exit code. */
export function saysFailed(output: string): boolean {
  return /^(?:FAIL(?:ED)?\b|--- FAIL:|# fail [1-9]|\[\w+\] ERROR task failed|error: script ".*" exited with code|ELIFECYCLE|npm (?:ERR!|error) )/m.test(
    output,
  )
}
