import { expect, test } from 'bun:test'
import { captureAll, event, note, nowhere, prompt, temporaryStore, toolUse } from '../../test/support/builders.ts'
import type { AgentEvent, EventContext, SessionEvent } from '../core/event.ts'
import { asContentSessionId, asProjectKey } from '../core/ids.ts'
import type { Change } from '../core/memory.ts'
import type { Store } from '../store/store.ts'
import { type CaptureRules, type TranscriptLineRef, take } from './capture.ts'
import { episodeDraft } from './episode-draft.ts'

test('the first event of a session opens it, no matter its kind', async () => {
  await using at = await aCapture()
  const taken = await at.take(toolUse('t1'))
  expect(taken.map((change) => change.kind)).toEqual(['session-opened', 'tool-use-added'])
  expect(await at.session()).toMatchObject({ project: 'app', folder: '/home/dev/app', branch: 'main', status: 'initialized' })
})

test('a session stays in the project where it started when the client changes folders', async () => {
  await using at = await aCapture()
  await at.take(prompt('go'), { cwd: '/home/dev/app' })
  await at.take(toolUse('t1'), { cwd: '/tmp', at: 1010 })
  expect((await at.session()).folder).toBe('/home/dev/app')
})

test('the project folder that the client reports counts more than its current folder', async () => {
  await using at = await aCapture()
  await at.take(prompt('go'), { cwd: '/tmp' }, { ...nowhere, projectFolder: '/home/dev/app' })
  expect((await at.session()).folder).toBe('/home/dev/app')
})

test('an event without a folder is ignored', async () => {
  await using at = await aCapture()
  expect(await at.take(prompt('go'), { cwd: null })).toEqual([])
  expect(await at.store.sessions.recent(null, 1)).toEqual([])
})

test('an event that arrives twice is stored once', async () => {
  await using at = await aCapture()
  const events: SessionEvent[] = [
    { kind: 'session-started', source: 'startup' },
    prompt('go'),
    toolUse('t1'),
    { kind: 'subagent-ended', promptId: 'p1', agentId: 'a1', agentType: 'Explore', answer: 'found it' },
    { kind: 'compacting', promptId: 'p1' },
    { kind: 'compacted', promptId: 'p1', summary: 'so far so good' },
    { kind: 'turn-ended', promptId: 'p1', answer: 'done' },
    { kind: 'session-ended', reason: 'other' },
    { kind: 'ignored', name: 'Notification' },
  ]
  for (const reported of events) await at.take(reported)
  const once = await at.journal()
  for (const reported of events.slice(1)) expect(await at.take(reported)).toEqual([])
  expect(await at.journal()).toEqual(once)
  expect(once.prompts).toEqual([{ number: 1, text: 'go', answer: 'done' }])
  expect(once.toolUses).toEqual([['t1', 1]])
  expect(once.summaries).toHaveLength(2)
  expect((await at.session()).status).toBe('completed')
})

test('a session that the caller has already found is not looked up again', async () => {
  await using at = await aCapture()
  await at.take(prompt('go'))
  const store = { ...at.store, sessions: { ...at.store.sessions, find: () => Promise.reject(new Error('looked up again')) } }
  const session = await at.session()
  await take(store, event(toolUse('t1')), nowhere, at.rules, null, session)
  expect((await at.journal()).toolUses).toEqual([['t1', 1]])
})

test('a prompt from the hook and from the transcript is stored once', async () => {
  await using at = await aCapture()
  await at.take(prompt('fix\n  it'), { at: 1005 })
  await at.read(prompt('fix it'), { at: 1000 }, { uuid: 'u1' })
  expect((await at.journal()).prompts).toHaveLength(1)
})

test('a message typed during a turn is a separate prompt, and the answer belongs to the last one', async () => {
  await using at = await aCapture()
  await at.take(prompt('first'), { at: 1000 })
  await at.take(toolUse('t1'), { at: 1010 })
  await at.take(prompt('also this'), { at: 1020 })
  await at.take(toolUse('t2'), { at: 1030 })
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'both done' }, { at: 1040 })
  const { prompts, toolUses } = await at.journal()
  expect(prompts).toEqual([
    { number: 1, text: 'first', answer: null },
    { number: 2, text: 'also this', answer: 'both done' },
  ])
  expect(toolUses).toEqual([
    ['t1', 1],
    ['t2', 2],
  ])
})

