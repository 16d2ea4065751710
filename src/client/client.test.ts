import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { connect, memoryTool } from './client.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')
const folder = temporaryFolder()
const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
const recollect = (...args: string[]) => Bun.spawn([RECOLLECT, ...args], { env, stdout: 'pipe', stderr: 'pipe' })
const project = join(folder.path, 'Tidepool')
const memory = connect({ home: join(folder.path, '.recollect'), project })

beforeAll(async () => {
  mkdirSync(project)
  await recollect('start').exited
})
afterAll(async () => {
  await recollect('stop').exited
  folder[Symbol.dispose]()
})

test('what a session of a folder did and what was noted for that folder are in one project', async () => {
  const tool = memoryTool(memory)
  await tool.run({ command: 'create', path: '/memories/progress.md', file_text: 'Tides are fetched.' })
  const first = memory.session('begins with a tool')
  await first.toolUse({ name: 'Bash', input: { command: 'make tides' }, output: 'ok' })
  const second = memory.session('begins with a prompt')
  await second.prompt('Why are the tides late?')
  await second.answer('They are kept in local time.')
  await second.end()
  expect((await tool.run({ command: 'view', path: '/memories' })).text).toContain('/memories/progress.md')
  const { project: key } = await memory.brief()
  expect(key).toMatch(/^tidepool-[0-9a-f]{6}$/)
  expect(await memory.search('tides', { kind: 'prompt' })).toMatchObject([{ project: key }])
  const exported = await recollect('export', '--json', '--kind', 'sessions').stdout.text()
  const sessions = Bun.JSONL.parse(exported) as { project: string }[]
  expect(sessions.map((session) => session.project)).toEqual([key, key])
})
