import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'
import { garbage } from '../../../test/support/garbage.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')

test('status reports a paused worker within seconds and says what to do', async () => {
  using folder = temporaryFolder()
  const run = runIn(folder.path)
  expect((await run('start')).code).toBe(0)
  const { pid } = JSON.parse(readFileSync(join(folder.path, 'r', 'run', 'worker.json'), 'utf8')) as { pid: number }
  const usual = await run('status')
  expect(usual.code).toBe(0)
  process.kill(pid, 'SIGSTOP')
  try {
    const paused = await run('status')
    expect(paused.code).toBe(2)
    expect(paused.stderr).toContain(`pid ${pid}`)
    expect(paused.stderr).toContain(`kill -9 ${pid}`)
    // The command waits five seconds; the rest depends on how busy this machine is.
    expect(paused.ms).toBeLessThan(6000 + 10 * usual.ms)
  } finally {
    process.kill(pid, 'SIGCONT')
    await run('stop')
  }
}, 300_000)

test('status and doctor name a damaged database until its file is deleted', async () => {
  using folder = temporaryFolder()
  const run = runIn(folder.path)
  mkdirSync(join(folder.path, 'r'))
  writeFileSync(join(folder.path, 'r', 'recollect.db'), garbage(60_000))
  try {
    const status = await run('status')
    const [, file = ''] =
      /damaged and was moved to (\S+recollect\.db\.damaged-\S+Z)\. .*recollect import.*memory\//.exec(status.stdout) ?? []
    expect([status.code, existsSync(file)]).toEqual([0, true])
    const doctor = await run('doctor')
    expect(doctor.stdout).toContain(file)
    expect(doctor.stdout).toContain('recollect import')
    rmSync(file)
    expect((await run('status')).stdout).not.toContain('damaged')
  } finally {
    await run('stop')
  }
}, 300_000)

function runIn(folder: string) {
  const env = { PATH: process.env.PATH ?? '', HOME: folder, RECOLLECT_HOME: join(folder, 'r'), RECOLLECT_WORKER_PORT: '0' }
  return async (...args: string[]) => {
    const started = performance.now()
    const child = Bun.spawn([RECOLLECT, ...args], { env, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { stdout, stderr, code, ms: performance.now() - started }
  }
}
