import type { RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'

/**
 * Sessions with several good turns: all their documents rise. A turn counts once, by its best document, because its prompt, summary and
 * observations say the same.
 */
export const session: RankingSignal = ({ scores }) => {
  const turnScores = new Map<number, Map<number, number>>()
  for (const { location, score } of scores.all()) {
    if (location.sessionId === null) continue
    const turns = turnScores.get(location.sessionId) ?? new Map<number, number>()
    const turn = location.turn ?? -location.documentId
    turns.set(turn, Math.max(score, turns.get(turn) ?? 0))
    turnScores.set(location.sessionId, turns)
  }
  const strengths = new Map([...turnScores].map(([id, turns]) => [id, sumOfBest([...turns.values()])]))
  const best = Math.max(...strengths.values(), Number.MIN_VALUE)
  for (const { location } of scores.all()) {
    if (location.sessionId !== null) scores.give(location, 'session', (WEIGHTS.session * (strengths.get(location.sessionId) ?? 0)) / best)
  }
}

const MAX_TURNS = 3
const sumOfBest = (turnScores: number[]) =>
  turnScores
    .sort((a, b) => b - a)
    .slice(0, MAX_TURNS)
    .reduce((a, b) => a + b, 0)
