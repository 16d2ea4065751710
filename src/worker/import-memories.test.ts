import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { event, nowhere, prompt } from '../../test/support/builders.ts'
import { claudeMemDatabase } from '../../test/support/claude-mem.ts'
import { garbage } from '../../test/support/garbage.ts'
import { processorTime } from '../../test/support/growth.ts'
import { someServices } from '../../test/support/services.ts'
import { take } from '../capture/capture.ts'
import { asContentSessionId, asProjectKey } from '../core/ids.ts'
import { claudeCode } from '../integrations/agent.ts'
import { forgetNote, saveNote } from '../notes/notes.ts'
import { EXPORT_KINDS, type ImportLine } from '../wire/contract/upkeep.ts'
import { exportLines, noteFiles } from './export.ts'
import { type ImportMemoriesOptions, importMemories } from './import-memories.ts'
import type { Services } from './services.ts'

type Done = Extract<ImportLine, { kind: 'imported' }>

test('claude-mem’s memories are imported under the agent’s session ids, and a second import changes nothing', async () => {
  await using at = await someServices()
  const file = join(at.folder, 'claude-mem.db')
  claudeMemDatabase(file, 3)
  const { done, left } = await importAll(at.desk, { from: 'claude-mem', paths: [file] })
  // One session is of another agent.
  expect(done).toMatchObject({ sessions: 4, prompts: 6, observations: 9, summaries: 3, notes: { added: 1 } })
  expect(left).toEqual(['1 inactive rule'])
  const session = await at.store.sessions.find('claude-code', asContentSessionId('content-1'))
  expect(session).toMatchObject({ project: 'shop', status: 'completed', promptCount: 2 })
  const [first, , third] = await at.store.observations.ofSession(session?.id ?? 0, 10)
  expect(first).toMatchObject({
    type: 'bugfix',
    title: 'Observation 1 of 1',
    facts: ['a fact'],
    concepts: ['gotcha'],
    filesModified: ['src/cart.ts'],
  })
  expect(third?.type).toBe('discovery')
  expect(await at.store.notes.list({ project: null, now: Date.now(), limit: 9 })).toMatchObject([
    { body: 'Never push on Fridays.', scope: 'global', type: 'procedural', source: 'import' },
  ])
  const once = rows(at.desk)
  const again = await importAll(at.desk, { from: 'claude-mem', paths: [file] })
  expect(again.done).toMatchObject({ sessions: 0, prompts: 0, observations: 0, summaries: 0, notes: { added: 0, updated: 0, same: 1 } })
  expect(rows(at.desk)).toEqual(once)
  expect(
    await at.store.documents.match(['rounds'], {
      project: null,
      kinds: ['observation'],
      since: 0,
      before: Number.MAX_SAFE_INTEGER,
      limit: 50,
    }),
  ).toHaveLength(9)
})

test('older claude-mem databases with other column names are read too', async () => {
  await using at = await someServices()
  const file = join(at.folder, 'old.db')
  claudeMemDatabase(file, 2, { content: 'claude_session_id', memory: 'sdk_session_id' })
  expect((await importAll(at.desk, { from: 'claude-mem', paths: [file] })).done).toMatchObject({ sessions: 3, prompts: 4, observations: 6 })
})

test('a known session keeps its prompts and project, and gets claude-mem’s memories', async () => {
  await using at = await someServices()
  const submitted = { ...event(prompt('Prompt 1 of 1'), { session: asContentSessionId('content-1') }), transcript: '/t.jsonl' }
  await at.store.transaction(() =>
    take(at.store, submitted, { ...nowhere, project: asProjectKey('github.com/team/shop') }, at.desk.rules(claudeCode)),
  )
  const file = join(at.folder, 'claude-mem.db')
  claudeMemDatabase(file, 2)
  const { done } = await importAll(at.desk, { from: 'claude-mem', paths: [file] })
  expect(done).toMatchObject({ sessions: 2, prompts: 2, observations: 6 })
  // Its other session names a project, and exactly one of ours has that name.
  expect((await at.store.sessions.projects()).map(({ project }) => String(project))).toEqual(['github.com/team/shop'])
  expect(await at.store.prompts.ofSession(1)).toHaveLength(1)
})