test('without turn ids, each repetition of a text is a new prompt, in hooks and transcripts alike', async () => {
  await using at = await aCapture()
  for (const when of [1000, 2000, 3000]) await at.take(prompt('go on', null), { at: when })
  expect((await at.journal()).prompts).toHaveLength(3)
  for (const n of [1, 2, 3, 4]) await at.read(prompt('go on', null), { at: 1000 * n }, { uuid: `u${n}` })
  expect((await at.journal()).prompts).toHaveLength(4)
})

test('a blank prompt without a turn id is ignored', async () => {
  await using at = await aCapture()
  await at.take(prompt(' \n ', null))
  expect((await at.journal()).prompts).toEqual([])
})

test('a tool use that arrives before its prompt is assigned to its turn', async () => {
  await using at = await aCapture()
  await at.take(toolUse('t1'), { at: 1010 })
  await at.take(prompt('go'), { at: 1000 })
  expect((await at.journal()).toolUses).toEqual([['t1', 1]])
})

test('a tool use that the transcript has already reported is not stored again when a hook reports it without an id', async () => {
  await using at = await aCapture()
  await at.take(prompt('go'), { at: 1000 })
  await at.read({ ...toolUse('t1'), isComplete: true }, { at: 1010 }, { uuid: 'line-1' })
  const withoutId = { ...toolUse('t1'), toolUseId: null }
  await at.take(withoutId, { at: 1500 })
  expect((await at.journal()).toolUses).toEqual([['t1', 1]])
  // The same command, much later: the agent ran it again.
  await at.take(withoutId, { at: 60_000 })
  expect((await at.journal()).toolUses).toHaveLength(2)
})

test('a tool use that arrives after its turn was distilled queues the turn again', async () => {
  await using at = await aCapture()
  await at.take(prompt('go'), { at: 1000 })
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'done' }, { at: 1020 })
  await at.noJobs()
  await at.take(toolUse('late'), { at: 1010 })
  expect(await at.jobs()).toEqual(['1:1'])
})

test('an answer with an earlier time changes nothing; a later one replaces it', async () => {
  await using at = await aCapture()
  await at.take(prompt('go'), { at: 1000 })
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'from the hook' }, { at: 2000 })
  await at.noJobs()
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'from the transcript' }, { at: 1990 })
  expect([(await at.journal()).prompts[0]?.answer, await at.jobs()]).toEqual(['from the hook', []])
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'in the end' }, { at: 2010 })
  expect([(await at.journal()).prompts[0]?.answer, await at.jobs()]).toEqual(['in the end', ['1:1']])
})

test('an answer of an unknown turn is ignored', async () => {
  await using at = await aCapture()
  await at.take({ kind: 'turn-ended', promptId: 'p9', answer: 'hello?' })
  expect((await at.journal()).prompts).toEqual([])
})

test('an interrupted turn is distilled when the next one starts', async () => {
  await using at = await aCapture()
  await at.take(prompt('first', 'p1'), { at: 1000 })
  await at.take(prompt('second', 'p2'), { at: 2000 })
  expect(await at.jobs()).toEqual(['1:1'])
})

test('a fully private prompt leaves nothing, and neither do its tool uses and answers', async () => {
  for (const promptId of ['p1', null]) {
    await using at = await aCapture()
    await at.take(prompt('<private>the merger</private>', promptId), { at: 1000 })
    await at.take(toolUse('t1', { promptId, output: 'merger' }), { at: 1010 })
    await at.take({ kind: 'subagent-ended', promptId, agentId: 'a', agentType: 'x', answer: 'merger' }, { at: 1020 })
    await at.take({ kind: 'turn-ended', promptId, answer: 'merger' }, { at: 1030 })
    await at.take(prompt('and now?', promptId ? 'p2' : null), { at: 2000 })
    await at.take(toolUse('t2', { promptId: promptId ? 'p2' : null }), { at: 2010 })
    const { prompts, toolUses, summaries } = await at.journal()
    expect([prompts.map((p) => p.text), toolUses, summaries]).toEqual([['and now?'], [['t2', 1]], []])
  }
})

