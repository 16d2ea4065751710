import { EmbedderError } from '../providers/embedder.ts'
import type { SemanticSearch } from '../retrieval/search.ts'
import type { NearDocument, VectorIndex } from '../retrieval/vectors.ts'
import type { Embedding } from './embedding.ts'

/** Longer than this a question does not wait for an embedder; it is then answered by words. */
const MAX_EMBEDDER_WAIT_MS = 3000

/**
 * Search by what is meant, as far as there is an embedder. One that is in trouble keeps nobody from searching: the answer is then by words,
 * and the trouble is noted. While vectors are still being read nobody waits for them either.
 */
export function openSemanticSearch(embedding: Pick<Embedding, 'indexes' | 'noting'>): SemanticSearch {
  return async (question, project, limit) => {
    const signal = AbortSignal.timeout(MAX_EMBEDDER_WAIT_MS)
    const indexes = (await embedding.indexes()).filter(isReady)
    const note = embedding.noting()
    try {
      const all = indexes.reduce((sum, index) => sum + index.size(project), 0)
      // Each in proportion to what it knows, so that the best of a few do not stand beside the best of many.
      const share = (index: VectorIndex) => Math.ceil((limit * index.size(project)) / Math.max(1, all))
      const near = await Promise.all(indexes.map((index) => index.nearest(question, { project, limit: share(index) }, signal)))
      note(null)
      return near.flatMap(scaleCosines)
    } catch (cause) {
      if (cause instanceof EmbedderError) note(cause)
      else if (signal.aborted) note(new EmbedderError('unreachable', 'the embedder takes too long to answer a question'))
      else throw cause
      return []
    }
  }
}

/**
 * The same for a hook, where somebody waits: only by an embedder that needs no asking around, and not for longer than a moment. What
 * has to be opened or read first is then ready for the next one.
 */
export function openQuickSemanticSearch(embedding: Pick<Embedding, 'state'>, withinMs = MAX_HOOK_WAIT_MS): SemanticSearch {
  return async (question, project, limit) => {
    const look = async () => {
      const found = await embedding.state()
      return found.kind === 'ready' && found.embedder.embedNow && isReady(found.index)
        ? scaleCosines(await found.index.nearest(question, { project, limit }))
        : []
    }
    // What comes too late has nobody to fail to.
    const looking = look().catch(() => [])
    return Promise.race([looking, Bun.sleep(withinMs).then(() => [])])
  }
}

const MAX_HOOK_WAIT_MS = 25

/** One that has not been read yet is read for whoever asks next. */
function isReady(index: VectorIndex): boolean {
  if (!index.isWarm()) index.warm().catch(() => {}) // whoever asks next finds out what is wrong
  return index.isWarm()
}

/** Cosines say little by themselves, so they are measured from the last of those found to the first: 0 to 1, like the other signals. */
function scaleCosines(near: NearDocument[]): Awaited<ReturnType<SemanticSearch>> {
  const [first, last] = [near[0]?.cosine ?? 0, near.at(-1)?.cosine ?? 0]
  if (first <= last) return []
  return near.map(({ documentId, cosine }) => ({ documentId, score: (cosine - last) / (first - last), cosine }))
}
