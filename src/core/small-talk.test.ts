import { expect, test } from 'bun:test'
import { queryInPrompt, whyNoQuery } from './small-talk.ts'

test.each([
  'ok lets get back to main',
  'commit, push, create draft PR',
  'yes please',
  '7',
  'c)',
  'let’s go with option 2',
  '1 and 3, please',
  '120',
  'why did it fail?',
  '/team:check-todos',
  '/review the changes',
  '👍',
  '',
])('small talk has no query: %p', (prompt) => expect(queryInPrompt(prompt)).toBeNull())

test.each([
  'run the pelican tests',
  'update to go 1.25.6',
  'fix src/main.ts',
  'why does it fail with ENOENT?',
  '/usr/bin is missing',
  '/etc is full on the runner',
  'what happened to PR 754?',
  'whats the status of pr 8',
  'fix issue #12',
  'do #3',
  'error 404',
  'why 503 errors',
  '记忆系统',
  'Räum das auf',
])('a prompt that names something is the query: %s', (prompt) => expect(queryInPrompt(prompt)).toBe(prompt))

test.each([
  ['commit and push please', 'it is small talk: it has only everyday words'],
  ['/review the changes', 'it is small talk: it has only everyday words'],
  ['/team:check-todos', 'it is only a slash command'],
  ['7', 'it only answers a menu'],
  ['👍', 'it has no words'],
  [' ', 'it is empty, or all of it is private'],
])('the reason why %p has no query', (prompt, why) => expect(whyNoQuery(prompt)).toBe(why))

test('the query of a slash command is its arguments', () => {
  expect(queryInPrompt('/review the pelican invoices\nof May')).toBe('the pelican invoices\nof May')
  expect(queryInPrompt('/review PR 188')).toBe('PR 188')
})
