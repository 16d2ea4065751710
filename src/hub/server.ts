import type { Server } from 'bun'
import type { Log } from '../platform/log.ts'
import { hub as contract, MAX_PUSH_BYTES } from '../wire/contract/hub.ts'
import type { ResponseType } from '../wire/contract/route.ts'
import { BadRequest, inMatchingOrder, matchRoute, parseRequest, routeEntry } from '../wire/requests.ts'
import { asMember, HubRefusal, type IdentityRow, identityOf, isStorable, newToken } from './caller.ts'
import { databaseFailure, type HubDatabase } from './database.ts'
import { normalCode, sha256Hex } from './enrolment.ts'
import { HANDLERS, type MemberRoute } from './handlers.ts'
import { newerSchema, SCHEMA_VERSION, schemaVersion, UnusableDatabase } from './init.ts'
import { type HubMetrics, openMetrics } from './metrics.ts'
import { type HeadStream, openHeadStream } from './stream.ts'

export type HubOptions = {
  host: string
  /** 0 lets the system choose. */
  port: number
  tls: { cert: string; key: string } | null
  /** Where metrics are served; null for nowhere. */
  metrics: { host: string; port: number } | null
}

export type RunningHub = { port: number; metricsPort: number | null; stop(): Promise<void> }

const SWEEP_MS = 10 * 60_000
const MAX_STOP_WAIT_MS = 10_000
const LAST_SEEN_MS = 60_000

/**
 * Serves the protocol over HTTP. It keeps nothing: every request is one transaction in PostgreSQL, so several hubs can serve one database. It logs routes,
 * statuses and times, never keys, names or text.
 */
export async function startHub(database: HubDatabase, options: HubOptions, log: Log): Promise<RunningHub> {
  await requireHubRole(database)
  const metrics = openMetrics()
  const stream = openHeadStream(database, log)
  const state: HubState = { database, log, metrics, stream, lastSeen: new Map(), open: 0, isStopping: false }
  const servers = startServers(state, options)
  const sweeper = setInterval(() => sweep(state), SWEEP_MS)
  void sweep(state)
  return {
    port: servers.protocol.port ?? 0,
    metricsPort: servers.metrics?.port ?? null,
    // Refuses new requests, waits for running ones, then ends the streams.
    stop: async () => {
      state.isStopping = true
      clearInterval(sweeper)
      stream.close()
      void servers.protocol.stop(false)
      for (let waitedMs = 0; state.open > 0 && waitedMs < MAX_STOP_WAIT_MS; waitedMs += 20) await Bun.sleep(20)
      await Promise.all([servers.protocol.stop(true), servers.metrics?.stop(true)])
      await database.close()
    },
  }
}

/** The hub cannot listen where it was asked to. The message says why. */
export class UnusableAddress extends Error {}

type HubServers = { protocol: Server<undefined>; metrics: Server<undefined> | null }

function startServers(state: HubState, options: HubOptions): HubServers {
  let protocol: Server<undefined> | null = null
  try {
    protocol = listen({
      hostname: options.host,
      port: options.port,
      ...(options.tls ? { tls: options.tls } : {}),
      maxRequestBodySize: MAX_PUSH_BYTES,
      // Longer than PostgreSQL may take for one statement.
      idleTimeout: 60,
      error: () => refusal(500, 'the hub failed'),
      fetch: (request, server) => respond(state, request, server),
    })
    return { protocol, metrics: options.metrics && serveMetrics(state, options.metrics) }
  } catch (cause) {
    state.stream.close()
    void protocol?.stop(true)
    throw cause
  }
}

function listen(options: Bun.Serve.Options<undefined> & { hostname: string; port: number }): Server<undefined> {
  try {
    // Otherwise a hub of another database could share the port, and each would refuse the devices of the other.
    return Bun.serve({ ...options, development: false, reusePort: false })
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    const address = `${options.hostname}:${options.port}`
    if (code === 'EADDRINUSE') throw new UnusableAddress(`${address} is in use; choose another port`, { cause })
    if (code.startsWith('ERR_OSSL')) throw new UnusableAddress('the certificate and the key cannot be used together', { cause })
    throw new UnusableAddress(`the hub cannot listen on ${address}: ${code || message}`, { cause })
  }
}

