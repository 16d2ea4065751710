import { expect, test } from 'bun:test'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { dirname } from 'node:path'
import { environment, temporaryFolder } from '../../test/support/builders.ts'
import { MAX_PAYLOAD_BYTES } from '../core/limits.ts'
import { homePaths } from '../platform/paths.ts'
import { askWorker } from '../wire/socket.ts'
import { BadRequest, type Handler, listen } from './server.ts'
import { openVisitors } from './visitors.ts'

const token = 'owner-token'

test('the socket needs no token, and only its owner can open it', async () => {
  await using at = await aServer()
  expect(await askWorker(at.home, '/who')).toEqual({ kind: 'answered', body: 'socket' })
  expect(statSync(at.home.socket).mode & 0o777).toBe(0o600)
})

test('over TCP a caller needs the token', async () => {
  await using at = await aServer()
  expect(await (await at.get('/who', token)).text()).toBe('port')
  const refused = await at.get('/who', 'guess')
  expect([refused.status, await refused.json()]).toEqual([401, { error: expect.stringContaining('token') }])
})

test('without a token a caller learns only that a worker runs', async () => {
  await using at = await aServer()
  expect(await (await at.get('/health')).json()).toEqual({ ok: true })
  for (const path of ['/who', '/health/x', '/', '/hook/claude-code']) expect((await at.get(path)).status).toBe(401)
})

test.each(['a b', '[::bad', 'http://x', '%', 'x:99999', '', 'a/../b', 'evil.example'])(
  'a Host header that says "%s" is refused in JSON, without a trace of our code',
  async (host) => {
    await using at = await aServer()
    for (const where of [{ host: '127.0.0.1', port: at.port }, { path: at.home.socket }]) {
      const answer = await say(where, `GET /who HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`)
      if ('port' in where) expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(answer).not.toMatch(/<html|server\.ts|at fetch/)
    }
  },
)

test('an unknown path is 404, a bad request 400 with its reason, and a failure 500 without details', async () => {
  await using at = await aServer()
  const ask = async (path: string) => {
    const answer = await at.get(path, token)
    return [answer.status, await answer.json()]
  }
  expect(await ask('/nowhere')).toEqual([404, { error: 'there is no route GET /nowhere' }])
  expect(await ask('/unusable')).toEqual([400, { error: 'say what' }])
  expect(await ask('/trouble')).toEqual([500, { error: expect.not.stringContaining('secret') }])
})

test('if another program uses the port, the next free one is taken', async () => {
  using otherProgram = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  await using at = await aServer(otherProgram.port)
  expect(at.port).not.toBe(otherProgram.port)
  expect((await at.get('/health')).status).toBe(200)
})

test('a socket file left by a crashed worker is replaced', async () => {
  using folder = temporaryFolder()
  const home = homePaths(environment(folder.path))
  mkdirSync(dirname(home.socket), { recursive: true })
  writeFileSync(home.socket, 'stale')
  const listening = listen(home, 0, token, openVisitors(home.visitors), answering, quiet)
  expect((await askWorker(home, '/who')).kind).toBe('answered')
  await listening.stop()
})

test('stopping finishes running requests, does not wait for idle connections, and removes the socket', async () => {
  const at = await aServer()
  await at.get('/health') // its connection stays open
  const slow = at.get('/slow', token)
  while (slowRequests === 0) await Bun.sleep(1)
  await at.listening.stop()
  expect(await (await slow).text()).toBe('finished')
  expect(await askWorker(at.home, '/who')).toEqual({ kind: 'unreachable' })
  at.folder[Symbol.dispose]()
})

test('the largest payload that a hook sends is accepted, and one byte more is refused', async () => {
  await using at = await aServer()
  const send = (bytes: number) => askWorker(at.home, '/who', { method: 'POST', body: new Uint8Array(bytes), timeoutMs: 20_000 })
  expect(await send(MAX_PAYLOAD_BYTES)).toEqual({ kind: 'answered', body: 'socket' })
  expect(await send(MAX_PAYLOAD_BYTES + 1)).toMatchObject({ kind: 'refused', status: 413 })
})

const quiet = { info: () => {}, warn: () => {} }

let slowRequests = 0
const answering: Handler = async (_, url, entrance) => {
  if (url.pathname === '/who') return new Response(entrance)
  if (url.pathname === '/unusable') throw new BadRequest('say what')
  if (url.pathname.endsWith('/trouble')) throw new Error('secret')
  if (url.pathname !== '/slow') return null
  slowRequests++
  await Bun.sleep(60)
  return new Response('finished')
}

async function aServer(port = 0) {
  const folder = temporaryFolder()
  const home = homePaths(environment(folder.path))
  const listening = listen(home, port, token, openVisitors(home.visitors), answering, quiet)
  return {
    home,
    folder,
    listening,
    port: listening.port,
    get: (path: string, sent?: string) =>
      fetch(`http://127.0.0.1:${listening.port}${path}`, sent ? { headers: { authorization: `Bearer ${sent}` } } : {}),
    [Symbol.asyncDispose]: async () => {
      await listening.stop()
      folder[Symbol.dispose]()
    },
  }
}

/** Sends text over a connection as it is and returns everything that comes back. */
function say(where: { host: string; port: number } | { path: string }, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let heard = ''
  const connection = createConnection(where, () => connection.write(text))
  connection.on('data', (part) => {
    heard += part
  })
  connection.on('close', () => resolve(heard))
  connection.on('error', () => resolve(heard))
  return promise
}
