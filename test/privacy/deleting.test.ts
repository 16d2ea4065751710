import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_NAMES } from '../../src/core/agent.ts'
import { asProjectKey } from '../../src/core/ids.ts'
import type { Job } from '../../src/core/job.ts'
import { projectName } from '../../src/core/project.ts'
import { claudeCode } from '../../src/integrations/agent.ts'
import { forget } from '../../src/mcp/note-tools.ts'
import type { ToolDeps } from '../../src/mcp/tool.ts'
import { saveNote } from '../../src/notes/notes.ts'
import { noteHistory, syncNotes } from '../../src/sync/sync.ts'
import type { RequestOf } from '../../src/wire/contract/contract.ts'
import { EXPORT_KINDS } from '../../src/wire/contract/upkeep.ts'
import { runEraseJob } from '../../src/worker/erase.ts'
import { exportLines } from '../../src/worker/export.ts'
import { planDeletion } from '../../src/worker/forget.ts'
import { importMemories } from '../../src/worker/import-memories.ts'
import { importTranscripts } from '../../src/worker/import-transcripts.ts'
import { ingestDelivery } from '../../src/worker/intake.ts'
import { nowhere, prompt, temporaryFolder, toolUse } from '../support/builders.ts'
import { claudeMemDatabase } from '../support/claude-mem.ts'
import { aRepository } from '../support/repository.ts'
import { transcript } from '../support/transcript.ts'
import { until } from '../support/until.ts'
import { aHome, aStory, type Home, residue, SENTENCE, WORDS } from './deleting-support.ts'

/** A way of deleting the second turn of the story for good, or something that contains it. */
const WAYS: [string, (at: Home, promptId: number) => Promise<unknown>][] = [
  ['a prompt by its id', (at, id) => at.forget({ ids: [`P${id}`], hard: true })],
  ['a session by its id', (at) => at.forget({ ids: ['s-one'], hard: true })],
  ['a session by a filter', (at) => at.forget({ session: 's-one', hard: true })],
  ['words in a session', (at) => at.forget({ session: 's-one', query: WORDS.join(' '), hard: true })],
  ['words anywhere', (at) => at.forget({ query: WORDS[2] as string, hard: true })],
  [
    'a time window',
    async (at, id) => {
      const { at: from } = (await at.store.prompts.get(id)) ?? { at: 0 }
      return at.forget({ since: from, before: from + 60_001, hard: true })
    },
  ],
  ['everything since a time', (at) => at.forget({ since: 1, hard: true })],
  ['a project', async (at) => at.forget({ project: await projectOf(at), hard: true })],
  [
    'a prompt that was deleted softly before',
    async (at, id) => {
      await at.forget({ ids: [`P${id}`] })
      return at.forget({ ids: [`P${id}`], hard: true })
    },
  ],
  [
    'a session that was deleted softly before, by words',
    async (at) => {
      await at.forget({ session: 's-one' })
      return at.forget({ query: SENTENCE, hard: true })
    },
  ],
  [
    'a prompt, with the fingerprint of the preview',
    async (at, id) => {
      const { fingerprint } = await at.call('POST /api/forget/preview', { ids: [`P${id}`], hard: true })
      return at.forget({ ids: [`P${id}`], hard: true, fingerprint })
    },
  ],
  [
    'the project, by the older route',
    async (at) => {
      const project = await projectOf(at)
      await at.call('POST /api/projects/wipe', { project, confirm: project })
      await at.desk.queue.drained()
    },
  ],
]

const projectOf = async (at: Home) => (await at.store.sessions.get(1))?.project as string

test.each(WAYS)('no byte is left after deleting %s for good', async (_, deleteIt) => {
  await using at = await aHome()
  const { promptId } = await aStory(at)
  const places = (await residue(at.home)).join('\n')
  for (const place of ['recollect.db', 'memory/', 'objects have', 'spool/', 'damaged', 'fulltext has']) expect(places).toContain(place)
  expect(JSON.stringify(await at.store.injections.recent(null, 50))).toContain(WORDS[0] as string)
  await deleteIt(at, promptId)
  expect(await residue(at.home, { isJustErased: true })).toEqual([])
  await at.desk.queue.drained()
  expect(await residue(at.home)).toEqual([])
  const audit = await at.call('GET /api/audit', { limit: 100 })
  expect(audit.map(({ action }) => action)).toContain('erase')
})

test('a single observation or summary is deleted without its turn', async () => {
  await using at = await aHome()
  await importLines(at, [
    { text: 'Show the tides', origin: 'person', answer: 'Shown.', answeredAt: Date.now() - 4500, at: Date.now() - 5000 },
    { ...OBSERVATION, title: `Named it ${SENTENCE}`, at: Date.now() - 4000 },
    { ...SUMMARY, completed: `It is called ${SENTENCE}`, at: Date.now() - 3000 },
  ])
  expect((await residue(at.home)).join()).toContain('fulltext has')
  await at.forget({ ids: ['#1'], hard: true })
  await at.forget({ ids: ['S1'], hard: true })
  expect(await residue(at.home)).toEqual([])
  expect(await at.store.prompts.get(1)).toMatchObject({ text: 'Show the tides', answer: 'Shown.' })
})

