import { expect, test } from 'bun:test'
import { describeTotals } from './check-runs.ts'

test.each([
  [{ passed: 1321, failed: 0 }, '1321 tests pass'],
  [{ passed: 1, failed: 0 }, '1 test passes'],
  [{ passed: 39, failed: 1 }, '1 of 40 tests fail'],
  [{ passed: 0, failed: 1 }, '1 test fails'],
  [{ passed: 0, failed: 0 }, ''],
])('the totals %j are described as %p', (totals, text) => {
  expect(describeTotals({ names: [], unit: 'test', runner: null, isComplete: true, ...totals })).toBe(text)
})
