import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')
const home = temporaryFolder()

/** The command line as a person runs it, with a worker of its own. */
async function recollect(...args: string[]): Promise<{ code: number; said: string; complained: string }> {
  const env = { PATH: process.env.PATH ?? '', HOME: home.path, RECOLLECT_WORKER_PORT: '0' }
  const child = Bun.spawn([RECOLLECT, ...args], { env, cwd: home.path, stdout: 'pipe', stderr: 'pipe' })
  const [said, complained, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, said, complained }
}

async function graph(...args: string[]) {
  const { said, complained } = await recollect('graph', ...args, '--json')
  return JSON.parse(said || complained)
}
const titled = (answer: { items: { title: string; relation?: string }[] }, relation: string) =>
  answer.items.filter((item) => item.relation === relation).map((item) => item.title)

/** The ids of the sample's memories, by how their text begins. */
async function idOf(kind: 'observations' | 'prompts', begins: string): Promise<string> {
  const rows = Bun.JSONL.parse((await recollect('export', '--json', '--kind', kind)).said) as {
    id: number
    title?: string
    text?: string
  }[]
  return String(rows.find((row) => (row.title ?? row.text ?? '').startsWith(begins))?.id)
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

test('a memory is shown with what lies around it, and how', async () => {
  const around = await graph(favourites)
  expect(titled(around, 'asked')).toEqual(['Yes, SQLite. One table is enough.'])
  expect(titled(around, 'same-turn')).toEqual(['Favourites live in SQLite'])
  const { said } = await recollect('graph', `#${favourites}`)
  expect(said).toStartWith(`#${favourites} Keep favourite stations in SQLite`)
  expect(said).toContain('asked for it')
})

test('what led to it goes back to the question that began it', async () => {
  const { items } = await graph(favourites, '--causes')
  expect(items.map((item: { title: string }) => item.title)).toContain(
    'People want favourite stations. Where should they be kept? We have no database yet.',
  )
  expect((await recollect('graph', question, '--effects')).said).toContain('· Keep favourite stations in SQLite')
})

test('two memories are shown with the way between them, or that there is none', async () => {
  const { items } = await graph(question, favourites)
  expect(items[0].kind).toBe('prompt')
  expect(items.at(-1)).toMatchObject({ kind: 'observation', ref: favourites })
  expect((await recollect('graph', cache, favourites)).said).toContain('Nothing ties the two together.')
})

test('without an id the topics of a project are told', async () => {
  const { project, items } = await graph('--project', 'tidepool')
  expect(project).toContain('tidepool')
  expect(items.map((topic: { name: string }) => topic.name)).toContain('0003-sqlite.md')
  expect((await recollect('graph', '--project', home.path)).said).toContain('No topics yet')
})

test('a memory is one with itself', async () => {
  expect((await recollect('graph', cache, cache)).said).toEndWith('\n\nIt is one and the same memory.\n')
})

test.each([
  [['1', '2', '3'], 'two for the way between'],
  [['1', '--causes', '--effects'], 'one at a time'],
  [['--causes'], 'are of one memory'],
  [['1', '2', '--effects'], 'are of one memory'],
])('what cannot be meant together is refused: %p', async (args, reason) => {
  const { code, complained } = await recollect('graph', ...args)
  expect([code, complained]).toEqual([4, expect.stringContaining(reason)])
})

test.each([
  ['xyz', 'is no id'],
  ['99999', 'there is no observation 99999'],
])('what is no memory is said to be none: %s', async (id, reason) => {
  const { code, complained } = await recollect('graph', id)
  expect([code, complained]).toEqual([4, expect.stringContaining(reason)])
})
