import { expect, test } from 'bun:test'
import { momentOf } from './import.ts'

const now = Date.UTC(2026, 2, 20, 12)

test('a moment is a date, or how long ago', () => {
  expect(momentOf('2026-03-01', now)).toBe(Date.UTC(2026, 2, 1))
  expect(momentOf('2026-03-01T10:00:00Z', now)).toBe(Date.UTC(2026, 2, 1, 10))
  expect([momentOf('12h', now), momentOf('7d', now), momentOf('2w', now)].map((at) => (now - at) / 3_600_000)).toEqual([12, 168, 336])
})

test.each(['yesterday', '', '7x', 'd', '-7d', '2026-13-01'])('"%s" is no moment, and the person is told what is', (text) => {
  expect(() => momentOf(text, now)).toThrow('write 2026-03-01, or 7d')
})
