import { isLegacyRequest, type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { ResourceChangeFeed } from './resource-changes.ts'

/*
 * HTTP sessions of clients of the old protocol. Such a client gets a session id when it connects (`Mcp-Session-Id`) and receives changes on a stream
 * (GET) that stays open. We store only that stream and the subscriptions, so a session survives a restart of the worker: the next worker resumes it
 * under the same id.
 */

type LegacyMcpSession = LegacyMcpServer & { transport: WebStandardStreamableHTTPServerTransport; usedAt: number; streams: number }

/** The server for one client, and the resources it subscribed to. */
type LegacyMcpServer = { server: McpServer; subscribed: Set<string> }

const SESSION_ID_HEADER = 'mcp-session-id'
const SESSION_ID_PATTERN = /^recollect-[0-9a-f-]{36}$/
/** Sessions without a request for this long and without a stream are closed. They are resumed when the client returns. */
const IDLE_SESSION_MS = 60 * 60_000
const MAX_LEGACY_SESSIONS = 200

/** Handles the requests of such sessions. Returns null for all other requests. */
export function openLegacySessions(makeServer: (request: Request) => LegacyMcpServer, changes: ResourceChangeFeed, now: () => number) {
  const sessions = new Map<string, LegacyMcpSession>()
  const resuming = new Map<string, Promise<LegacyMcpSession>>()
  /** Ids of sessions that their clients have ended. */
  const ended = new Set<string>()

  const openSession = async (request: Request, id: string): Promise<LegacyMcpSession> => {
    closeIdle()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: (closed) => {
        ended.add(closed)
        if (ended.size > MAX_LEGACY_SESSIONS) ended.delete([...ended][0] ?? '')
        close(closed)
      },
    })
    const session: LegacyMcpSession = { ...makeServer(request), transport, usedAt: now(), streams: 0 }
    await session.server.connect(transport)
    return session
  }
  const close = (id: string) => {
    void sessions.get(id)?.server.close()
    sessions.delete(id)
  }
  const closeIdle = () => {
    const idle = [...sessions].filter(([, { streams }]) => streams === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt)
    const excess = sessions.size - MAX_LEGACY_SESSIONS + 1
    for (const [index, [id, { usedAt }]] of idle.entries()) if (index < excess || now() - usedAt > IDLE_SESSION_MS) close(id)
  }
  /** Sends changes while the stream is open. Most clients disconnect without ending their session. */
  const sendChanges = (session: LegacyMcpSession, closed: AbortSignal) => {
    const { server, subscribed } = session
    const unsubscribe = changes.subscribe((changed) => {
      if (changed.list) server.sendResourceListChanged()
      for (const uri of changed.resources) if (subscribed.has(uri)) void server.server.sendResourceUpdated({ uri }).catch(() => {})
    })
    session.streams++
    closed.addEventListener('abort', () => {
      session.streams--
      unsubscribe()
    })
  }
  /** Resumes a session of an earlier worker: repeats the handshake under the same id. Several requests may arrive at once; only one resumes it. */
  const resume = (request: Request, id: string): Promise<LegacyMcpSession> => {
    const reopen = async () => {
      const session = await openSession(request, id)
      const protocolVersion = request.headers.get('mcp-protocol-version') ?? '2025-03-26'
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'resumed', version: '0' } }
      const response = await session.transport.handleRequest(
        postRequest(request.url, { jsonrpc: '2.0', id: 'resumed', method: 'initialize', params }),
      )
      await response.text()
      return session
    }
    const session = resuming.get(id) ?? reopen().finally(() => resuming.delete(id))
    resuming.set(id, session)
    return session
  }
  return async (request: Request): Promise<Response | null> => {
    const id = request.headers.get(SESSION_ID_HEADER)
    const isOpening = id === null && request.method === 'POST' && (await isInitializeRequest(request))
    if (id === null && !isOpening) return null
    if (id !== null && (!SESSION_ID_PATTERN.test(id) || ended.has(id))) return sessionNotFound()
    const sessionId = id ?? `recollect-${crypto.randomUUID()}`
    const session = id === null ? await openSession(request, sessionId) : (sessions.get(id) ?? (await resume(request, id)))
    sessions.set(sessionId, session)
    session.usedAt = now()
    const response = await session.transport.handleRequest(request)
    if (request.method === 'GET' && response.ok) sendChanges(session, request.signal)
    return response
  }
}

async function isInitializeRequest(request: Request): Promise<boolean> {
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => null)
  const isInitialize = typeof body === 'object' && body !== null && 'method' in body && body.method === 'initialize'
  return isInitialize && isLegacyRequest(request, body)
}

function postRequest(url: string, message: object): Request {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(message) })
}

/** Tells the client to open a new session. */
const sessionNotFound = () =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, { status: 404 })