test('a file that is not a claude-mem database is rejected with a reason', async () => {
  await using at = await someServices()
  const path = (name: string) => join(at.folder, name)
  writeFileSync(
    path('text.db'),
    'this is text, and a good deal of it, so that it is longer than a header of a database would be. '.repeat(20),
  )
  writeFileSync(path('empty.db'), '')
  new Database(path('other.db')).run('CREATE TABLE things (id)')
  claudeMemDatabase(path('cut.db'), 200)
  truncateSync(path('cut.db'), 40_000)
  const reason = async (name: string) =>
    importAll(at.desk, { from: 'claude-mem', paths: [path(name)] }).catch((cause: Error) => cause.message)
  mkdirSync(path('folder'))
  expect(await reason('folder')).toContain('is a folder')
  expect(await reason('text.db')).toContain('it is not a database')
  expect(await reason('empty.db')).toContain('is empty')
  expect(await reason('other.db')).toContain('it is not a claude-mem database')
  expect(await reason('cut.db')).toContain('damaged')
  const locked = new Database(path('locked.db'))
  locked.run('CREATE TABLE sdk_sessions (id)')
  locked.run('BEGIN EXCLUSIVE')
  expect(await reason('locked.db')).toContain('another program is writing to it')
  locked.close()
  expect(rows(at.desk)).toEqual([])
}, 300_000)

test('views and virtual tables in place of claude-mem’s tables are not read', async () => {
  await using at = await someServices()
  const file = join(at.folder, 'endless.db')
  claudeMemDatabase(file, 1)
  const db = new Database(file)
  const endless = "WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 'x' AS content_session_id FROM n"
  db.run(`DROP TABLE user_prompts; CREATE VIEW user_prompts AS ${endless}; DROP TABLE directives; CREATE VIRTUAL TABLE directives
    USING fts5(content, status, scope, project, created_at_epoch)`)
  db.run("INSERT INTO directives VALUES ('A rule', 'active', 'global', '', 1)")
  const read = () => importAll(at.desk, { from: 'claude-mem', paths: [file] })
  expect((await read()).done).toMatchObject({ sessions: 2, prompts: 0, observations: 3, notes: { added: 0 } })
  db.run(`DROP TABLE sdk_sessions; CREATE VIEW sdk_sessions AS ${endless}`)
  db.close()
  await expect(read()).rejects.toThrow('it is not a claude-mem database (no table sdk_sessions)')
}, 300_000)

test('a row with an invalid time gets the time of its session', async () => {
  await using at = await someServices()
  const file = join(at.folder, 'claude-mem.db')
  claudeMemDatabase(file, 5)
  const db = new Database(file)
  for (const [n, bad] of ['1e300', '-1e300', "'yesterday'", "x'00ff'"].entries()) {
    db.run(`UPDATE sdk_sessions SET started_at_epoch = ${bad}, completed_at_epoch = ${bad} WHERE content_session_id = 'content-${n + 1}'`)
    for (const table of ['observations', 'session_summaries']) db.run(`UPDATE ${table} SET created_at_epoch = ${bad} WHERE id = ${n + 1}`)
    db.run(`UPDATE user_prompts SET created_at_epoch = ${bad} WHERE id = ${n + 1}`)
  }
  db.run("UPDATE observations SET created_at_epoch = NULL WHERE memory_session_id = 'memory-5'")
  db.run('UPDATE directives SET created_at_epoch = 1e300')
  db.close()
  const { done } = await importAll(at.desk, { from: 'claude-mem', paths: [file] })
  expect(done).toMatchObject({ sessions: 6, prompts: 10, observations: 15, summaries: 5, notes: { added: 1 } })
  const session = await at.store.sessions.find('claude-code', asContentSessionId('content-5'))
  expect((await at.store.observations.ofSession(session?.id ?? 0, 1))[0]?.at).toBe(1_760_000_300_000)
  const again = await importAll(at.desk, { from: 'claude-mem', paths: [file] })
  expect(again.done).toMatchObject({ sessions: 0, prompts: 0, observations: 0, summaries: 0, notes: { added: 0, same: 1 } })
})