test('a late tool use of a private turn is not stored', async () => {
  await using at = await aCapture()
  await at.take(prompt('<private>x</private>', 'p1'), { at: 1000 })
  await at.take(prompt('next', 'p2'), { at: 2000 })
  await at.take(toolUse('late', { promptId: 'p1' }), { at: 1500 })
  expect((await at.journal()).toolUses).toEqual([])
})

test('a private prompt mutes its turn even if prompts are not stored', async () => {
  await using at = await aCapture({ isWanted: (kind) => kind !== 'prompt-submitted' })
  await at.take(prompt('<private>x</private>', null), { at: 1000 })
  await at.take(toolUse('t1', { promptId: null }), { at: 1010 })
  await at.take(prompt('open', null), { at: 2000 })
  await at.take(toolUse('t2', { promptId: null }), { at: 2010 })
  const { prompts, toolUses } = await at.journal()
  // The turn is stored without its words, so that its tool uses and its answer have a place.
  expect([prompts.map(({ text }) => text), toolUses.map(([id]) => id)]).toEqual([['(no words)'], ['t2']])
})

test('private parts, secrets and reminders are removed before anything is stored', async () => {
  await using at = await aCapture()
  const key = 'AKIAIOSFODNN7EXAMPLQ'
  await at.take(prompt(`deploy <private>swordfish</private> with ${key}`))
  await at.take(toolUse('t1', { input: { command: `x <private>swordfish</private> ${key}` }, output: [`<private>swordfish ${key}`] }))
  await at.take(toolUse('t2', { output: undefined, error: `failed <system-reminder>swordfish</system-reminder> ${key}` }))
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: `${key} <private>swordfish</private> deployed` }, { at: 2000 })
  const kept = JSON.stringify([[...at.store.prompts.each(null)], [...at.store.toolUses.each(null)]])
  expect(kept).not.toContain('swordfish')
  expect(kept).not.toContain(key)
  expect(kept).toContain('deployed')
})

test('redaction can be switched off and extended with patterns', async () => {
  const key = 'AKIAIOSFODNN7EXAMPLQ'
  await using open = await aCapture({ redactPatterns: null })
  await open.take(prompt(`use ${key}`))
  expect((await open.journal()).prompts[0]?.text).toBe(`use ${key}`)
  await using strict = await aCapture({ redactPatterns: [/project-\w+/g, /x*/g] })
  await strict.take(prompt('ask project-umbra'))
  expect((await strict.journal()).prompts[0]?.text).not.toContain('umbra')
})

test('a turn has one summary by the host, the latest', async () => {
  await using at = await aCapture()
  await at.take(prompt('go'))
  await at.take({ kind: 'compacted', promptId: null, summary: 'first half' }, { at: 2000 })
  await at.take({ kind: 'compacted', promptId: null, summary: 'first half, said again' }, { at: 2001 })
  expect((await at.journal()).summaries.map((s) => [s.source, s.notes])).toEqual([['compact', 'first half, said again']])
})

test.each([
  ['fully', '<private>the merger</private>'],
  ['partly', 'plan <private>the merger</private>'],
])('the summary by the host is dropped if a prompt was %s private', async (_, text) => {
  await using at = await aCapture()
  await at.take(prompt(text), { at: 1000 })
  await at.take(prompt('harmless', 'p2'), { at: 2000 })
  await at.take({ kind: 'compacted', promptId: null, summary: 'they plan the merger' }, { at: 3000 })
  expect((await at.journal()).summaries).toEqual([])
})

test('private parts are removed before a notice is shortened, a compaction summary is unwrapped and an agent type is stored', async () => {
  const shown: string[] = []
  const seen = (text: string) => {
    shown.push(text)
    return text
  }
  await using at = await aCapture({ noticeText: seen, compactSummary: seen })
  const notice = '<task-notification>done <private>the merger</private></task-notification>'
  await at.take({ kind: 'prompt-submitted', promptId: 'p1', origin: 'machine', text: notice }, { at: 1000 })
  await at.take(
    { kind: 'compacted', promptId: 'p1', summary: '<system-reminder>x</system-reminder><summary>so far</summary>' },
    { at: 1001 },
  )
  await at.take(
    { kind: 'subagent-ended', promptId: 'p1', agentId: 'a1', agentType: 'x<private>the merger</private>', answer: 'ok' },
    { at: 1002 },
  )
  expect(shown).toEqual(['<task-notification>done </task-notification>'])
  expect(JSON.stringify(await at.journal())).not.toContain('merger')
})

