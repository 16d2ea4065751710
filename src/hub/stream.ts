import type { Log } from '../platform/log.ts'
import { asMember, HubRefusal } from './caller.ts'
import { databaseFailure, type HubDatabase } from './database.ts'

/** A new head reaches listeners within this time. */
const POLL_MS = 1000
/** How often a listener's rights and token are checked again, and how often something is sent so that proxies keep the connection. */
const RECHECK_MS = 20_000
/** A listener that does not read is dropped; it connects again and pulls. */
const MAX_UNREAD_EVENTS = 1000
const MAX_STREAMS_PER_DEVICE = 4

type Listener = {
  token: string
  device: string
  member: string
  /** Numeric ids of the projects that the member may read, with their keys. */
  projects: Map<string, string>
  controller: ReadableStreamDefaultController<string>
  isReading: boolean
}

export type HeadStream = ReturnType<typeof openHeadStream>

/** Tells listeners which feeds grew. Each hub polls the heads once for all its listeners, and not at all without any. */
export function openHeadStream(database: HubDatabase, log: Log, { pollMs = POLL_MS, recheckMs = RECHECK_MS } = {}) {
  const listeners = new Set<Listener>()
  let heads: Map<string, number> | null = null
  let isPolling = false
  let isRechecking = false

  const drop = (listener: Listener) => {
    if (listeners.delete(listener)) close(listener)
  }
  const poll = async () => {
    if (listeners.size === 0 || isPolling) return
    isPolling = true
    try {
      const now = await readHeads(database)
      for (const [feed, head] of now) {
        if (heads?.get(feed) === head) continue
        for (const listener of listeners) announce(listener, feed, head)
      }
      for (const listener of listeners) if (!listener.isReading) drop(listener)
      heads = now
    } catch (cause) {
      log.warn('polling the heads failed', { reason: reasonOf(cause) })
    } finally {
      isPolling = false
    }
  }

  /** Ends the streams of revoked devices and follows changed rights. */
  const recheck = async () => {
    if (isRechecking) return
    isRechecking = true
    for (const listener of [...listeners]) {
      try {
        const { projects } = await readListener(database, listener.token)
        const added = [...projects].filter(([id]) => !listener.projects.has(id))
        listener.projects = projects
        for (const [id] of added) announce(listener, `project ${id}`, heads?.get(`project ${id}`) ?? 0)
        send(listener, ': \n\n')
      } catch (cause) {
        const failure = databaseFailure(cause)
        if (cause instanceof HubRefusal || (failure?.kind === 'refused' && failure.status === 401)) drop(listener)
        else log.warn('checking a listener failed', { reason: reasonOf(cause) })
      }
    }
    isRechecking = false
  }
  const timers = [setInterval(poll, pollMs), setInterval(recheck, recheckMs)]

  return {
    /** Sends the heads of all feeds at once, then those that grow. */
    async listen(token: string | null): Promise<ReadableStream<string>> {
      const { member, device, projects } = await readListener(database, token)
      const current = await readHeads(database)
      let listener: Listener
      return new ReadableStream<string>({
        start: (controller) => {
          listener = { token: token ?? '', device, member, projects, controller, isReading: true }
          const sameDevice = [...listeners].filter((other) => other.device === device)
          for (const other of sameDevice.slice(0, Math.max(0, sameDevice.length - MAX_STREAMS_PER_DEVICE + 1))) drop(other)
          // A poll may have seen a newer head while we read the current ones. All in one piece: a member of a thousand projects has read nothing yet.
          const known = [...current].map(([feed, head]) => eventFor(listener, feed, Math.max(head, heads?.get(feed) ?? 0)))
          controller.enqueue(`retry: 3000\n\n${known.join('')}`)
          listeners.add(listener)
          heads ??= current
        },
        cancel: () => {
          listeners.delete(listener)
        },
      })
    },
    listeners: () => listeners.size,
    close(): void {
      for (const timer of timers) clearInterval(timer)
      for (const listener of [...listeners]) drop(listener)
    },
  }
}

function announce(listener: Listener, feed: string, head: number): void {
  const text = eventFor(listener, feed, head)
  if (text !== '') send(listener, text)
}

/** The event about a feed; empty for a feed that is not the listener's business. */
function eventFor(listener: Listener, feed: string, head: number): string {
  const [kind, id = ''] = feed.split(' ')
  const project = listener.projects.get(id)
  if (kind === 'own' && id === listener.member) return event({ own: head })
  return kind === 'project' && project !== undefined ? event({ project, head }) : ''
}

/** A listener that does not read its events is dropped after the next poll. */
function send(listener: Listener, text: string): void {
  try {
    if ((listener.controller.desiredSize ?? 0) < -MAX_UNREAD_EVENTS) listener.isReading = false
    else listener.controller.enqueue(text)
  } catch {
    // It was closed while its rights were checked.
  }
}

function close({ controller }: Listener): void {
  try {
    controller.close()
  } catch {
    // The client has closed it.
  }
}

const event = (data: { own: number } | { project: string; head: number }) => `data: ${JSON.stringify(data)}\n\n`

async function readHeads(database: HubDatabase): Promise<Map<string, number>> {
  const rows = await database.query<{ feed: string; head: number }>(
    `SELECT kind || ' ' || id AS feed, head::float8 AS head FROM recollect.heads()`,
  )
  return new Map(rows.map(({ feed, head }) => [feed, head]))
}

const readListener = (database: HubDatabase, token: string | null) =>
  asMember(database, token, async ({ query, member, device }) => {
    const rows = await query<{ id: string; key: string }>(
      `SELECT id::text AS id, key FROM recollect.projects WHERE id = ANY (recollect.my_projects('read'))`,
    )
    return { member: member.id, device: device.id, projects: new Map(rows.map(({ id, key }) => [id, key])) }
  })

const reasonOf = (cause: unknown): string => databaseFailure(cause)?.kind ?? 'unexpected error'
