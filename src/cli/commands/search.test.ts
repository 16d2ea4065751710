import { expect, test } from 'bun:test'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'
import { queryHighlighter } from './search.ts'

test.each([
  ['tide table', 'Ask for each tide table once', 'Ask for each [tide] [table] once'],
  ['tide', 'Tides are late; riptide is not', '[Tide]s are late; riptide is not'],
  ['type:bugfix tide -late', 'bugfix: type the tide, late', 'bugfix: type the [tide], late'],
  ['a+b .*', 'nothing to mark', 'nothing to mark'],
  ['$cost', 'the $cost', 'the $[cost]'],
])('the words of “%s” are highlighted, and nothing else', (query, text, shown) => {
  expect(queryHighlighter(query, (word) => `[${word}]`)(text)).toBe(shown)
})

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')

test('an unknown project is an error with a suggestion; finding nothing in a known project is not', async () => {
  using folder = temporaryFolder()
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0', RECOLLECT_EMBEDDER_PROVIDER: 'none' }
  const run = async (...args: string[]) => {
    const child = Bun.spawn([RECOLLECT, ...args], { env, cwd: folder.path, stdout: 'pipe', stderr: 'pipe' })
    return [await child.exited, await child.stdout.text(), await child.stderr.text()]
  }
  await run('demo')
  const misspelt = [4, '', expect.stringMatching(/^recollect: .+tidepol\W.*did you mean "?tidepool"?\?\n$/)]
  expect(await run('search', 'tide', '--project', 'tidepol')).toEqual(misspelt)
  expect(await run('timeline', 'tide', '--project', 'tidepol')).toEqual(misspelt)
  expect(await run('inject', '--project', 'tidepol')).toEqual(misspelt)
  expect(await run('graph', '--project', 'tidepol')).toEqual(misspelt)
  expect(await run('notes', '--project', 'tidepol')).toEqual(misspelt)
  expect(await run('search', '--all', 'tide', 'project:tidepol')).toEqual(misspelt)
  expect(await run('search', 'tide', 'project:tidepol')).toEqual(misspelt)
  expect(await run('timeline', 'tide project:tidepol')).toEqual(misspelt)
  expect(await run('search', 'tide', '--project', 'xyzzy')).toEqual([4, '', expect.stringContaining('unknown project "xyzzy"')])
  for (const all of [[], ['--all']]) {
    const [, found] = await run('search', 'tide', ...all)
    const lines = String(found).split('\n')
    expect(lines[0] === 'Nothing from this project is remembered; from all projects:').toBe(all.length === 0)
    const [day = '', row = ''] = lines.slice(all.length === 0 ? 1 : 0)
    expect(day).toMatch(/^\d{4}-\d\d-\d\d/)
    expect(row).toMatch(/~\d+t +tidepool {2}/)
  }
  const empty = [0, 'No memory matches “zzyzx”.\n', '']
  for (const known of ['tidepool', 'Tidepool', folder.path]) expect(await run('search', 'zzyzx', '--project', known)).toEqual(empty)
  expect(await run('search', 'zzyzx', 'project:Tidepool')).toEqual([0, 'No memory matches “zzyzx project:Tidepool”.\n', ''])
  expect(await run('search', 'zzyzx', '--', '--qqqq')).toEqual([0, 'No memory matches “zzyzx --qqqq”.\n', ''])
  await run('stop')
}, 300_000)

test('long queries and prompts work, with and without a worker', async () => {
  using folder = temporaryFolder()
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0', RECOLLECT_EMBEDDER_PROVIDER: 'none' }
  const run = async (...args: string[]) => {
    const child = Bun.spawn([RECOLLECT, ...args], { env, cwd: folder.path, stdout: 'pipe', stderr: 'ignore' })
    return [await child.exited, await child.stdout.text()]
  }
  await run('demo')
  const queries = ['tide tables '.repeat(1500), `tide ${'潮位表'.repeat(1000)}`]
  for (const query of queries) expect(await run('search', query)).toEqual([0, expect.stringContaining('Ask for each tide table once')])
  const nothing = expect.stringMatching(/^This prompt would recall nothing.*\.\n$/)
  const prompts = ['pelican '.repeat(7000), '潮位表'.repeat(1000)]
  for (const prompt of prompts) expect(await run('inject', '--project', 'tidepool', '--prompt', prompt)).toEqual([0, nothing])
  expect(await run('search', '潮'.repeat(2000))).toEqual([0, expect.stringMatching(/^No memory matches “.{200}”\.\n$/)])
  await run('stop')
  renameSync(join(folder.path, '.recollect', 'run'), join(folder.path, '.recollect', 'run.away'))
  writeFileSync(join(folder.path, '.recollect', 'run'), '') // prevents a worker from starting
  for (const query of queries) expect(await run('search', query)).toEqual([0, expect.stringContaining('Ask for each tide table once')])
  for (const prompt of prompts) expect(await run('inject', '--project', 'tidepool', '--prompt', prompt)).toEqual([0, nothing])
}, 300_000)

