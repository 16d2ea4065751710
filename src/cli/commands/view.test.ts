import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')

test('view --print writes only the link to standard output', async () => {
  using folder = temporaryFolder()
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
  const run = (...args: string[]) => Bun.spawn([RECOLLECT, ...args], { env, cwd: folder.path, stdout: 'pipe', stderr: 'pipe' })
  const link = run('view', '--print')
  expect(await link.stdout.text()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/view\/\S+\n$/)
  expect(await link.stderr.text()).toContain('works once')
  await run('stop').exited
}, 300_000)
