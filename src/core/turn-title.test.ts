import { expect, test } from 'bun:test'
import { listTitle, turnTitle } from './turn-title.ts'

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
