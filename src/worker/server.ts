import { dirname } from 'node:path'
import type { Server, WebSocketHandler } from 'bun'
import { MAX_PAYLOAD_BYTES } from '../core/limits.ts'
import { ensurePrivateFolder, makePrivate } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import type { Log } from '../platform/log.ts'
import type { Home } from '../platform/paths.ts'
import { isStoreFailure } from '../store/store.ts'
import type { HttpRequest } from '../wire/call.ts'
import { BadRequest } from '../wire/requests.ts'
import { checkAccess, frameSecret, isAddressedToWorker } from './access.ts'
import type { Received } from './sign-in.ts'
import type { Visitors } from './visitors.ts'

/** Answers a request whose caller passed the access check. Null means that there is no such route at this entrance. */
export type Handler = (request: Request, url: URL, entrance: Entrance, server: RequestTimeouts) => Promise<Response | null>

/** The entrance of a request: over the Unix socket or from this process, or over the loopback port. */
export type Entrance = 'socket' | 'port'

/** Lifts the timeout of a request that may take long. */
export type RequestTimeouts = { timeout(request: Request, seconds: number): void }

/** WebSocket connections over the Unix socket: the address that was requested, and the handler for one path. */
export type PipeAddress = { path: string; query: URLSearchParams }
export type PipeEndpoint = { path: string; handler: WebSocketHandler<PipeAddress>; closeAll(): void }

export type RunningServer = { port: number; stop(): Promise<void> }

/** Options of both listeners. */
const SERVER_OPTIONS = {
  maxRequestBodySize: MAX_PAYLOAD_BYTES,
  // In development mode Bun answers an error with a page that shows our source.
  development: false,
  error: () => errorResponse(500, 'the worker failed'),
}

/**
 * Bun closes a streamed response after ten silent seconds, even if `server.timeout(request, 0)` was called; a model may take longer before its first
 * line. Bun's types do not know that the option works for a Unix socket.
 */
const WITHOUT_IDLE_TIMEOUT: object = { idleTimeout: 0 }

/**
 * Listens on the Unix socket, which only its owner can open, and on a loopback port, where callers need a token. If another program uses the port, the
 * next free one is taken.
 */
export function listen(
  home: Home,
  wantedPort: number,
  token: string,
  visitors: Visitors,
  handler: Handler,
  log: Log,
  pipes: PipeEndpoint = NO_PIPE_ENDPOINT,
): RunningServer {
  let runningRequests = 0
  const countedHandler: Handler = async (...args) => {
    runningRequests++
    try {
      return await handler(...args)
    } finally {
      runningRequests--
    }
  }
  ensurePrivateFolder(dirname(home.socket))
  // We hold the lock, so a socket file is left over from a worker that crashed.
  removeFile(home.socket)
  const socket = Bun.serve<PipeAddress>({
    ...SERVER_OPTIONS,
    unix: home.socket,
    ...WITHOUT_IDLE_TIMEOUT,
    fetch: (request, server) => {
      const url = parseUrl(request)
      const isPipe = url?.pathname === pipes.path && request.headers.get('upgrade')?.toLowerCase() === 'websocket'
      if (isPipe && server.upgrade(request, { data: { path: url.pathname, query: url.searchParams } })) return
      return respond(request, server, 'socket', countedHandler, log)
    },
    websocket: pipes.handler,
  })
  makePrivate(home.socket)
  const tcp = listenOnLoopback(wantedPort, token, visitors, countedHandler, log)
  return {
    port: tcp.port ?? 0,
    // Refuses new requests and waits for running ones, but not for idle connections that callers keep open.
    stop: async () => {
      void socket.stop(false)
      void tcp.stop(false)
      for (let waitedMs = 0; runningRequests > 0 && waitedMs < MAX_STOP_WAIT_MS; waitedMs += 5) await Bun.sleep(5)
      pipes.closeAll()
      await Promise.all([socket.stop(true), tcp.stop(true)])
      removeFile(home.socket)
    },
  }
}

const NO_PIPE_ENDPOINT: PipeEndpoint = { path: '', handler: { message: () => {} }, closeAll: () => {} }
const MAX_STOP_WAIT_MS = 2000
const MAX_PORTS_TO_TRY = 20

function listenOnLoopback(wantedPort: number, token: string, visitors: Visitors, handler: Handler, log: Log): Server<undefined> {
  const ports =
    wantedPort === 0 ? [0] : [...Array.from({ length: MAX_PORTS_TO_TRY }, (_, i) => wantedPort + i).filter((p) => p <= 65535), 0]
  for (const port of ports) {
    try {
      return Bun.serve({
        ...SERVER_OPTIONS,
        hostname: '127.0.0.1',
        // Otherwise several processes could share the port, and each would get some of the other's requests.
        reusePort: false,
        port,
        fetch: async (request, server) => {
          const { response, frame } = await receive(request, server, token, visitors, handler, log)
          return allowFrame(withSecurityHeaders(response), frame)
        },
      })
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE' && (cause as NodeJS.ErrnoException).code !== 'EACCES') throw cause
    }
  }
  throw new Error('no port on 127.0.0.1 is free')
}

