import { expect, test } from 'bun:test'
import { searchHit as hit } from '../../test/support/builders.ts'
import { explainHit, groupBySession } from './hit-reasons.ts'

test('the reason names the words that can be seen, and the signals that counted', () => {
  const found = hit({ title: 'Keep JSON in SQLite', matched: 2, signals: { words: 1, session: 0.6, recency: 0.01 } })
  expect(explainHit(found, ['sqlite', 'json', 'schema'])).toBe('Matches sqlite, json; same session as other good hits.')
  expect(explainHit(found, ['sqlite', 'json'])).toBe('Matches both words; same session as other good hits.')
})

test('words that are only in the full text are counted and not guessed', () => {
  expect(explainHit(hit({ title: 'Tides', matched: 2, signals: { words: 1 } }), ['sqlite', 'json'])).toBe(
    'Matches 2 words in its full text.',
  )
  expect(explainHit(hit({ title: 'About json', matched: 2, signals: { words: 1 } }), ['sqlite', 'json', 'x1'])).toBe(
    'Matches json, and 1 more in its full text.',
  )
})

test('a hit without shared words says what else found it', () => {
  expect(explainHit(hit({ signals: { meaning: 0.5, links: 0.4 }, also: ['P3'] }), ['tide'])).toBe(
    'Similar in meaning; linked to a better hit; stands for 1 more that say the same.',
  )
})

test('hits of one session stay together, where the best of them is', () => {
  const groups = groupBySession([{ sessionId: 1 }, { sessionId: null }, { sessionId: 2 }, { sessionId: 1 }, { sessionId: null }])
  expect(groups.map(({ sessionId, hits }) => [sessionId, hits.length])).toEqual([
    [1, 2],
    [null, 1],
    [2, 1],
    [null, 1],
  ])
})
