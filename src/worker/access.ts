export type AccessDecision = { kind: 'admitted' } | { kind: 'refused'; status: 401 | 403; reason: string }

/**
 * Decides whether a request over TCP comes from the owner. Pages of other sites can reach loopback too: the Host check stops host names that resolve to this machine (DNS
 * rebinding), the Origin check stops pages of other sites, and the token stops other programs.
 */
export function checkAccess(
  request: Request,
  port: number,
  ownerToken: string,
  isVisitor: (secret: string) => boolean = () => false,
): AccessDecision {
  const host = request.headers.get('host') ?? ''
  if (!isAddressedToWorker(request, port))
    return {
      kind: 'refused',
      status: 403,
      reason: `the Host header is ${host.slice(0, 80) || 'missing'}; it must name this machine, for example 127.0.0.1:${port}`,
    }
  const origin = request.headers.get('origin')
  if (origin !== null && !isLoopbackHost(origin.replace(/^http:\/\//, ''), port)) {
    return { kind: 'refused', status: 403, reason: 'requests from other sites are refused' }
  }
  const token = /^Bearer\s+(.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]?.trim()
  if (token && isSameSecret(token, ownerToken)) return { kind: 'admitted' }
  if (!request.headers.has('authorization')) return checkVisitorAccess(request, port, isVisitor)
  return { kind: 'refused', status: 401, reason: NO_TOKEN }
}

const NO_TOKEN = 'send the token in run/token of the Recollect home as Authorization: Bearer <token>'

/** The port is in the name because browsers send a cookie to every port of a machine, and two homes may have two workers. */
export const cookieName = (port: number) => `recollect-${port}`
/** A visit in a frame has a cookie of its own, because a browser must send it although the page around the frame is of another site. */
export const frameCookieName = (port: number) => `recollect-${port}-frame`

/** The secret of a visit in a frame, if this request asks for a page of it. */
export function frameSecret(request: Request, port: number): string | null {
  if (request.headers.get('sec-fetch-dest') !== 'iframe') return null
  return readCookie(request.headers.get('cookie') ?? '', frameCookieName(port))
}

/**
 * A signed-in browser sends its cookie with every request, also with those that other sites trigger. So the browser must also say that our own page sent
 * the request, or that a person opened the page by hand. A change must also have headers that other origins cannot send without permission.
 */
function checkVisitorAccess(request: Request, port: number, isVisitor: (secret: string) => boolean): AccessDecision {
  const cookies = request.headers.get('cookie') ?? ''
  const secrets = [cookieName(port), frameCookieName(port)].map((name) => readCookie(cookies, name))
  if (!secrets.some((secret) => secret && isVisitor(secret))) return { kind: 'refused', status: 401, reason: NO_TOKEN }
  const [site, mode, dest] = ['site', 'mode', 'dest'].map((name) => request.headers.get(`sec-fetch-${name}`))
  const isOpened = site === 'none' && request.method === 'GET' && mode === 'navigate' && dest === 'document'
  if (site !== 'same-origin' && !isOpened) return { kind: 'refused', status: 403, reason: 'only pages of the viewer may send this request' }
  if (request.method === 'GET' || request.method === 'HEAD') return { kind: 'admitted' }
  const isJson = /^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? '')
  if (!isJson || request.headers.get('x-recollect') !== '1')
    return { kind: 'refused', status: 403, reason: 'a change needs the headers content-type: application/json and x-recollect: 1' }
  return { kind: 'admitted' }
}

function readCookie(header: string, name: string): string | null {
  const pairs = header.split(';').map((pair) => pair.trim().split('='))
  return pairs.find(([key]) => key === name)?.[1] ?? null
}

/** Whether the Host header names this machine and port, and not a host name that resolves to it. */
export const isAddressedToWorker = (request: Request, port: number) => isLoopbackHost(request.headers.get('host') ?? '', port)

function isLoopbackHost(host: string, port: number): boolean {
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`].includes(host.toLowerCase())
}

/** With the runtime's own function: `node:crypto` would take 7 ms of the worker's start. */
function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && crypto.timingSafeEqual(left, right)
}
