import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')
const home = temporaryFolder()

/** Runs in a home with the sample project. In it, P1 asks where to keep favourites, and P2 settles it. */
function run(...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', HOME: home.path, RECOLLECT_WORKER_PORT: '0', RECOLLECT_EMBEDDER_PROVIDER: 'none' }
  return Bun.spawn([RECOLLECT, ...args], { env, cwd: home.path, stdout: 'pipe', stderr: 'pipe' }).stdout.text()
}
beforeAll(() => run('demo'))
afterAll(async () => {
  await run('stop')
  home[Symbol.dispose]()
})

const OUTCOME = '→ Outcome of this work (P2): Favourites are kept in SQLite'

test.each(['P1', 'S1', '#1'])('get %s ends with what came of the work', async (id) => {
  expect(await run('get', id)).toContain(`\n${OUTCOME}`)
  const [memory] = JSON.parse(await run('get', id, '--json'))
  expect(memory.outcome).toMatchObject({ id: 'P2', of: 'this work', replaced: null })
})

test('get of the outcome itself says nothing more', async () => {
  expect(await run('get', 'P2')).not.toContain('→')
  expect(JSON.parse(await run('get', 'P2', '--json'))[0].outcome).toBeNull()
})

test('a search row and the middle of a timeline say it too', async () => {
  expect(await run('search', 'where should favourite stations be kept, no database yet', '--all')).toContain(`    ${OUTCOME}`)
  const lines = (await run('timeline', 'P1', '--all')).split('\n')
  const anchor = lines.findIndex((line) => line.startsWith('►'))
  expect(lines[anchor + 1]).toStartWith(`    ${OUTCOME}`)
  expect(lines.filter((line) => line.includes('(P2)'))).toHaveLength(1)
})
