import type { DocumentKind } from '../../store/store.ts'
import { repeatsTurn, turnKey } from '../hits.ts'
import type { RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'

/** Each further turn of a session sinks a little, so that the best hits come from several sessions. */
export const variety: RankingSignal = ({ scores }) => {
  const betterTurns = new Map<number, number>()
  const turns = new Map<string | null, DocumentKind>()
  for (const { location, score } of scores.ranked()) {
    if (location.sessionId === null) continue
    const turn = turnKey(location)
    const first = turn === null ? undefined : turns.get(turn)
    const better = betterTurns.get(location.sessionId) ?? 0
    if (!repeatsTurn(location, first)) betterTurns.set(location.sessionId, better + 1)
    if (!first) turns.set(turn, location.kind)
    if (better > 0) scores.give(location, 'variety', score * (WEIGHTS.repeatedSession ** better - 1))
  }
}
