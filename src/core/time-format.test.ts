import { expect, test } from 'bun:test'
import { formatAge, formatAgo } from './time-format.ts'

const now = Date.UTC(2026, 2, 20, 12)
const MINUTE = 60_000

test.each([
  [0, 'now', 'just now'],
  [59_999, 'now', 'just now'],
  [5 * MINUTE, '5m', '5m ago'],
  [59 * MINUTE, '59m', '59m ago'],
  [3 * 60 * MINUTE, '3h', '3h ago'],
  [13 * 24 * 60 * MINUTE, '13d', '13d ago'],
  [14 * 24 * 60 * MINUTE, '2026-03-06', 'on 2026-03-06'],
])('%d ms ago is %s', (passed, short, sentence) => {
  expect([formatAge(now - passed, now), formatAgo(now - passed, now)]).toEqual([short, sentence])
})

test('a time in the future is shown as now', () => {
  expect(formatAgo(now + MINUTE, now)).toBe('just now')
})
