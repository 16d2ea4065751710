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
  /** The program whose format the totals have; null if unknown. */
  runner: string | null
  /** The totals say how many tests failed, so other lines of the output cannot add failures. */
  isComplete: boolean
}

export const MAX_FAILING_TESTS = 12

/** Reads the totals and the failing tests from the output of a test run; null if it shows neither. */
export function readTestReport(output: string): TestReport | null {
  const total = totalsCounter()
  let file = ''
  // TAP prints the location below a failing test. If `tail` cut off the name, the location is all there is.
  let location = ''
  let isNameCutOff = true
  const tree = failingTree()
  for (const raw of linesOf(output)) {
    if (!WORTH_READING.test(raw)) continue
    const line = raw.trim()
    file = fileOf(line) ?? file
    if (total.read(line)) continue
    if (/^(?:not )?ok \d/.test(line)) isNameCutOff = false
    if (isNameCutOff) location = /^location: '(?:[^']{0,300}[\\/])?([^'\\/]+:\d+):\d+'$/.exec(line)?.[1] ?? location
    const name = isNameCutOff && line.startsWith('failureType:') && location ? location : failingTestOn(line)
    const indent = raw.length - raw.trimStart().length
    if (name) tree.add(/[/\\.:>›]/.test(name) || !file ? name : `${file} › ${name}`, indent, TREE_LINE.test(line))
    else if (/^(?:ok \d|✔ )/.test(line)) tree.pass(indent)
  }
  const { sum, runner, isComplete } = total
  const distinct = isComplete && sum.failed === 0 ? [] : withoutEchoes(unique(tree.names()))
  if (runner === null && distinct.length === 0) return null
  const unit = sum.passed + sum.failed === 0 && sum.goodPackages > 0 ? 'package' : 'test'
  return {
    passed: unit === 'package' ? sum.goodPackages : sum.passed,
    failed: sum.failed || distinct.length || sum.badPackages,
    unit,
    names: distinct.slice(0, MAX_FAILING_TESTS),
    runner,
    isComplete,
  }
}

/** Adds up the totals of workspaces and packages, but counts a total that is printed twice (TAP and spec) once. */
function totalsCounter() {
  const seen = new Set<string>()
  const counter = {
    sum: { passed: 0, failed: 0, goodPackages: 0, badPackages: 0 },
    runner: null as string | null,
    isComplete: false,
    /** False for a line without totals. */
    read(line: string): boolean {
      const totals = totalsOn(line)
      if (!totals) return false
      counter.runner ??= totals.runner
      counter.isComplete ||= totals.failed !== undefined
      if (!seen.has(line)) for (const key of TOTAL_KEYS) counter.sum[key] += totals[key] ?? 0
      seen.add(line)
      return true
    },
  }
  return counter
}

const TOTAL_KEYS = ['passed', 'failed', 'goodPackages', 'badPackages'] as const

/** TAP, and the spec reporters of node and vitest, indent the tests of a suite. */
const TREE_LINE = /^(?:not ok \d|✖ )/

/**
 * Collects failing tests. A suite that failed only because of its tests is printed after them, with less indentation; it is then a part of
 * their names and no failure of its own.
 */
function failingTree() {
  let open: { name: string; indent: number }[] = []
  const names: string[] = []
  const close = (indent: number) => {
    names.push(...open.filter((test) => test.indent > indent).map(({ name }) => name))
    open = open.filter((test) => test.indent <= indent)
  }
  return {
    add: (name: string, indent: number, isTree: boolean) => {
      if (names.length + open.length >= 4 * MAX_FAILING_TESTS) return
      const inner = isTree ? open.filter((test) => test.indent > indent) : []
      // The summary at the end repeats the tests without their suites.
      const isRepeated = inner.some((test) => test.name.endsWith(name))
      if (!isTree) names.push(name)
      else if (isRepeated) close(indent)
      else if (inner.length === 0) open.push({ name, indent })
      else for (const test of inner) Object.assign(test, { name: isFileName(name) ? test.name : `${name} › ${test.name}`, indent })
    },
    pass: close,
    names: () => [...names, ...open.map(({ name }) => name)],
  }
}

/** Older versions of node print each file as a suite. */
const isFileName = (name: string) => /[\\/]|\.[cm]?[jt]sx?$/.test(name)

/** A cheap test before the other patterns run: most lines of a log are neither totals nor failures. */
const WORTH_READING =
  /^\s+location: |fail|pass|error|✗|✖|×|●|not ok|\btests?\b|examples|\bruns\b|\bOK\b|^\s*\d+\)|^\s*ok\s|✔|\.(test|spec)\.|_test\.|rspec/i

