import { expect, test } from 'bun:test'
import { marking } from './search.ts'

test.each([
  ['tide table', 'Ask for each tide table once', 'Ask for each [tide] [table] once'],
  ['tide', 'Tides are late; riptide is not', '[Tide]s are late; riptide is not'],
  ['type:bugfix tide -late', 'bugfix: type the tide, late', 'bugfix: type the [tide], late'],
  ['a+b .*', 'nothing to mark', 'nothing to mark'],
  ['$cost', 'the $cost', 'the $[cost]'],
])('the words of “%s” are marked where they stand, and nothing else is', (query, text, shown) => {
  expect(marking(query, (word) => `[${word}]`)(text)).toBe(shown)
})
