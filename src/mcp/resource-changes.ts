import { noteUrn } from '../core/note.ts'
import { httpRequest } from '../wire/call.ts'
import { type LiveEvent, openLiveEventReader } from '../wire/live-events.ts'
import { BRIEF_URI, sessionUri } from './resources.ts'
import type { McpWorkerClient } from './worker-client.ts'

/** What clients may want to read again: the lists of resources, or single resources. */
export type ResourceChanges = { list: boolean; resources: string[] }

export type ResourceChangeFeed = { subscribe(listener: (changed: ResourceChanges) => void): () => void }

/** The worker drops a listener that does not keep up. It reconnects after this. */
const RECONNECT_DELAY_MS = 1000

/** Changes are collected for this long: an import changes thousands of memories, and each notification makes clients fetch their lists again. */
const NOTIFY_INTERVAL_MS = 500

/** Turns the worker's events on `/stream` into changed resources. It is connected only while someone listens. */
export function openResourceChangeFeed(client: McpWorkerClient, pauseMs = NOTIFY_INTERVAL_MS): ResourceChangeFeed {
  const listeners = new Set<(changed: ResourceChanges) => void>()
  let listening: AbortController | null = null
  let collected: ResourceChanges | null = null

  const notify = () => {
    const changed = collected
    collected = null
    if (changed) for (const listener of listeners) listener(changed)
  }
  const collect = (changed: ResourceChanges) => {
    if (!changed.list && changed.resources.length === 0) return
    if (!collected) setTimeout(notify, pauseMs)
    collected = {
      list: changed.list || (collected?.list ?? false),
      resources: [...new Set([...(collected?.resources ?? []), ...changed.resources])],
    }
  }
  return {
    subscribe: (listener) => {
      listeners.add(listener)
      if (!listening) {
        listening = new AbortController()
        void keepFollowing(client, listening.signal, collect)
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

/** Reconnects until aborted. Events may be missed meanwhile, so after a reconnect everything counts as changed. The timer does not keep a stopping worker alive. */
async function keepFollowing(client: McpWorkerClient, signal: AbortSignal, collect: (changed: ResourceChanges) => void): Promise<void> {
  while (!signal.aborted) {
    await follow(client, signal, collect).catch(() => {})
    if (signal.aborted) return
    await new Promise<void>((resolve) => void setTimeout(resolve, RECONNECT_DELAY_MS).unref())
    collect({ list: true, resources: [BRIEF_URI] })
  }
}

async function follow(client: McpWorkerClient, signal: AbortSignal, collect: (changed: ResourceChanges) => void): Promise<void> {
  const response = await client.transport(httpRequest('GET /stream', {}, { signal }))
  if (!response.ok || !response.body) return
  const reader = response.body.getReader()
  signal.addEventListener('abort', () => void reader.cancel())
  const decoder = new TextDecoder()
  const readEvents = openLiveEventReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    for (const event of readEvents(decoder.decode(value, { stream: true }))) collect(resourcesChangedBy(event))
  }
}

function resourcesChangedBy({ type, change }: LiveEvent): ResourceChanges {
  if (type === 'reset') return { list: true, resources: [BRIEF_URI] }
  switch (change?.kind) {
    case 'note-changed':
      return { list: true, resources: [noteUrn(change.note), BRIEF_URI] }
    case 'session-opened':
      return { list: true, resources: [sessionUri(change.session.id)] }
    case 'session-completed':
      return { list: false, resources: [sessionUri(change.sessionId)] }
    case 'prompt-added':
      return { list: false, resources: [sessionUri(change.prompt.sessionId)] }
    case 'observation-added':
      return { list: false, resources: [sessionUri(change.observation.sessionId), BRIEF_URI] }
    case 'summary-added':
      return { list: false, resources: [sessionUri(change.summary.sessionId), BRIEF_URI] }
    case 'note-removed':
    case 'observation-removed':
    case 'imported':
      return { list: true, resources: [BRIEF_URI] }
    default:
      return NO_RESOURCE_CHANGES
  }
}

const NO_RESOURCE_CHANGES: ResourceChanges = { list: false, resources: [] }