async function receive(
  request: Request,
  server: Server<undefined>,
  token: string,
  visitors: Visitors,
  handler: Handler,
  log: Log,
): Promise<Received> {
  const path = parseUrl(request)?.pathname ?? ''
  const port = server.port ?? 0
  // A caller without a token learns only that a worker runs.
  if (path === '/health' && request.method === 'GET' && !request.headers.has('authorization')) return unframed(Response.json({ ok: true }))
  if (path.startsWith('/view/') && request.method === 'GET' && isAddressedToWorker(request, port))
    return (await import('./sign-in.ts')).admitVisitor(path.slice(6), visitors, port)
  const decision = checkAccess(request, port, token, (secret) => visitors.knows(secret, Date.now()))
  if (decision.kind === 'admitted') {
    const framed = frameSecret(request, port)
    return { response: await respond(request, server, 'port', handler, log), frame: framed === null ? [] : visitors.frameOf(framed) }
  }
  const isPerson = decision.status === 401 && request.headers.get('sec-fetch-dest') === 'document'
  return unframed(
    isPerson
      ? (await import('./sign-in.ts')).signedOutPage('This browser is not signed in, or its session has expired.')
      : errorResponse(decision.status, decision.reason),
  )
}

const unframed = (response: Response): Received => ({ response, frame: [] })

/** Lets pages of these origins, and no others, show the response in a frame. */
function allowFrame(response: Response, origins: string[]): Response {
  const policy = response.headers.get('content-security-policy') ?? ''
  if (origins.length === 0 || !policy.includes(NO_FRAME)) return response
  response.headers.set('content-security-policy', policy.replace(NO_FRAME, `frame-ancestors ${origins.join(' ')}`))
  response.headers.delete('x-frame-options')
  return response
}

const NO_FRAME = "frame-ancestors 'none'"

/** Tells browsers not to guess content types, and not to let other origins frame, cache or read the response. */
function withSecurityHeaders(response: Response): Response {
  for (const [name, value] of SECURITY_HEADERS) if (!response.headers.has(name)) response.headers.set(name, value)
  return response
}

const SECURITY_HEADERS = Object.entries({
  'content-security-policy': `default-src 'none'; ${NO_FRAME}`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
})

/**
 * Calls the routes as the owner without a socket in between: for the MCP server, and for reading when no worker runs. Failures are logged and
 * answered with 500; without a log they are thrown.
 */
export function inProcessTransport(handler: Handler, log: Log | null): (request: HttpRequest) => Promise<Response> {
  return ({ method, path, body, headers, signal }) => {
    const request = new Request(`http://worker${path}`, {
      method,
      headers,
      ...(body === null ? {} : { body }),
      ...(signal ? { signal } : {}),
    })
    const server = { timeout: () => {} }
    return log ? respond(request, server, 'socket', handler, log) : answerRequest(request, server, 'socket', handler)
  }
}

async function respond(request: Request, server: RequestTimeouts, entrance: Entrance, handler: Handler, log: Log): Promise<Response> {
  try {
    return await answerRequest(request, server, entrance, handler)
  } catch (cause) {
    const path = parseUrl(request)?.pathname ?? ''
    log.warn('a request failed', { path: path.slice(0, 60), error: (cause as Error).message.slice(0, 300) })
    return isStoreFailure(cause)
      ? errorResponse(503, "the database cannot be read or written; run 'recollect doctor'")
      : errorResponse(500, 'the worker failed; its log says why')
  }
}

/** Turns the errors that a caller can correct into responses, and lets the others through. */
async function answerRequest(request: Request, server: RequestTimeouts, entrance: Entrance, handler: Handler): Promise<Response> {
  const url = parseUrl(request)
  if (!url) return errorResponse(400, 'the URL cannot be parsed')
  try {
    return (
      (await handler(request, url, entrance, server)) ??
      errorResponse(404, `there is no route ${request.method} ${url.pathname.slice(0, 100)}`)
    )
  } catch (cause) {
    if (cause instanceof BadRequest) return errorResponse(400, cause.message)
    if (cause instanceof Conflict) return errorResponse(409, cause.message)
    throw cause
  }
}

/** The requested URL, or null. Bun takes its host from the Host header, which may be anything; use only the rest. */
function parseUrl(request: Request): URL | null {
  return URL.parse(request.url, 'http://worker')
}

export { BadRequest }

/** The request is based on a state that has changed since. */
export class Conflict extends Error {}

function errorResponse(status: number, error: string): Response {
  return Response.json({ error }, { status })
}
