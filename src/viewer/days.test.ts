import { expect, test } from 'bun:test'
import { feedTurn } from '../../test/support/feed-turn.ts'
import type { FeedSession } from '../wire/contract/feed.ts'
import { dayLabel, joinDays } from './days.ts'

test('a day is named as people say it', () => {
  const now = new Date(2026, 10, 17, 9)
  expect(dayLabel('2026-11-17', now)).toBe('Today')
  expect(dayLabel('2026-11-16', now)).toBe('Yesterday')
  expect(dayLabel('2026-02-16', now)).toMatch(/^Monday,? 16 February$/)
  expect(dayLabel('2025-02-16', now)).toBe('16 February 2025')
})

test('a day that comes in two parts becomes one, and a session in it keeps its turns in order', () => {
  const newer = { day: '2026-11-16', sessions: [session(1, [3, 4])], notes: [] }
  const older = { day: '2026-11-16', sessions: [session(1, [2, 3]), session(2, [1])], notes: [] }
  const [day, before] = joinDays([newer], [older, { day: '2026-11-15', sessions: [], notes: [] }])
  expect(day?.sessions.map(({ sessionId, turns }) => [sessionId, turns.map(({ turn }) => turn)])).toEqual([
    [1, [2, 3, 4]],
    [2, [1]],
  ])
  expect(before?.day).toBe('2026-11-15')
})

function session(sessionId: number, turns: number[]): FeedSession {
  return {
    sessionId,
    title: '',
    project: 'p',
    agent: '',
    host: null,
    branch: null,
    live: false,
    from: 0,
    to: 0,
    earlierTurns: 0,
    turns: turns.map((turn) => feedTurn(turn)),
  }
}
