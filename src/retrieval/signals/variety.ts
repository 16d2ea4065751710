import type { DocumentKind } from '../../store/store.ts'
import { repeatsTurn, turnKey } from '../hits.ts'
import type { RankingSignal } from './ranking.ts'
import { WEIGHTS } from './weights.ts'

/** Each further turn of a session sinks a little, so that the best hits come from several sessions. */
export const variety: RankingSignal = ({ scores }) => {
  const betterTurns = new Map<number, number>()
  const turns = new Map<string | null, DocumentKind>()
  for (const { place, score } of scores.ranked()) {
    if (place.sessionId === null) continue
    const turn = turnKey(place)
    const first = turn === null ? undefined : turns.get(turn)
    const better = betterTurns.get(place.sessionId) ?? 0
    if (!repeatsTurn(place, first)) betterTurns.set(place.sessionId, better + 1)
    if (!first) turns.set(turn, place.kind)
    if (better > 0) scores.give(place, 'variety', score * (WEIGHTS.repeatedSession ** better - 1))
  }
}
