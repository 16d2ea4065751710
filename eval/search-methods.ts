import type { Hit } from '../src/core/hit.ts'
import { answerQuery, type QueryOptions } from '../src/retrieval/answer.ts'
import type { SemanticSearch } from '../src/retrieval/search.ts'
import type { Store } from '../src/store/store.ts'
import { meaningIn, type OpenEmbedder, shippedTable, vectorsIn } from './meaning.ts'

/** Prepares a filled store and returns a function that searches it, best hit first. */
export type SearchMethod = (
  store: Store,
) => Promise<(query: string, options: Omit<QueryOptions, 'offset'>) => Promise<Pick<Hit, 'id' | 'sessionId'>[]>>

export const byWords: SearchMethod = asPersonAsks(async () => null)
export const byWordsAnd = (open: OpenEmbedder): SearchMethod => asPersonAsks((store) => meaningIn(store, open))
/** The default settings of the product. */
export const byDefault = byWordsAnd(shippedTable)

/** Only the nearest vectors, to score an embedder alone. */
export function byVectorsOf(open: OpenEmbedder): SearchMethod {
  return async (store) => {
    const index = await vectorsIn(store, open)
    return async (query, { project, limit }) => {
      const near = await index.nearest(query, { project, limit })
      const places = await Promise.all(near.map(({ documentId }) => store.documents.location(documentId)))
      return places.flatMap((place) => (place ? [{ id: place.ref, sessionId: place.sessionId }] : []))
    }
  }
}

/** Searches as a person does, one day after the last event in the store. */
function asPersonAsks(prepareMeaning: (store: Store) => Promise<SemanticSearch | null>): SearchMethod {
  return async (store) => {
    const meaning = await prepareMeaning(store)
    const now = Math.max(...[...store.sessions.each()].map((session) => session.lastEventAt)) + DAY_MS
    return async (query, options) => (await answerQuery(store, query, { ...options, offset: 0 }, now, meaning)).hits
  }
}

const DAY_MS = 86_400_000
