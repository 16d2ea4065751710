import type { Log } from '../platform/log.ts'
import { type Embedder, type EmbedderError, type EmbedderSettings, openEmbedder } from '../providers/embedder.ts'
import { openVectorIndex, type VectorIndex } from '../retrieval/vectors.ts'
import type { Store } from '../store/store.ts'

/** The embedder with the index over its vectors; or the reason, for the person, why there is none. */
export type EmbeddingState = { kind: 'ready'; embedder: Embedder; index: VectorIndex } | { kind: 'absent'; reason: string }

/** One attempt to open the embedder that the settings named at that time. */
export type EmbedderOpening = {
  readonly at: number
  /** The embedder of the settings, as one text that can be compared. */
  readonly chosen: string
  readonly state: Promise<EmbeddingState>
  /** The error of its latest use; null when that went well. */
  problem: string | null
}

export type EmbeddingDeps = { store: Store; settings(): EmbedderSettings; models: string; log: Log }

/** An absent embedder is not opened again sooner than this: otherwise every search would wait for it. */
const REOPEN_ABSENT_EMBEDDER_AFTER_MS = 60_000

/** Opens the embedder of the settings when it is first needed, and opens an absent one again after a while. */
export function openCurrentEmbedder({ store, settings, models, log }: EmbeddingDeps, stop: AbortSignal) {
  let current: EmbedderOpening | null = null

  async function openNow(chosen: EmbedderSettings): Promise<EmbeddingState> {
    const opened = await openEmbedder(chosen, models, stop)
    if (opened.kind === 'absent') {
      log.info('no embedder; search uses words only', { reason: opened.reason })
      return opened
    }
    return { ...opened, index: openVectorIndex(store, opened.embedder, stop) }
  }

  const openingAt = (now: number): EmbedderOpening => {
    const chosen = settings()
    return { at: now, chosen: chosenEmbedder(chosen), state: openNow(chosen), problem: null }
  }

  /** Callers that come while it is being opened share one opening: a second embedder would never be closed. */
  async function state(now = Date.now()): Promise<EmbeddingState> {
    current ??= openingAt(now)
    const opening = current
    const found = await opening.state
    const isCurrent = opening === current
    if (stop.aborted || (isCurrent && (found.kind === 'ready' || now - opening.at < REOPEN_ABSENT_EMBEDDER_AFTER_MS))) return found
    if (isCurrent) current = openingAt(now)
    return state(now)
  }

  return {
    state,
    /** Like `state`, but an embedder that is slow to open counts as absent. */
    stateWithin: async (ms: number): Promise<EmbeddingState> => {
      const late = Promise.withResolvers<EmbeddingState>()
      const timer = setTimeout(() => late.resolve({ kind: 'absent', reason: 'it has not answered yet' }), ms)
      try {
        return await Promise.race([state(), late.promise])
      } finally {
        clearTimeout(timer)
      }
    },
    opening: () => current,
    problem: () => current?.problem ?? null,
    /** Records how a use of an embedder ended, unless it has been replaced meanwhile: a replaced one fails because it was closed. */
    recordOutcome: (opening: EmbedderOpening | null, error: EmbedderError | null): void => {
      const problem = error?.message ?? null
      if (!opening || opening !== current || problem === opening.problem) return
      opening.problem = problem
      if (error) log.warn('the embedder failed', { kind: error.kind, error: error.message })
    },
    /** Closes the embedder. The next use opens the one that the settings name then. */
    close: async (): Promise<void> => {
      // An opening that is cut off by the stop of the worker rejects.
      const found = await current?.state.catch(() => null)
      current = null
      if (found?.kind === 'ready') found.embedder.close?.()
    },
  }
}

export function chosenEmbedder({ provider, base_url, name }: EmbedderSettings): string {
  return provider === 'http' ? `http ${base_url} ${name}` : provider
}
