import { expect, test } from 'bun:test'
import { listTitle, promptTitle, turnTitle, workTitle } from './turn-title.ts'

test('a turn is titled by its prompt, and small talk also by its outcome', () => {
  expect(turnTitle('run the pelican tests', ['All pass'])).toBe('run the pelican tests')
  expect(turnTitle('commit this', ['', null, '**Committed** the pelican ledger.\nAnd more'])).toBe(
    'commit this — Committed the pelican ledger.',
  )
  expect(turnTitle('7', [])).toBe('7')
})

test.each([
  ['Implement the following plan:\n\n# Plan: Login by mail\n\n## Context', 'Login by mail\n\n## Context'],
  ['Implement the following plan:', 'Implement the following plan:'],
  ['/team:review the pelican invoices', 'the pelican invoices'],
  ['/usr/bin/env is missing on the build machine', '/usr/bin/env is missing on the build machine'],
])('%j says what it is about as %j', (prompt, title) => {
  expect(turnTitle(prompt, [null])).toBe(title)
})

test('an address, a bare command and a reply are titled by what came of them, not by a chatty opening', () => {
  const answer = 'Great! Let me look at it first.\n\nThe invoice number came from the wrong ledger.'
  const result = 'The invoice number came from the wrong ledger.'
  expect(turnTitle('https://example.org/pull/188', [null, answer])).toBe(`https://example.org/pull/188 — ${result}`)
  expect(turnTitle('/todos', [answer])).toBe(`/todos — ${result}`)
  expect(turnTitle('i meant the comment on pr 188', [answer])).toBe(`i meant the comment on pr 188 — ${result}`)
  expect(turnTitle('so the pelican ledger needs stable invoice numbers', [answer])).toBe(
    'so the pelican ledger needs stable invoice numbers',
  )
  expect(turnTitle('/todos', ['Sure!', null])).toBe('/todos')
})

test('a misspelt command and the choice from a menu are titled by what came of them', () => {
  expect(turnTitle('comit', ['Committed the pelican ledger.'])).toBe('comit — Committed the pelican ledger.')
  expect(turnTitle('5 seems like a good one', ['The ledger is locked now.'])).toBe('5 seems like a good one — The ledger is locked now.')
  expect(turnTitle('8086 emulation is slow in the pelican build', ['Faster now.'])).toBe('8086 emulation is slow in the pelican build')
})

test('an outcome that repeats the prompt or explains a command is no title', () => {
  const outcomes = ['Check the ledger', '`/todos [area]` filters by area.', 'The ledger has two gaps in May.']
  expect(turnTitle('and check the ledger?', outcomes)).toBe('and check the ledger? — The ledger has two gaps in May.')
})

test('a list shows the heading of a plan, and at most 120 characters', () => {
  expect(listTitle('Login by mail\n\n## Context\nPeople forget passwords')).toBe('Login by mail')
  expect(listTitle('x'.repeat(300))).toHaveLength(120)
})

test('the title of work comes from the prompt that speaks of what came of it', () => {
  const outcome = 'The retry now waits 250 ms and doubles.'
  expect(workTitle(['How do I open the vault of the museum?', 'Can you make the retry wait longer?'], outcome)).toBe(
    'Make the retry wait longer',
  )
  expect(workTitle(['How do I open the vault of the museum?', 'yes'], outcome)).toBeNull()
  expect(workTitle(['Where is the vault of the museum?'], outcome)).toBe('Where is the vault of the museum')
  expect(workTitle(['Add it in the retry module instead', 'The retry module needs longer waits'], outcome)).toBe(
    'The retry module needs longer waits',
  )
  expect(workTitle(['The retry is too fast.', 'Implement the following plan:\n\n# Slow down the retry\n\n## Context'], outcome)).toBe(
    'Slow down the retry',
  )
})

test.each([
  ['Analyse this issue: https://example.org/o/r/issues/7660', 'Analyse this issue: issues/7660'],
  ['Could you please look at the ledger of pelicans?', 'Look at the ledger of pelicans'],
  ['The pelican ledger fails [11:35:44.030] [API] GET /x', 'The pelican ledger fails'],
  ['hi\n\nThe pelican ledger fails', 'The pelican ledger fails'],
])('%j is listed as %j', (prompt, title) => {
  expect(promptTitle(prompt)).toBe(title)
})
