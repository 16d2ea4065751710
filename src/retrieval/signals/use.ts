import { MAX_CANDIDATES, type RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'

/** Documents that were read in full before. */
export const use: RankingSignal = async ({ store, scores }) => {
  const best = scores.ranked().slice(0, MAX_CANDIDATES)
  const counts = await store.documents.useCounts(best.map(({ location }) => location.documentId))
  for (const { location } of best) {
    const count = counts.get(location.documentId) ?? 0
    if (count > 0) scores.give(location, 'use', WEIGHTS.use * Math.min(1, Math.log2(1 + count) / Math.log2(1 + MAX_COUNTED_USES)))
  }
}

const MAX_COUNTED_USES = 10
