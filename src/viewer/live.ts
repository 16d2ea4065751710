import { signal } from '@preact/signals'
import { type LiveEvent, openReader } from './sse.ts'

/** How the line to the worker is. `stranger`: this browser must be let in again. */
export const line = signal<'connecting' | 'live' | 'lost' | 'stranger'>('connecting')

/** Goes up when anything may have changed unheard: whoever shows something fetches it anew. */
export const epoch = signal(0)

/**
 * Settles when the worker has said hello: what is fetched from then on misses nothing, because whatever happens is heard. It is
 * not waited for long; then what was fetched meanwhile is fetched again.
 */
const hello = Promise.withResolvers<'heard' | 'late'>()
export const listening = hello.promise
const HELLO_MS = 400

type Listener = (event: LiveEvent) => void
const listeners = new Set<Listener>()

export function hear(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The worker beats every minute; a line that is silent for longer is dead, whatever the browser thinks. */
const SILENT_MS = 150_000
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 10_000

let last = ''
let heardAt = 0
let current: AbortController | null = null
let wake: (() => void) | null = null

/** Listens from now on. After sleep, a restart or a lost line it goes on from the last event it heard. */
export async function startLive(): Promise<void> {
  setTimeout(() => hello.resolve('late'), HELLO_MS)
  const hurry = () => {
    if (document.visibilityState === 'visible' && Date.now() - heardAt > SILENT_MS) current?.abort()
    wake?.()
  }
  document.addEventListener('visibilitychange', hurry)
  addEventListener('online', hurry)
  setInterval(() => {
    if (line.value === 'live' && Date.now() - heardAt > SILENT_MS) current?.abort()
  }, 15_000)
  for (let wait = FIRST_WAIT_MS; ; ) {
    const heard = await listenOnce()
    wait = heard ? FIRST_WAIT_MS : Math.min(LONGEST_WAIT_MS, wait * 2)
    await new Promise<void>((resolve) => {
      wake = resolve
      setTimeout(resolve, wait)
    })
  }
}

/** One connection until it ends. True when it was one. */
async function listenOnce(): Promise<boolean> {
  current = new AbortController()
  heardAt = Date.now()
  try {
    const answer = await fetch('/stream', { headers: last ? { 'last-event-id': last } : {}, signal: current.signal })
    if (!answer.ok || !answer.body) {
      line.value = answer.status === 401 || answer.status === 403 ? 'stranger' : 'lost'
      return false
    }
    const read = openReader()
    const pieces = answer.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await pieces.read()
      if (done) break
      heardAt = Date.now()
      // Whatever could not be fetched while the line was down is fetched now.
      if (line.value !== 'live') {
        const isBack = line.value !== 'connecting'
        line.value = 'live'
        if (isBack) epoch.value++
      }
      for (const event of read(value)) take(event)
    }
  } catch {
    // the line broke; we come back
  }
  if (line.value === 'live') line.value = 'lost'
  return line.value === 'lost'
}

function take(event: LiveEvent): void {
  if (event.id !== '' && event.id === last && event.type !== 'reset') return
  last = event.id || last
  if (event.type === 'hello') {
    hello.resolve('heard')
    void listening.then((how) => {
      if (how === 'late') epoch.value++
    })
    return
  }
  // Too much has happened, or another worker speaks: what is shown is fetched again.
  if (event.type === 'reset') {
    epoch.value++
    return
  }
  for (const listener of listeners) listener(event)
}
