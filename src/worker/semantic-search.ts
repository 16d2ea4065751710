import { EmbedderError } from '../providers/embedder.ts'
import type { SemanticSearch } from '../retrieval/search.ts'
import type { NearDocument, VectorIndex } from '../retrieval/vectors.ts'
import type { Embedding } from './embedding.ts'

/** A search does not wait longer than this for the embedder; then only its words count. */
const MAX_EMBEDDER_WAIT_MS = 3000

/**
 * Search by meaning, as far as there is an embedder. When the embedder fails, or the vectors are still being read, it finds nothing, and the
 * search goes by words. A failure is recorded.
 */
export function openSemanticSearch(embedding: Pick<Embedding, 'indexes' | 'outcomeRecorder'>): SemanticSearch {
  return async (query, project, limit) => {
    const signal = AbortSignal.timeout(MAX_EMBEDDER_WAIT_MS)
    const indexes = (await embedding.indexes()).filter(isReady)
    const recordOutcome = embedding.outcomeRecorder()
    try {
      const all = indexes.reduce((sum, index) => sum + index.size(project), 0)
      // Each index gets a share by its size. Otherwise the best of a few would rank beside the best of many.
      const share = (index: VectorIndex) => Math.ceil((limit * index.size(project)) / Math.max(1, all))
      const near = await Promise.all(indexes.map((index) => index.nearest(query, { project, limit: share(index) }, signal)))
      recordOutcome(null)
      return near.flatMap(scaleCosines)
    } catch (cause) {
      if (cause instanceof EmbedderError) recordOutcome(cause)
      else if (signal.aborted) recordOutcome(new EmbedderError('unreachable', 'the embedder took too long to answer'))
      else throw cause
      return []
    }
  }
}

/**
 * The same for hooks, where a person waits: uses only an embedder that runs in this process, and gives up after a few milliseconds. Whatever
 * has to be opened or read first is ready for the next hook.
 */
export function openQuickSemanticSearch(embedding: Pick<Embedding, 'state'>, withinMs = MAX_HOOK_WAIT_MS): SemanticSearch {
  return async (query, project, limit) => {
    const search = async () => {
      const state = await embedding.state()
      return state.kind === 'ready' && state.embedder.embedNow && isReady(state.index)
        ? scaleCosines(await state.index.nearest(query, { project, limit }))
        : []
    }
    // A failure after the time is up has no caller to report to.
    const searching = search().catch(() => [])
    return Promise.race([searching, Bun.sleep(withinMs).then(() => [])])
  }
}

const MAX_HOOK_WAIT_MS = 25

/** Starts reading an index that has not been read, for the next search. */
function isReady(index: VectorIndex): boolean {
  if (!index.isWarm()) index.warm().catch(() => {}) // the next search reports the error
  return index.isWarm()
}

/**
 * Scales cosines from 0 for the last document found to 1 for the first, like the other signals: the raw values say little. A project's only
 * memory has nothing to be compared with, and is the nearest.
 */
function scaleCosines(near: NearDocument[]): Awaited<ReturnType<SemanticSearch>> {
  const [first, last] = [near[0]?.cosine ?? 0, near.at(-1)?.cosine ?? 0]
  const score = (cosine: number) => (first > last ? (cosine - last) / (first - last) : 1)
  return near.map(({ documentId, cosine }) => ({ documentId, score: score(cosine), cosine }))
}