test('thousands of claude-mem rows are imported within seconds', async () => {
  await using at = await someServices()
  const file = join(at.folder, 'claude-mem.db')
  claudeMemDatabase(file, 400)
  const used = processorTime()
  const { done, steps } = await importAll(at.desk, { from: 'claude-mem', paths: [file] })
  expect(used()).toBeLessThan(30_000)
  expect(done).toMatchObject({ observations: 1200, prompts: 800, summaries: 400 })
  expect(steps).toBeGreaterThan(10)
}, 300_000)

test('notes of Anamnesis keep their id, type, location and source', async () => {
  await using at = await someServices()
  const put = writer(join(at.folder, 'anamnesis'))
  const id = '01HF0000000000000000000001'
  put(
    `memory/procedural/${id}.md`,
    `---\nid: ${id}\ntype: procedural\ntitle: "Run the linter"\nproject: github.com/team/app\nmachine_id: laptop\nscope: portable\ntags: [ci]\ncreated_at: 2026-01-02T03:04:05+00:00\nprovenance:\n  source: reflection\n  model: some-model\n  session: s9\nconfidence: 0.8\nsupersedes: 01HF0000000000000000000000\n---\n\nRun it first.\n`,
  )
  put('local/semantic/b.md', '---\nid: b\ntype: semantic\ntitle: Mine\nproject: app\nscope: machine-local\nprov_source: human\n---\nBody')
  put('memory/global.md', '---\nid: c\ntype: semantic\ntitle: All\n---\nFor all')
  put('memory/broken.md', '---\nid: [\n---\n')
  put('memory/README.md', '# no note')
  put('.git/x.md', 'nothing of ours')
  const { done, left } = await importAll(at.desk, { from: 'anamnesis', paths: [join(at.folder, 'anamnesis')] })
  expect(done.notes).toMatchObject({ added: 3 })
  expect(left).toHaveLength(2)
  const notes = await at.store.notes.list({ project: null, now: Date.now(), limit: 9 })
  expect(notes.find((note) => note.id === id)).toMatchObject({
    type: 'procedural',
    title: 'Run the linter',
    project: 'github.com/team/app',
    scope: 'project',
    tags: ['ci'],
    source: 'reflection',
    model: 'some-model',
    session: 's9',
    confidence: 0.8,
    createdAt: Date.parse('2026-01-02T03:04:05Z'),
  })
  expect(notes.map((note) => note.scope).sort()).toEqual(['global', 'local', 'project'])
  expect((await importAll(at.desk, { from: 'anamnesis', paths: [join(at.folder, 'anamnesis')] })).done.notes).toMatchObject({
    added: 0,
    updated: 0,
    same: 3,
  })
})