test('a note is deleted with its versions, its merged copy and its history in git; other notes keep theirs', async () => {
  await using at = await aHome()
  const { note } = await at.call('POST /api/notes', { body: `The vault is called ${SENTENCE}.`, tags: [WORDS[1] as string] })
  const { note: other } = await at.call('POST /api/notes', { body: 'The tide table uses local time.' })
  await commit(at)
  await at.call('PATCH /api/notes/:id', { id: note.id, body: `The vault, in the cellar, is called ${SENTENCE}.` })
  await at.call('PATCH /api/notes/:id', { id: other.id, body: 'The tide table uses the time of the station.' })
  await commit(at)
  const merged = await saveNote(
    at.desk.notebook,
    { body: `Vault: ${SENTENCE}`, project: note.project, source: 'merge', supersedes: [note.id] },
    Date.now(),
  )
  expect(merged.receipt.kind).toBe('added')
  await commit(at)
  const preview = await at.call('POST /api/forget/preview', { ids: [`N${note.id}`], hard: true })
  expect(preview.items.map(({ because }) => because)).toEqual(['chosen', 'derived'])
  await at.forget({ ids: [`N${note.id}`], hard: true })
  expect(await residue(at.home)).toEqual([])
  expect(await noteHistory(at.desk.notebook, other.path)).toHaveLength(2)
  expect(await at.store.notes.get(other.id)).not.toBeNull()
})

/** A way of deleting the commit that says the sentence for good. */
const COMMIT_WAYS: [string, (at: Home, commit: { id: number; hash: string; at: number; project: string }) => Promise<unknown>][] = [
  ['its id', (at, { id }) => at.forget({ ids: [`C${id}`], hard: true })],
  ['its hash', (at, { hash }) => at.forget({ ids: [`C${hash.slice(0, 12)}`], hard: true })],
  ['its words', (at) => at.forget({ query: `${WORDS[3]} ${WORDS[1]}`, hard: true })],
  ['the name of its author', (at) => at.forget({ query: 'Ada', hard: true })],
  ['its time', (at, { at: since }) => at.forget({ since, before: since + 1, hard: true })],
  [
    'the name of its project, which has no session',
    async (at, { project }) => {
      await at.forget({ session: 's-two', hard: true })
      return at.forget({ project: projectName(asProjectKey(project)), hard: true })
    },
  ],
  ['its project', (at, { project }) => at.forget({ project, hard: true })],
  [
    'its project, by the older route',
    async (at, { project }) => {
      await at.call('POST /api/projects/wipe', { project, confirm: project })
      await at.desk.queue.drained()
    },
  ],
  [
    'its id, after it was deleted softly',
    async (at, { id }) => {
      await at.forget({ ids: [`C${id}`] })
      return at.forget({ ids: [`C${id}`], hard: true })
    },
  ],
  [
    'its words, after it was deleted softly',
    async (at, { hash }) => {
      await at.forget({ ids: [`C${hash}`] })
      return at.forget({ query: SENTENCE, hard: true })
    },
  ],
]

test.each(COMMIT_WAYS)(
  'no byte of a commit is left after deleting it by %s, and reading the repository does not bring it back',
  async (_, deleteIt) => {
    await using at = await aHome()
    const { commit, readAgain } = await aCommit(at)
    expect((await residue(at.home)).join()).toContain('fulltext has')
    await deleteIt(at, commit)
    expect(await residue(at.home, { isJustErased: true })).toEqual([])
    await readAgain()
    expect(await residue(at.home)).toEqual([])
    expect(await at.store.commits.get(commit.id)).toBeNull()
  },
)

test('a deleted commit is hidden, can be restored by its id or hash, and its copy in the repository is named', async () => {
  await using at = await aHome()
  const { commit, readAgain } = await aCommit(at)
  const found = async () => (await at.call('POST /api/search', { query: WORDS[0] as string })).hits.map(({ kind, id }) => [kind, id])
  const shown = async () => JSON.stringify(await at.call('GET /api/injections', { limit: 99 }))
  const before = { found: await found(), shown: await shown(), commit: await at.store.commits.get(commit.id) }
  expect(before.found).toContainEqual(['commit', String(commit.id)])
  const client: ToolDeps = { worker: at, project: null, now: Date.now }
  const call = { signal: new AbortController().signal, progress: () => {} }
  for (const id of [`C${commit.id}`, `C${commit.hash.slice(0, 9)}`]) {
    expect(await forget.run(client, forget.input.parse({ ids: [id] }), call)).toContain(`Deleted: C${commit.id}.`)
    await readAgain()
    expect(await found()).toEqual([])
    expect([...at.store.commits.each(null)].map(({ subject }) => subject)).toEqual(['docs: explain the tide table'])
    expect(await shown()).not.toContain(WORDS[0] as string)
    expect(await at.call('GET /api/forgotten', {})).toMatchObject([
      { kind: 'commit', id: `C${commit.id}`, title: before.commit?.subject ?? '' },
    ])
    expect(await at.call('POST /api/restore', { ids: [id] })).toMatchObject({ restored: [{ id: `C${commit.id}` }] })
    await at.desk.queue.drained()
    expect({ found: await found(), shown: await shown(), commit: await at.store.commits.get(commit.id) }).toEqual(before)
    expect(await at.call('POST /api/restore', { ids: [id] })).toEqual({ restored: [], unchanged: [id] })
  }
  expect(await at.call('POST /api/forget/preview', { ids: [`C${commit.id}`], hard: true })).toMatchObject({
    counts: { commits: 1 },
    items: [{ kind: 'commit', id: `C${commit.id}`, because: 'chosen' }],
    remaining: [
      { what: expect.stringContaining(commit.hash.slice(0, 7)), where: at.project, how: expect.stringContaining('git filter-repo') },
    ],
  })
  const audit = await at.call('GET /api/audit', { limit: 100 })
  expect(audit.map(({ action, subject }) => `${action} ${subject.split(' ')[0]}`)).toContain('import git')
})

