import { expect, test } from 'bun:test'
import { splitAtHighlights, wordsToHighlight } from './highlight.ts'

test('the words of a question are marked, its filters are not', () => {
  expect(wordsToHighlight('type:bugfix tides "late" -tag:old project:"a b" path:src')).toEqual(['tides', 'late'])
})

test('a word is found by its beginning, and the text stays whole', () => {
  const found = splitAtHighlights('Fixed the tidal clock; tides were <b>late</b>', ['tides', 'late'])
  expect(found.map((piece) => piece.text).join('')).toBe('Fixed the tidal clock; tides were <b>late</b>')
  expect(found.filter((piece) => piece.isHit).map((piece) => piece.text)).toEqual(['tides', 'late'])
})
