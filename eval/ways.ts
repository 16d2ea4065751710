import type { Hit } from '../src/core/hit.ts'
import { answerQuery, type QueryOptions } from '../src/retrieval/answer.ts'
import type { SemanticSearch } from '../src/retrieval/search.ts'
import type { Store } from '../src/store/store.ts'
import { meaningIn, type Open, shippedTable, vectorsIn } from './meaning.ts'

/** A way of finding: makes a filled store ready, and then answers questions about it, the best first. */
export type Way = (
  store: Store,
) => Promise<(question: string, wish: Omit<QueryOptions, 'offset'>) => Promise<Pick<Hit, 'id' | 'sessionId'>[]>>

export const byWords: Way = asked(async () => null)
export const byWordsAnd = (open: Open): Way => asked((store) => meaningIn(store, open))
/** What people have who chose nothing. */
export const byDefault = byWordsAnd(shippedTable)

/** The nearest vectors and nothing else: what an embedder is worth alone. */
export function byVectorsOf(open: Open): Way {
  return async (store) => {
    const index = await vectorsIn(store, open)
    return async (question, { project, limit }) => {
      const near = await index.nearest(question, { project, limit })
      const places = await Promise.all(near.map(({ documentId }) => store.documents.location(documentId)))
      return places.flatMap((place) => (place ? [{ id: place.ref, sessionId: place.sessionId }] : []))
    }
  }
}

/** As a person asks, a day after the last that happened. */
function asked(prepare: (store: Store) => Promise<SemanticSearch | null>): Way {
  return async (store) => {
    const meaning = await prepare(store)
    const now = Math.max(...[...store.sessions.each()].map((session) => session.lastEventAt)) + DAY_MS
    return async (question, wish) => (await answerQuery(store, question, { ...wish, offset: 0 }, now, meaning)).hits
  }
}

const DAY_MS = 86_400_000
