import { expect, test } from 'bun:test'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { someServices } from '../../test/support/services.ts'
import { transcript } from '../../test/support/transcript.ts'
import { AGENT_NAMES } from '../core/agent.ts'
import type { ImportLine } from '../wire/contract/upkeep.ts'
import { type ImportTranscriptsOptions, importTranscripts } from './import-transcripts.ts'
import { openJobRunner } from './job-runner.ts'
import { openQueue } from './queue.ts'
import type { Services } from './services.ts'
import { sweep } from './sweep.ts'

const LONG_AGO = new Date(2026, 0, 2)
const turns = [
  { prompt: 'Build it', commands: ['make'], answer: 'It is built.', promptId: 'p1' },
  { prompt: 'Build it', commands: ['make test'], answer: 'It passes.' },
]

test('all transcripts of the agent are imported and distilled, and their sessions completed', async () => {
  await using at = await aHistory({ 'a/s1.jsonl': transcript('s1', turns, { title: 'Building' }), 'b/s2.jsonl': transcript('s2', turns) })
  const lines = await run(at.desk, {})
  expect(lines.at(-1)).toMatchObject({ kind: 'done', files: 2, skipped: 0, sessions: 2, prompts: 4, toolUses: 4, unreadableLines: 0 })
  expect(lines.filter((line) => line.kind === 'progress').map((line) => [line.done, line.files])).toEqual([
    [0, 2],
    [1, 2],
  ])
  const sessions = await at.store.sessions.recent(null, 5)
  expect(sessions.map((session) => session.status)).toEqual(['completed', 'completed'])
  expect(sessions.find((session) => session.contentSessionId === 's1')?.title).toBe('Building')
  expect(await at.store.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0 })
  expect([...at.store.summaries.each(null)].length).toBeGreaterThan(0)
  expect(await at.store.audit.recent(1)).toMatchObject([{ action: 'import', details: { files: 2 } }])
})

test('a second import changes nothing, for packed files too', async () => {
  await using at = await aHistory({ 'a/s1.jsonl': transcript('s1', turns) })
  const packed = join(at.folder, 's2.jsonl.gz')
  writeFileSync(packed, Bun.gzipSync(transcript('s2', turns)))
  utimesSync(packed, LONG_AGO, LONG_AGO)
  const options = { paths: [at.history, packed] }
  await run(at.desk, options)
  const once = rows(at.desk)
  expect((await run(at.desk, options)).at(-1)).toMatchObject({ files: 2, prompts: 0, toolUses: 0 })
  expect(rows(at.desk)).toEqual(once)
  expect((await at.store.sessions.recent(null, 5)).map((session) => session.status)).toEqual(['completed', 'completed'])
})

test('the same session in two files is imported once', async () => {
  await using at = await aHistory({ 'a/s1.jsonl': transcript('s1', turns), 'backup/s1.jsonl': transcript('s1', turns) })
  expect((await run(at.desk, {})).at(-1)).toMatchObject({ files: 2, sessions: 1, prompts: 2, toolUses: 2 })
})

test('an interrupted import continues where it stopped', async () => {
  await using at = await aHistory(Object.fromEntries(['s1', 's2', 's3'].map((name) => [`a/${name}.jsonl`, transcript(name, turns)])))
  for await (const line of importTranscripts(at.desk, { agents: AGENT_NAMES, paths: [], since: null, project: null })) {
    if (line.kind === 'progress' && line.done === 1) break
  }
  expect([...at.store.prompts.each(null)]).toHaveLength(2)
  expect((await run(at.desk, {})).at(-1)).toMatchObject({ files: 3, prompts: 4 })
  expect([...at.store.prompts.each(null)]).toHaveLength(6)
})

test('only transcripts are imported from a folder, and every skipped file has a reason', async () => {
  const packed = Bun.gzipSync(transcript('s9', Array(200).fill(turns[0])))
  await using at = await aHistory({
    'a/s1.jsonl': transcript('s1', turns),
    'a/notes.md': '# Notes',
    'a/data.jsonl': '{"rows":1}\n{"rows":2}\n',
    'a/empty.jsonl': '',
    'a/garbage.jsonl.gz': 'this is not packed',
    'a/cut.jsonl.gz': packed.slice(0, packed.length / 2),
    'a/s1/subagents/agent-1.jsonl': transcript('s1', turns),
  })
  const lines = await run(at.desk, {})
  const skipped = lines.flatMap((line) => (line.kind === 'skipped' ? [[line.file.split('/').at(-1), line.reason]] : []))
  expect(Object.fromEntries(skipped)).toEqual({
    'data.jsonl': 'not the transcript of an agent',
    'empty.jsonl': 'not the transcript of an agent',
    'garbage.jsonl.gz': expect.stringContaining('it cannot be read'),
    'cut.jsonl.gz': expect.stringContaining('it cannot be read'),
  })
  expect(lines.at(-1)).toMatchObject({ kind: 'done', files: 1, skipped: 4 })
})