type HubState = {
  database: HubDatabase
  log: Log
  metrics: HubMetrics
  stream: HeadStream
  /** When each device was last reported as seen, so that not every request writes. */
  lastSeen: Map<string, number>
  open: number
  isStopping: boolean
}

/** Row level security protects nothing from a role that may bypass it, so the hub does not start as one. */
async function requireHubRole({ query }: HubDatabase): Promise<void> {
  const [role] = await query<{ name: string; unsafe: boolean; replica: boolean }>(
    `SELECT session_user::text AS name, rolsuper OR rolbypassrls OR EXISTS (SELECT 1 FROM pg_roles o WHERE o.rolname = 'recollect_owner' AND pg_has_role(session_user, o.oid, 'MEMBER')) AS unsafe
     FROM pg_roles WHERE rolname = session_user`,
  )
  if (!role || role.unsafe)
    throw new UnusableDatabase(
      `the hub must not run as ${role?.name ?? 'this role'}, which can bypass row level security; log in as recollect_hub`,
    )
  const version = await schemaVersion(query).catch((cause) => {
    if (databaseFailure(cause)?.kind === 'forbidden')
      throw new UnusableDatabase(`the role ${role.name} may not use the hub's tables; log in as recollect_hub`)
    throw cause
  })
  if (version === null) throw new UnusableDatabase(`this database has no hub; run 'recollect hub init --database …' first`)
  if (version > SCHEMA_VERSION) throw new UnusableDatabase(newerSchema(version))
  if (version < SCHEMA_VERSION)
    throw new UnusableDatabase(
      `the hub's schema has version ${version} and this program needs ${SCHEMA_VERSION}; run 'recollect hub init --database …' again`,
    )
}

const TABLE = inMatchingOrder(Object.entries(contract).map(([name, options]) => routeEntry(name, options)))

async function respond(state: HubState, request: Request, server: Server<undefined>): Promise<Response> {
  const url = URL.parse(request.url, 'http://hub')
  if (!url) return refusal(400, 'the URL cannot be parsed')
  if (request.method === 'GET' && url.pathname === '/health') return Response.json({ ok: true })
  if (request.method === 'GET' && url.pathname === '/ready') return ready(state)
  const started = performance.now()
  const match = matchRoute(TABLE, request.method, url.pathname)
  const name = match?.route.name ?? 'none'
  state.open++
  let response: Response
  try {
    response = match
      ? await answer(state, match, request, url, server)
      : refusal(404, 'there is no such route in this version of the protocol')
  } catch (cause) {
    response = failure(state, name, cause)
  } finally {
    state.open--
  }
  response.headers.set('cache-control', 'no-store')
  state.metrics.request(name, response.status, (performance.now() - started) / 1000)
  return response
}

