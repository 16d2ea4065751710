import { expect, test } from 'bun:test'
import { splitAtHighlights, wordsToHighlight } from './highlight.ts'

test('words of the query are highlighted, filters are not', () => {
  expect(wordsToHighlight('type:bugfix tides "late" -tag:old project:"a b" path:src')).toEqual(['tides', 'late'])
})

test('a word is highlighted if its beginning matches, and the text stays complete', () => {
  const pieces = splitAtHighlights('Fixed the tidal clock; tides were <b>late</b>', ['tides', 'late'])
  expect(pieces.map((piece) => piece.text).join('')).toBe('Fixed the tidal clock; tides were <b>late</b>')
  expect(pieces.filter((piece) => piece.isHit).map((piece) => piece.text)).toEqual(['tides', 'late'])
})

test('a short word is highlighted only as a whole word', () => {
  const hits = splitAtHighlights('An hour late, and another: use the API', ['an', 'api']).filter((piece) => piece.isHit)
  expect(hits.map((piece) => piece.text)).toEqual(['An', 'API'])
})
