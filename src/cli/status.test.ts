import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

test('the status of a worker that is paused is told within two seconds, with what to do', async () => {
  using folder = temporaryFolder()
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_HOME: join(folder.path, 'r'), RECOLLECT_WORKER_PORT: '0' }
  const run = async (...args: string[]) => {
    const started = performance.now()
    const child = Bun.spawn([RECOLLECT, ...args], { env, stdout: 'pipe', stderr: 'pipe' })
    const [said, complained, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { said, complained, code, ms: performance.now() - started }
  }
  expect((await run('start')).code).toBe(0)
  const { pid } = JSON.parse(readFileSync(join(folder.path, 'r', 'run', 'worker.json'), 'utf8')) as { pid: number }
  const usual = await run('status')
  expect(usual.code).toBe(0)
  process.kill(pid, 'SIGSTOP')
  try {
    const paused = await run('status')
    expect(paused.code).toBe(2)
    expect(paused.complained).toContain(`pid ${pid}`)
    expect(paused.complained).toContain(`kill -9 ${pid}`)
    // What the program itself takes on this machine, and a second and a half of waiting.
    expect(paused.ms - usual.ms).toBeLessThan(2000)
  } finally {
    process.kill(pid, 'SIGCONT')
    await run('stop')
  }
}, 60_000)
