import type { RankingSignal } from './ranking.ts'
import { WEIGHTS } from './weights.ts'

/** Newer documents rise a little. */
export const recency: RankingSignal = ({ scores }) => {
  const times = scores.all().map(({ place }) => place.at)
  const [oldest, newest] = [Math.min(...times), Math.max(...times)]
  if (!(newest > oldest)) return
  for (const { place } of scores.all()) scores.give(place, 'recency', (WEIGHTS.recency * (place.at - oldest)) / (newest - oldest))
}