async function answer(
  state: HubState,
  { route, params }: NonNullable<ReturnType<typeof matchRoute>>,
  request: Request,
  url: URL,
  server: Server<undefined>,
): Promise<Response> {
  if (state.isStopping) return unavailable('the hub is stopping')
  const token = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? null
  if (route.name === 'GET /v1/stream') {
    server.timeout(request, 0)
    return new Response(await state.stream.listen(token), { headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' } })
  }
  const parsed = await parseRequest(route, params, request, url)
  if (parsed === null) return refusal(404, 'there is no such route in this version of the protocol')
  if (route.name !== 'POST /v1/push' && !isStorable(parsed))
    throw new BadRequest('the request contains a NUL character or half a character')
  if (route.name === 'POST /v1/enrol') return Response.json(await enrol(state.database, contract['POST /v1/enrol'].request().parse(parsed)))
  const handler = HANDLERS[route.name as MemberRoute] as UntypedHandler
  const result = await asMember(state.database, token, async (caller) => {
    const answered = await handler(caller, parsed)
    return { answered, device: caller.device.id }
  })
  reportSeen(state, result.device, token)
  countMemories(state.metrics, route.name, result.answered)
  return Response.json(result.answered)
}

/** The table above checks each handler against its route; the server only passes values through. */
type UntypedHandler = (caller: Parameters<(typeof HANDLERS)['GET /v1/me']>[0], request: unknown) => Promise<unknown>

async function enrol(database: HubDatabase, { code, device }: { code: string; device: string }) {
  const token = newToken()
  const [row] = await database.query<IdentityRow>(`SELECT * FROM recollect.enrol($1, $2, decode($3, 'hex'))`, [
    normalCode(code),
    device,
    sha256Hex(token),
  ])
  if (!row) throw new HubRefusal(403, 'the code is unknown, used or expired')
  return { token, ...identityOf(row) }
}

/** In a transaction of its own, so that requests of one device do not wait for each other. */
function reportSeen(state: HubState, device: string, token: string | null): void {
  const now = Date.now()
  if (now - (state.lastSeen.get(device) ?? 0) < LAST_SEEN_MS) return
  state.lastSeen.set(device, now)
  asMember(state.database, token, ({ query }) => query('SELECT recollect.seen()')).catch((cause) =>
    state.log.warn('recording a device as seen failed', { reason: databaseFailure(cause)?.kind ?? 'unexpected error' }),
  )
}

function countMemories(metrics: HubMetrics, route: string, answered: unknown): void {
  if (route === 'POST /v1/push') metrics.add('memories_pushed', (answered as AnswerOf<'POST /v1/push'>).results.length)
  if (route === 'GET /v1/pull') metrics.add('memories_pulled', (answered as AnswerOf<'GET /v1/pull'>).memories.length)
}

type AnswerOf<Name extends MemberRoute> = ResponseType<(typeof contract)[Name]>

function failure(state: HubState, route: string, cause: unknown): Response {
  if (cause instanceof HubRefusal) return refusal(cause.status, cause.message)
  if (cause instanceof BadRequest) return refusal(400, cause.message)
  const failed = databaseFailure(cause)
  switch (failed?.kind) {
    case 'refused':
      return refusal(failed.status, failed.reason)
    case 'forbidden':
      return refusal(403, 'the member may not do this')
    case 'unusable-value':
      return refusal(400, 'the request contains a value that cannot be stored')
    case 'unavailable':
      state.metrics.add('database_failures', 1)
      state.log.warn('the database did not answer', { route, reason: failed.reason })
      return unavailable('the database does not answer; try again later')
    default:
      state.log.warn('a request failed', { route, code: failed?.code ?? '', error: failed ? '' : (cause as Error).name })
      return refusal(500, 'the hub failed; its log says why')
  }
}

async function ready({ database, isStopping }: HubState): Promise<Response> {
  if (isStopping) return unavailable('the hub is stopping')
  try {
    const version = await schemaVersion(database.query)
    return version === SCHEMA_VERSION ? Response.json({ ready: true }) : unavailable('the schema has another version')
  } catch {
    return unavailable('the database does not answer')
  }
}

function serveMetrics(state: HubState, { host, port }: NonNullable<HubOptions['metrics']>): Server<undefined> {
  return listen({
    hostname: host,
    port,
    fetch: (request) =>
      URL.parse(request.url, 'http://hub')?.pathname === '/metrics'
        ? new Response(state.metrics.text({ streams: state.stream.listeners(), open_requests: state.open }), {
            headers: { 'content-type': 'text/plain; version=0.0.4' },
          })
        : refusal(404, 'only /metrics is here'),
  })
}

async function sweep({ database, log, metrics }: HubState): Promise<void> {
  try {
    const [swept] = await database.query<{ memories: number; tombstones: number }>(
      'SELECT memories_expired::float8 AS memories, tombstones_dropped::float8 AS tombstones FROM recollect.sweep()',
    )
    if (!swept) return
    metrics.add('memories_expired', swept.memories)
    metrics.add('tombstones_dropped', swept.tombstones)
    if (swept.memories + swept.tombstones > 0) log.info('swept', swept)
  } catch (cause) {
    log.warn('sweeping failed', { reason: databaseFailure(cause)?.kind ?? 'unexpected error' })
  }
}

const refusal = (status: number, error: string) => Response.json({ error }, { status })
const unavailable = (error: string) => Response.json({ error }, { status: 503, headers: { 'retry-after': '2' } })
