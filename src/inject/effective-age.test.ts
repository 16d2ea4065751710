import { expect, test } from 'bun:test'
import { observation } from '../../test/support/builders.ts'
import { describeAge, orderByAge } from './effective-age.ts'

const DAY = 86_400_000
const NOW = 100 * DAY
const work = (id: number, daysAgo: number, branch: string | null = null) => ({ ...observation({ id, at: NOW - daysAgo * DAY }), branch })
const order = (branch: string | null, ...given: ReturnType<typeof work>[]) => orderByAge(given, branch, NOW).map(({ id }) => id)

test('a week on the branch of the session counts like a day elsewhere', () => {
  const all = [work(1, 6, 'login'), work(2, 2), work(3, 20, 'login'), work(4, 0.5, 'main')]
  expect(order('login', ...all)).toEqual([4, 1, 2, 3])
  expect(order(null, ...all)).toEqual([4, 2, 1, 3])
})

test('each observation comes once; of one age, the later and then the last stored comes first', () => {
  expect(order(null, work(1, 2), work(2, 2), work(1, 2))).toEqual([2, 1])
  expect(order('login', work(1, 7, 'login'), work(2, 1))).toEqual([2, 1])
})

test('a time in the future stays the newest, on any branch', () => {
  expect(order('login', work(1, -6), work(2, -7, 'login'), work(3, 0))).toEqual([2, 1, 3])
})

test('the reason gives the age, and on the branch also what it counts as', () => {
  expect(describeAge(work(1, 7, 'login'), 'login', NOW)).toBe('7.0 days on this branch count as 1.0 days')
  expect(describeAge(work(1, 7, 'login'), 'main', NOW)).toBe('7.0 days')
})
