import type { Log } from '../platform/log.ts'
import { type Embedder, EmbedderError, type EmbedderSettings, openEmbedder } from '../providers/embedder.ts'
import { embedBatch, openVectorIndex, type VectorIndex } from '../retrieval/vectors.ts'
import type { Store } from '../store/store.ts'
import type { EmbedderStatus } from '../wire/api.ts'

/** The embedder with the index over its vectors; or why there is none, in words for the person. */
export type EmbeddingState = { kind: 'ready'; embedder: Embedder; index: VectorIndex } | { kind: 'absent'; reason: string }

export type Embedding = ReturnType<typeof openEmbedding>

/** An embedder as the settings named it at a time. */
type EmbedderOpening = { at: number; chosen: string; state: Promise<EmbeddingState> }

/** An embedder that was not there is not asked for again sooner than this: a question must not wait for it each time. */
const REOPEN_ABSENT_EMBEDDER_AFTER_MS = 60_000

/** Who asks how things stand does not wait longer for an embedder that is being opened. */
const MAX_OPENING_WAIT_MS = 2000

/** Which embedder the settings named when vectors were last made. */
const CHOSEN_EMBEDDER_MARK = 'chosen embedder'
const STATIC_EMBEDDER: EmbedderSettings = { provider: 'static', name: '', base_url: '', api_key: '' }

/**
 * What the worker does with vectors: opens the embedder when it is first needed, and makes what is missing in background jobs. `models` is
 * the folder for weights. The settings are asked for each time an embedder is opened.
 */
