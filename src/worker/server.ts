import { dirname } from 'node:path'
import type { Server, WebSocketHandler } from 'bun'
import { ensurePrivateFolder, makePrivate } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import type { Log } from '../platform/log.ts'
import type { Home } from '../platform/paths.ts'
import type { HttpRequest } from '../wire/call.ts'
import { type AccessTokens, type Caller, checkAccess, cookieName, isAddressedToWorker } from './access.ts'
import { entryPage, signedOutPage } from './viewer-files.ts'
import { VISIT_LIFETIME_SECONDS, type Visitors } from './visitors.ts'

/** Answers a request from somebody who was let in. Null means there is no such route for them. */
export type Handler = (request: Request, url: URL, caller: Caller, server: RequestTimeouts) => Promise<Response | null>

/** Lets a long answer take its time. */
export type RequestTimeouts = { timeout(request: Request, seconds: number): void }

/** A lasting connection over the socket, and who takes it: where it asks to go decides. */
export type PipeAddress = { path: string; query: URLSearchParams }
export type PipeEndpoint = { path: string; handler: WebSocketHandler<PipeAddress>; closeAll(): void }

export type RunningServer = { port: number; stop(): Promise<void> }

/** What holds for both listeners. */
const SERVER_OPTIONS = {
  // A payload may carry a whole file; past this it is not a payload.
  maxRequestBodySize: 64 * 1024 * 1024,
  // Otherwise whatever slips through is answered with a page that shows our source.
  development: false,
  error: () => errorResponse(500, 'the worker could not do that'),
}

/**
 * Listens on the socket, which only its owner can open, and on loopback, where everybody must show a token. If a stranger holds
 * the port, the next free one is taken.
 */
export function listen(
  home: Home,
  wantedPort: number,
  keys: AccessTokens,
  visitors: Visitors,
  answering: Handler,
  log: Log,
  pipes: PipeEndpoint = NO_PIPE_ENDPOINT,
): RunningServer {
  let underWay = 0
  const answer: Handler = async (...question) => {
    underWay++
    try {
      return await answering(...question)
    } finally {
      underWay--
    }
  }
  ensurePrivateFolder(dirname(home.socket))
  removeFile(home.socket) // the lock says that nobody listens there any more
  const socket = Bun.serve<PipeAddress>({
    ...SERVER_OPTIONS,
    unix: home.socket,
    fetch: (request, server) => {
      const url = parseUrl(request)
      const isPipe = url?.pathname === pipes.path && request.headers.get('upgrade')?.toLowerCase() === 'websocket'
      if (isPipe && server.upgrade(request, { data: { path: url.pathname, query: url.searchParams } })) return
      return respond(request, server, 'owner', answer, log)
    },
    websocket: pipes.handler,
  })
  makePrivate(home.socket)
  const tcp = listenOnLoopback(wantedPort, keys, visitors, answer, log)
  return {
    port: tcp.port ?? 0,
    // Takes no new request and finishes the ones under way. Idle connections that callers keep open are not waited for.
    stop: async () => {
      void socket.stop(false)
      void tcp.stop(false)
      for (let waited = 0; underWay > 0 && waited < MAX_STOP_WAIT_MS; waited += 5) await Bun.sleep(5)
      pipes.closeAll()
      await Promise.all([socket.stop(true), tcp.stop(true)])
      removeFile(home.socket)
    },
  }
}

const NO_PIPE_ENDPOINT: PipeEndpoint = { path: '', handler: { message: () => {} }, closeAll: () => {} }
const MAX_STOP_WAIT_MS = 2000
const MAX_PORTS_TO_TRY = 20

