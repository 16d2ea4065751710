import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { holdLock } from './store.ts'

test('a lock is held by one at a time, and free again after its release', () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'sync.lock')
  const first = holdLock(path)
  expect(first).not.toBeNull()
  expect(holdLock(path)).toBeNull()
  expect(holdLock(join(folder.path, 'other.lock'))).not.toBeNull()
  first?.release()
  const second = holdLock(path)
  expect(second).not.toBeNull()
  second?.release()
})

test('a lock goes with the process that held it, even if that was killed', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'sync.lock')
  const program = `import { holdLock } from ${JSON.stringify(join(import.meta.dir, 'store.ts'))}; globalThis.lock = holdLock(${JSON.stringify(path)}); console.log('held'); setInterval(() => globalThis.lock, 1000)`
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'ignore' })
  await child.stdout.getReader().read()
  expect(holdLock(path)).toBeNull()
  child.kill('SIGKILL')
  await child.exited
  const lock = holdLock(path)
  expect(lock).not.toBeNull()
  lock?.release()
})

test('a path that cannot be a lock is an error, not a lock that somebody holds', () => {
  using folder = temporaryFolder()
  expect(() => holdLock(join(folder.path, 'missing', 'sync.lock'))).toThrow()
})
