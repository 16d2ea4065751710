import type { Change } from '../core/memory.ts'
import { noteUrn } from '../core/note.ts'
import { BRIEF_URI, sessionUri } from './resources.ts'
import type { McpWorkerClient } from './worker-client.ts'

/** What clients may want to read again: whole lists, or single resources. */
export type ResourceChanges = { list: boolean; resources: string[] }

export type ResourceChangeFeed = { subscribe(listener: (changed: ResourceChanges) => void): () => void }

/** A listener that was let go, because it did not keep up, comes back after this. */
const RECONNECT_DELAY_MS = 1000

/** Hears at most so often: an import changes thousands of things, and every word makes a client fetch its lists anew. */
const NOTIFY_INTERVAL_MS = 500

/** What the worker tells on `/stream`, for as long as somebody wants to hear it. */
export function openResourceChangeFeed(client: McpWorkerClient, pauseMs = NOTIFY_INTERVAL_MS): ResourceChangeFeed {
  const listeners = new Set<(changed: ResourceChanges) => void>()
  let listening: AbortController | null = null
  let gathered: ResourceChanges | null = null

  const tell = () => {
    const changed = gathered
    gathered = null
    if (changed) for (const listener of listeners) listener(changed)
  }
  const hear = (changed: ResourceChanges) => {
    if (!changed.list && changed.resources.length === 0) return
    if (!gathered) setTimeout(tell, pauseMs)
    gathered = {
      list: changed.list || (gathered?.list ?? false),
      resources: [...new Set([...(gathered?.resources ?? []), ...changed.resources])],
    }
  }
  return {
    subscribe: (listener) => {
      listeners.add(listener)
      if (!listening) {
        listening = new AbortController()
        void keepFollowing(client, listening.signal, hear)
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        listening?.abort()
        listening = null
      }
    },
  }
}

/** What was missed meanwhile is not known, so everything counts as changed. A worker that stops is not kept from it by the wait. */
async function keepFollowing(client: McpWorkerClient, signal: AbortSignal, hear: (changed: ResourceChanges) => void): Promise<void> {
  while (!signal.aborted) {
    await follow(client, signal, hear).catch(() => {})
    if (signal.aborted) return
    await new Promise<void>((resolve) => void setTimeout(resolve, RECONNECT_DELAY_MS).unref())
    hear({ list: true, resources: [BRIEF_URI] })
  }
}

async function follow(client: McpWorkerClient, signal: AbortSignal, hear: (changed: ResourceChanges) => void): Promise<void> {
  const answer = await client.ask('/stream', { signal })
  if (!answer.ok || !answer.body) return
  const reader = answer.body.getReader()
  signal.addEventListener('abort', () => void reader.cancel())
  const decoder = new TextDecoder()
  let held = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    held += decoder.decode(value, { stream: true })
    const events = held.split('\n\n')
    held = events.pop() ?? ''
    for (const event of events) hear(resourcesChangedBy(event))
  }
}

/** One event of the stream. */
function resourcesChangedBy(event: string): ResourceChanges {
  const kind = /^event: (.+)$/m.exec(event)?.[1]
  const data = /^data: (.+)$/m.exec(event)?.[1]
  if (!kind || !data) return NO_RESOURCE_CHANGES
  const change = JSON.parse(data) as Change
  switch (kind) {
    case 'note-changed':
      return { list: true, resources: 'note' in change ? [noteUrn(change.note), BRIEF_URI] : [] }
    case 'session-opened':
      return { list: true, resources: 'session' in change ? [sessionUri(change.session.id)] : [] }
    case 'session-completed':
      return { list: false, resources: 'sessionId' in change ? [sessionUri(change.sessionId)] : [] }
    case 'prompt-added':
      return { list: false, resources: 'prompt' in change ? [sessionUri(change.prompt.sessionId)] : [] }
    case 'observation-added':
      return { list: false, resources: 'observation' in change ? [sessionUri(change.observation.sessionId), BRIEF_URI] : [] }
    case 'summary-added':
      return { list: false, resources: 'summary' in change ? [sessionUri(change.summary.sessionId), BRIEF_URI] : [] }
    case 'note-removed':
    case 'observation-removed':
    case 'imported':
    case 'reset':
      return { list: true, resources: [BRIEF_URI] }
    default:
      return NO_RESOURCE_CHANGES
  }
}

const NO_RESOURCE_CHANGES: ResourceChanges = { list: false, resources: [] }
