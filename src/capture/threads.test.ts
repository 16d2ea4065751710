import { expect, test } from 'bun:test'
import { storedPrompt } from '../../test/support/builders.ts'
import { threadsOf } from './threads.ts'

const RETRY = 'The upstream interface blocks requests intermittently, our retry logic seems too aggressive.'
const SETTLED = 'Settled: retry at most seven times, doubling the delay from 100 milliseconds.'

test('replies, corrections and small talk belong to the thread they come in', () => {
  const turns = [
    turn(1, RETRY, 'I would lower the attempts to five.'),
    turn(2, 'No, five leaves attempts on the table, we measured the window ourselves.', SETTLED),
    turn(3, 'thanks, commit this', 'Committed.'),
  ]
  expect(threadsOf(turns)).toEqual([{ first: 1, last: 3, outcome: 2 }])
})

test('a prompt about something else starts a new thread', () => {
  const turns = [
    turn(1, RETRY, SETTLED),
    turn(
      2,
      'Translate the onboarding screens into Portuguese, starting with signup and billing pages.',
      'Both pages are translated now, 48 strings.',
    ),
  ]
  expect(threadsOf(turns)).toEqual([
    { first: 1, last: 1, outcome: 1 },
    { first: 2, last: 2, outcome: 2 },
  ])
})

test('the result of a thread is its last conclusion, not its first proposal', () => {
  const turns = [
    turn(1, RETRY, 'I will cut the retry attempts to five, that is a quick and safe change.'),
    turn(2, 'No. Seven attempts fit the window, eight trip it.', 'So the retry budget is exactly seven attempts, 12.7 seconds in all.'),
  ]
  expect(threadsOf(turns)[0]?.outcome).toBe(2)
})

test('a prompt that shares words with anything said before stays in the thread', () => {
  const turns = [
    turn(1, RETRY, SETTLED),
    turn(
      2,
      'Write a log line with the delay and the upstream status whenever our retry logic blocks requests.',
      'Each retry logs its delay now.',
    ),
  ]
  expect(threadsOf(turns)).toHaveLength(1)
})

test('small talk after a settled answer does not replace it, even if it was the first', () => {
  const turns = [
    turn(1, RETRY, SETTLED),
    turn(2, 'thanks, commit this', 'Each of the delays is read from one table, and the limiter counts them per minute.'),
  ]
  expect(threadsOf(turns)).toEqual([{ first: 1, last: 2, outcome: 1 }])
})

test('a thread in which nothing was concluded has no result', () => {
  expect(threadsOf([turn(1, RETRY, 'Which of the two clients do you mean?')])[0]?.outcome).toBeNull()
  expect(threadsOf([turn(1, RETRY, null)])[0]?.outcome).toBeNull()
  expect(threadsOf([])).toEqual([])
})

test('notices of the client start no thread', () => {
  const notice = {
    ...turn(2, 'Background job finished compiling the documentation website without warnings', null),
    origin: 'machine' as const,
  }
  expect(threadsOf([turn(1, RETRY, SETTLED), notice])).toHaveLength(1)
})

const turn = (number: number, text: string, answer: string | null) => storedPrompt({ number, text, answer })