test('work of a session from elsewhere in an excluded folder leaves no trace, nor does the rest of that turn', async () => {
  await using at = await aCapture({ isInExcludedFolder: ({ cwd }) => cwd === '/home/dev/drafts' })
  await at.take(prompt('look around'), { at: 1000, cwd: '/home/dev/app' })
  await at.take(toolUse('t1'), { at: 1001, cwd: '/home/dev/app' })
  await at.take(toolUse('t2'), { at: 1002, cwd: '/home/dev/drafts' })
  await at.take(toolUse('t3'), { at: 1003, cwd: '/home/dev/app' })
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'the drafts say …' }, { at: 1004, cwd: '/home/dev/app' })
  await at.take({ kind: 'compacted', promptId: 'p1', summary: 'the drafts say …' }, { at: 1005, cwd: '/home/dev/app' })
  await at.take(prompt('and here', 'p2'), { at: 2000, cwd: '/home/dev/drafts' })
  await at.take({ kind: 'turn-ended', promptId: 'p2', answer: 'more drafts' }, { at: 2001, cwd: '/home/dev/app' })
  await at.take(prompt('go on', 'p3'), { at: 3000, cwd: '/home/dev/app' })
  await at.take({ kind: 'turn-ended', promptId: 'p3', answer: 'done' }, { at: 3001, cwd: '/home/dev/app' })
  const { prompts, toolUses, summaries } = await at.journal()
  expect(prompts.map(({ text, answer }) => [text, answer])).toEqual([
    ['look around', null],
    ['go on', 'done'],
  ])
  expect(toolUses.map(([id]) => id)).toEqual(['t1'])
  expect(summaries).toEqual([])
})

test('only the last answer of a subagent is stored', async () => {
  await using at = await aCapture()
  const ended = (answer: string): SessionEvent => ({ kind: 'subagent-ended', promptId: 'p1', agentId: 'a1', agentType: 'Explore', answer })
  await at.take(prompt('go'))
  await at.take(ended('looking'))
  await at.take(ended('found it'))
  await at.take(ended('   '))
  expect((await at.journal()).summaries.map((s) => [s.request, s.learned])).toEqual([['Explore', 'found it']])
})

test('a completed session becomes active when it is resumed', async () => {
  await using at = await aCapture()
  await at.take(prompt('go', 'p1'), { at: 1000 })
  expect((await at.take({ kind: 'session-ended', reason: 'other' }, { at: 2000 })).map((change) => change.kind)).toEqual([
    'session-completed',
  ])
  expect(await at.session()).toMatchObject({ status: 'completed', endedAt: 2000 })
  await at.take({ kind: 'session-started', source: 'resume' }, { at: 3000 })
  expect(await at.session()).toMatchObject({ status: 'active', endedAt: null })
  await at.take({ kind: 'session-ended', reason: 'other' }, { at: 3500 })
  await at.take(prompt('again', 'p2'), { at: 4000 })
  expect((await at.session()).status).toBe('active')
})

test('a late end does not complete a session that was resumed in the meantime', async () => {
  await using at = await aCapture()
  await at.take(prompt('go', 'p1'), { at: 1000 })
  await at.take({ kind: 'session-started', source: 'resume' }, { at: 3000 })
  expect(await at.take({ kind: 'session-ended', reason: 'other' }, { at: 2000 })).toEqual([])
  expect((await at.session()).status).not.toBe('completed')
})

