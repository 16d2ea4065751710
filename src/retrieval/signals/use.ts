import { MAX_CANDIDATES, type RankingSignal } from './ranking.ts'
import { WEIGHTS } from './weights.ts'

/** Documents that were read in full before. */
export const use: RankingSignal = async ({ store, scores }) => {
  const best = scores.ranked().slice(0, MAX_CANDIDATES)
  const counts = await store.documents.useCounts(best.map(({ place }) => place.documentId))
  for (const { place } of best) {
    const count = counts.get(place.documentId) ?? 0
    if (count > 0) scores.give(place, 'use', WEIGHTS.use * Math.min(1, Math.log2(1 + count) / Math.log2(1 + MAX_COUNTED_USES)))
  }
}

const MAX_COUNTED_USES = 10