test('search says how it used a time in the query, in words and as JSON', async () => {
  using folder = temporaryFolder()
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0', RECOLLECT_EMBEDDER_PROVIDER: 'none' }
  const run = async (...args: string[]) => new Response(Bun.spawn([RECOLLECT, ...args], { env, cwd: folder.path }).stdout).text()
  await run('demo')
  const ignoredTime = 'No match from 2019-01-01 to 2019-12-31; showing results from all times.'
  expect(await run('search', 'tide', 'in', '2019', '--all')).toStartWith(ignoredTime)
  expect(await run('search', 'tide', 'in', '2019', '--all', '--explain')).toStartWith(
    '“in 2019” was understood as 2019-01-01 to 2019-12-31\n',
  )
  expect(JSON.parse(await run('search', 'tide', 'in', '2019', '--all', '--json')).time).toMatchObject({ kept: false, said: ignoredTime })
  expect(await run('search', 'tide', 'since', '2020', '--all')).toStartWith('Memories since 2020-01-01 rank higher.')
  await run('stop')
}, 300_000)

test.each([60, 100])(
  'on a terminal of %d columns hits are cut to its width, but ids are whole',
  async (columns) => {
    using folder = temporaryFolder()
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0', TERM: 'xterm' }
    const run = async (...args: string[]) => new Response(Bun.spawn([RECOLLECT, ...args], { env, cwd: folder.path }).stdout).text()
    await run('demo')
    const kept = JSON.parse(await run('capture', `潮位表 tide tables are kept for ${'a very long time '.repeat(20)}`, '--json')) as {
      note: { id: string }
    }
    const chunks: Uint8Array[] = []
    const terminal = { cols: columns, rows: 40, data: (_: unknown, bytes: Uint8Array) => void chunks.push(bytes.slice()) }
    await Bun.spawn([RECOLLECT, 'search', 'tide', 'tables', '--all'], { env, cwd: folder.path, terminal }).exited
    const shown = Buffer.concat(chunks).toString()
    const lines = Bun.stripANSI(shown).split('\r\n')
    expect(lines.filter((line) => Bun.stringWidth(line) > columns)).toEqual([])
    expect([shown.includes('\u001b[33mtide'), lines.some((line) => line.startsWith(`N${kept.note.id.slice(10, 18)} `))]).toEqual([
      true,
      true,
    ])
    const piped = await run('search', 'tide', 'tables', '--all')
    expect([piped.includes('\u001b'), Math.max(...piped.split('\n').map((line) => line.length)) > 150]).toEqual([false, true])
    await run('stop')
  },
  300_000,
)

test('hits have an aligned icon on a UTF-8 terminal and none elsewhere', async () => {
  using folder = temporaryFolder()
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
  const shown = async (more: Record<string, string>, ...args: string[]) => {
    const chunks: Uint8Array[] = []
    const terminal = { cols: 120, rows: 40, data: (_: unknown, bytes: Uint8Array) => void chunks.push(bytes.slice()) }
    await Bun.spawn([RECOLLECT, ...args], { env: { ...env, ...more }, cwd: folder.path, terminal }).exited
    return Bun.stripANSI(Buffer.concat(chunks).toString()).split('\r\n')
  }
  await shown({}, 'demo')
  const icon = /[🐛✨🔧📝🔍🎯📋💬📌] /u
  for (const args of [
    ['search', 'tide', '--all'],
    ['timeline', 'tide', '--all'],
  ]) {
    const lines = (await shown({ TERM: 'xterm', LANG: 'en_US.UTF-8' }, ...args)).filter((line) => /~\d+t/.test(line))
    expect(lines.filter((line) => !icon.test(line))).toEqual([])
    expect(new Set(lines.map((line) => Bun.stringWidth(line.slice(0, line.search(/~\d+t/))))).size).toBe(1)
    for (const plain of [
      { TERM: 'xterm', LANG: 'C' },
      { TERM: 'linux', LANG: 'en_US.UTF-8' },
    ])
      expect((await shown(plain, ...args)).filter((line) => icon.test(line))).toEqual([])
  }
  const piped = Bun.spawn([RECOLLECT, 'search', 'tide', '--all'], { env: { ...env, TERM: 'xterm', LANG: 'en_US.UTF-8' }, cwd: folder.path })
  expect(await piped.stdout.text()).not.toMatch(icon)
  await shown({}, 'stop')
}, 300_000)
