import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')
const home = temporaryFolder()

/** Runs in a folder without memories; the home also has the sample project. */
async function timeline(...args: string[]): Promise<string[]> {
  return (await run(args).stdout.text()).trimEnd().split('\n')
}

const errorOf = (...args: string[]) => run(args).stderr.text()

function run(args: string[]) {
  const env = { PATH: process.env.PATH ?? '', HOME: home.path, RECOLLECT_WORKER_PORT: '0', TZ: 'Asia/Kathmandu' }
  return Bun.spawn([RECOLLECT, ...args], { env, cwd: home.path, stdout: 'pipe', stderr: 'pipe' })
}
beforeAll(() => timeline('demo'))
afterAll(async () => {
  await timeline('stop')
  home[Symbol.dispose]()
})

const isRow = (line: string) => /^(?:►| ) .* ~\d+t /.test(line)
const isDay = (line: string) => /^\d{4}-\d\d-\d\d(?: |$)/.test(line)

test('--at shows all projects if this one has no memories, and as many rows as requested', async () => {
  const [{ at }] = JSON.parse(
    (await timeline('timeline', 'favourite stations', '--before', '0', '--after', '0', '--json')).join('\n'),
  ).items
  const day = new Date(at - 86_400_000).toISOString().slice(0, 10)
  const lines = await timeline('timeline', '--at', day, '--before', '0', '--after', '3')
  expect(lines[0]).toBe('Nothing in this project; from all projects:')
  expect(lines.filter(isRow)).toHaveLength(3)
  expect(await timeline('timeline', '--at', day, '--before', '0', '--after', '3', '--all')).toEqual(lines.slice(1))
  expect(await timeline('timeline', '--at', day, '--project', home.path)).toEqual(['No memories around that time.'])
})

test('--at accepts the times that a query accepts', async () => {
  for (const written of ['yesterday', 'last week', 'march', '7d']) {
    const [first] = await timeline('timeline', '--at', written, '--all', '--before', '1', '--after', '1')
    expect([written, first]).toEqual([written, expect.stringMatching(/^\d{4}-\d\d-\d\d/)])
  }
  for (const written of ['2026-02-30', 'never']) {
    const { error, code } = JSON.parse(await errorOf('timeline', '--at', written, '--json'))
    expect([error, code]).toEqual([expect.stringContaining(`“${written}”`), 'invalid'])
  }
})

test('rows are grouped by day and show the local time', async () => {
  const lines = await timeline('timeline', 'favourite stations', '--after', '2')
  const { items } = JSON.parse((await timeline('timeline', 'favourite stations', '--after', '2', '--json')).join('\n'))
  const local = new Intl.DateTimeFormat('sv', { timeZone: 'Asia/Kathmandu', dateStyle: 'short', timeStyle: 'short' })
  const [day, time] = local.format(items[0].at).split(' ')
  expect(lines.find(isDay)).toBe(`${day}  tidepool`)
  expect(lines.find(isRow)).toContain(` ${time}  `)
})

test('timeline says that nothing matches the query, and names unusable filters', async () => {
  const far = ['timeline', 'coffee machine descaling']
  expect(await timeline(...far)).toEqual(['No memory matches “coffee machine descaling”.'])
  expect(JSON.parse((await timeline(...far, '--json')).join('\n'))).toMatchObject({ items: [], message: '' })
  expect((await timeline('timeline', 'type:bugfx tide'))[0]).toBe('bugfx: unknown type “bugfx”; did you mean bugfix?')
  expect(await timeline('timeline', 'tide', 'tag:unused-tag')).toEqual([
    'unused-tag: unknown tag “unused-tag”; use one of: agent, session, session-end',
    'No memory matches “tide tag:unused-tag”.',
  ])
})