test('after the clock was set back two hours, a session still ends, resumes, and ends again', async () => {
  await using at = await aCapture()
  const hours = (n: number) => n * 3_600_000
  const end: SessionEvent = { kind: 'session-ended', reason: 'other' }
  await at.take(prompt('go', 'p1'), { at: hours(10) })
  expect((await at.take(end, { at: hours(8) })).map(({ kind }) => kind)).toEqual(['session-completed'])
  expect(await at.session()).toMatchObject({ status: 'completed', endedAt: hours(10) })
  await at.take({ kind: 'session-started', source: 'resume' }, { at: hours(8) + 1000 })
  expect((await at.session()).status).toBe('active')
  await at.take(end, { at: hours(8) + 2000 })
  await at.take(prompt('and again', 'p2'), { at: hours(8) + 3000 })
  expect((await at.session()).status).toBe('active')
  // One from the spool may be older than a resumption.
  expect(await at.take(end, { at: hours(8) + 4000 }, { ...nowhere, branch: null })).toEqual([])
  expect((await at.session()).status).toBe('active')
})

test('an end that arrives just after a newer event still completes the session', async () => {
  await using at = await aCapture()
  await at.take(prompt('go', 'p1'), { at: 1000 })
  await at.take({ kind: 'session-ended', reason: 'other' }, { at: 970 })
  expect(await at.session()).toMatchObject({ status: 'completed', endedAt: 1000 })
})

test('an answer that arrives after the end of its session updates the note', async () => {
  await using at = await aCapture()
  await at.take(prompt('go', 'p1'), { at: 1000 })
  await at.take({ kind: 'session-ended', reason: 'other' }, { at: 2000 })
  await at.noJobs()
  const [session, prompts] = [await at.session(), await at.store.prompts.ofSession(1)]
  const draft = episodeDraft({ session, prompts, summaries: [], files: ['a.ts'], hook: 'session-end' })
  if (!draft) throw new Error('the session gave no draft')
  await at.store.notes.put(note({ id: draft.id, type: 'episodic', session: 's1', source: 'session-end' }), 'print')
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'Done.' }, { at: 1900 })
  expect(await at.jobs()).toEqual(['1:1', '1'])
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'Done.' }, { at: 1950 })
  expect(await at.jobs()).toEqual([])
})

test('an answer after the end does not create a note for a session without one', async () => {
  await using at = await aCapture()
  await at.take(prompt('go', 'p1'), { at: 1000 })
  await at.store.sessions.complete(1, 1000)
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'Done.' }, { at: 1900 })
  expect(await at.jobs()).toEqual(['1:1'])
})

test('a prompt with only an image starts a turn', async () => {
  await using at = await aCapture()
  await at.take(prompt('go', 'p1'), { at: 1000 })
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'Went.' }, { at: 1500 })
  await at.take(prompt('', 'p2'), { at: 2000 })
  await at.take({ kind: 'turn-ended', promptId: 'p2', answer: 'I see a lighthouse.' }, { at: 2500 })
  await at.read(prompt('', 'p2'), { at: 1990 }, { uuid: 'u2' })
  expect((await at.journal()).prompts).toEqual([
    { number: 1, text: 'go', answer: 'Went.' },
    { number: 2, text: '(no words)', answer: 'I see a lighthouse.' },
  ])
})

test('the answer of an unknown turn is not assigned to another turn', async () => {
  await using at = await aCapture()
  await at.take(prompt('go', 'p1'), { at: 1000 })
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'Went.' }, { at: 1500 })
  await at.read({ kind: 'turn-ended', promptId: 'p9', answer: 'Something else.' }, { at: 2500 }, { uuid: 'u9' })
  expect((await at.journal()).prompts).toEqual([{ number: 1, text: 'go', answer: 'Went.' }])
})

test('a session without a branch gets it from the transcript', async () => {
  await using at = await aCapture({ projectOf: () => ({ project: asProjectKey('app'), branch: null }) })
  await at.take(prompt('go', 'p1'), { at: 1000 }, { ...nowhere, branch: null })
  expect((await at.session()).branch).toBeNull()
  await at.read(prompt('go', 'p1'), { at: 900 }, { uuid: 'u1' }, { ...nowhere, branch: 'login' })
  expect((await at.session()).branch).toBe('login')
  expect([...at.store.prompts.each(null)]).toHaveLength(1)
  expect(await at.on('login')).toEqual(['1'])
})

