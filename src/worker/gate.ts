import { timingSafeEqual } from 'node:crypto'

export type Keys = { token: string; hookToken: string }

/** Who is asking: the owner of the socket or the bearer of the token may do everything; a hook may only report events. */
export type Caller = 'owner' | 'hook'

export type Admitted = { kind: 'admitted'; caller: Caller } | { kind: 'refused'; status: 401 | 403; reason: string }

/**
 * Whether a request over TCP may come in. A browser page on another site can reach loopback too: the Host check stops names that
 * were pointed here (DNS rebinding), the Origin check stops other sites' pages, and the token stops everybody else.
 */
export function admit(request: Request, port: number, keys: Keys): Admitted {
  const host = request.headers.get('host') ?? ''
  if (!isLoopbackHost(host, port))
    return { kind: 'refused', status: 403, reason: `the Host header names ${host.slice(0, 80) || 'nothing'}, not this machine` }
  const origin = request.headers.get('origin')
  if (origin !== null && !isLoopbackHost(origin.replace(/^http:\/\//, ''), port)) {
    return { kind: 'refused', status: 403, reason: 'requests from other sites are not answered' }
  }
  const given = /^Bearer\s+(.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]?.trim()
  if (given && same(given, keys.token)) return { kind: 'admitted', caller: 'owner' }
  if (given && same(given, keys.hookToken)) return { kind: 'admitted', caller: 'hook' }
  return { kind: 'refused', status: 401, reason: 'a bearer token is needed; it is in run/token in the Recollect home' }
}

function isLoopbackHost(host: string, port: number): boolean {
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`].includes(host.toLowerCase())
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