/** One pattern for each format of totals, with the program that prints it. */
const TOTALS: [runner: string, RegExp][] = [
  ['jest', /^Tests:\s+(?:(?<failed>\d+) failed, )?(?:\d+ (?:skipped|todo|pending), )*(?:(?<passed>\d+) passed, )?(?<total>\d+) total$/],
  [
    'vitest',
    /^Tests\s+(?:(?<failed>\d+) failed[| ]+)?(?:\d+ (?:skipped|todo|pending)[| ]+)*(?:(?<passed>\d+) passed)?(?:[| ]+\d+ \w+)*\s*\((?<total>\d+)\)$/,
  ],
  // These print two lines.
  ['bun', /^(?<passed>\d+) pass$/],
  ['bun', /^(?<failed>\d+) fail$/],
  ['mocha', /^(?<passed>\d+) passing(?: \([\w. ]+\))?$/],
  ['mocha', /^(?<failed>\d+) failing$/],
  // node --test: `# pass 5` and `ℹ fail 1`
  ['node', /^[#ℹ] pass (?<passed>\d+)$/],
  ['node', /^[#ℹ] fail (?<failed>\d+)$/],
  // `==== 2 failed, 30 passed, 1 warning in 1.20s ====`
  [
    'pytest',
    /^=*\s*(?:(?<failed>\d+) failed,? ?)?(?:(?<passed>\d+) passed,? ?)?(?:\d+ (?!errors?\b)\w+,? ?)*(?:(?<errors>\d+) errors?,? ?)?in (?<total>[\d.]+)s(?: \([\d:]+\))?\s*=*$/,
  ],
  ['unittest', /^FAILED \((?:failures=(?<failed>\d+))?(?:, )?(?:errors=(?<errors>\d+))?[^)]{0,60}\)$/],
  ['cargo', /^test result: \w+\. (?<passed>\d+) passed; (?<failed>\d+) failed;/],
  ['cargo', /tests? run: (?<passed>\d+) passed(?: \([^)]{0,60}\))?(?:, (?<failed>\d+) failed)?/],
  ['rspec', /^(?<total>\d+) examples, (?<failed>\d+) failures?/],
  ['mix', /^(?<total>\d+) tests, (?<failed>\d+) failures?/],
  ['minitest', /^(?<total>\d+) runs, \d+ assertions, (?<failed>\d+) failures, (?<errors>\d+) errors/],
  ['phpunit', /^OK \((?<passed>\d+) tests?, \d+ assertions?\)$/],
  ['phpunit', /^Tests: (?<total>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, Failures: (?<failed>\d+))?/],
  // maven's final total: totals of single classes end with a time
  ['mvn', /^(?:\[\w+\]\s+)?Tests run: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<errors>\d+), Skipped: \d+$/],
  ['gradle', /^(?<total>\d+) tests completed, (?<failed>\d+) failed/],
  ['dotnet', /^(?:Passed|Failed)!\s+-\s+Failed:\s+(?<failed>\d+), Passed:\s+(?<passed>\d+),/],
  ['ctest', /^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)$/],
  ['playwright', /^(?<passed>\d+) passed \([\d.]+\w+\)$/],
  ['playwright', /^(?<failed>\d+) failed$/],
  ['deno', /^(?:ok|FAILED) \| (?<passed>\d+) passed(?: \([^)]{0,40}\))? \| (?<failed>\d+) failed/],
  ['swift', /^Executed (?<total>\d+) tests?, with (?<failed>\d+) failures?/],
  // one line for each package
  ['go', /^(?<ok>ok)\s+[\w./-]+\s+(?:[\d.]+s|\(cached\))/],
  ['go', /^(?<broken>FAIL)\s+[\w./-]+\s+(?:[\d.]+s|\[\w+ failed\])/],
]

/** `failed` is missing if the line does not say how many tests failed. */
type TestTotals = { runner: string; passed?: number; failed?: number; goodPackages?: number; badPackages?: number }

function totalsOn(line: string): TestTotals | null {
  if (!/\d|^ok\s|^FAIL\s/.test(line)) return null
  for (const [runner, pattern] of TOTALS) {
    const g = pattern.exec(line)?.groups
    if (!g) continue
    const bad = Number(g.failed ?? 0) + Number(g.errors ?? 0)
    if (g.ok) return { runner, goodPackages: 1 }
    if (g.broken) return { runner, badPackages: 1 }
    if (g.passed === undefined && g.failed === undefined && g.errors === undefined && g.total === undefined) continue
    if (TWO_LINES.has(runner)) return g.failed === undefined ? { runner, passed: Number(g.passed) } : { runner, failed: bad }
    if (runner === 'pytest' && g.passed === undefined && bad === 0) continue
    const total = runner === 'pytest' ? 0 : Number(g.total ?? 0)
    return { runner, passed: g.passed !== undefined ? Number(g.passed) : Math.max(0, total - bad), failed: bad }
  }
  return null
}

/** These say on a line of its own how many tests failed; mocha and playwright only if some did. */
const TWO_LINES = new Set(['bun', 'mocha', 'node', 'playwright'])

/** One pattern for each format of a failing test; the first group is its name. */
const FAILING: RegExp[] = [
  /^\(fail\) (.+?)(?: \[[\d.]+\w+\])?$/, // bun
  /^✗ (.+?)(?: \[[\d.]+\w+\])?$/,
  /^● (.+ › .+)$/, // jest
  /^FAIL\s+(\S+ > .+)$/, // vitest
  /^[×✖] (.+?)(?: \(?[\d.]+m?s\)?)?$/, // vitest's tree, node's spec reporter
  /^not ok \d+ -? ?((?:(?! # (?:TODO|SKIP)\b).)+?)(?: # (?!TODO|SKIP).*)?$/i, // TAP; a test to do or to skip does not fail the run
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
