import type { RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'

/** Newer documents rise a little. */
export const recency: RankingSignal = ({ scores }) => {
  const times = scores.all().map(({ location }) => location.at)
  const [oldest, newest] = [Math.min(...times), Math.max(...times)]
  if (!(newest > oldest)) return
  for (const { location } of scores.all()) scores.give(location, 'recency', (WEIGHTS.recency * (location.at - oldest)) / (newest - oldest))
}
