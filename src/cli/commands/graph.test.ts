import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')
const home = temporaryFolder()

/** Runs the CLI with its own home and worker. */
async function recollect(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH ?? '', HOME: home.path, RECOLLECT_WORKER_PORT: '0' }
  const child = Bun.spawn([RECOLLECT, ...args], { env, cwd: home.path, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, stdout, stderr }
}

async function graph(...args: string[]) {
  const { stdout, stderr } = await recollect('graph', ...args, '--json')
  return JSON.parse(stdout || stderr)
}
const titled = (answer: { items: { title: string; relation?: string }[] }, relation: string) =>
  answer.items.filter((item) => item.relation === relation).map((item) => item.title)

/** The id of a sample memory, by the start of its text. */
async function idOf(kind: 'observations' | 'prompts', start: string): Promise<string> {
  const rows = Bun.JSONL.parse((await recollect('export', '--json', '--kind', kind)).stdout) as {
    id: number
    title?: string
    text?: string
  }[]
  return String(rows.find((row) => (row.title ?? row.text ?? '').startsWith(start))?.id)
}

let [favourites, cache, question] = ['', '', '']
beforeAll(async () => {
  await recollect('demo')
  favourites = await idOf('observations', 'Keep favourite stations in SQLite')
  cache = await idOf('observations', 'Ask for each tide table once')
  question = `P${await idOf('prompts', 'People want favourite stations')}`
})
afterAll(async () => {
  await recollect('stop')
  home[Symbol.dispose]()
})

test('graph shows related memories and how they relate', async () => {
  const related = await graph(favourites)
  expect(titled(related, 'asked')).toEqual(['Yes, SQLite. One table is enough.'])
  expect(titled(related, 'same-turn')).toEqual(['Favourites live in SQLite'])
  const { stdout } = await recollect('graph', `#${favourites}`)
  expect(stdout).toStartWith(`#${favourites} Keep favourite stations in SQLite`)
  expect(stdout).toContain('asked for it')
})

test('--causes leads back to the first prompt', async () => {
  const { items } = await graph(favourites, '--causes')
  expect(items.map((item: { title: string }) => item.title)).toContain(
    'People want favourite stations. Where should they be kept? We have no database yet.',
  )
  expect((await recollect('graph', question, '--effects')).stdout).toContain('· Keep favourite stations in SQLite')
})

test('graph with two ids shows how they are connected, or that no connection was found', async () => {
  const { items } = await graph(question, favourites)
  expect(items[0].kind).toBe('prompt')
  expect(items.at(-1)).toMatchObject({ kind: 'observation', ref: favourites })
  expect((await recollect('graph', cache, favourites)).stdout).toContain('No connection between the two was found.')
})

test('graph without an id shows the topics of a project', async () => {
  const { project, items } = await graph('--project', 'tidepool')
  expect(project).toContain('tidepool')
  expect(items.map((topic: { name: string }) => topic.name)).toContain('0003-sqlite.md')
  expect((await recollect('graph', '--project', home.path)).stdout).toContain('No topics yet')
})

test('graph with the same id twice says so', async () => {
  expect((await recollect('graph', cache, cache)).stdout).toEndWith('\n\nBoth ids are the same memory.\n')
})

test.each([
  [['1', '2', '3'], 'two to see how they are connected'],
  [['1', '--causes', '--effects'], 'not both'],
  [['--causes'], 'need exactly one id'],
  [['1', '2', '--effects'], 'need exactly one id'],
])('graph %p is invalid', async (args, reason) => {
  const { code, stderr } = await recollect('graph', ...args)
  expect([code, stderr]).toEqual([4, expect.stringContaining(reason)])
})

test.each([
  ['xyz', 'is not a memory id'],
  ['99999', '99999'],
])('graph %s names the unknown id', async (id, reason) => {
  const { code, stderr } = await recollect('graph', id)
  expect([code, stderr]).toEqual([4, expect.stringContaining(reason)])
})
