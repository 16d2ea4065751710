import type { Log } from '../platform/log.ts'
import { type Embedder, type EmbedderSettings, EmbedderTrouble, openEmbedder } from '../providers/embedder.ts'
import { embedSome, openVectorIndex, type VectorIndex } from '../retrieval/vectors.ts'
import type { Store } from '../store/store.ts'

/** The embedder with the index over its vectors; or why there is none, in words for the person. */
export type EmbeddingState = { kind: 'ready'; embedder: Embedder; index: VectorIndex } | { kind: 'absent'; reason: string }

export type Embedding = ReturnType<typeof openEmbedding>

/** An embedder that was not there is not asked for again sooner than this: a question must not wait for it each time. */
const AGAIN_AFTER_MS = 60_000

/** What the worker does with vectors: opens the embedder when it is first needed, and makes what is missing in background jobs. */
export function openEmbedding(store: Store, settings: EmbedderSettings, log: Log) {
  const stopping = new AbortController()
  let opening: { at: number; state: Promise<EmbeddingState> } | null = null

  async function open(): Promise<EmbeddingState> {
    const opened = await openEmbedder(settings, stopping.signal)
    if (opened.kind === 'absent') {
      log.info('there is no embedder; search goes by words', { reason: opened.reason })
      return opened
    }
    return { ...opened, index: openVectorIndex(store, opened.embedder, stopping.signal) }
  }

  async function state(now = Date.now()): Promise<EmbeddingState> {
    const known = await opening?.state
    if (opening && known && (known.kind === 'ready' || now - opening.at < AGAIN_AFTER_MS)) return known
    opening = { at: now, state: open() }
    return opening.state
  }

  /** Due now, so behind everything that was due before: distilling comes first, and what it makes is embedded together. */
  async function queue(): Promise<void> {
    const now = Date.now()
    await store.transaction(() => store.jobs.add('embed', 'waiting', {}, now, now))
  }

  return {
    state,
    queue,
    /** Reads the vectors before the first question comes. Where there are none, nothing is opened. */
    warm: async (): Promise<void> => {
      if (!(await store.vectors.any())) return
      const found = await state()
      if (found.kind === 'ready') await found.index.warm()
    },
    /** Asks for what was left over, because an embedder that was away may be back. False when there is nothing. */
    queueIfWaiting: async (): Promise<boolean> => {
      if ((await store.vectors.waiting(1)).length === 0) return false
      await queue()
      return true
    },
    /** One bite of the work, and the next one asked for when there is more. Trouble that may pass is left for a later round. */
    doJob: async (jobId: number) => {
      // An embedder is opened when there is something for it to do, not before.
      const found = (await store.vectors.waiting(1)).length > 0 ? await state() : null
      const more = found?.kind === 'ready' && (await bite(found.embedder))
      await store.transaction(() => store.jobs.done(jobId))
      if (more) await queue()
      // Not waited for: other jobs come first, and a question that is sooner goes by its words.
      else if (found?.kind === 'ready') found.index.warm().catch((cause) => log.warn('vectors could not be read', { error: `${cause}` }))
    },
    stop: () => stopping.abort(new Error('the worker stops')),
  }

  async function bite(embedder: Embedder): Promise<boolean> {
    try {
      return await embedSome(store, embedder, stopping.signal)
    } catch (cause) {
      if (!(cause instanceof EmbedderTrouble)) throw cause
      log.warn('the embedder is in trouble', { kind: cause.kind, error: cause.message })
      return false
    }
  }
}
