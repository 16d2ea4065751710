import { expect, test } from 'bun:test'
import { fakeDatabase, postgresError } from '../../test/support/fake-database.ts'
import { aMemory } from '../../test/support/team.ts'
import { newToken } from './caller.ts'
import { SCHEMA_VERSION } from './init.ts'
import { type HubOptions, startHub } from './server.ts'

type Answers = Parameters<typeof fakeDatabase>[0]
const identity = { hub: 'h', member: 'm', member_name: 'Ada', member_role: 'member', device: 'd', device_name: 'laptop' }
const USABLE: Answers = {
  session_user: [{ name: 'recollect_hub', unsafe: false }],
  to_regclass: [{ exists: true }],
  'SELECT version FROM recollect.hub': [{ version: SCHEMA_VERSION }],
  'recollect.sweep()': [{ memories: 2, tombstones: 1 }],
  identify: [identity],
}

/** A hub over a database that answers as the test says. */
async function aHub(answers: Answers = {}, given: Partial<HubOptions> = {}) {
  const lines: [string, Record<string, unknown>][] = []
  const write = (fact: string, numbers = {}) => void lines.push([fact, numbers])
  const database = fakeDatabase({ ...answers, ...Object.fromEntries(Object.entries(USABLE).filter(([part]) => !(part in answers))) })
  const options = { host: '127.0.0.1', port: 0, tls: null, metrics: { host: '127.0.0.1', port: 0 }, ...given }
  const hub = await startHub(database, options, { info: write, warn: write })
  const get = (path: string, token: string | null = newToken()) =>
    fetch(`http://127.0.0.1:${hub.port}${path}`, token ? { headers: { authorization: `Bearer ${token}` } } : {})
  const post = (path: string, body: object) =>
    fetch(`http://127.0.0.1:${hub.port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${newToken()}` },
      body: JSON.stringify(body),
    })
  const raw = async (text: string, port = hub.port) => {
    const connection = await connect(port)
    connection.write(text)
    return connection.answer
  }
  const metrics = async (path = '/metrics') => fetch(`http://127.0.0.1:${hub.metricsPort}${path}`)
  return { hub, get, post, raw, metrics, lines, database, [Symbol.asyncDispose]: () => hub.stop() }
}

/** A connection on which a test sends a request as it wants it. */
async function connect(port: number) {
  const received = Promise.withResolvers<string>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: { data: (_, bytes) => received.resolve(bytes.toString()), close: () => received.resolve('closed') },
  })
  return { write: (text: string) => void socket.write(text), answer: received.promise }
}

test.each([
  ['a role that can bypass row level security', { session_user: [{ name: 'postgres', unsafe: true }] }, 'postgres, which can bypass'],
  ['a role that may not read', { to_regclass: () => fail('42501') }, 'may not use the hub'],
  ['a database without a hub', { to_regclass: [{ exists: false }] }, 'has no hub'],
  ['a newer schema', { 'SELECT version': [{ version: SCHEMA_VERSION + 1 }] }, 'install a newer recollect'],
  ['an older schema', { 'SELECT version': [{ version: SCHEMA_VERSION - 1 }] }, 'again'],
])('a hub does not start with %s', async (_, answers, reason) => {
  await expect(aHub(answers as Answers)).rejects.toThrow(reason)
})

test('two hubs never share a port: each would get requests for the other', async () => {
  await using first = await aHub()
  const taken = { host: '127.0.0.1', port: first.hub.port }
  await expect(aHub({}, taken)).rejects.toThrow(`127.0.0.1:${taken.port} is in use`)
  await expect(aHub({}, { metrics: taken })).rejects.toThrow(`127.0.0.1:${taken.port} is in use`)
})

test('a certificate that is none is named as the reason', async () => {
  const text = '-----BEGIN NOTHING-----'
  await expect(aHub({}, { tls: { cert: text, key: text } })).rejects.toThrow('the certificate and the key cannot be used')
})

