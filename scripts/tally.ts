export type Tally = { passed: number; failed: number; skipped: number }

/**
 * Counts the results of a test run from Bun's JUnit report. A file that could not be loaded is missing from the report; if the run failed, each
 * missing file counts as one failure.
 */
export function tally(report: string, files: string[], exitCode: number): Tally {
  const total = /<testsuites [^>]*>/.exec(report)?.[0] ?? ''
  const number = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(total)?.[1] ?? 0)
  const missing = exitCode === 0 ? [] : files.filter((file) => !report.includes(` file="${file}"`))
  const failed = number('failures') + missing.length
  return {
    passed: number('tests') - number('failures') - number('skipped'),
    // A run can also fail although every test passed: something threw after the last one.
    failed: exitCode !== 0 && failed === 0 ? 1 : failed,
    skipped: number('skipped'),
  }
}

export function addTallies(tallies: Tally[]): Tally {
  return tallies.reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }), {
    passed: 0,
    failed: 0,
    skipped: 0,
  })
}

/** The last line of a run, for people and programs. */
export function describeTally({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`
}
