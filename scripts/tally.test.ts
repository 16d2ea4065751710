import { expect, test } from 'bun:test'
import { inWords, tally } from './tally.ts'

const report = (counts: string, ...files: string[]) =>
  `<testsuites name="bun test" ${counts} time="0.1">${files.map((file) => `<testsuite name="${file}" file="${file}" tests="9" failures="9">`)}`

test('the counts are those of the whole run, not of its parts', () => {
  const text = report('tests="7" assertions="1" failures="2" skipped="2"', 'a.test.ts')
  expect(tally(text, ['a.test.ts'], 1)).toEqual({ passed: 3, failed: 2, skipped: 2 })
})

test('a file that could not be loaded is a failure', () => {
  expect(tally(report('tests="3" failures="0" skipped="0"', 'a.test.ts'), ['a.test.ts', 'b.test.ts'], 1).failed).toBe(1)
})

test('a file without tests is none', () => {
  expect(tally(report('tests="3" failures="0" skipped="0"', 'a.test.ts'), ['a.test.ts', 'b.test.ts'], 0).failed).toBe(0)
})

test('a run that fails with every test passed has a failure all the same', () => {
  expect(tally(report('tests="3" failures="0" skipped="0"', 'a.test.ts'), ['a.test.ts'], 1)).toEqual({ passed: 3, failed: 1, skipped: 0 })
})

test('without a report nothing has passed', () => {
  expect(tally('', ['a.test.ts'], 1)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test('skipped tests are named only when there are some', () => {
  expect(inWords({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed')
  expect(inWords({ passed: 12, failed: 1, skipped: 3 })).toBe('12 passed, 1 failed, 3 skipped')
})
