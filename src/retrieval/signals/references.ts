import type { RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'

/** Documents from a branch or the project that the query refers to. If it asks for nothing else, their newest documents are added. */
export const references: RankingSignal = async ({ store, scores, boostedScopes, options: { boosts } }) => {
  for (const { signal, scope } of boostedScopes) {
    const newest = boosts?.isWholeQuery ? await store.documents.newest({ ...scope, limit: MAX_NEWEST_CANDIDATES }) : []
    const ids = new Set([...scores.all().map(({ location }) => location), ...newest].map(({ documentId }) => documentId))
    for (const location of await store.documents.matching([...ids], scope)) scores.give(location, signal, WEIGHTS[signal])
  }
}

const MAX_NEWEST_CANDIDATES = 50
