import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')

test('an observation can be forgotten, restored and deleted, like a note', async () => {
  using folder = temporaryFolder()
  const recollect = async (...args: string[]) => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
    const child = Bun.spawn([RECOLLECT, ...args], { env, cwd: folder.path, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, stdout, stderr }
  }
  await recollect('demo')
  const { note } = JSON.parse((await recollect('capture', 'Tides are in UTC.', '--json')).stdout) as { note: { id: string } }
  expect((await recollect('forget', '#1', '999')).stderr).toContain('no observation has the id 999')
  expect((await recollect('get', '1')).code).toBe(0)
  expect((await recollect('forget', '1', `N${note.id}`, '--dry-run')).stdout).toMatch(/^Would forget:\n {2}#1 .+\n {2}N/)
  expect(JSON.parse((await recollect('forget', '1', `N${note.id}`, '--json')).stdout)).toEqual({ forgotten: ['1', note.id], hard: false })
  expect((await recollect('get', '1')).stderr).toContain('no memory has the id 1')
  expect((await recollect('restore', '1', note.id)).stdout).toMatch(/^Restored: #1 .+\nRestored: N/)
  expect((await recollect('timeline', 'S1')).stdout).toMatch(/^► +S1 /m)
  await recollect('forget', '1', '--hard', '--yes')
  expect((await recollect('restore', '1')).stderr).toContain(
    'observation #1 cannot be restored: it is not forgotten, or it has been erased',
  )
  expect((await recollect('forget', 'S1')).stderr).toContain('S1 cannot be forgotten')
  expect((await recollect('edit', '1', '--title', 'x')).stderr).toContain('"1" is not the id of a note')
  await recollect('stop')
}, 30_000)
