import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { environment, temporaryFolder } from '../../test/support/builders.ts'
import { homePaths } from '../platform/paths.ts'
import { askWorker, openAnswer } from './socket.ts'

test('an answer has the text of the body', async () => {
  await using at = aSocket(async (request) => new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`))
  expect(await askWorker(at.home, '/health')).toEqual({ kind: 'answered', body: 'GET /health ' })
  expect(await askWorker(at.home, '/x', { method: 'POST', body: 'é😀' })).toEqual({ kind: 'answered', body: 'POST /x é😀' })
})

test('a refusal has its status and the text of the body', async () => {
  await using at = aSocket(() => new Response('no', { status: 403 }))
  expect(await askWorker(at.home, '/')).toEqual({ kind: 'refused', status: 403, body: 'no' })
})

test('a worker that does not answer in time is late, not unreachable', async () => {
  await using at = aSocket(() => new Promise<Response>(() => {}))
  expect(await askWorker(at.home, '/', { timeoutMs: 30 })).toEqual({ kind: 'late' })
})

test('a worker that starts an answer and does not finish it is late too', async () => {
  await using at = aSocket(() => new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([123])) })))
  expect(await askWorker(at.home, '/', { timeoutMs: 50 })).toEqual({ kind: 'late' })
})

test('without a socket, with a dead socket or with a file in its place, the worker is unreachable', async () => {
  using folder = temporaryFolder()
  const home = homePaths(environment(folder.path))
  expect(await askWorker(home, '/')).toEqual({ kind: 'unreachable' })
  mkdirSync(dirname(home.socket), { recursive: true })
  const killed = Bun.spawn(
    [process.execPath, '-e', `Bun.serve({ unix: ${JSON.stringify(home.socket)}, fetch: () => new Response() }); console.log()`],
    {
      stdout: 'pipe',
    },
  )
  for await (const _ of killed.stdout) break
  killed.kill('SIGKILL')
  await killed.exited
  expect(await askWorker(home, '/')).toEqual({ kind: 'unreachable' })
  writeFileSync(`${home.socket}.file`, '')
  expect(await askWorker({ ...home, socket: `${home.socket}.file` }, '/')).toEqual({ kind: 'unreachable' })
})

test('a long answer can be read as it arrives', async () => {
  await using at = aSocket(() => new Response('one\ntwo\n'))
  expect(await (await openAnswer(at.home, '/')).text()).toBe('one\ntwo\n')
})

function aSocket(fetch: (request: Request) => Response | Promise<Response>) {
  const folder = temporaryFolder()
  const home = homePaths(environment(folder.path))
  mkdirSync(dirname(home.socket), { recursive: true })
  const server = Bun.serve({ unix: home.socket, fetch })
  return {
    home,
    [Symbol.asyncDispose]: async () => {
      await server.stop(true)
      folder[Symbol.dispose]()
    },
  }
}
