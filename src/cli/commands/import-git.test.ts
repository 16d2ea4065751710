import { afterAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'
import { aRepository } from '../../../test/support/repository.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')
const home = temporaryFolder()
const folder = join(home.path, 'app')
mkdirSync(folder)
const repository = aRepository(folder)

async function recollect(args: string[], cwd = folder): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH ?? '', HOME: home.path, RECOLLECT_WORKER_PORT: '0' }
  const child = Bun.spawn([RECOLLECT, ...args], { env, cwd, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, stdout, stderr }
}
afterAll(async () => {
  await recollect(['stop'])
  home[Symbol.dispose]()
})

test('commits are imported, found, printed by hash, listed in time, exported and shown at a prompt', async () => {
  const rule = 'MAX_ATTEMPTS must stay 7: an eighth attempt leaves the rate limit window. Never round it up to 10.'
  const hash = repository.commit(`fix: cap the retrier\n\n${rule}`, 'retry.ts')
  expect((await recollect(['import', '--from', 'git'])).stdout).toMatch(/^Imported 1 new commit \(/)
  expect(JSON.parse((await recollect(['import', '--from', 'git', '--json'], home.path)).stderr || '{}')).toMatchObject({
    error: expect.stringContaining('is not in a git repository'),
    code: 'invalid',
  })
  expect(JSON.parse((await recollect(['import', '--from', 'git', folder, '--json'], home.path)).stdout)).toMatchObject({ commits: 0 })
  const { hits } = JSON.parse((await recollect(['search', 'retrier attempts', '--json'])).stdout)
  expect(hits).toMatchObject([{ kind: 'commit', type: 'decision', title: 'fix: cap the retrier' }])
  const printed = (await recollect(['get', `C${hash.slice(0, 9)}`])).stdout
  for (const part of ['C1 fix: cap the retrier', 'by Ada', rule, 'changed: retry.ts', `commit ${hash}`]) expect(printed).toContain(part)
  expect((await recollect(['timeline', `C${hash}`])).stdout).toContain('fix: cap the retrier')
  expect(JSON.parse((await recollect(['export', '--json', '--kind', 'commits'])).stdout)).toMatchObject({ hash, author: 'Ada' })
  const prompt = 'The retrier makes too many attempts and leaves the rate limit window; which limit is right?'
  expect((await recollect(['inject', '--prompt', prompt])).stdout).toContain(`settled in commit ${hash.slice(0, 7)} on `)
})
