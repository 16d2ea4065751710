import { timingSafeEqual } from 'node:crypto'

export type AccessTokens = { token: string; hookToken: string }

/** Who is asking: the owner of the socket, the bearer of the token or the viewer may do everything; a hook may only report events. */
export type Caller = 'owner' | 'hook'

export type AccessDecision = { kind: 'admitted'; caller: Caller } | { kind: 'refused'; status: 401 | 403; reason: string }

/**
 * Whether a request over TCP may come in. A browser page on another site can reach loopback too: the Host check stops names that
 * were pointed here (DNS rebinding), the Origin check stops other sites' pages, and the token stops everybody else.
 */
export function checkAccess(
  request: Request,
  port: number,
  keys: AccessTokens,
  isVisitor: (secret: string) => boolean = () => false,
): AccessDecision {
  const host = request.headers.get('host') ?? ''
  if (!isAddressedToWorker(request, port))
    return { kind: 'refused', status: 403, reason: `the Host header names ${host.slice(0, 80) || 'nothing'}, not this machine` }
  const origin = request.headers.get('origin')
  if (origin !== null && !isLoopbackHost(origin.replace(/^http:\/\//, ''), port)) {
    return { kind: 'refused', status: 403, reason: 'requests from other sites are not answered' }
  }
  const given = /^Bearer\s+(.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]?.trim()
  if (given && isSameSecret(given, keys.token)) return { kind: 'admitted', caller: 'owner' }
  if (given && isSameSecret(given, keys.hookToken)) return { kind: 'admitted', caller: 'hook' }
  if (given === undefined) return checkVisitorAccess(request, port, isVisitor)
  return { kind: 'refused', status: 401, reason: NO_TOKEN }
}

const NO_TOKEN = 'a bearer token is needed; it is in run/token in the Recollect home'

/** The port is in the name because browsers give a cookie to every port of a machine, and two homes may have two workers. */
export const cookieName = (port: number) => `recollect-${port}`

/**
 * A browser that was let in shows its cookie with whatever anybody makes it send. So it must also say that our own page asked,
 * or that a person opened a page by hand; and a change must come in a form that no page of another origin can send unasked.
 */
function checkVisitorAccess(request: Request, port: number, isVisitor: (secret: string) => boolean): AccessDecision {
  const secret = readCookie(request.headers.get('cookie') ?? '', cookieName(port))
  if (!secret || !isVisitor(secret)) return { kind: 'refused', status: 401, reason: NO_TOKEN }
  const [site, mode, dest] = ['site', 'mode', 'dest'].map((name) => request.headers.get(`sec-fetch-${name}`))
  const isOpened = site === 'none' && request.method === 'GET' && mode === 'navigate' && dest === 'document'
  if (site !== 'same-origin' && !isOpened) return { kind: 'refused', status: 403, reason: 'only the viewer’s own pages are answered' }
  if (request.method === 'GET' || request.method === 'HEAD') return { kind: 'admitted', caller: 'owner' }
  const isJson = /^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? '')
  if (!isJson || request.headers.get('x-recollect') !== '1')
    return { kind: 'refused', status: 403, reason: 'a change needs content-type application/json and x-recollect: 1' }
  return { kind: 'admitted', caller: 'owner' }
}

function readCookie(header: string, name: string): string | null {
  const pairs = header.split(';').map((pair) => pair.trim().split('='))
  return pairs.find(([key]) => key === name)?.[1] ?? null
}

/** Whether the caller meant this machine and port, and not a name that was pointed here. */
export const isAddressedToWorker = (request: Request, port: number) => isLoopbackHost(request.headers.get('host') ?? '', port)

function isLoopbackHost(host: string, port: number): boolean {
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`].includes(host.toLowerCase())
}

function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
