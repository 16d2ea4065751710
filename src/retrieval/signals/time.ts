import type { RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'

/**
 * Documents from the time that the query mentions. People misremember, and write about events later, so documents near that time count too:
 * half as much at a distance of half the window's length, or of a day for short windows.
 */
export const time: RankingSignal = ({ scores, options: { timeWindow } }) => {
  if (!timeWindow) return
  const { since, before } = timeWindow
  const length = since === null || before === null ? 0 : before - since
  const halfAt = Math.max(DAY_MS, length / 2)
  for (const { location } of scores.all()) {
    const distance = Math.max(0, (since ?? 0) - location.at, location.at - (before ?? Number.MAX_SAFE_INTEGER))
    scores.give(location, 'time', (WEIGHTS.time * halfAt) / (halfAt + distance))
  }
}

const DAY_MS = 86_400_000
