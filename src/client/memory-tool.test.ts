import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { connect, memoryTool } from './client.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')
const folder = temporaryFolder()
const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
const recollect = (...args: string[]) => Bun.spawn([RECOLLECT, ...args], { env, stdout: 'pipe', stderr: 'pipe' })
const client = connect({ home: join(folder.path, '.recollect'), project: 'tidepool' })
const tool = memoryTool(client)
const run = async (input: Record<string, unknown>) => (await tool.run(input)).text
const view = (path: string, more = {}) => run({ command: 'view', path, ...more })

beforeAll(async () => void (await recollect('start').exited))
afterAll(async () => {
  await recollect('stop').exited
  folder[Symbol.dispose]()
})

test('files can be created, viewed, changed, moved and deleted, and are notes', async () => {
  expect(await view('/memories')).toContain('(none yet)')
  await run({ command: 'create', path: '/memories/progress.md', file_text: '# Progress\n\n- tides are fetched\n' })
  await run({ command: 'create', path: '/memories/people/ana.md', file_text: '# Progress\n\n- tides are fetched\n' })
  expect(await view('/memories')).toMatch(/\d+ {2}\/memories\/people\/ana\.md\n +\d+ {2}\/memories\/progress\.md/)
  await run({ command: 'str_replace', path: '/memories/progress.md', old_str: 'fetched', new_str: 'fetched and cached' })
  await run({ command: 'insert', path: '/memories/progress.md', insert_line: 2, insert_text: '- $& stays as it is\n' })
  expect(await view('/memories/progress.md')).toBe(
    '     1\t# Progress\n     2\t\n     3\t- $& stays as it is\n     4\t- tides are fetched and cached',
  )
  expect(await view('/memories/progress.md', { view_range: [3, 3] })).toBe('     3\t- $& stays as it is')
  const hits = await client.search('tides fetched cached', { kind: 'note' })
  expect(hits[0]?.title).toBe('progress.md')
  await run({ command: 'rename', old_path: '/memories/people', new_path: '/memories/crew' })
  expect(await view('/memories/crew')).toContain('/memories/crew/ana.md')
  await run({ command: 'delete', path: '/memories/crew' })
  expect(await view('/memories')).not.toContain('crew')
  expect((await client.notes.list({ namespace: 'memory-files', hidden: true })).length).toBe(2)
})

test.each<[string, unknown]>([
  ['a path outside /memories', { command: 'view', path: '/etc/passwd' }],
  ['a path that leads out', { command: 'create', path: '/memories/../x', file_text: 'x' }],
  ['an encoded path that leads out', { command: 'delete', path: '/memories/%2e%2e/x' }],
  ['deleting the root', { command: 'delete', path: '/memories' }],
  ['a missing file', { command: 'str_replace', path: '/memories/none.md', old_str: 'a', new_str: 'b' }],
  ['a file without text', { command: 'create', path: '/memories/x.md' }],
  ['an empty file', { command: 'create', path: '/memories/x.md', file_text: ' \n' }],
  ['an input without command', {}],
  ['null', null],
  ['a string', 'view'],
  ['a text that is all private', { command: 'create', path: '/memories/x.md', file_text: '<private>x</private>' }],
  ['a text that is too long', { command: 'create', path: '/memories/x.md', file_text: 'x'.repeat(200_001) }],
  ['a file below a file', { command: 'create', path: '/memories/progress.md/x.md', file_text: 'x' }],
  ['a name with two spaces', { command: 'create', path: '/memories/two  blanks.md', file_text: 'x' }],
  ['a name that is too long', { command: 'create', path: `/memories/${'long '.repeat(50)}.md`, file_text: 'x' }],
  ['a name with a secret', { command: 'create', path: `/memories/ghp_${'aB3dE5gH7j'.repeat(4)}.md`, file_text: 'x' }],
])('%s returns an error to the model and changes nothing', async (_, input) => {
  const before = await view('/memories')
  expect(await tool.run(input as Record<string, unknown>)).toEqual({ text: expect.stringMatching(/^Error: /), isError: true })
  expect(await view('/memories')).toBe(before)
})

test('text that occurs twice is not replaced, and an existing file is not overwritten', async () => {
  await run({ command: 'create', path: '/memories/twice.md', file_text: 'a a' })
  expect(await run({ command: 'str_replace', path: '/memories/twice.md', old_str: 'a', new_str: 'b' })).toContain('2 times')
  expect(await run({ command: 'create', path: '/memories/twice.md', file_text: 'new' })).toContain('already exists')
  expect(await run({ command: 'insert', path: '/memories/twice.md', insert_line: 9, insert_text: 'x' })).toContain('from 0 to 1')
  const hide = { command: 'str_replace', path: '/memories/twice.md', old_str: 'a a', new_str: '<private>a</private>' }
  expect(await run(hide)).toContain('nothing is left to remember')
  expect(await run({ command: 'rename', old_path: '/memories/twice.md', new_path: '/memories/progress.md/twice.md' })).toContain(
    'is a file',
  )
  expect(await view('/memories/twice.md')).toBe('     1\ta a')
})

test("commands sent at once run in order, and two programs do not overwrite each other's changes", async () => {
  await run({ command: 'create', path: '/memories/list.md', file_text: 'first' })
  const insert = (line: string) => ({ command: 'insert', path: '/memories/list.md', insert_line: 1, insert_text: line })
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((line) => run(insert(line))))
  const other = memoryTool(client)
  const both = await Promise.all([tool.run(insert('f')), other.run(insert('g'))])
  expect(both.map((one) => one.isError)).toEqual([false, false])
  expect((await view('/memories/list.md')).replace(/[\s\d]/g, '')).toMatch(/^first(fg|gf)edcba$/)
})

test('a file keeps its path when its first line changes, and when a new name is refused', async () => {
  await run({ command: 'create', path: '/memories/todo', file_text: '# todo\n- buy' })
  await run({ command: 'str_replace', path: '/memories/todo', old_str: '# todo', new_str: '# Things to do' })
  expect(await view('/memories/todo')).toContain('# Things to do')
  await run({ command: 'create', path: '/memories/lists/todo', file_text: 'x' })
  for (const name of [`ghp_${'aB3dE5gH7j'.repeat(4)}`, 'n'.repeat(198)])
    expect((await tool.run({ command: 'rename', old_path: '/memories/lists', new_path: `/memories/${name}` })).isError).toBe(true)
  expect(await view('/memories/lists/todo')).toContain('x')
})
