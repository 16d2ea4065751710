import type { Meaning } from '../retrieval/search.ts'
import type { Embedding } from './embedding.ts'

/**
 * Search by what is meant, as far as there is an embedder. Cosines say little by themselves, so they are measured from the last of
 * those found to the first: 0 to 1, like the other signals.
 */
export function meaningBy(embedding: Pick<Embedding, 'state'>): Meaning {
  return async (question, project, limit) => {
    const found = await embedding.state()
    if (found.kind === 'absent') return []
    const near = await found.index.nearest(question, { project, limit })
    const [first, last] = [near[0]?.cosine ?? 0, near.at(-1)?.cosine ?? 0]
    if (first <= last) return []
    return near.map(({ documentId, cosine }) => ({ documentId, score: (cosine - last) / (first - last) }))
  }
}