test('a turn belongs to the branch on which it ended; a transcript line names its branch', async () => {
  await using at = await aCapture()
  let branch = 'main'
  at.rules.projectOf = () => ({ project: asProjectKey('app'), branch })
  await at.take(prompt('first', 'p1'), { at: 1000 })
  branch = 'login'
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'on a branch of its own' }, { at: 1500 })
  expect((await at.session()).branch).toBe('login')
  await at.take(prompt('second', 'p2'), { at: 2000 }, { ...nowhere, branch: 'old' })
  await at.take(prompt('late', 'p3'), { at: 2500 }, { ...nowhere, branch: null })
  expect([await at.on('login'), await at.on('old'), await at.on('main')]).toEqual([['1'], ['3', '2'], []])
})

test('text that the client adds to a prompt neither mutes the turn nor makes the session private', async () => {
  await using at = await aCapture()
  await at.take(prompt('<system-reminder>The date has changed.</system-reminder>', 'p1'), { at: 1000 })
  await at.take(prompt('<system-reminder>Be brief.</system-reminder>Go on', 'p2'), { at: 1100 })
  await at.take(toolUse('t1', { promptId: 'p2' }), { at: 1200 })
  await at.take({ kind: 'compacted', promptId: 'p2', summary: 'all of it' }, { at: 1300 })
  const { prompts, toolUses, summaries } = await at.journal()
  expect(prompts.map(({ text }) => text)).toEqual(['Go on'])
  expect([toolUses.length, summaries.length]).toEqual([1, 1])
})

test('reading the transcript of a completed session does not reopen it', async () => {
  await using at = await aCapture()
  await at.take({ kind: 'session-started', source: 'startup' }, { at: 900 })
  await at.take(prompt('known', 'p1'), { at: 1000 })
  await at.take({ kind: 'session-ended', reason: 'other' }, { at: 3000 })
  await at.read(prompt('known', 'p1'), { at: 999 }, { uuid: 'u1' })
  await at.read(prompt('missed by the hook', 'p2'), { at: 2000 }, { uuid: 'u2' })
  await at.take({ kind: 'session-started', source: 'startup' }, { at: 900 })
  expect(await at.session()).toMatchObject({ status: 'completed', endedAt: 3000, promptCount: 2 })
})

test('a fork keeps the time of its first start', async () => {
  await using at = await aCapture()
  await at.take({ kind: 'session-started', source: 'fork' }, { at: 5000 })
  await at.take({ kind: 'session-started', source: 'fork' }, { at: 6000 })
  expect((await at.session()).forkedAt).toBe(5000)
})

test('nothing is stored for an excluded project, even in a session that started before the exclusion', async () => {
  await using at = await aCapture()
  await at.take(prompt('before'), { at: 1000 })
  at.rules.isExcludedProject = (project) => project === 'app'
  await at.take(prompt('after', 'p2'), { at: 2000 })
  await at.take(toolUse('t1'), { at: 2010 })
  await at.take(prompt('other', 'p3'), { at: 2000, session: asContentSessionId('s2') })
  const { prompts, toolUses } = await at.journal()
  expect([prompts.map((p) => p.text), toolUses]).toEqual([['before'], []])
  expect(await at.store.sessions.recent(null, 5)).toHaveLength(1)
})

test('skipped tools and excluded files are not stored', async () => {
  await using at = await aCapture({
    isSkipped: (tool) => tool === 'TodoWrite',
    isExcludedInput: (input) => JSON.stringify(input).includes('.env'),
  })
  await at.take(toolUse('t1', { tool: 'TodoWrite' }))
  await at.take(toolUse('t2', { tool: 'Read', input: { file_path: '/p/.env' } }))
  await at.take(toolUse('t3', { tool: 'Read', input: { file_path: '/p/a.ts' } }))
  expect((await at.journal()).toolUses).toEqual([['t3', 0]])
})

test('events of a kind that is switched off are not stored', async () => {
  await using at = await aCapture({ isWanted: (kind) => kind !== 'tool-used' })
  await at.take(prompt('go'))
  await at.take(toolUse('t1'))
  expect((await at.journal()).toolUses).toEqual([])
})