test('of a pushed note, the place of the remaining copy is named, and it does not come back from there', async () => {
  await using at = await aHome()
  const remote = join(at.folder, 'remote.git')
  Bun.spawnSync(['git', 'init', '--quiet', '--bare', '--initial-branch=main', remote])
  const sync = () => syncNotes(at.desk.notebook, { remote, fetch: true, push: true }, Date.now())
  const { note } = await at.call('POST /api/notes', { body: `The vault is called ${SENTENCE}.` })
  await sync()
  const { remaining } = await at.forget({ ids: [`N${note.id}`], hard: true })
  expect(remaining).toMatchObject([{ how: expect.stringContaining(`git filter-repo --invert-paths --path-glob '*${note.id}*'`) }])
  // The commits that the remote has are still here; nothing else is.
  expect((await residue(at.home, { except: ['/.git/objects/'] })).filter((place) => !place.includes('objects have'))).toEqual([])
  // Another machine changes its copy before it learns of the deletion.
  const clone = join(at.folder, 'clone')
  Bun.spawnSync(['git', 'clone', '--quiet', remote, clone])
  const file = join(clone, note.path.slice('memory/'.length))
  writeFileSync(file, readFileSync(file, 'utf8').replace('The vault', 'The old vault'))
  const git = ['git', '-C', clone, '-c', 'user.name=other', '-c', 'user.email=other@example.org']
  Bun.spawnSync([...git, 'commit', '--quiet', '--all', '--message', 'change'])
  Bun.spawnSync([...git, 'push', '--quiet', 'origin', 'main'])
  await sync()
  await sync()
  expect(await at.store.notes.get(note.id)).toBeNull()
  expect(existsSync(join(at.home, note.path))).toBe(false)
  expect(String(Bun.spawnSync(['git', '--git-dir', remote, 'ls-tree', '-r', '--name-only', 'main']).stdout)).not.toContain(note.id)
})

test('deleted turns stay gone when the session continues and its transcript is read again; new turns are recorded', async () => {
  await using at = await aHome()
  const { promptId } = await aStory(at)
  await at.forget({ ids: [`P${promptId}`], hard: true })
  // The same turn from the transcript, in every kind of event, and a late tool use and answer of it.
  await at.report(prompt(`[decision] We decided to call the vault ${SENTENCE}. Put that into the file.`, 't2'), 's-one', { uuid: 'line-2' })
  await at.report(toolUse('u3', { promptId: 't2', error: SENTENCE, output: undefined }))
  await at.report(toolUse('u9', { promptId: 't2', output: { stdout: SENTENCE } }))
  await at.report({ kind: 'turn-ended', promptId: 't2', answer: `Late: ${SENTENCE}` })
  await at.report({ kind: 'subagent-ended', promptId: 't2', agentId: 'a1', agentType: 'helper', answer: SENTENCE })
  await at.report({ kind: 'compacted', promptId: 't3', summary: `They named it ${SENTENCE}` })
  await at.report(prompt('Now draw the chart', 't4'))
  await at.report({ kind: 'turn-ended', promptId: 't4', answer: 'The chart is drawn.' })
  await at.desk.queue.drained()
  expect(await residue(at.home)).toEqual([])
  const prompts = await at.store.prompts.ofSession(1)
  expect(prompts.map(({ number, answer }) => [number, answer])).toEqual([
    [1, 'The table now uses local time everywhere.'],
    [3, 'Done, the tests pass.'],
    [4, 'The chart is drawn.'],
  ])
})

test('turns of an older client without turn ids stay gone too', async () => {
  await using at = await aHome()
  const text = `Call it ${SENTENCE}`
  for (const said of ['go on', text, 'go on']) {
    await at.report(prompt(said, null))
    await at.report({ kind: 'turn-ended', promptId: null, answer: `Answer to ${said}` })
  }
  await at.forget({ ids: ['P2'], hard: true })
  const past = at.now() - 3 * 60_000
  await at.report(prompt(text, null), 's-one', { at: past, uuid: 'l2' })
  await at.report({ kind: 'turn-ended', promptId: null, answer: `Answer to ${text}` }, 's-one', { at: past + 1000 })
  expect(await residue(at.home)).toEqual([])
  await at.report(prompt('go on', null), 's-one', { at: Date.now() + 1000 })
  expect((await at.store.prompts.ofSession(1)).map(({ number, text }) => [number, text])).toEqual([
    [1, 'go on'],
    [3, 'go on'],
    [4, 'go on'],
  ])
})

test('a deleted session stays gone when it is imported again; what happens in it later is a new session', async () => {
  await using at = await aHome()
  const history = join(at.folder, 'history')
  mkdirSync(history)
  const turns = [{ prompt: `Call it ${SENTENCE}`, commands: [`echo ${SENTENCE}`], answer: `It is ${SENTENCE}.`, promptId: 't1' }]
  const file = join(history, 's-one.jsonl')
  writeFileSync(file, transcript('s-one', turns, { cwd: at.project, title: SENTENCE }))
  const readAgain = () => Array.fromAsync(importTranscripts(at.desk, { agents: AGENT_NAMES, paths: [history], since: null, project: null }))
  await readAgain()
  const exported = [...EXPORT_KINDS].flatMap((kind) => [...exportLines(at.store, kind, null)])
  expect(await at.store.prompts.get(1)).not.toBeNull()
  await at.forget({ session: 's-one', hard: true })
  await at.store.transaction(async () => void (await at.store.transcripts.setCheckpoint(file, 'claude-code', null, 0, 0)))
  await readAgain()
  await importLines(at, exported)
  expect(await at.store.sessions.recent(null, 9)).toEqual([])
  expect(await residue(at.home)).toEqual([])
  const more = [...turns, { prompt: 'Draw the chart', answer: 'It is drawn.', promptId: 't2' }]
  const lines = transcript('s-one', more, { cwd: at.project }).split('\n')
  const later = lines.map((line) => (line.includes('Draw') || line.includes('drawn') ? line.replace(/2026-01-01/g, '2099-01-01') : line))
  writeFileSync(file, later.join('\n'))
  await readAgain()
  expect((await at.store.prompts.ofSession((await at.store.sessions.recent(null, 9))[0]?.id ?? 0)).map(({ text }) => text)).toEqual([
    'Draw the chart',
  ])
  expect(await residue(at.home)).toEqual([])
})

