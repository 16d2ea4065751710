import { expect, test } from 'bun:test'
import { processorTime } from '../../test/support/growth.ts'
import { readSettlement, relateSettlements } from './settlement.ts'

const relation = (older: string, newer: string, isLater = true) => relateSettlements(readSettlement(newer), readSettlement(older), isLater)

test.each([
  ['Use pnpm', 'Use npm'],
  ['Use npm, never yarn', 'Use pnpm, never yarn'],
  ['Use `pnpm` to install packages', 'Use `npm`'],
  ['Use tabs', 'Use spaces for indentation'],
  ['Use single quotes', 'Use double quotes'],
  ['Never use npm', 'Use npm'],
  ['Use Redis for sessions.', 'We no longer use Redis for sessions.'],
  ["Always start your variable names with 'z_'.", "From now on, I want you to start your variable names with 'n_'."],
  ["I want you to start your variable names with 'n_'.", "When naming variables, I want you to start the name with 'wr_'."],
  ["We prefix all variable names with 'm_'.", "Always start variable names with 'n_'."],
  ["For function argument names, use 'a_' as the prefix.", "When naming function arguments, always start the name with 'f_'."],
  ["Always add the '@timer' decorator to all your classes.", "I'd like you to start adding the '@trace' decorator to all your classes."],
  ["Always start class names with 'C'.", "When naming classes, start the name with 'X'."],
  ['Set the timeout to 30 seconds.', 'Set the timeout to 60 seconds.'],
  ['Keep the record with the latest timestamp on a collision.', 'On a collision, keep the record with more filled fields instead.'],
  ['Always squash commits.', 'Never squash commits.'],
])('%s is replaced by %s', (older, newer) => {
  expect(relation(older, newer)).toBe('replaces')
})

test.each([
  ['Use pnpm in the monorepo', 'Use npm for the docs'],
  ['Use pnpm in the monorepo', 'Use npm'],
  ['Use tabs', 'Use npm'],
  ['Use pnpm and eslint', 'Use npm and jest'],
  ['The timeout of a request is in seconds.', 'The timeout of a request is 30 seconds.'],
  ['Use npm', 'Never use yarn'],
  ["Always start function names with 'n_'.", "Always start method names with 'x_'."],
  ["Start test function names with 'test_'.", "Start function names with 'x_'."],
  ['Always run `npm test` before you commit.', 'Always run `npm run lint` before you commit.'],
  ['Cap retries at 4', 'Cap retries at 5 in CI'],
  ['Rule 1 is settled.', 'Rule 2 is settled.'],
  ['Always include try statements in your functions.', 'I want you to start including assert statements in your functions.'],
  ['The parser is slow.', 'The cache is slow.'],
  ['', 'Use npm'],
])('%s and %s both hold', (older, newer) => {
  expect(relation(older, newer)).toBe('unrelated')
})

test.each([
  ["Always start variable names with 'n_'.", "Remember to start all your variable names with 'n_'."],
  ['Always use annotations for functions.', 'From now on, I need you to ensure that you always use annotations for functions.'],
  ['Use pnpm.', 'From now on, use pnpm.'],
])('%s and %s say the same', (older, newer) => {
  expect(relation(older, newer)).toBe('same')
})

test('two conventions for the same names complete each other in one conversation, and replace each other later', () => {
  const [older, newer] = ["Start method names with 'x_'.", 'Include a single digit in method names.']
  expect(relation(older, newer, false)).toBe('unrelated')
  expect(relation(older, newer, true)).toBe('replaces')
})

test('a long hostile text is read in linear time', () => {
  const used = processorTime()
  readSettlement("naming 'a names of because to ensure ".repeat(20_000))
  expect(used()).toBeLessThan(5000)
})

test('the reason is no part of what is settled, unless it comes first', () => {
  expect(relation('Prefer small functions.', 'Prefer small functions because they are easier to test.')).toBe('same')
  expect(readSettlement('Because CI is slow, run the changed tests.').words.size).toBeGreaterThan(2)
})
