import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')
const home = temporaryFolder()

/** Runs in a home with the sample project. */
function run(...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', HOME: home.path, RECOLLECT_WORKER_PORT: '0', RECOLLECT_EMBEDDER_PROVIDER: 'none' }
  return Bun.spawn([RECOLLECT, ...args], { env, cwd: home.path, stdout: 'pipe', stderr: 'pipe' }).stdout.text()
}

/** The prompt that asks where to keep favourites, and the one whose answer settles it. */
let [asked, settled] = ['', '']
beforeAll(async () => {
  await run('demo')
  const prompts = (await run('export', '--json', '--kind', 'prompts'))
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  const idOf = (start: string) => `P${(prompts as { id: number; text: string }[]).find(({ text }) => text.startsWith(start))?.id}`
  asked = idOf('People want favourite stations')
  settled = idOf('Yes, SQLite')
})
afterAll(async () => {
  await run('stop')
  home[Symbol.dispose]()
})

const outcome = () => `→ Outcome of this work (${settled}): Favourites are kept in SQLite`

test('get ends with the outcome of the work', async () => {
  expect(await run('get', asked)).toContain(`\n${outcome()}`)
  const [memory] = JSON.parse(await run('get', asked, '--json'))
  expect(memory.outcome).toMatchObject({ id: settled, of: 'this work', replaced: null })
})

test('get of the outcome itself says nothing more', async () => {
  expect(await run('get', settled)).not.toContain('→')
  expect(JSON.parse(await run('get', settled, '--json'))[0].outcome).toBeNull()
})

test('a search row and the middle of a timeline say it too', async () => {
  expect(await run('search', 'where should favourite stations be kept, no database yet', '--all')).toContain(`    ${outcome()}`)
  const lines = (await run('timeline', asked, '--all')).split('\n')
  const anchor = lines.findIndex((line) => line.startsWith('►'))
  expect(lines[anchor + 1]).toStartWith(`    ${outcome()}`)
  expect(lines.filter((line) => line.includes(`(${settled})`))).toHaveLength(1)
})