test('a deleted turn stays gone when an export or the database of claude-mem is imported', async () => {
  await using at = await aHome()
  const { promptId } = await aStory(at)
  const exported = [...EXPORT_KINDS].flatMap((kind) => [...exportLines(at.store, kind, null)])
  await at.forget({ ids: [`P${promptId}`], hard: true })
  await importLines(at, exported)
  expect(await residue(at.home)).toEqual([])
  const database = join(at.folder, 'claude-mem.db')
  claudeMemDatabase(database, 2)
  const read = () => Array.fromAsync(importMemories(at.desk, claudeCode, { from: 'claude-mem', paths: [database], project: null }))
  await read()
  const [first] = (await at.store.sessions.recent(null, 9)).filter(({ contentSessionId }) => contentSessionId.startsWith('content-'))
  await at.forget({ session: first?.contentSessionId ?? '', hard: true })
  const before = (await at.store.sessions.recent(null, 9)).length
  await read()
  expect(await at.store.sessions.recent(null, 9)).toHaveLength(before)
})

test('every kind can be restored until it is erased, and a memory comes back with its turn', async () => {
  await using at = await aHome()
  const { promptId } = await aStory(at)
  const rows = async () => ({
    prompts: await at.store.prompts.ofSession(1),
    observations: (await at.store.observations.ofSession(1, 99)).map(({ id, title }) => [id, title]),
    summaries: (await at.store.summaries.allOfSession(1)).map(({ id }) => id).sort(),
    uses: (await at.store.toolUses.ofSession(1, 99)).map(({ toolUseId }) => toolUseId),
  })
  const before = await rows()
  const found = async () =>
    (await at.call('POST /api/search', { query: WORDS[3] as string })).hits.filter((hit) => hit.title.includes('vault')).length
  const notes = async () => (await at.store.notes.list({ project: null, now: Date.now(), limit: 99 })).map(({ id }) => id).sort()
  const shown = await notes()
  const hits = await found()
  expect(hits).toBeGreaterThan(0)
  const ofTurn = (await at.store.observations.ofSession(1, 99)).find(({ promptNumber }) => promptNumber === 2)
  const ways: [RequestOf<'POST /api/forget'>, string | null][] = [
    [{ ids: [`P${promptId}`] }, `#${ofTurn?.id}`],
    [{ session: 's-one' }, `P${promptId}`],
    [{ ids: [`S${before.summaries[0]}`] }, `S${before.summaries[0]}`],
    [{ ids: [`#${before.observations[0]?.[0]}`] }, `#${before.observations[0]?.[0]}`],
    [{ query: SENTENCE }, null],
  ]
  for (const [what, id] of ways) {
    const { restorableUntil } = await at.forget(what)
    expect(restorableUntil).toBeGreaterThan(Date.now())
    const listed = await at.call('GET /api/forgotten', {})
    expect(listed.length).toBeGreaterThan(0)
    await at.call('POST /api/restore', { ids: id === null ? listed.map((item) => item.id) : [id] })
    await at.desk.queue.drained()
    expect(await rows()).toEqual(before)
    expect(await notes()).toEqual(shown)
  }
  expect(await found()).toBe(hits)
})

test('a soft deletion hides everything of it, and an agent can only delete softly and by id', async () => {
  await using at = await aHome()
  const { promptId } = await aStory(at)
  const client: ToolDeps = { worker: at, project: null, now: Date.now }
  const call = { signal: new AbortController().signal, progress: () => {} }
  const refused = [{ ids: [`P${promptId}`], hard: true }, { filter: { namespace: 'decisions' } }, { ids: ['s-one-whole'] }, {}]
  for (const input of refused) expect(forget.run(client, forget.input.parse(input), call)).rejects.toThrow()
  expect(await forget.run(client, forget.input.parse({ ids: [`P${promptId}`] }), call)).toContain(`Deleted: P${promptId}.`)
  const { hits } = await at.call('POST /api/search', { query: SENTENCE })
  const replies = JSON.stringify([
    hits,
    await at.call('GET /api/sessions/:id', { id: 1 }),
    await at.call('GET /api/injections', { limit: 99 }),
  ])
  for (const word of WORDS) expect(replies.replaceAll(SENTENCE, 'query')).not.toContain(word)
  expect(await forget.run(client, forget.input.parse({ ids: [`P${promptId}`], restore: true }), call)).toContain(`Restored: P${promptId}`)
  expect(await at.store.prompts.get(promptId)).not.toBeNull()
})