test('an import can be limited to a project, by key, name or folder, and to recently changed files', async () => {
  await using at = await aHistory({
    'a/s1.jsonl': transcript('s1', turns, { cwd: '/no/such/Shop' }),
    'a/s2.jsonl': transcript('s2', turns, { cwd: '/no/such/blog' }),
  })
  const found = async (options: Partial<ImportTranscriptsOptions>) => (await run(at.desk, options)).at(-1)
  expect(await found({ since: Date.now() })).toMatchObject({ files: 0, skipped: 0 })
  expect(await found({ project: 'nothing' })).toMatchObject({ files: 0, skipped: 2 })
  expect(await found({ project: '/no/such/blog' })).toMatchObject({ files: 1, prompts: 2 })
  expect(await found({ project: 'Shop' })).toMatchObject({ files: 1, prompts: 2 })
  expect(await found({ since: LONG_AGO.getTime() - 1 })).toMatchObject({ files: 2, prompts: 0 })
})

test('paths without a transcript import nothing', async () => {
  await using at = await aHistory({})
  expect((await run(at.desk, { paths: [join(at.folder, 'none'), at.folder] })).at(-1)).toMatchObject({ kind: 'done', files: 0, skipped: 0 })
})

test('an import does not complete a session whose client still runs', async () => {
  await using at = await aHistory({ 'a/s1.jsonl': transcript('s1', turns) })
  await run(at.desk, {})
  await at.store.sessions.activate(1)
  await at.store.sessions.touch(1, { at: Date.now(), transcript: null, clientPid: process.pid })
  const packed = join(at.folder, 's1.jsonl.gz')
  writeFileSync(packed, Bun.gzipSync(transcript('s1', turns)))
  utimesSync(packed, LONG_AGO, LONG_AGO)
  await run(at.desk, { paths: [packed] })
  expect((await at.store.sessions.get(1))?.status).toBe('active')
})

test('imported old sessions leave one note each, of the time when they ended, even if sweeps run meanwhile', async () => {
  await using at = await aHistory({})
  const desk = working(at)
  // More than one batch, so the end of a turn is read after its session was completed.
  const long = { ...turns[1], answer: 'It went on and on. '.repeat(150) }
  const copies = ['s1', 's2', 's3'].map((name) => join(at.folder, `${name}.jsonl`))
  for (const path of copies) writeFileSync(path, transcript(basename(path, '.jsonl'), Array(300).fill(long)))
  let isOver = false
  const sweeping = async () => {
    for (; !isOver; await Bun.sleep(1)) await sweep(desk, Date.now())
  }
  const swept = sweeping()
  expect((await run(desk, { paths: copies })).at(-1)).toMatchObject({ kind: 'done', sessions: 3 })
  isOver = true
  await swept
  await sweep(desk, Date.now())
  await desk.queue.drained()
  expect((await at.store.sessions.recent(null, 5)).map((session) => session.status)).toEqual(['completed', 'completed', 'completed'])
  const notes = [...at.store.notes.each(null)]
  expect(notes.map(({ type, session }) => [type, session]).sort()).toEqual(['s1', 's2', 's3'].map((id) => ['episodic', id]))
  expect(Math.max(...notes.map(({ updatedAt }) => updatedAt))).toBeLessThan(LONG_AGO.getTime())
  await desk.queue.stop()
})

test('with import.session_notes = false an imported session leaves no note', async () => {
  await using at = await aHistory({ 'a/s1.jsonl': transcript('s1', turns) })
  const desk = working({ ...at, desk: { ...at.desk, settings: { ...at.desk.settings, import: { session_notes: false } } } })
  await run(desk, {})
  await desk.queue.drained()
  expect(await at.store.notes.counts(Date.now())).toMatchObject({ all: 0 })
  await desk.queue.stop()
})

test('an imported session with recent events stays open, and gets its note when it ends', async () => {
  await using at = await aHistory({ 'a/s1.jsonl': transcript('s1', turns, { from: Date.now() - 60_000 }) })
  const desk = working(at)
  await run(desk, {})
  expect((await at.store.sessions.get(1))?.status).toBe('active')
  await sweep(desk, Date.now() + 3_600_000)
  await desk.queue.drained()
  expect((await at.store.sessions.get(1))?.status).toBe('completed')
  expect(await at.store.notes.counts(Date.now())).toMatchObject({ all: 1 })
  await desk.queue.stop()
})

/** Runs every job as the worker does. */
function working({ desk, embedding }: Awaited<ReturnType<typeof someServices>>): Services {
  const its: Services = { ...desk, queue: openQueue(desk.store, (job) => jobs.do(job, AbortSignal.timeout(60_000)), desk.log) }
  const jobs = openJobRunner(its, embedding)
  return its
}

async function run(desk: Services, options: Partial<ImportTranscriptsOptions>): Promise<ImportLine[]> {
  return Array.fromAsync(importTranscripts(desk, { agents: AGENT_NAMES, paths: [], since: null, project: null, ...options }))
}

function rows({ store }: Services) {
  return [
    [...store.prompts.each(null)],
    [...store.toolUses.each(null)],
    [...store.observations.each(null)],
    [...store.summaries.each(null)],
  ]
}

/** A home whose agent wrote these transcripts long ago. */
async function aHistory(files: Record<string, string | Uint8Array>) {
  const at = await someServices()
  const history = join(at.desk.environment.claudeConfig, 'projects')
  for (const [name, content] of Object.entries(files)) {
    const path = join(history, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, content)
    utimesSync(path, LONG_AGO, LONG_AGO)
  }
  return { ...at, history }
}