function listenOnLoopback(wantedPort: number, keys: AccessTokens, visitors: Visitors, answer: Handler, log: Log): Server<undefined> {
  const ports =
    wantedPort === 0 ? [0] : [...Array.from({ length: MAX_PORTS_TO_TRY }, (_, i) => wantedPort + i).filter((p) => p <= 65535), 0]
  for (const port of ports) {
    try {
      return Bun.serve({
        ...SERVER_OPTIONS,
        hostname: '127.0.0.1',
        // Without errors pages Bun lets several processes share a port, and each would get some of the other's hooks.
        reusePort: false,
        port,
        fetch: async (request, server) => withSecurityHeaders(await receive(request, server, keys, visitors, answer, log)),
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
  keys: AccessTokens,
  visitors: Visitors,
  answer: Handler,
  log: Log,
): Promise<Response> {
  const path = parseUrl(request)?.pathname ?? ''
  const port = server.port ?? 0
  // Says only that we are here; a caller that shows no token learns nothing else.
  if (path === '/health' && request.method === 'GET' && !request.headers.has('authorization')) return Response.json({ ok: true })
  if (path.startsWith('/view/') && request.method === 'GET' && isAddressedToWorker(request, port))
    return admitVisitor(path.slice(6), visitors, port)
  const admitted = checkAccess(request, port, keys, (secret) => visitors.knows(secret, Date.now()))
  if (admitted.kind === 'admitted') return respond(request, server, admitted.caller, answer, log)
  const isPerson = admitted.status === 401 && request.headers.get('sec-fetch-dest') === 'document'
  return isPerson
    ? signedOutPage('This browser has not been let in, or it was a while ago.')
    : errorResponse(admitted.status, admitted.reason)
}

function admitVisitor(code: string, visitors: Visitors, port: number): Response {
  const entered = visitors.enter(code, Date.now())
  if (!entered) return signedOutPage('This link has been used, or is older than half a minute.')
  const cookie = `${cookieName(port)}=${entered.secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${VISIT_LIFETIME_SECONDS}`
  return entryPage(entered.to, cookie)
}

/** What every answer to a browser says of itself: not to be sniffed, framed, kept, or read by another origin. */
function withSecurityHeaders(response: Response): Response {
  for (const [name, value] of SECURITY_HEADERS) if (!response.headers.has(name)) response.headers.set(name, value)
  return response
}

const SECURITY_HEADERS = Object.entries({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
})

/** Calls the routes as the owner without a socket in between: for the MCP server, and for reading when no worker runs. */
export function inProcessTransport(handler: Handler, log: Log): (request: HttpRequest) => Promise<Response> {
  return ({ method, path, body, headers, signal }) => {
    const request = new Request(`http://worker${path}`, {
      method,
      headers,
      ...(body === null ? {} : { body }),
      ...(signal ? { signal } : {}),
    })
    return respond(request, { timeout: () => {} }, 'owner', handler, log)
  }
}

async function respond(request: Request, server: RequestTimeouts, caller: Caller, answer: Handler, log: Log): Promise<Response> {
  const url = parseUrl(request)
  if (!url) return errorResponse(400, 'the address cannot be read')
  try {
    return (
      (await answer(request, url, caller, server)) ?? errorResponse(404, `there is no ${request.method} ${url.pathname.slice(0, 100)} here`)
    )
  } catch (cause) {
    if (cause instanceof BadRequest) return errorResponse(400, cause.message)
    if (cause instanceof Conflict) return errorResponse(409, cause.message)
    log.warn('a request failed', { path: url.pathname.slice(0, 60), error: (cause as Error).message.slice(0, 300) })
    // A hook whose answer is not 2xx shows two error lines to a person who can do nothing about it.
    return url.pathname.startsWith('/hook/') ? Response.json({}) : errorResponse(500, 'the worker could not do that; its log says why')
  }
}

/** The address asked for, or null. Bun puts the caller's Host header into it, and that may be anything; only the rest counts. */
function parseUrl(request: Request): URL | null {
  return URL.parse(request.url, 'http://worker')
}

/** What the caller sent cannot be used, and the message says why. */
export class BadRequest extends Error {}

/** The request was made from something that has changed since. */
export class Conflict extends Error {}

function errorResponse(status: number, error: string): Response {
  return Response.json({ error }, { status })
}
