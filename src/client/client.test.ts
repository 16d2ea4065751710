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

test('a session in a folder and the notes for that folder belong to one project', async () => {
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

test('get returns every memory of a search, a timeline and a brief by its id', async () => {
  const session = memory.session('finds')
  await session.prompt('Why do herons wait at the weir?')
  await session.toolUse({ name: 'Write', input: { file_path: '/weir.md', content: 'herons' }, output: 'ok' })
  await session.answer('Herons wait at the weir because fish gather there.')
  await memory.notes.add({ body: 'Herons are counted at dawn.' })
  const kinds = ['prompt', 'summary', 'observation', 'note'] as const
  const hits = await eventually(async () => {
    const found = await Promise.all(kinds.map((kind) => memory.search('herons weir', { kind, limit: 1 })))
    return found.flat().length === kinds.length ? found.flat() : null
  })
  const got = await memory.get(hits.map((hit) => hit.id))
  expect(got.map((one) => one.kind)).toEqual([...kinds])
  expect(got[0]?.memory).toMatchObject({ text: 'Why do herons wait at the weir?' })
  expect(await memory.notes.get(hits[3]?.id ?? '')).toMatchObject({ body: 'Herons are counted at dawn.' })
  const { items: shown } = await memory.brief()
  expect(shown.length).toBeGreaterThan(1)
  for (const [i, one] of (await memory.get(shown.map((item) => item.id))).entries())
    expect(one).toMatchObject({ kind: shown[i]?.kind, memory: expect.anything() })
  const newer = await memory.notes.add({ body: 'Nobody counts birds any more.', supersedes: [hits[3]?.id ?? ''] })
  expect(newer.kind).toBe('added')
  for (const { id } of hits.slice(0, 3)) {
    const items = await memory.timeline({ id })
    expect(items.find((item) => item.anchor)?.id).toBe(id)
    expect((await memory.get(items.map((item) => item.id))).map((one) => one.kind)).toEqual(items.map((item) => item.kind))
  }
})

/** Turns are distilled in the background. */
test('a tool of the MCP server answers with its text; a call that it refuses throws', async () => {
  await memory.notes.add({ body: 'Otters sleep at the old mill.' })
  expect(await memory.tool('memory_recall', { query: 'otters mill' })).toContain('Otters sleep at the old mill')
  await expect(memory.tool('memory_get', { ids: ['#999999'] })).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('No memory has the id'),
  })
  await expect(memory.tool('memory_recall', { wrong: 1 })).rejects.toMatchObject({ kind: 'refused' })
  await expect(connect({ home: '/nowhere' }).tool('memory_recall', { query: 'x' })).rejects.toMatchObject({ kind: 'unreachable' })
})

test('a memory is deleted after a preview, and not if something else would be deleted by now', async () => {
  const { note } = await memory.notes.add({ body: 'Kingfishers nest in the north bank.' })
  const preview = await memory.previewForget([`N${note.id}`])
  expect(preview.items).toMatchObject([{ title: expect.stringContaining('Kingfishers') }])
  await expect(memory.forget([`N${note.id}`], { fingerprint: 'another' })).rejects.toMatchObject({ kind: 'refused' })
  expect((await memory.forget([`N${note.id}`], { fingerprint: preview.fingerprint })).counts.notes).toBe(1)
  expect((await memory.notes.list()).map(({ id }) => id)).not.toContain(note.id)
})

test('a text is cleaned as the worker cleans it', () => {
  expect(memory.clean('before <private>nest</private> after')).not.toContain('nest')
  expect(
    memory.clean(
      'password=hunter2hunter2 sk-ant-api03-Zq7Yt2Wm9Kx4Lp8Rv1Nb6Hc3Jd5Fg0SaQeUiOoPpAaSsDdFfGgHhJjKkLlZzXxCcVvBbNnMm12-AbCdEfAA',
    ),
  ).not.toContain('Zq7Yt2Wm9K')
})

test('a link to the viewer is for this machine', async () => {
  expect(await memory.viewLink('/feed')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/view\/[\w-]{43}$/)
})

test('a worker that the person has stopped is known, so that no program starts it again unasked', async () => {
  expect(memory.isStopped()).toBe(false)
  await recollect('stop').exited
  expect([await memory.isRunning(), memory.isStopped()]).toEqual([false, true])
  await recollect('start').exited
  expect([await memory.isRunning(), memory.isStopped()]).toEqual([true, false])
})

async function eventually<T>(look: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const seen = await look()
    if (seen !== null) return seen
    await Bun.sleep(25)
  }
  throw new Error('waited in vain')
}
