import { expect, test } from 'bun:test'
import { describeTally, tally } from './tally.ts'

const report = (counts: string, ...files: string[]) =>
  `<testsuites name="bun test" ${counts} time="0.1">${files.map((file) => `<testsuite name="${file}" file="${file}" tests="9" failures="9">`)}`

test('the counts are taken from the whole run, not from its parts', () => {
  const text = report('tests="7" assertions="1" failures="2" skipped="2"', 'a.test.ts')
  expect(tally(text, ['a.test.ts'], 1)).toEqual({ passed: 3, failed: 2, skipped: 2 })
})

test('a file that could not be loaded counts as a failure', () => {
  expect(tally(report('tests="3" failures="0" skipped="0"', 'a.test.ts'), ['a.test.ts', 'b.test.ts'], 1).failed).toBe(1)
})

test('a file without tests does not count as a failure', () => {
  expect(tally(report('tests="3" failures="0" skipped="0"', 'a.test.ts'), ['a.test.ts', 'b.test.ts'], 0).failed).toBe(0)
})

test('a run that fails although every test passed counts as a failure', () => {
  expect(tally(report('tests="3" failures="0" skipped="0"', 'a.test.ts'), ['a.test.ts'], 1)).toEqual({ passed: 3, failed: 1, skipped: 0 })
})

test('without a report nothing counts as passed', () => {
  expect(tally('', ['a.test.ts'], 1)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test('skipped tests are printed only if there are any', () => {
  expect(describeTally({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed')
  expect(describeTally({ passed: 12, failed: 1, skipped: 3 })).toBe('12 passed, 1 failed, 3 skipped')
})