test('markdown files of a folder become notes, titled by heading or file name; files that are not text and links are skipped', async () => {
  await using at = await someServices()
  const folder = join(at.folder, 'wiki')
  const put = writer(folder)
  put('deploy.md', 'Intro\n\n# How we deploy\n\nFrom the bastion.')
  put('team/on-call_rota.md', 'Anna, then Ben.')
  put('empty.md', '  \n')
  put('binary.md', Buffer.from([0x41, 0x00, 0x42]))
  put('latin.md', Buffer.from([0xe4, 0xf6]))
  put('big.md', 'x'.repeat(300_000))
  writeFileSync(join(at.folder, 'secret.md'), '# outside')
  symlinkSync(join(at.folder, 'secret.md'), join(folder, 'link.md'))
  const options = { from: 'markdown' as const, paths: [folder], project: asProjectKey('app') }
  const { done, left } = await importAll(at.desk, options)
  expect(done.notes).toMatchObject({ added: 2 })
  expect(left.sort()).toEqual(['it cannot be read (it is not UTF-8)', 'it is empty', 'it is larger than 256 KB', 'it is not text'])
  const notes = () => at.store.notes.list({ project: null, now: Date.now(), limit: 9 })
  expect((await notes()).map((note) => [note.title, note.project, note.source]).sort()).toEqual([
    ['How we deploy', 'app', 'import'],
    ['on call rota', 'app', 'import'],
  ] as never)
  put('deploy.md', '# How we deploy\n\nFrom the new bastion.')
  expect((await importAll(at.desk, options)).done.notes).toMatchObject({ added: 0, updated: 1, same: 1 })
  await expect(importAll(at.desk, { from: 'markdown', paths: [join(at.folder, 'secret.md')] })).rejects.toThrow('is not a folder')
})

test('importing an export into an empty home gives the same notes and memories', async () => {
  await using from = await someServices()
  await live(from.desk)
  const file = join(from.folder, 'export.jsonl')
  // Prompts before their sessions: the order of lines does not matter.
  const kinds = [...EXPORT_KINDS].reverse()
  writeFileSync(file, kinds.flatMap((kind) => [...exportLines(from.store, kind, null)].map((line) => `${JSON.stringify(line)}\n`)).join(''))
  await using to = await someServices()
  const { done } = await importAll(to.desk, { from: 'jsonl', paths: [file] })
  expect(done).toMatchObject({ sessions: 1, prompts: 2, notes: { added: 3 } })
  expect(comparable(to.desk)).toEqual(comparable(from.desk))
  expect((await importAll(to.desk, { from: 'jsonl', paths: [file] })).done).toMatchObject({
    sessions: 0,
    prompts: 0,
    observations: 0,
    summaries: 0,
    notes: { added: 0, updated: 0, same: 3 },
  })
  expect(comparable(to.desk)).toEqual(comparable(from.desk))
})

test('importing a folder of our own note files gives the same notes', async () => {
  await using from = await someServices()
  await live(from.desk)
  const folder = join(from.folder, 'out')
  const put = writer(folder)
  for (const { path, text } of noteFiles(from.store, null)) put(path, text)
  await using to = await someServices()
  await importAll(to.desk, { from: 'markdown', paths: [folder] })
  const notes = (desk: Services) => [...exportLines(desk.store, 'notes', null)]
  expect(notes(to.desk)).toEqual(notes(from.desk))
  for (const { path, text } of noteFiles(to.store, null)) expect(readFileSync(join(to.desk.home.folder, path), 'utf8')).toBe(text)
})

test('a file that is not an export is rejected; of a truncated export the complete lines are imported', async () => {
  await using at = await someServices()
  const path = join(at.folder, 'x.jsonl')
  const reason = async (text: string | Uint8Array) => {
    writeFileSync(path, text)
    return importAll(at.desk, { from: 'jsonl', paths: [path] }).catch((cause: Error) => cause.message)
  }
  expect(await reason('')).toContain('is empty')
  expect(await reason('hello\nworld\n')).toContain('is not an export of Recollect')
  expect(await reason('{"rows":1}\n')).toContain('is not an export of Recollect')
  expect(await reason(garbage(5000))).toContain('is not an export of Recollect')
  await live(at.desk)
  const complete = [...exportLines(at.store, 'notes', null)].map((line) => JSON.stringify(line)).join('\n')
  await using to = await someServices()
  const cut = join(to.folder, 'cut.jsonl')
  writeFileSync(cut, complete.slice(0, -30))
  const { done, left } = await importAll(to.desk, { from: 'jsonl', paths: [cut] })
  expect(done.notes.added).toBe(2)
  expect(left).toEqual(["1 lines that are not what 'recollect export' writes"])
})

