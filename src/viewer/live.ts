import { signal } from '@preact/signals'
import { type LiveEvent, openEventReader } from './sse.ts'

/** How the line to the worker is. `stranger`: this browser must be let in again. */
export const connectionState = signal<'connecting' | 'live' | 'lost' | 'stranger'>('connecting')

/** Goes up when anything may have changed unheard: whoever shows something fetches it anew. */
export const dataVersion = signal(0)

/**
 * Settles when the worker has said hello: what is fetched from then on misses nothing, because whatever happens is heard. It is
 * not waited for long; then what was fetched meanwhile is fetched again.
 */
const helloReceived = Promise.withResolvers<'heard' | 'late'>()
export const liveStreamReady = helloReceived.promise
const HELLO_TIMEOUT_MS = 400

type LiveListener = (event: LiveEvent) => void
const listeners = new Set<LiveListener>()

export function onLiveEvent(listener: LiveListener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The worker beats every minute; a line that is silent for longer is dead, whatever the browser thinks. */
const MAX_SILENCE_MS = 150_000
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 10_000

let lastEventId = ''
let heardAt = 0
let currentRequest: AbortController | null = null
let wake: (() => void) | null = null

/** Listens from now on. After sleep, a restart or a lost line it goes on from the last event it heard. */
export async function startLiveEvents(): Promise<void> {
  setTimeout(() => helloReceived.resolve('late'), HELLO_TIMEOUT_MS)
  const hurry = () => {
    if (document.visibilityState === 'visible' && Date.now() - heardAt > MAX_SILENCE_MS) currentRequest?.abort()
    wake?.()
  }
  document.addEventListener('visibilitychange', hurry)
  addEventListener('online', hurry)
  setInterval(() => {
    if (connectionState.value === 'live' && Date.now() - heardAt > MAX_SILENCE_MS) currentRequest?.abort()
  }, 15_000)
  for (let wait = FIRST_RETRY_MS; ; ) {
    const heard = await listenOnce()
    wait = heard ? FIRST_RETRY_MS : Math.min(MAX_RETRY_MS, wait * 2)
    await new Promise<void>((resolve) => {
      wake = resolve
      setTimeout(resolve, wait)
    })
  }
}

/** One connection until it ends. True when it was one. */
async function listenOnce(): Promise<boolean> {
  currentRequest = new AbortController()
  heardAt = Date.now()
  try {
    const answer = await fetch('/stream', { headers: lastEventId ? { 'last-event-id': lastEventId } : {}, signal: currentRequest.signal })
    if (!answer.ok || !answer.body) {
      connectionState.value = answer.status === 401 || answer.status === 403 ? 'stranger' : 'lost'
      return false
    }
    const read = openEventReader()
    const pieces = answer.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await pieces.read()
      if (done) break
      heardAt = Date.now()
      // Whatever could not be fetched while the line was down is fetched now.
      if (connectionState.value !== 'live') {
        const isBack = connectionState.value !== 'connecting'
        connectionState.value = 'live'
        if (isBack) dataVersion.value++
      }
      for (const event of read(value)) handleLiveEvent(event)
    }
  } catch {
    // the line broke; we come back
  }
  if (connectionState.value === 'live') connectionState.value = 'lost'
  return connectionState.value === 'lost'
}

function handleLiveEvent(event: LiveEvent): void {
  if (event.id !== '' && event.id === lastEventId && event.type !== 'reset') return
  lastEventId = event.id || lastEventId
  if (event.type === 'hello') {
    helloReceived.resolve('heard')
    void liveStreamReady.then((how) => {
      if (how === 'late') dataVersion.value++
    })
    return
  }
  // Too much has happened, or another worker speaks: what is shown is fetched again.
  if (event.type === 'reset') {
    dataVersion.value++
    return
  }
  for (const listener of listeners) listener(event)
}