test('a hub is alive while its database is away, but not ready', async () => {
  let isAway = false
  await using at = await aHub({ to_regclass: () => (isAway ? fail('57P01') : [{ exists: true }]) })
  expect([(await at.get('/health', null)).status, (await at.get('/ready', null)).status]).toEqual([200, 200])
  expect(await (await at.get('/ready', null)).json()).toEqual({ ready: true })
  isAway = true
  expect([(await at.get('/health', null)).status, (await at.get('/ready', null)).status]).toEqual([200, 503])
})

test.each([
  ['42501', 403, 'the member may not do this'],
  ['22P05', 400, 'the request contains a value that cannot be stored'],
  ['RC410', 410, 'gone'],
  ['57P01', 503, 'the database does not answer; try again later'],
  ['23505', 500, 'the hub failed; its log says why'],
])('what PostgreSQL reports as %s is answered with %d', async (state, status, error) => {
  await using at = await aHub({ identify: () => fail(state, 'gone') })
  const response = await at.get('/v1/me')
  expect([response.status, await response.json()]).toEqual([status, { error }])
  expect(response.headers.get('retry-after')).toBe(status === 503 ? '2' : null)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect((await (await at.metrics()).text()).includes('recollect_hub_database_failures_total 1')).toBe(status === 503)
  const logged = at.lines.filter(([fact]) => fact !== 'swept').map(([fact]) => fact)
  expect(logged).toEqual(status === 503 ? ['the database did not answer'] : status === 500 ? ['a request failed'] : [])
})

test('unknown routes, missing tokens and texts that cannot be stored are refused', async () => {
  await using at = await aHub()
  expect((await at.get('/v2/me')).status).toBe(404)
  expect((await at.get('/v1/me', null)).status).toBe(401)
  expect((await at.get('/v1/pull?project=a%00b')).status).toBe(400)
  const revoke = (id: string) => at.post(`/v1/devices/${id}/revoke`, {})
  expect([(await revoke('no-id')).status, (await revoke(crypto.randomUUID())).status]).toEqual([404, 403])
})

test('of a push, only the memory that cannot be stored is refused', async () => {
  await using at = await aHub({ lock_feed: [{ id: 1, head: 4, review: false, curates: false }] })
  const memories = [aMemory('nul', { text: 'a\0b' }), aMemory('fine')]
  const response = await at.post('/v1/push', { project: 'shop', memories })
  expect(await response.json()).toMatchObject({ results: [{ kind: 'refused' }, { kind: 'stored' }], head: 5 })
  expect(await (await at.metrics()).text()).toContain('recollect_hub_memories_pushed_total 2')
})

test('requests from simple or broken clients, without a host or with one that is none, get an answer', async () => {
  await using at = await aHub()
  expect(await at.raw('GET /health HTTP/1.0\r\n\r\n')).toStartWith('HTTP/1.1 200')
  expect(await at.raw('GET /health HTTP/1.1\r\nHost: [\r\n\r\n')).toStartWith('HTTP/1.1 400')
  expect(await at.raw('GET /metrics HTTP/1.0\r\n\r\n', at.hub.metricsPort ?? 0)).toStartWith('HTTP/1.1 200')
  expect(await at.raw('GET /metrics HTTP/1.1\r\nHost: [\r\n\r\n', at.hub.metricsPort ?? 0)).toStartWith('HTTP/1.1 404')
})

test('a hub that stops answers the running requests and asks the others to return', async () => {
  const answer = Promise.withResolvers<unknown[]>()
  await using at = await aHub({ 'recollect.key_rings': () => answer.promise })
  const running = at.get('/v1/own/keys')
  const late = await connect(at.hub.port)
  late.write('GET /v1/me HTTP/1.1\r\n')
  while (!at.database.asked.some((text) => text.includes('recollect.key_rings'))) await Bun.sleep(20)
  // The hub is in this process: it reads the beginning of the late request in one of these turns.
  for (let turn = 0; turn < 5; turn++) await Bun.sleep(10)
  const stopped = at.hub.stop()
  late.write('Host: hub\r\n\r\n')
  const refused = await late.answer
  expect(refused).toStartWith('HTTP/1.1 503')
  expect(refused.toLowerCase()).toContain('retry-after: 2')
  expect(refused).toContain('the hub is stopping')
  answer.resolve([])
  expect(await (await running).json()).toEqual({ keys: null })
  await stopped
})

