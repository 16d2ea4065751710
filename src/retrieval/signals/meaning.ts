import type { RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'
import { FILTERED_SEARCH_FACTOR } from '../word-weights.ts'

/** Documents that the embedder finds similar to the query. */
export const meaning: RankingSignal = async ({ store, scores, text, scope, semanticSearch, cosines }) => {
  if (!semanticSearch) return
  const limit = scope.filter ? MAX_SEMANTIC_CANDIDATES * FILTERED_SEARCH_FACTOR : MAX_SEMANTIC_CANDIDATES
  const found = await semanticSearch(text, scope.project, limit)
  for (const { documentId, cosine } of found) cosines.set(documentId, cosine)
  const similarity = new Map(found.map(({ documentId, score }) => [documentId, score]))
  const allowed = await store.documents.matching([...similarity.keys()], scope)
  // A text like “ok, thanks” is similar to anything.
  const onlySimilar = allowed.map(({ documentId }) => documentId).filter((id) => !scores.has(id))
  const acknowledgements = await store.documents.acknowledgements(onlySimilar)
  for (const location of allowed)
    if (!acknowledgements.has(location.documentId))
      scores.give(location, 'meaning', WEIGHTS.meaning * (similarity.get(location.documentId) ?? 0))
}

/** Past these, everything is a little similar. */
const MAX_SEMANTIC_CANDIDATES = 80
