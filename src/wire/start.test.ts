import { afterEach, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { environment, temporaryFolder } from '../../test/support/builders.ts'
import { type Home, homePaths } from '../platform/paths.ts'
import { VERSION } from '../platform/version.ts'
import { askWorker } from './socket.ts'
import { ensureWorker } from './start.ts'

const before = {
  HOME: process.env.HOME,
  RECOLLECT_HOME: process.env.RECOLLECT_HOME,
  RECOLLECT_WORKER_PORT: process.env.RECOLLECT_WORKER_PORT,
}
afterEach(() => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

test('a worker is started if none runs, and a running one is kept', async () => {
  using folder = temporaryFolder()
  const home = homeIn(folder.path)
  expect(await ensureWorker(home, 10_000)).toBe(true)
  const pid = async () => {
    const reply = await askWorker(home, '/health')
    return reply.kind === 'answered' ? JSON.parse(reply.body).pid : null
  }
  const first = await pid()
  expect(await ensureWorker(home, 10_000)).toBe(true)
  expect(await pid()).toBe(first)
  await stopWorker(home)
})

test('a worker that fails to start ends the wait at once', async () => {
  using folder = temporaryFolder()
  const home = homeIn(folder.path)
  writeFileSync(home.folder, 'a file is in the way')
  // Longer than this test may take.
  expect(await ensureWorker(home, 600_000)).toBe(false)
})

test('an older worker is stopped and replaced, a newer one is kept', async () => {
  using folder = temporaryFolder()
  const home = homeIn(folder.path)
  mkdirSync(dirname(home.socket), { recursive: true })
  const standIn = (version: string) => {
    const asked: string[] = []
    const server = Bun.serve({
      unix: home.socket,
      fetch: (request) => {
        const { pathname } = new URL(request.url)
        asked.push(pathname)
        if (pathname === '/api/shutdown') setTimeout(() => server.stop(true), 5)
        return Response.json({ ok: true, version })
      },
    })
    return { asked, server }
  }
  const newer = standIn('99.0.0')
  expect(await ensureWorker(home, 5000)).toBe(true)
  expect(newer.asked).not.toContain('/api/shutdown')
  await newer.server.stop(true)

  const older = standIn('0.0.1')
  expect(await ensureWorker(home, 10_000)).toBe(true)
  expect(older.asked).toContain('/api/shutdown')
  const asked = await askWorker(home, '/health')
  expect(asked.kind === 'answered' && JSON.parse(asked.body)).toMatchObject({ version: VERSION })
  await stopWorker(home)
})

test('waiting for a hanging worker ends when the time is up, and no second one is started', async () => {
  using folder = temporaryFolder()
  const home = homeIn(folder.path)
  mkdirSync(dirname(home.socket), { recursive: true })
  const hanging = Bun.serve({ unix: home.socket, fetch: () => new Promise<Response>(() => {}) })
  expect(await ensureWorker(home, 50)).toBe(false)
  await hanging.stop(true)
  expect((await askWorker(home, '/health', { timeoutMs: 1000 })).kind).toBe('unreachable')
})

/** Stops the worker, even one that is just starting, and waits until it has stopped. */
async function stopWorker(home: Home): Promise<void> {
  while ((await askWorker(home, '/api/shutdown', { method: 'POST', timeoutMs: 1000 })).kind !== 'answered') await Bun.sleep(5)
  while (!(await Bun.file(join(home.logs, 'worker.log')).text()).includes('"stopped"')) await Bun.sleep(5)
}

/** The worker is another process and gets its home from the environment. */
function homeIn(folder: string) {
  const home = homePaths(environment(folder))
  Object.assign(process.env, { HOME: folder, RECOLLECT_HOME: join(folder, '.recollect'), RECOLLECT_WORKER_PORT: '0' })
  return home
}
