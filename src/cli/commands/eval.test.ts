import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'
import { closedPort } from '../../../test/support/ports.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')

test('eval measures the history of this home and leaves no files behind', async () => {
  await using at = aHome()
  const none = await at.recollect('eval')
  expect([none.code, none.stdout]).toEqual([0, expect.stringContaining('No sessions to measure yet')])
  await at.recollect('demo')
  const before = at.files()
  const measured = await at.recollect('eval')
  expect([measured.code, measured.stdout]).toEqual([0, expect.stringMatching(/newest 3 sessions, 2026-10-20 to 2026-10-27/)])
  expect(measured.stdout).toMatch(/^the brief +\d+( +\d+\.\d %){2} +\d+$/m)
  expect(measured.stdout).toContain('Search: these sessions contain no commit with a known hash')
  expect(measured.stdout).toMatch(/Memories mention 100\.0 % of 6 changed files/)
  const json = JSON.parse((await at.recollect('eval', '--project', 'tidepool', '--limit', '2', '--json')).stdout)
  expect(json).toMatchObject({ sessions: 2, embedder: 'static', search: { commits: 0, words: null } })
  expect(at.files()).toEqual(before)
  const elsewhere = await at.recollect('eval', '--project', 'nowhere')
  expect([elsewhere.code, elsewhere.stdout]).toEqual([0, "No sessions of nowhere to measure. 'recollect status' lists the projects.\n"])
  expect((await at.recollect('eval', '--limit', '0')).code).toBe(4)
}, 300_000)

test('eval sends no queries to an embedder over the network', async () => {
  await using at = aHome()
  await at.recollect('demo')
  const json = JSON.parse((await at.recollect('eval', '--json')).stdout)
  const address = `http://127.0.0.1:${closedPort()}/v1`
  const set = { RECOLLECT_EMBEDDER_PROVIDER: 'http', RECOLLECT_EMBEDDER_BASE_URL: address, RECOLLECT_EMBEDDER_NAME: 'm' }
  const away = JSON.parse((await at.run(set, 'eval', '--json')).stdout)
  expect([json.embedder, away.embedder, away.search.meaning]).toEqual(['static', null, null])
}, 300_000)

function aHome() {
  const folder = temporaryFolder()
  const run = async (more: Record<string, string>, ...args: string[]) => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0', ...more }
    const child = Bun.spawn([RECOLLECT, ...args], { env, cwd: folder.path, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, stdout, stderr }
  }
  const recollect = (...args: string[]) => run({}, ...args)
  return {
    run,
    recollect,
    files: () => readdirSync(join(folder.path, '.recollect'), { recursive: true, encoding: 'utf8' }).sort(),
    [Symbol.asyncDispose]: async () => {
      await recollect('stop')
      folder[Symbol.dispose]()
    },
  }
}