test('no result points to a deleted turn, and what a deleted session replaced holds again, until they are restored', async () => {
  await using at = await aHome()
  const told = async (session: string, ...turns: [text: string, answer: string][]) => {
    for (const [n, [text, answer]] of turns.entries()) {
      await at.report(prompt(text, `${session}-${n}`), session)
      await at.report({ kind: 'turn-ended', promptId: `${session}-${n}`, answer }, session)
    }
    await at.desk.queue.drained()
  }
  await told(
    's-one',
    ['Secrets of nested payloads are readable in the log pipeline, customers complain', 'I will mask every key that contains password.'],
    ['No, only suffixes of nested payloads count.', 'Settled: redact masks nested payloads by suffix, secrets only.'],
  )
  await told('s-two', [
    'Amendment to the redact rule for nested payloads in the log pipeline',
    'Amended rule: redact masks secrets of nested payloads anywhere in the key.',
  ])
  const threads = async () =>
    (await Promise.all([1, 2].map((id) => at.store.threads.ofSession(id)))).map((list) =>
      list.map(({ first, last, outcome, replacedBy }) => ({ turns: [first, last], outcome, isReplaced: replacedBy !== null })),
    )
  const before = await threads()
  expect(before).toEqual([[{ turns: [1, 2], outcome: 2, isReplaced: true }], [{ turns: [1, 1], outcome: 1, isReplaced: false }]])
  const deletions: [RequestOf<'POST /api/forget'>, string, unknown][] = [
    [{ ids: ['P2'] }, 'P2', [[{ turns: [1, 1], outcome: 1, isReplaced: true }], before[1]]],
    [{ ids: ['P1'] }, 'P1', [[{ turns: [2, 2], outcome: 2, isReplaced: true }], before[1]]],
    [{ session: 's-one' }, 's-one', [[], before[1]]],
    [{ ids: ['P3'] }, 'P3', [[{ ...before[0]?.[0], isReplaced: false }], []]],
    [{ session: 's-two' }, 's-two', [[{ ...before[0]?.[0], isReplaced: false }], []]],
  ]
  for (const [what, id, left] of deletions) {
    await at.forget(what)
    await at.desk.queue.drained()
    expect(await threads()).toEqual(left as never)
    await at.call('POST /api/restore', { ids: [id] })
    await at.desk.queue.drained()
    expect(await threads()).toEqual(before)
  }
})

const RULE = `Never name the vault ${SENTENCE}, because the tests break.`

/** States a decision and an open end. */
const ANSWER = `I kept the file ${SENTENCE} rather than SQLite because the native build breaks. ${WORDS[2]} is not honoured yet.`

/** A session with a rule in its second turn. */
async function aRule(at: Home, session: string, rule = RULE): Promise<number> {
  for (const [n, text] of ['Show the tide table in local time', rule, 'Draw the chart of the harbour'].entries()) {
    await at.report(prompt(text, `${session}-${n}`), session)
    await at.report({ kind: 'turn-ended', promptId: `${session}-${n}`, answer: text === RULE ? ANSWER : 'Fine.' }, session)
  }
  await at.report({ kind: 'session-ended', reason: 'exit' }, session)
  await at.desk.queue.drained()
  const found = (await at.store.sessions.withIdPrefix(session, 1))[0]
  return (await at.store.prompts.ofSession(found?.id ?? 0)).find(({ number }) => number === 2)?.id ?? 0
}

/** The rules that are noted, each with the places where it was said. */
const rulesIn = async (at: Home) =>
  (await at.store.notes.list({ project: null, namespace: 'rules', now: Date.now(), limit: 99 })).map(({ body, said }) => [
    body,
    said.map((place) => place.slice(11)),
  ])

/** Everything that could state a rule again. */
async function stateAgain(at: Home, exported: object[]): Promise<void> {
  for (const { id } of await at.store.sessions.recent(null, 9))
    await at.store.transaction(() => at.store.jobs.add('statements', String(id), { sessionId: id, occasion: 'session-end' }, Date.now()))
  at.desk.queue.kick()
  await at.desk.queue.drained()
  if (exported.length > 0) await importLines(at, exported)
  await at.desk.queue.drained()
}

const exportOf = (at: Home) => [...EXPORT_KINDS].flatMap((kind) => [...exportLines(at.store, kind, null)])

const RULE_WAYS: [string, (at: Home, promptId: number) => Promise<unknown>][] = [
  ['its turn', (at, id) => at.forget({ ids: [`P${id}`], hard: true })],
  ['its session', (at) => at.forget({ session: 's-one', hard: true })],
  [
    'the time of its turn',
    async (at, id) => {
      const { at: since } = (await at.store.prompts.get(id)) ?? { at: 0 }
      return at.forget({ since, before: since + 60_001, hard: true })
    },
  ],
  [
    'its turn, after that was deleted softly',
    async (at, id) => {
      await at.forget({ ids: [`P${id}`] })
      return at.forget({ ids: [`P${id}`], hard: true })
    },
  ],
]

test.each(RULE_WAYS)('a rule goes for good with %s, and does not come back', async (_, deleteIt) => {
  await using at = await aHome()
  const id = await aRule(at, 's-one')
  expect(await rulesIn(at)).toEqual([[RULE, ['s-one:2']]])
  for (const namespace of ['decisions', 'open-ends'])
    expect(await at.store.notes.list({ project: null, namespace, now: Date.now(), limit: 9 })).toMatchObject([{ session: 's-one' }])
  await commit(at)
  const exported = exportOf(at)
  await deleteIt(at, id)
  expect(await residue(at.home, { isJustErased: true })).toEqual([])
  await stateAgain(at, exported)
  expect(await rulesIn(at)).toEqual([])
  expect(await residue(at.home)).toEqual([])
})

test.each(RULE_WAYS)('a rule that was said elsewhere too only loses that place with %s', async (_, deleteIt) => {
  await using at = await aHome()
  const id = await aRule(at, 's-one')
  await aRule(at, 's-two')
  expect(await rulesIn(at)).toEqual([[RULE, ['s-one:2', 's-two:2']]])
  const exported = exportOf(at)
  await deleteIt(at, id)
  expect(await rulesIn(at)).toEqual([[RULE, ['s-two:2']]])
  await stateAgain(at, exported)
  expect(await rulesIn(at)).toEqual([[RULE, ['s-two:2']]])
  await at.forget({ session: 's-two', hard: true })
  await stateAgain(at, exported)
  expect(await residue(at.home)).toEqual([])
})

