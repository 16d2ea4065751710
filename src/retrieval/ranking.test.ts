import { expect, test } from 'bun:test'
import type { DocumentMatch } from '../store/store.ts'
import { bestMatches } from './ranking.ts'

const match = (documentId: number, score: number) => ({ documentId, score }) as Partial<DocumentMatch> as DocumentMatch

test('a document of several lists appears once, with its best score', () => {
  const merged = bestMatches([[match(1, 2), match(2, 5)], [match(1, 3), match(3, 1)], [match(1, 1)]])
  expect(merged.map(({ documentId, score }) => [documentId, score])).toEqual([
    [1, 3],
    [2, 5],
    [3, 1],
  ])
})

test('a single list stays as it is, and no list gives nothing', () => {
  const only = [match(1, 2)]
  expect(bestMatches([only])).toBe(only)
  expect(bestMatches([])).toEqual([])
})
