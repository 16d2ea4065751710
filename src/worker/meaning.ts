import type { Meaning } from '../retrieval/search.ts'
import type { Embedding, EmbeddingState } from './embedding.ts'

/**
 * Search by what is meant, as far as there is an embedder. Cosines say little by themselves, so they are measured from the last of
 * those found to the first: 0 to 1, like the other signals. While the vectors are still being read nobody waits for them: the words
 * answer alone.
 */
export function meaningBy(embedding: Pick<Embedding, 'state'>): Meaning {
  return async (question, project, limit) => {
    return nearest(await embedding.state(), question, project, limit)
  }
}

/**
 * The same for a hook, where somebody waits: only by an embedder that needs no asking around, and not for longer than a moment. What
 * has to be opened or read first is then ready for the next one.
 */
export function quickMeaningBy(embedding: Pick<Embedding, 'state'>, withinMs = MOMENT_MS): Meaning {
  return async (question, project, limit) => {
    const look = async () => {
      const found = await embedding.state()
      return found.kind === 'ready' && found.embedder.embedNow ? nearest(found, question, project, limit) : []
    }
    // What comes too late has nobody to fail to.
    const looking = look().catch(() => [])
    return Promise.race([looking, Bun.sleep(withinMs).then(() => [])])
  }
}

const MOMENT_MS = 25

async function nearest(found: EmbeddingState, ...[question, project, limit]: Parameters<Meaning>): ReturnType<Meaning> {
  if (found.kind === 'absent') return []
  if (!found.index.isWarm()) {
    found.index.warm().catch(() => {}) // whoever asks next finds out what is wrong
    return []
  }
  const near = await found.index.nearest(question, { project, limit })
  const [first, last] = [near[0]?.cosine ?? 0, near.at(-1)?.cosine ?? 0]
  if (first <= last) return []
  return near.map(({ documentId, cosine }) => ({ documentId, score: (cosine - last) / (first - last), cosine }))
}
