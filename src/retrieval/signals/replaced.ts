import type { RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'

/**
 * Turns whose result a later thread replaced sink, and the turn that holds the new result takes their place: a question that finds the old rule
 * must find the new one first, even if the new one says it in other words.
 */
export const replaced: RankingSignal = async ({ store, scores, scope }) => {
  if (!(await store.threads.hasReplaced())) return
  for (const { location, score } of scores.ranked().slice(0, MAX_CHECKED_DOCUMENTS)) {
    if (location.sessionId === null || location.turn === null) continue
    const thread = await store.threads.ofTurn(location.sessionId, location.turn)
    const newer = thread?.replacedBy ? await store.threads.get(thread.replacedBy) : null
    if (!newer) continue
    scores.give(location, 'replaced', score * (WEIGHTS.replaced - 1))
    const outcome = newer.outcome === null ? null : await store.prompts.byNumber(newer.sessionId, newer.outcome)
    const target = outcome && (await store.documents.locationOf('prompt', String(outcome.id)))
    const [allowed] = target ? await store.documents.matching([target.documentId], scope) : []
    const missing = allowed ? score - scores.of(allowed.documentId) : 0
    if (allowed && missing > 0) scores.give(allowed, 'replaced', missing)
  }
}

/** Enough for the first page. */
const MAX_CHECKED_DOCUMENTS = 40