test('no word of a rule is left that another session said in other words; their wording is noted instead', async () => {
  await using at = await aHome()
  const id = await aRule(at, 's-one', `From now on, start function names with 'x_', says ${SENTENCE}.`)
  await aRule(at, 's-two', "Always start function names with 'x_'.")
  expect(await rulesIn(at)).toHaveLength(1)
  await at.forget({ ids: [`P${id}`] })
  await at.desk.queue.drained()
  expect(await rulesIn(at)).toEqual([["Always start function names with 'x_'.", ['s-two:2']]])
  await at.forget({ ids: [`P${id}`], hard: true })
  await at.desk.queue.drained()
  expect(await residue(at.home)).toEqual([])
  expect(await rulesIn(at)).toEqual([["Always start function names with 'x_'.", ['s-two:2']]])
})

test('rules come back with their turns, in whichever order these are restored; rejected ones do not', async () => {
  await using at = await aHome()
  const one = await aRule(at, 's-one')
  const two = await aRule(at, 's-two')
  const before = await rulesIn(at)
  const restore = (...ids: string[]) => at.call('POST /api/restore', { ids })
  await at.forget({ ids: [`P${one}`] })
  expect(await rulesIn(at)).toEqual([[RULE, ['s-two:2']]])
  await at.forget({ session: 's-two' })
  expect(await rulesIn(at)).toEqual([])
  await stateAgain(at, [])
  expect(await rulesIn(at)).toEqual([])
  await restore(`P${one}`)
  expect(await rulesIn(at)).toEqual([[RULE, ['s-one:2']]])
  await restore('s-two')
  expect(await rulesIn(at)).toEqual(before)
  await at.forget({ ids: [`P${one}`, `P${two}`] })
  await at.forget({ ids: [`P${one}`], hard: true })
  await restore(`P${two}`)
  expect(await rulesIn(at)).toEqual([[RULE, ['s-two:2']]])
  const [note] = await at.store.notes.list({ project: null, namespace: 'rules', now: Date.now(), limit: 9 })
  await at.forget({ ids: [`N${note?.id}`] })
  await at.forget({ ids: [`P${two}`] })
  await restore(`P${two}`)
  await stateAgain(at, [])
  expect(await rulesIn(at)).toEqual([])
})

test('a rule that went with its turn is noted when it is said again', async () => {
  await using at = await aHome()
  await at.forget({ ids: [`P${await aRule(at, 's-one')}`] })
  at.later(7 * 60 * 60_000)
  await aRule(at, 's-three')
  expect(await rulesIn(at)).toEqual([[RULE, ['s-three:2']]])
})

test('an option that a person chose goes with the answer that offered it', async () => {
  await using at = await aHome()
  await at.report(prompt('How shall we name the vault?', 't1'))
  const answer = `How to name the \`vault\` of ${WORDS[4]}:\n- Option A: keep the old name\n- Option B: call it ${SENTENCE}\nWhich one?`
  await at.report({ kind: 'turn-ended', promptId: 't1', answer })
  await at.report(prompt('Let us go with option B.', 't2'))
  await at.report({ kind: 'turn-ended', promptId: 't2', answer: 'Fine.' })
  await at.report({ kind: 'session-ended', reason: 'exit' })
  await at.desk.queue.drained()
  const chosen = async () =>
    (await at.store.notes.list({ project: null, namespace: 'decisions', now: Date.now(), limit: 9 })).map(({ body }) => body)
  expect((await chosen()).join()).toContain(SENTENCE)
  await at.forget({ ids: ['P1'] })
  expect((await chosen()).join()).not.toContain(SENTENCE)
  await at.call('POST /api/restore', { ids: ['P1'] })
  expect((await chosen()).join()).toContain(SENTENCE)
  await at.forget({ ids: ['P1'], hard: true })
  expect(await residue(at.home)).toEqual([])
})

/** A turn whose check fails with the sentence, and a later one that puts it right with an edit that does not say it. */
async function aFixedFailure(at: Home): Promise<{ failed: number; fixed: number }> {
  const error = `FAIL src/tide.test.ts > ${SENTENCE}\nError: ${WORDS[0]} is not defined\n    at src/tide.ts:4:2\nTests  1 failed | 11 passed (12)`
  const run = { command: `npx vitest run -t ${WORDS[3]}` }
  const file = join(at.project, 'src', 'tide.ts')
  await at.report(prompt('Run the tests of the tide table', 't1'))
  await at.report(toolUse('u1', { promptId: 't1', input: run, output: undefined, error }))
  await at.report({ kind: 'turn-ended', promptId: 't1', answer: `One test fails: ${SENTENCE}.` })
  await at.report(prompt('Draw the chart of the harbour', 't1b'))
  await at.report({ kind: 'turn-ended', promptId: 't1b', answer: 'The chart is drawn in src/chart.ts.' })
  await at.report(prompt('Repair the tide table then', 't2'))
  await at.report(
    toolUse('u2', {
      promptId: 't2',
      tool: 'Edit',
      input: { file_path: file, old_string: 'let zone', new_string: 'const zone' },
      output: {},
    }),
  )
  await at.report(toolUse('u3', { promptId: 't2', input: { command: 'npx vitest run' }, output: { stdout: 'Tests  12 passed (12)' } }))
  await at.report({ kind: 'turn-ended', promptId: 't2', answer: 'The zone is constant now, and the tests pass.' })
  await at.report({ kind: 'session-ended', reason: 'exit' })
  await at.desk.queue.drained()
  const [failed, , fixed] = await at.store.prompts.ofSession(1)
  return { failed: failed?.id ?? 0, fixed: fixed?.id ?? 0 }
}