export function openEmbedding(store: Store, settings: () => EmbedderSettings, models: string, log: Log) {
  const stopping = new AbortController()
  let opening: EmbedderOpening | null = null
  let before: Promise<EmbeddingState | null> | null = null
  let trouble: string | null = null

  async function open(): Promise<EmbeddingState> {
    const opened = await openEmbedder(settings(), models, stopping.signal)
    if (opened.kind === 'absent') {
      log.info('there is no embedder; search goes by words', { reason: opened.reason })
      return opened
    }
    return { ...opened, index: openVectorIndex(store, opened.embedder, stopping.signal) }
  }

  const openingAt = (now: number): EmbedderOpening => ({ at: now, chosen: chosen(), state: open() })

  /** Whoever asks while it is being opened waits for the same one: a second one would be closed by nobody. */
  async function state(now = Date.now()): Promise<EmbeddingState> {
    opening ??= openingAt(now)
    const asked = opening
    const known = await asked.state
    const isCurrent = asked === opening
    if (stopping.signal.aborted || (isCurrent && (known.kind === 'ready' || now - asked.at < REOPEN_ABSENT_EMBEDDER_AFTER_MS))) return known
    if (isCurrent) opening = openingAt(now)
    return state(now)
  }

  async function stateWithin(ms: number): Promise<EmbeddingState> {
    const late = Promise.withResolvers<EmbeddingState>()
    const timer = setTimeout(() => late.resolve({ kind: 'absent', reason: 'it has not answered yet' }), ms)
    try {
      return await Promise.race([state(), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * The table that comes along, as far as it made vectors before another embedder was chosen. They are compared until the other one has
   * made its own of all of them; null when there are none left.
   */
  async function openBefore(): Promise<EmbeddingState | null> {
    const { provider } = settings()
    if (provider === 'static' || provider === 'none') return null
    const table = await openEmbedder(STATIC_EMBEDDER, models, stopping.signal)
    if (table.kind === 'absent' || (await store.vectors.countOf(table.embedder.name)) === 0) return null
    return { ...table, index: openVectorIndex(store, table.embedder) }
  }

  /** What a question is compared with. Usually one index; two while the vectors of one embedder take the place of another's. */
  async function indexes(): Promise<VectorIndex[]> {
    before ??= openBefore()
    const all = await Promise.all([stateWithin(MAX_OPENING_WAIT_MS), before])
    return all.flatMap((one) => (one?.kind === 'ready' ? [one.index] : []))
  }

  /** Due now, so behind everything that was due before: distilling comes first, and what it makes is embedded together. */
  async function queue(): Promise<void> {
    const now = Date.now()
    await store.transaction(() => store.jobs.add('embed', 'waiting', {}, now, now))
  }

  /** Something waits, or another embedder was chosen than made the vectors: then all are to be made again. */
  const hasWork = async () => (await store.vectors.waiting(1)).length > 0 || (await isChanged())
  const isChanged = async () => ((await store.audit.mark(CHOSEN_EMBEDDER_MARK)) ?? STATIC_EMBEDDER.provider) !== chosen()
  const chosen = () => {
    const { provider, base_url, name } = settings()
    return provider === 'http' ? `http ${base_url} ${name}` : provider
  }

  async function bite(embedder: Embedder, by: EmbedderOpening): Promise<boolean> {
    const note = noting(by)
    try {
      const more = await embedBatch(store, embedder, stopping.signal)
      note(null)
      const made = by.chosen
      if ((await store.audit.mark(CHOSEN_EMBEDDER_MARK)) !== made)
        await store.transaction(() => store.audit.setMark(CHOSEN_EMBEDDER_MARK, made))
      // Its last vector has been replaced: what it holds is given back.
      if (!more && (await before)) before = null
      return more
    } catch (cause) {
      if (!(cause instanceof EmbedderError)) throw cause
      note(cause)
      return false
    }
  }

  /** Takes note of the trouble that somebody met with an embedder, or of none. Of one that is no longer in use it is none: it was ended. */
  const noting = (asked: EmbedderOpening | null) => (cause: EmbedderError | null) => {
    if (asked !== opening || (cause?.message ?? null) === trouble) return
    trouble = cause?.message ?? null
    if (cause) log.warn('the embedder is in trouble', { kind: cause.kind, error: cause.message })
  }

  /** Lets go of the embedder; the next question opens the one that the settings name then. */
  async function close(): Promise<void> {
    // One that is still being opened when the worker stops ends with the reason for that.
    const known = await opening?.state.catch(() => null)
    opening = null
    before = null
    trouble = null
    if (known?.kind === 'ready') known.embedder.close?.()
  }

  /** Reads the vectors before the first question comes. Where there are none, nothing is opened. */
  async function warm(): Promise<void> {
    if (!(await store.vectors.hasAny())) return
    for (const index of await indexes()) await index.warm()
  }

  const cannotRead = (cause: unknown) => log.warn('vectors could not be read', { error: `${cause}` })

  return {
    state,
    indexes,
    queue,
    warm,
    /** Takes note of what becomes of a question that is asked of the embedder in use now. */
    noting: () => noting(opening),
    /** Why a question is answered without the embedder, or null when it is not. To have it switched off is no reason to speak of. */
    trouble: async (): Promise<string | null> => {
      const known = await stateWithin(MAX_OPENING_WAIT_MS)
      return known.kind === 'ready' ? trouble : settings().provider === 'none' ? null : known.reason
    },
    /** Takes up changed settings. Nothing is lost: vectors stay until they are replaced. */
    reload: async (): Promise<void> => {
      await close()
      await queue()
      // Not waited for; without it the first question after the change would go by its words and not say why.
      warm().catch(cannotRead)
    },
    /** How things stand. An embedder that is slow to open is told to be, not waited for. */
    report: async (): Promise<EmbedderStatus> => {
      const { provider } = settings()
      const known = await stateWithin(MAX_OPENING_WAIT_MS)
      const embedded = known.kind === 'ready' ? await store.vectors.countOf(known.embedder.name) : 0
      const counts = await store.vectors.counts()
      // What another embedder made waits too, even before it stands on the list.
      const waiting = Math.max(counts.waiting, (await isChanged()) && provider !== 'none' ? counts.vectors - embedded : 0)
      if (known.kind === 'ready') {
        const { name, dimensions } = known.embedder
        return { provider, name, dimensions, embedded, waiting, problem: trouble }
      }
      return { provider, name: null, dimensions: null, embedded, waiting, problem: provider === 'none' ? null : known.reason }
    },
    /**
     * Asks for what was left over, because an embedder that was away may be back, or a person may have named another one in the settings.
     * False when there is nothing.
     */
    queueIfWaiting: async (): Promise<boolean> => {
      if (opening && opening.chosen !== chosen()) await close()
      if (!(await hasWork())) return false
      await queue()
      return true
    },
    /** One bite of the work, and the next one asked for when there is more. Trouble that may pass is left for a later round. */
    doJob: async (jobId: number): Promise<void> => {
      // An embedder is opened when there is something for it to do, not before.
      if (await hasWork()) await state()
      else return store.transaction(() => store.jobs.complete(jobId))
      // Settings may change while it works: what it makes is its own all the same.
      const by = opening
      const found = await by?.state
      const more = by && found?.kind === 'ready' && (await bite(found.embedder, by))
      await store.transaction(() => store.jobs.complete(jobId))
      if (more) await queue()
      // Not waited for: other jobs come first, and a question that is sooner goes by its words.
      else if (found?.kind === 'ready') found.index.warm().catch(cannotRead)
    },
    stop: async (): Promise<void> => {
      stopping.abort(new Error('the worker stops'))
      await close()
    },
  }
}