test('huge and unusual tool uses are clipped and stored as valid JSON', async () => {
  await using at = await aCapture()
  await at.take(toolUse('t1', { input: undefined, output: { stdout: 'x'.repeat(5_000_000), half: '\ud83d', zero: '\0' } }))
  await at.take(toolUse('t2', { input: 'text', output: undefined, error: 'e'.repeat(5_000_000), interrupted: true }))
  const [first, second] = [...at.store.toolUses.each(null)]
  expect(first?.input).toBe('null')
  expect(first?.output?.length).toBeLessThanOrEqual(64 * 1024)
  expect(() => JSON.parse(first?.output ?? '')).not.toThrow()
  expect(second?.error?.length).toBeLessThanOrEqual(64 * 1024)
  expect([second?.output, second?.interrupted]).toEqual([null, true])
})

test("a person's prompt with a marker queues a job that saves its notes", async () => {
  await using at = await aCapture({ markers: ['decision'] })
  await at.take(prompt('[decision] Prices are kept in cents.'))
  const kinds: string[] = []
  for (let job = await at.store.jobs.claim(Date.now() + 1e6); job; job = await at.store.jobs.claim(Date.now() + 1e6)) {
    kinds.push(job.kind)
    await at.store.jobs.complete(job.id)
  }
  expect(kinds).toContain('markers')
})

test('a session keeps its transcript path and client pid when later events have none', async () => {
  await using at = await aCapture()
  await at.take({ kind: 'session-started', source: 'startup' }, { transcript: '/t.jsonl' }, { ...nowhere, clientPid: 77 })
  await at.take(prompt('go'), { at: 500 })
  expect(await at.session()).toMatchObject({ transcript: '/t.jsonl', clientPid: 77, startedAt: 500, lastEventAt: 1000 })
})

/** A temporary journal, and functions to fill and read it. */
async function aCapture(given: Partial<CaptureRules> = {}) {
  const temporary = await temporaryStore()
  const { store } = temporary
  const rules = captureAll({
    projectOf: (folder) => ({ project: asProjectKey(folder.split('/').at(-1) ?? ''), branch: 'main' }),
    ...given,
  })
  const send = async (
    reported: SessionEvent,
    where: Partial<AgentEvent>,
    context: EventContext,
    line: TranscriptLineRef | null,
  ): Promise<Change[]> =>
    (await store.transaction(() => take(store, { ...event(reported), ...where } as AgentEvent, context, rules, line))).changes
  return {
    store,
    rules,
    /** Like an event from a hook. */
    take: (reported: SessionEvent, where: Partial<AgentEvent> = {}, context = nowhere) => send(reported, where, context, null),
    /** Like an event from a transcript. */
    read: (reported: SessionEvent, where: Partial<AgentEvent>, line: TranscriptLineRef, context = nowhere) =>
      send(reported, where, context, line),
    /** The prompts of a branch. */
    on: async (branch: string) => {
      const filter = {
        session: null,
        paths: [],
        branches: [branch],
        types: [],
        namespaces: [],
        tags: [],
        notTags: [],
        sources: [],
        agents: [],
      }
      const found = await store.documents.newest({ project: null, kinds: ['prompt'], since: 0, before: 9000, limit: 9, filter })
      return found.map((place) => place.ref)
    },
    session: async () => {
      const session = await store.sessions.find('claude-code', asContentSessionId('s1'))
      if (!session) throw new Error('session s1 does not exist')
      return session
    },
    journal: async () => ({
      prompts: [...store.prompts.each(null)].map(({ number, text, answer }) => ({ number, text, answer })),
      toolUses: [...store.toolUses.each(null)].map((use): [string, number] => [use.toolUseId, use.promptNumber]),
      summaries: [...store.summaries.each(null)].map(({ id: _, at: __, ...summary }) => summary),
    }),
    jobs: () => drainJobs(store),
    noJobs: async () => void (await drainJobs(store)),
    [Symbol.asyncDispose]: async () => temporary[Symbol.dispose](),
  }
}

/** Returns the keys of all waiting jobs, and completes them. */
async function drainJobs(store: Store): Promise<string[]> {
  const keys: string[] = []
  for (let job = await store.jobs.claim(Date.now()); job; job = await store.jobs.claim(Date.now())) {
    keys.push(job.key)
    await store.jobs.complete(job.id)
  }
  return keys
}
