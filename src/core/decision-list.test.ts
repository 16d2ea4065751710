import { expect, test } from 'bun:test'
import { formatDecisions, parseDecisions } from './decision-list.ts'

test('decisions at the end of a summary are read as they were given, each on one line', () => {
  const text = `Moved the cache.\n${formatDecisions(['Use  tabs\n everywhere', '', '- keep it'])}\n`
  expect(parseDecisions(text)).toEqual(['Use tabs everywhere', '- keep it'])
})

test('a summary without decisions, or with other text after them, has none', () => {
  expect(formatDecisions([' '])).toBe('')
  expect(parseDecisions('Moved the cache.')).toEqual([])
  expect(parseDecisions('Decisions:\n- one\nand more')).toEqual([])
})
