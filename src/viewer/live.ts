import { signal } from '@preact/signals'
import { type LiveEvent, openLiveEventReader } from '../wire/live-events.ts'

/** The connection to the worker. `signed-out`: the browser's cookie is missing or no longer valid. */
export const connectionState = signal<'connecting' | 'live' | 'lost' | 'signed-out'>('connecting')

/** Increases when data may have changed without a live event. Everything on the screen is then fetched again. */
export const dataVersion = signal(0)

/**
 * Resolves once live events are connected: data fetched after that misses no change. After a short timeout we fetch anyway, and
 * fetch again when the connection is there.
 */
const helloReceived = Promise.withResolvers<'in-time' | 'late'>()
export const liveStreamReady = helloReceived.promise
const HELLO_TIMEOUT_MS = 400

type LiveListener = (event: LiveEvent) => void
const listeners = new Set<LiveListener>()

export function onLiveEvent(listener: LiveListener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The worker sends a heartbeat every minute. After a longer silence we treat the connection as lost. */
const MAX_SILENCE_MS = 150_000
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 10_000

let lastEventId = ''
let lastReceivedAt = 0
let currentRequest: AbortController | null = null
let wake: (() => void) | null = null

/** Connects and stays connected until `stop`. After sleep, a restart or a lost connection it resumes after the last event. */
export async function startLiveEvents(stop = new AbortController().signal): Promise<void> {
  setTimeout(() => helloReceived.resolve('late'), HELLO_TIMEOUT_MS)
  const reconnectNow = () => {
    if (document.visibilityState === 'visible' && Date.now() - lastReceivedAt > MAX_SILENCE_MS) currentRequest?.abort()
    wake?.()
  }
  document.addEventListener('visibilitychange', reconnectNow, { signal: stop })
  addEventListener('online', reconnectNow, { signal: stop })
  const silenceTimer = setInterval(() => {
    if (connectionState.value === 'live' && Date.now() - lastReceivedAt > MAX_SILENCE_MS) currentRequest?.abort()
  }, 15_000)
  stop.addEventListener('abort', () => {
    clearInterval(silenceTimer)
    currentRequest?.abort()
    wake?.()
  })
  for (let waitMs = FIRST_RETRY_MS; !stop.aborted; ) {
    const wasConnected = await listenOnce()
    waitMs = wasConnected ? FIRST_RETRY_MS : Math.min(MAX_RETRY_MS, waitMs * 2)
    if (stop.aborted) break
    await new Promise<void>((resolve) => {
      wake = resolve
      setTimeout(resolve, waitMs)
    })
  }
  connectionState.value = 'connecting'
}

/** Reads one connection until it ends. Returns false if it could not be opened. */
async function listenOnce(): Promise<boolean> {
  currentRequest = new AbortController()
  lastReceivedAt = Date.now()
  let isOpen = false
  try {
    const response = await fetch('/stream', { headers: lastEventId ? { 'last-event-id': lastEventId } : {}, signal: currentRequest.signal })
    if (!response.ok || !response.body) {
      connectionState.value = response.status === 401 || response.status === 403 ? 'signed-out' : 'lost'
      return false
    }
    isOpen = true
    const read = openLiveEventReader()
    const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await pieces.read()
      if (done) break
      lastReceivedAt = Date.now()
      // After a reconnect, fetch everything that may have changed meanwhile.
      if (connectionState.value !== 'live') {
        const isBack = connectionState.value !== 'connecting'
        connectionState.value = 'live'
        if (isBack) dataVersion.value++
      }
      for (const event of read(value)) handleLiveEvent(event)
    }
  } catch {
    // The connection broke; the caller reconnects.
  }
  if (isOpen || connectionState.value !== 'signed-out') connectionState.value = 'lost'
  return isOpen
}

function handleLiveEvent(event: LiveEvent): void {
  if (event.id !== '' && event.id === lastEventId && event.type !== 'reset') return
  lastEventId = event.id || lastEventId
  if (event.type === 'hello') {
    helloReceived.resolve('in-time')
    void liveStreamReady.then((arrival) => {
      if (arrival === 'late') dataVersion.value++
    })
    return
  }
  // The worker no longer has the events we missed, or it is a new worker.
  if (event.type === 'reset') {
    dataVersion.value++
    return
  }
  for (const listener of listeners) listener(event)
}