test.each(['softly', 'for good'])(
  'the turn that fixed a failure keeps no word of the turn that met it, when that is deleted %s',
  async (how) => {
    await using at = await aHome()
    const { failed, fixed } = await aFixedFailure(at)
    const told = async () =>
      JSON.stringify([
        await at.store.observations.ofSession(1, 9),
        await at.store.summaries.allOfSession(1),
        await at.store.notes.list({ project: null, now: Date.now(), limit: 9 }),
      ])
    expect(await told()).toContain('passes now')
    await at.forget({ ids: [`P${failed}`], hard: how === 'for good' })
    await at.desk.queue.drained()
    for (const word of WORDS) expect(await told()).not.toContain(word)
    if (how === 'for good') expect(await residue(at.home)).toEqual([])
    expect(await at.store.prompts.get(fixed)).toMatchObject({ answer: 'The zone is constant now, and the tests pass.' })
  },
)

test.each(['softly', 'for good'])('a failure that was shown to other sessions is deleted %s together with its turn', async (how) => {
  await using at = await aHome({ RECOLLECT_HOOKS_PRE_TOOL_USE_ENABLED: 'true', RECOLLECT_HOOKS_PRE_TOOL_USE_WARN: 'true' })
  const run = { command: 'npx vitest run src/tide.test.ts' }
  await at.report(prompt('Run the tests of the tide table', 't1'))
  await at.report(toolUse('u1', { promptId: 't1', input: run, output: undefined, error: failureOf(WORDS[0] as string) }))
  await at.report({ kind: 'turn-ended', promptId: 't1', answer: 'One test fails.' })
  await at.report({ kind: 'session-ended', reason: 'exit' })
  await at.desk.queue.drained()
  const send = async (name: string, payload: object) => {
    const host = { hook_event_name: name, session_id: 's-two', cwd: at.project, transcript_path: '', ...payload }
    const reply = await ingestDelivery(at.desk, {
      agent: claudeCode,
      payload: host,
      context: nowhere,
      delivery: null,
      at: at.later(60_000),
    })
    return JSON.stringify(reply)
  }
  expect(await send('UserPromptSubmit', { prompt: 'Which tests are failing?', prompt_id: 'q1' })).toContain(WORDS[0] as string)
  // The warning is prepared in the background, and recorded after it was sent.
  const tool = { tool_name: 'Bash', tool_input: run, tool_use_id: 'u9' }
  await until(async () => (await send('PreToolUse', tool)).includes(WORDS[0] as string))
  const shown = async () => JSON.stringify(await at.call('GET /api/injections', { limit: 99 }))
  await until(async () => (await shown()).includes('was tried before'))
  await at.forget({ ids: ['P1'], hard: how === 'for good' })
  await at.desk.queue.drained()
  expect(await shown()).not.toContain(WORDS[0] as string)
  if (how === 'for good') expect(await residue(at.home)).toEqual([])
})

/** A name of one word, which occurs in no sentence of the turn. */
const failureOf = (name: string) => `FAIL src/tide.test.ts > ${name}\nError: expected 1\nTests  1 failed | 11 passed (12)`

test.each(['softly', 'for good'])(
  'a result or a changed value that was shown to other sessions is deleted %s together with its turn',
  async (how) => {
    await using at = await aHome()
    const turnOf = async (session: string, id: string, text: string, answer: string) => {
      await at.report(prompt(text, id), session)
      await at.report({ kind: 'turn-ended', promptId: id, answer }, session)
    }
    const ended = async (session: string) => {
      await at.report({ kind: 'session-ended', reason: 'exit' }, session)
      await at.desk.queue.drained()
    }
    await turnOf(
      's-one',
      'a1',
      'Which folder does the harbour vault use for its tide tables?',
      'The harbour vault stores its tide tables in `tide/tables`.',
    )
    await ended('s-one')
    await turnOf(
      's-two',
      'b1',
      'The harbour vault needs another folder for tide tables',
      `I changed the folder of the harbour vault from \`tide/tables\` to \`tide/${WORDS[0]}\`.`,
    )
    await ended('s-two')
    const ask = async (session: string, text: string) => {
      const host = {
        hook_event_name: 'UserPromptSubmit',
        session_id: session,
        prompt: text,
        prompt_id: session,
        cwd: at.project,
        transcript_path: '',
      }
      return JSON.stringify(
        await ingestDelivery(at.desk, { agent: claudeCode, payload: host, context: nowhere, delivery: null, at: at.later(60_000) }),
      )
    }
    expect(await ask('s-three', 'Which folder does the harbour vault use for its tide tables now?')).toContain('Changed later')
    expect(await ask('s-four', 'Look at tide/tables of the harbour vault, is it stored there?')).toContain('Changed later')
    expect(await ask('s-five', 'What did I do today?')).toContain(WORDS[0] as string)
    const shown = async () => JSON.stringify(await at.call('GET /api/injections', { limit: 99 }))
    const before = await shown()
    expect(before).toContain(WORDS[0] as string)
    await at.forget({ ids: ['P2'], hard: how === 'for good' })
    await at.desk.queue.drained()
    expect(await shown()).not.toContain(WORDS[0] as string)
    expect(await ask('s-six', 'Which folder does the harbour vault use for its tide tables now?')).not.toContain('Changed later')
    if (how === 'for good') return expect(await residue(at.home)).toEqual([])
    await at.call('POST /api/restore', { ids: ['P2'] })
    await at.desk.queue.drained()
    expect(await ask('s-seven', 'Which folder does the harbour vault use for its tide tables now?')).toContain('Changed later')
  },
)