test('an imported note cannot be written outside the notes folder', async () => {
  await using at = await someServices()
  await live(at.desk)
  const [line] = [...exportLines(at.store, 'notes', null)] as Record<string, unknown>[]
  const file = join(at.folder, 'evil.jsonl')
  const evil = [
    { ...line, id: '../../evil' },
    { ...line, id: 'fine', project: '../../..', scope: 'project', body: 'Elsewhere entirely' },
  ]
  writeFileSync(file, evil.map((one) => JSON.stringify(one)).join('\n'))
  await using to = await someServices()
  await importAll(to.desk, { from: 'jsonl', paths: [file] })
  const [note] = await to.store.notes.list({ project: null, now: Date.now(), limit: 9 })
  expect(note?.path).toMatch(/^(?:memory|local)\/[^/]+\/fine\.md$/)
})

async function importAll(desk: Services, options: Omit<ImportMemoriesOptions, 'project'> & { project?: ImportMemoriesOptions['project'] }) {
  const left: string[] = []
  let steps = 0
  for await (const line of importMemories(desk, claudeCode, { project: null, ...options })) {
    if (line.kind === 'skipped') left.push(line.reason)
    if (line.kind === 'importing') steps++
    if (line.kind === 'imported') return { done: line as Done, left, steps }
  }
  throw new Error('it did not end')
}

function writer(folder: string) {
  return (path: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    rmSync(join(folder, path), { force: true })
    writeFileSync(join(folder, path), text)
  }
}

/** A session with a turn, and notes of every scope, one of them forgotten. */
async function live(desk: Services): Promise<void> {
  const capture = (sessionEvent: Parameters<typeof event>[0], at: number) =>
    desk.store.transaction(() =>
      take(desk.store, event(sessionEvent, { at }), { ...nowhere, project: asProjectKey('app') }, desk.rules(claudeCode)),
    )
  await capture(prompt('Fix the cart', 'p1'), 1000)
  await capture(
    { kind: 'turn-ended', promptId: 'p1', answer: 'The cart rounded twice because `total` was a float. Fixed in `cart.ts`.' },
    2000,
  )
  await capture(prompt('Thanks, now the docs', 'p2'), 3000)
  await capture({ kind: 'turn-ended', promptId: 'p2', answer: 'We decided to keep one page of docs because two drifted apart.' }, 4000)
  await capture({ kind: 'session-ended', reason: 'other' }, 5000)
  const keep = (body: string, scope: 'project' | 'global' | 'local') =>
    saveNote(
      desk.notebook,
      { body, scope, project: asProjectKey('app'), source: 'human', tags: ['a b', 'c'], pinned: scope === 'global' },
      6000,
    )
  await keep('Tabs it is', 'project')
  await keep('British spelling\n\n- everywhere', 'global')
  const { receipt } = await keep('My own desk', 'local')
  if (receipt.kind === 'added') await forgetNote(desk.notebook, receipt.note.id, 7000)
  // Jobs would make the session's note and its memories, which do not matter here.
  for (let job = await desk.store.jobs.claim(Date.now()); job; job = await desk.store.jobs.claim(Date.now()))
    await desk.store.jobs.complete(job.id)
}

const rows = (desk: Services) => EXPORT_KINDS.flatMap((kind) => [...exportLines(desk.store, kind, null)])

/** Everything that an import restores: not row ids, tool uses and the end of a session. */
function comparable(desk: Services) {
  return EXPORT_KINDS.filter((kind) => kind !== 'tool-uses').map((kind) =>
    ([...exportLines(desk.store, kind, null)] as Record<string, unknown>[]).map(({ id, memorySessionId: _, transcript: __, ...row }) =>
      kind === 'notes' ? { id, ...row } : row,
    ),
  )
}
