import { isLegacyRequest, type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { ResourceChangeFeed } from './resource-changes.ts'

/*
 * Clients of the old protocol over HTTP, which hear of changes on a stream that lasts (GET) and belongs to an id that we give them when
 * they open (`Mcp-Session-Id`). Nothing is kept for them but that stream and what they subscribed to, so an id outlives the worker: the
 * next one takes it up where it was, and the client notices nothing.
 */

type LegacyMcpSession = LegacyMcpServer & { transport: WebStandardStreamableHTTPServerTransport; usedAt: number; streams: number }

/** A server for one such client, and what it subscribed to. */
type LegacyMcpServer = { server: McpServer; subscribed: Set<string> }

const SESSION_ID_HEADER = 'mcp-session-id'
const SESSION_ID_PATTERN = /^recollect-[0-9a-f-]{36}$/
/** Those that say nothing for this long and hear nothing are let go; they are taken up again when they come back. */
const IDLE_SESSION_MS = 60 * 60_000
const MAX_LEGACY_SESSIONS = 200

/** Answers the requests of such clients; null for all others. */
export function openLegacySessions(make: (request: Request) => LegacyMcpServer, changes: ResourceChangeFeed, now: () => number) {
  const open = new Map<string, LegacyMcpSession>()
  const takingUp = new Map<string, Promise<LegacyMcpSession>>()
  /** Ids that their clients have ended. */
  const ended = new Set<string>()

  const begin = async (request: Request, id: string): Promise<LegacyMcpSession> => {
    letGo()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: (closed) => {
        ended.add(closed)
        if (ended.size > MAX_LEGACY_SESSIONS) ended.delete([...ended][0] ?? '')
        leave(closed)
      },
    })
    const lasting: LegacyMcpSession = { ...make(request), transport, usedAt: now(), streams: 0 }
    await lasting.server.connect(transport)
    return lasting
  }
  const leave = (id: string) => {
    void open.get(id)?.server.close()
    open.delete(id)
  }
  const letGo = () => {
    const quiet = [...open].filter(([, { streams }]) => streams === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt)
    const tooMany = open.size - MAX_LEGACY_SESSIONS + 1
    for (const [index, [id, { usedAt }]] of quiet.entries()) if (index < tooMany || now() - usedAt > IDLE_SESSION_MS) leave(id)
  }
  /** Changes are followed for as long as the client listens: most go away without a word. */
  const listen = (lasting: LegacyMcpSession, gone: AbortSignal) => {
    const { server, subscribed } = lasting
    const stop = changes.subscribe((changed) => {
      if (changed.list) server.sendResourceListChanged()
      for (const uri of changed.resources) if (subscribed.has(uri)) void server.server.sendResourceUpdated({ uri }).catch(() => {})
    })
    lasting.streams++
    gone.addEventListener('abort', () => {
      lasting.streams--
      stop()
    })
  }
  /** One that an earlier worker gave its id: opened for it, in the words it began with. Its requests may come side by side. */
  const takeUp = (request: Request, id: string): Promise<LegacyMcpSession> => {
    const opening = async () => {
      const lasting = await begin(request, id)
      const protocolVersion = request.headers.get('mcp-protocol-version') ?? '2025-03-26'
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'taken up', version: '0' } }
      const answer = await lasting.transport.handleRequest(
        postRequest(request.url, { jsonrpc: '2.0', id: 'taken-up', method: 'initialize', params }),
      )
      await answer.text()
      return lasting
    }
    const taken = takingUp.get(id) ?? opening().finally(() => takingUp.delete(id))
    takingUp.set(id, taken)
    return taken
  }
  return async (request: Request): Promise<Response | null> => {
    const id = request.headers.get(SESSION_ID_HEADER)
    const opens = id === null && request.method === 'POST' && (await isInitializeRequest(request))
    if (id === null && !opens) return null
    if (id !== null && (!SESSION_ID_PATTERN.test(id) || ended.has(id))) return sessionNotFound()
    const known = id ?? `recollect-${crypto.randomUUID()}`
    const lasting = id === null ? await begin(request, known) : (open.get(id) ?? (await takeUp(request, id)))
    open.set(known, lasting)
    lasting.usedAt = now()
    const answer = await lasting.transport.handleRequest(request)
    if (request.method === 'GET' && answer.ok) listen(lasting, request.signal)
    return answer
  }
}

async function isInitializeRequest(request: Request): Promise<boolean> {
  const body = (await request
    .clone()
    .json()
    .catch(() => null)) as { method?: unknown } | null
  return body?.method === 'initialize' && isLegacyRequest(request, body)
}

function postRequest(url: string, message: object): Request {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(message) })
}

/** By this a client knows that it has to open anew. */
const sessionNotFound = () =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, { status: 404 })
