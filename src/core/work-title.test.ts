import { expect, test } from 'bun:test'
import { promptTitle, workTitle } from './work-title.ts'

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
