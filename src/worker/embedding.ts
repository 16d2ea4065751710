import { type Embedder, EmbedderError, type EmbedderSettings, openEmbedder } from '../providers/embedder.ts'
import { embedBatch, openVectorIndex, type VectorIndex } from '../retrieval/vectors.ts'
import type { Store } from '../store/store.ts'
import type { EmbedderStatus } from '../wire/contract/embedder.ts'
import { chosenEmbedder, type EmbedderOpening, type EmbeddingDeps, type EmbeddingState, openCurrentEmbedder } from './current-embedder.ts'

export type { EmbeddingState } from './current-embedder.ts'

export type Embedding = ReturnType<typeof openEmbedding>

/** Status and search do not wait longer than this for an embedder that is being opened. */
const MAX_OPENING_WAIT_MS = 2000

/** After the reply of a hook, and together with whatever is saved at the same moment. */
const EMBED_SOON_AFTER_MS = 50

const STATIC_EMBEDDER: EmbedderSettings = { provider: 'static', name: '', base_url: '', api_key: '' }

/**
 * Everything the worker does with vectors: opens the embedder when it is first needed, and makes missing vectors in background jobs.
 * `models` is the folder for downloaded weights. `settings` is called each time an embedder is opened.
 */
export function openEmbedding(store: Store, settings: () => EmbedderSettings, models: string, log: EmbeddingDeps['log']) {
  const stopping = new AbortController()
  const deps: EmbeddingDeps = { store, settings, models, log }
  const current = openCurrentEmbedder(deps, stopping.signal)
  const replaced = openReplacedIndex(deps, stopping.signal)
  const backlog = openBacklog(deps, stopping.signal)
  const logReadError = (cause: unknown) => log.warn('vectors could not be read', { error: `${cause}` })

  /** The indexes to search. Usually one; two while the vectors of one embedder replace those of another. */
  async function indexes(): Promise<VectorIndex[]> {
    const [state, old] = await Promise.all([current.stateWithin(MAX_OPENING_WAIT_MS), replaced.index()])
    return [...(state.kind === 'ready' ? [state.index] : []), ...(old ? [old] : [])]
  }

  async function close(): Promise<void> {
    await current.close()
    replaced.close()
  }

  /** Reads the vectors before the first search. Opens nothing when there are none. */
  async function warm(): Promise<void> {
    if (!(await store.vectors.hasAny())) return
    for (const index of await indexes()) await index.warm()
  }

  /** Makes a batch of vectors; returns whether there are more to make. An error of the embedder leaves the rest for a later round. */
  async function makeBatch(embedder: Embedder, opening: EmbedderOpening): Promise<boolean> {
    try {
      const hasMore = await backlog.makeBatch(embedder, opening.chosen)
      current.recordOutcome(opening, null)
      if (!hasMore) await replaced.closeIfOpen()
      return hasMore
    } catch (cause) {
      if (!(cause instanceof EmbedderError)) throw cause
      current.recordOutcome(opening, cause)
      return false
    }
  }

  let batches: Promise<unknown> = Promise.resolve()
  let soon: ReturnType<typeof setTimeout> | undefined

  /** Makes one batch of vectors when no other is being made: two at once would embed the same texts. Returns whether there are more to make. */
  async function makeNextBatch(): Promise<boolean> {
    const batch = batches.then(async () => {
      // An embedder is opened only when there is work for it.
      if (!(await backlog.hasWork())) return false
      await current.state()
      // The settings may change meanwhile; the vectors still belong to this embedder.
      const opening = current.opening()
      const state = await opening?.state
      if (!opening || state?.kind !== 'ready') return false
      const hasMore = await makeBatch(state.embedder, opening)
      // In the background, because other jobs come first. A search before it is done uses words only.
      if (!hasMore) state.index.warm().catch(logReadError)
      return hasMore
    })
    batches = batch.catch(() => {})
    return batch
  }

  return {
    state: current.state,
    indexes,
    warm,
    queue: backlog.queue,
    queueInTransaction: backlog.queueInTransaction,
    /**
     * Makes the vectors of what was just saved, without waiting for the jobs in the queue: a new note can be searched by meaning at once. `kick`
     * starts the queue, for more than fits into one batch.
     */
    embedSoon: (kick: () => void): void => {
      soon ??= setTimeout(() => {
        soon = undefined
        const embedded = makeNextBatch().then((hasMore) => (hasMore ? backlog.queue().then(kick) : undefined))
        embedded.catch((cause) => void (stopping.signal.aborted || log.warn('new vectors could not be made', { error: `${cause}` })))
      }, EMBED_SOON_AFTER_MS)
    },
    /** Returns a function that records how a search with the embedder in use now went. */
    outcomeRecorder: () => {
      const opening = current.opening()
      return (error: EmbedderError | null) => current.recordOutcome(opening, error)
    },
    /** Why a search is answered without the embedder; null when it is used, or when the person switched it off. */
    problem: async (): Promise<string | null> => {
      const state = await current.stateWithin(MAX_OPENING_WAIT_MS)
      return state.kind === 'ready' ? current.problem() : settings().provider === 'none' ? null : state.reason
    },
    /** Applies changed settings. Existing vectors stay until they are replaced. */
    reload: async (): Promise<void> => {
      await close()
      await backlog.queue()
      // In the background. Without it the first search after the change would use words only, and not say why.
      warm().catch(logReadError)
    },
    report: async (): Promise<EmbedderStatus> => {
      const state = await current.stateWithin(MAX_OPENING_WAIT_MS)
      return embedderStatus(deps, state, current.problem(), await backlog.isForAnotherEmbedder())
    },
    /** Queues the vectors that are missing: an absent embedder may be back, or the settings may name another one. False when none is. */
    queueIfWaiting: async (): Promise<boolean> => {
      const opening = current.opening()
      if (opening && opening.chosen !== chosenEmbedder(settings())) await close()
      if (!(await backlog.hasWork())) return false
      await backlog.queue()
      return true
    },
    /** Makes one batch of vectors, and queues the next when there is more to do. */
    doJob: async (jobId: number): Promise<void> => {
      const hasMore = await makeNextBatch()
      await store.transaction(() => store.jobs.complete(jobId))
      if (hasMore) await backlog.queue()
    },
    stop: async (): Promise<void> => {
      clearTimeout(soon)
      stopping.abort(new Error('the worker is stopping'))
      await close()
    },
  }
}

