import { expect, test } from 'bun:test'
import { addObservations, observation, temporaryStore } from '../../../test/support/builders.ts'
import { MEMORY_KINDS } from '../../core/memory-kinds.ts'
import type { Ranking } from '../ranking.ts'
import { newScores } from '../scores.ts'
import { WEIGHTS } from '../weights.ts'
import type { WeightedWord } from '../word-weights.ts'
import { filteredTexts } from './filtered-texts.ts'

const word = (text: string, weight: number, documents = 0): WeightedWord => ({ word: text, stem: text, weight, documents })

/** What the signal gives to memories with these titles, if filters in a large store leave just these. */
async function given(titles: string[], words: WeightedWord[]): Promise<Record<string, number | undefined>> {
  using t = await temporaryStore()
  await addObservations(
    t.store,
    titles.map((title) => observation({ title })),
  )
  const scope = { project: null, kinds: [...MEMORY_KINDS], since: 0, before: Number.MAX_SAFE_INTEGER, limit: 10 }
  const fewCandidates = { ids: titles.map((_, n) => titles.length - n), completeFrom: 0 }
  const scores = newScores()
  await filteredTexts({ store: t.store, scores, words, scope, fewCandidates } as Partial<Ranking> as Ranking)
  return Object.fromEntries(scores.all().map(({ location, signals }) => [titles[Number(location.ref) - 1], signals.words]))
}

test('what filters leave in a large store is read, and counts by the share of the query that it contains', async () => {
  const words = [word('pelican', 1), word('heron', 1)]
  expect(await given(['A pelican and a heron', 'A heron', 'An owl'], words)).toEqual({
    'A pelican and a heron': WEIGHTS.words,
    'A heron': WEIGHTS.words / 2,
  })
  expect(await given(['A heron', 'An owl'], words)).toEqual({ 'A heron': WEIGHTS.words / 2 })
})

test('a word that the index does not know is found as a part of a name', async () => {
  expect(await given(['Renamed isControlRune'], [word('ntrolrun', 2)])).toEqual({ 'Renamed isControlRune': WEIGHTS.words })
})
