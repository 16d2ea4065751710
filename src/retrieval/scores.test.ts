import { expect, test } from 'bun:test'
import type { DocumentMatch } from '../store/store.ts'
import { newScores } from './scores.ts'

const match = (documentId: number, score = 0, at = 1000) => ({ documentId, score, at }) as Partial<DocumentMatch> as DocumentMatch
const ranking = (scores: ReturnType<typeof newScores>) => scores.ranked().map(({ location, score }) => [location.documentId, score])

test('what several signals give adds up, and each signal is remembered', () => {
  const scores = newScores()
  scores.give(match(1), 'words', 0.5)
  scores.give(match(1), 'words', 0.25)
  scores.give(match(1), 'names', 1)
  expect(scores.all()).toMatchObject([{ score: 1.75, signals: { words: 0.75, names: 1 } }])
  expect([scores.of(1), scores.of(2), scores.has(1), scores.has(2), scores.size()]).toEqual([1.75, 0, true, false, 1])
})

test('the best match gets the whole weight, the others their share, and none less than nothing', () => {
  const scores = newScores()
  scores.giveMatches([match(1, 4), match(2, 1), match(3, -2)], 'words', 2)
  expect(ranking(scores)).toEqual([
    [1, 2],
    [2, 0.5],
    [3, 0],
  ])
})

test('excluded documents are never added, and do not count as the best match', () => {
  const scores = newScores(new Set([1]))
  scores.giveMatches([match(1, 8), match(2, 4)], 'words', 2)
  scores.give(match(1), 'names', 1)
  expect(ranking(scores)).toEqual([[2, 2]])
})

test('of two documents with the same score the newer one comes first', () => {
  const scores = newScores()
  scores.give(match(1, 0, 1000), 'words', 1)
  scores.give(match(2, 0, 3000), 'words', 1)
  scores.give(match(3, 0, 2000), 'words', 2)
  expect(ranking(scores).map(([id]) => id)).toEqual([3, 2, 1])
})
