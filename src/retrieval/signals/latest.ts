import type { RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'

/** If the query asks for the latest, orders the documents that score nearly as well as the best by time. */
export const latest: RankingSignal = ({ scores, options }) => {
  if (!options.prefersLatest) return
  const ranked = scores.ranked()
  const best = ranked[0]?.score ?? 0
  const oldestFirst = ranked.filter(({ score }) => score >= MIN_SCORE_RATIO * best).sort((a, b) => a.location.at - b.location.at)
  for (const [position, { location, score }] of oldestFirst.entries())
    scores.give(location, 'recency', best - score + (position / oldestFirst.length) * WEIGHTS.latest * best)
}

const MIN_SCORE_RATIO = 0.85