test('a deletion is refused as a whole when an id is wrong, a filter is misspelt, or something else would go by now', async () => {
  await using at = await aHome()
  const { promptId } = await aStory(at)
  const preview = await at.call('POST /api/forget/preview', { query: SENTENCE })
  for (const [request, message] of [
    [{ ids: [`P${promptId}`, 'P999'] }, /no prompt has the id/],
    [{ ids: [`P${promptId}`], project: 'app' }, /either ids or filters/],
    [{ project: 'no-such-project' }, /no project no-such-project/],
    [{ session: 'nobody' }, /no memory or session nobody/],
    [{ query: '…' }, /contains no word/],
    [{}, /nothing is selected/],
    [{ projet: 'app', hard: true }, /projet/],
    [{ query: SENTENCE, fingerprint: 'of something else' }, /^Error: 409 .*Nothing was deleted/],
  ] as const)
    expect(String(await at.forget(request as never).catch(String))).toMatch(message)
  await at.report(prompt(`Once more: ${SENTENCE}`, 't9'))
  expect(String(await at.forget({ query: SENTENCE, fingerprint: preview.fingerprint }).catch(String))).toContain('409')
  expect(await at.store.prompts.get(promptId)).not.toBeNull()
})

test.each([1, 2, 3, 4, 5, 6, 7, 8])('a hard deletion that is cut off at moment %i is completed by the next attempt', async (moment) => {
  await using at = await aHome()
  const { promptId } = await aStory(at)
  const plan = await planDeletion(at.desk, { ids: [`P${promptId}`], hard: true })
  const job: Job<'erase'> = { id: 999, kind: 'erase', key: 'x', payload: { at: Date.now(), ...plan }, attempts: 1 }
  let asked = 0
  const throwIfAborted = () => {
    if (++asked === moment) throw new Error('cut off')
  }
  const cutOff = { ...at.desk, stopSignal: { ...at.desk.stopSignal, throwIfAborted } as AbortSignal }
  await runEraseJob(cutOff, job).catch(() => {})
  await runEraseJob(at.desk, job)
  expect(await residue(at.home, { isJustErased: true })).toEqual([])
  await at.desk.queue.drained()
  expect(await residue(at.home)).toEqual([])
})

test('a worker that is killed while it deletes for good continues when it starts again', async () => {
  using folder = temporaryFolder()
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0', RECOLLECT_EMBEDDER_PROVIDER: 'none' }
  const spawn = (...args: string[]) =>
    Bun.spawn([RECOLLECT, ...args], { env, cwd: folder.path, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const recollect = async (...args: string[]) => {
    const child = spawn(...args)
    const [out] = await Promise.all([child.stdout.text(), child.exited])
    return out
  }
  await recollect('demo')
  const home = join(folder.path, '.recollect')
  const { pid } = JSON.parse(readFileSync(join(home, 'run', 'worker.json'), 'utf8')) as { pid: number }
  const log = join(home, 'logs', 'worker.log')
  const deleting = spawn('forget', '--project', 'tidepool', '--hard', '--yes')
  while (!readFileSync(log, 'utf8').includes('"erasing"')) await Bun.sleep(1)
  process.kill(pid, 'SIGKILL')
  await deleting.exited
  await recollect('start')
  const isDone = async () =>
    (JSON.parse(await recollect('audit', '--json')) as { action: string }[]).some(({ action }) => action === 'erased')
  while (!(await isDone())) await Bun.sleep(100)
  expect(JSON.parse(await recollect('search', 'low tide an hour late', '--all', '--json')).hits).toEqual([])
  await recollect('stop')
  const bytes = readFileSync(join(home, 'recollect.db')).toString('latin1')
  for (const word of ['Brest', 'shown an hour late', 'harmonic']) expect([word, bytes.includes(word)]).toEqual([word, false])
}, 300_000)

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')
const LINE = { sessionId: 's-import', agent: 'claude-code', project: 'app' }
const OBSERVATION = { ...LINE, promptNumber: 1, type: 'change', narrative: '' }
const SUMMARY = { ...LINE, promptNumber: 1, source: 'turn', nextSteps: '' }

/** A repository of two commits, of which one says the sentence and was shown to a session. */
async function aCommit(at: Home) {
  const repository = aRepository(at.project)
  repository.commit('docs: explain the tide table', 'tide.md')
  repository.commit(
    `fix: call the vault ${SENTENCE}\n\nThe vault must always be called ${SENTENCE}, because ${SENTENCE} says so.`,
    `${WORDS[4]}.ts`,
  )
  const readAgain = () =>
    Array.fromAsync(importMemories(at.desk, claudeCode, { from: 'git', paths: [at.project], project: null })).then(() =>
      at.desk.queue.drained(),
    )
  await readAgain()
  const commit = [...at.store.commits.each(null)].find(({ subject }) => subject.includes('vault'))
  if (!commit) throw new Error('the commits were not read')
  const prompted = { hook_event_name: 'UserPromptSubmit', prompt: 'What must the vault always be called?', prompt_id: 'q1' }
  const payload = { session_id: 's-two', cwd: at.project, transcript_path: '', ...prompted }
  await ingestDelivery(at.desk, { agent: claudeCode, payload, context: nowhere, delivery: null, at: Date.now() })
  await at.desk.queue.drained()
  expect(JSON.stringify(await at.store.injections.recent(null, 50))).toContain(WORDS[0] as string)
  return { commit, readAgain }
}

async function importLines(at: Home, lines: object[]): Promise<void> {
  const path = join(at.folder, 'export.jsonl')
  writeFileSync(path, lines.map((line) => `${JSON.stringify({ ...LINE, ...line })}\n`).join(''))
  for await (const _ of importMemories(at.desk, claudeCode, { from: 'jsonl', paths: [path], project: null }));
  rmSync(path)
}

const commit = (at: Home) => syncNotes(at.desk.notebook, { remote: '', fetch: false, push: false }, Date.now())