test('metrics count requests and memories, and say nothing about members', async () => {
  await using at = await aHub({
    'WHERE key = $1': [{ id: 1, head: 2, horizon: 0 }],
    'WITH page': [
      { id: 'a', seq: 1, before: 0, taken: 2 },
      { id: 'b', seq: 2, before: 0, taken: 2 },
    ],
  })
  for (const path of ['/v1/me', '/v1/me', '/v2/me', '/v1/pull?project=shop']) await at.get(path)
  const response = await at.metrics()
  // Prometheus refuses to read metrics whose type it does not know.
  expect(response.headers.get('content-type')).toStartWith('text/plain; version=0.0.4')
  const text = await response.text()
  expect(text).toContain('recollect_hub_requests_total{route="GET /v1/me",status="200"} 2')
  expect(text).toContain('recollect_hub_requests_total{route="none",status="404"} 1')
  expect(Number(/_sum\{route="GET \/v1\/me"\} (\S+)/.exec(text)?.[1])).toBeLessThan(5)
  expect(text).toContain('recollect_hub_memories_pulled_total 2')
  expect(text).not.toContain('memories_pushed')
  expect(text).toContain('recollect_hub_memories_expired_total 2')
  expect(text).toContain('recollect_hub_tombstones_dropped_total 1')
  expect(text).toContain('recollect_hub_open_requests 0')
  expect(text).not.toContain('Ada')
  expect((await at.metrics('/')).status).toBe(404)
})

test('a code gives a device its token, once', async () => {
  const codes = [identity]
  await using at = await aHub({ 'recollect.enrol': () => codes.splice(0) })
  const enrol = () =>
    fetch(`http://127.0.0.1:${at.hub.port}/v1/enrol`, { method: 'POST', body: JSON.stringify({ code: 'ABCD-1234', device: 'laptop' }) })
  expect(await (await enrol()).json()).toMatchObject({
    token: expect.stringMatching(/^rch_/),
    member: { name: 'Ada' },
    device: { id: 'd' },
  })
  const again = await enrol()
  expect([again.status, await again.json()]).toEqual([403, { error: 'the code is unknown, used or expired' }])
})

test('a stream of heads is served as events', async () => {
  await using at = await aHub({ 'recollect.heads()': [{ feed: 'own m', head: 3 }] })
  const response = await at.get('/v1/stream')
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = response.body?.getReader()
  let text = ''
  while (!text.includes('data:')) text += new TextDecoder().decode((await reader?.read())?.value)
  expect(text).toContain('data: {"own":3}')
  expect(await (await at.metrics()).text()).toContain('recollect_hub_streams 1')
})

test('a device is recorded as seen once in a while, not with every request', async () => {
  await using at = await aHub()
  for (let n = 0; n < 3; n++) await at.get('/v1/me')
  await Bun.sleep(10)
  expect(at.database.asked.filter((text) => text.includes('recollect.seen()'))).toHaveLength(1)
})

test('a sweep logs what it removed, or that it failed', async () => {
  await using at = await aHub()
  await using failing = await aHub({ 'recollect.sweep()': () => fail('57P01') })
  await using small = await aHub({ 'recollect.sweep()': [{ memories: 0, tombstones: 1 }] })
  await using idle = await aHub({ 'recollect.sweep()': [{ memories: 0, tombstones: 0 }] })
  await Bun.sleep(10)
  expect(at.lines).toEqual([['swept', { memories: 2, tombstones: 1 }]])
  expect(failing.lines).toEqual([['sweeping failed', { reason: 'unavailable' }]])
  expect(small.lines).toEqual([['swept', { memories: 0, tombstones: 1 }]])
  expect(idle.lines).toEqual([])
})

function fail(state: string, message?: string): never {
  throw postgresError(state, message)
}