/**
 * The vectors of the built-in static embedder, while another embedder is making its own. Searches use them until all are replaced. Null
 * when the static embedder is in use, or none of its vectors are left.
 */
function openReplacedIndex({ store, settings, models }: EmbeddingDeps, stop: AbortSignal) {
  let opened: Promise<VectorIndex | null> | null = null
  const open = async (): Promise<VectorIndex | null> => {
    const { provider } = settings()
    if (provider === 'static' || provider === 'none') return null
    const table = await openEmbedder(STATIC_EMBEDDER, models, stop)
    if (table.kind === 'absent' || (await store.vectors.countOf(table.embedder.name)) === 0) return null
    return openVectorIndex(store, table.embedder)
  }
  const close = () => {
    opened = null
  }
  return {
    index: (): Promise<VectorIndex | null> => {
      opened ??= open()
      return opened
    },
    close,
    /** Frees the memory of an index whose last vector has been replaced. */
    closeIfOpen: async (): Promise<void> => {
      if (await opened) close()
    },
  }
}

/** Names the embedder of the settings for which vectors were last made. */
const CHOSEN_EMBEDDER_MARK = 'chosen embedder'

/** The vectors that are still to be made. */
function openBacklog({ store, settings }: EmbeddingDeps, stop: AbortSignal) {
  const lastChosen = () => store.audit.mark(CHOSEN_EMBEDDER_MARK)
  const isForAnotherEmbedder = async () => ((await lastChosen()) ?? STATIC_EMBEDDER.provider) !== chosenEmbedder(settings())
  /** Due now, so it runs after all jobs that were due before: distilling comes first, and what it makes is embedded together. */
  const queueInTransaction = async (): Promise<void> => {
    const now = Date.now()
    await store.jobs.add('embed', 'waiting', {}, now, now)
  }
  return {
    /** True when the existing vectors are not of the embedder that the settings name: then all are made again. */
    isForAnotherEmbedder,
    hasWork: async (): Promise<boolean> => (await store.vectors.waiting(1)).length > 0 || (await isForAnotherEmbedder()),
    queueInTransaction,
    queue: async (): Promise<void> => {
      await store.transaction(queueInTransaction)
    },
    makeBatch: async (embedder: Embedder, chosen: string): Promise<boolean> => {
      const hasMore = await embedBatch(store, embedder, stop)
      if ((await lastChosen()) !== chosen) await store.transaction(() => store.audit.setMark(CHOSEN_EMBEDDER_MARK, chosen))
      return hasMore
    },
  }
}

async function embedderStatus(
  { store, settings }: EmbeddingDeps,
  state: EmbeddingState,
  problem: string | null,
  isForAnotherEmbedder: boolean,
): Promise<EmbedderStatus> {
  const { provider } = settings()
  const embedded = state.kind === 'ready' ? await store.vectors.countOf(state.embedder.name) : 0
  const counts = await store.vectors.counts()
  // Vectors of another embedder are to be made again, even before they are queued.
  const waiting = Math.max(counts.waiting, isForAnotherEmbedder && provider !== 'none' ? counts.vectors - embedded : 0)
  if (state.kind === 'ready') {
    const { name, dimensions } = state.embedder
    return { provider, name, dimensions, embedded, waiting, problem }
  }
  return { provider, name: null, dimensions: null, embedded, waiting, problem: provider === 'none' ? null : state.reason }
}
