import { expect, test } from 'bun:test'
import { captureAll, event, note, nowhere, prompt, temporaryStore, toolUse } from '../../test/support/builders.ts'
import type { AgentEvent, EventContext, SessionEvent } from '../core/event.ts'
import { asContentSessionId, asProjectKey } from '../core/ids.ts'
import type { Change } from '../core/memory.ts'
import type { Store } from '../store/store.ts'
import { type CaptureRules, episodeDraft, type TranscriptLineRef, take } from './capture.ts'

test('the first event of a session opens it, whichever it is', async () => {
  await using at = await aCapture()
  const taken = await at.take(toolUse('t1'))
  expect(taken.map((change) => change.kind)).toEqual(['session-opened', 'tool-use-added'])
  expect(await at.session()).toMatchObject({ project: 'app', folder: '/home/dev/app', branch: 'main', status: 'initialized' })
})

test('a session stays in the project it began in, wherever the client goes', async () => {
  await using at = await aCapture()
  await at.take(prompt('go'), { cwd: '/home/dev/app' })
  await at.take(toolUse('t1'), { cwd: '/tmp', at: 1010 })
  expect((await at.session()).folder).toBe('/home/dev/app')
})

test('the folder the client was started for counts more than where it stands', async () => {
  await using at = await aCapture()
  await at.take(prompt('go'), { cwd: '/tmp' }, { ...nowhere, projectFolder: '/home/dev/app' })
  expect((await at.session()).folder).toBe('/home/dev/app')
})

test('an event from nowhere belongs to nothing', async () => {
  await using at = await aCapture()
  expect(await at.take(prompt('go'), { cwd: null })).toEqual([])
  expect(await at.store.sessions.recent(null, 1)).toEqual([])
})

test('every event taken twice leaves what it left once', async () => {
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
  for (const said of events) await at.take(said)
  const once = await at.journal()
  for (const said of events.slice(1)) expect(await at.take(said)).toEqual([])
  expect(await at.journal()).toEqual(once)
  expect(once.prompts).toEqual([{ number: 1, text: 'go', answer: 'done' }])
  expect(once.toolUses).toEqual([['t1', 1]])
  expect(once.summaries).toHaveLength(2)
  expect((await at.session()).status).toBe('completed')
})

test('a prompt told by the hook and by the transcript is one prompt', async () => {
  await using at = await aCapture()
  await at.take(prompt('fix\n  it'), { at: 1005 })
  await at.read(prompt('fix it'), { at: 1000 }, { uuid: 'u1' })
  expect((await at.journal()).prompts).toHaveLength(1)
})

test('a message typed while the turn runs is a prompt of its own, and the answer is to the last one', async () => {
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

test('without the client’s id the same text is a new prompt each time, and the transcript counts them alike', async () => {
  await using at = await aCapture()
  for (const when of [1000, 2000, 3000]) await at.take(prompt('go on', null), { at: when })
  expect((await at.journal()).prompts).toHaveLength(3)
  for (const n of [1, 2, 3, 4]) await at.read(prompt('go on', null), { at: 1000 * n }, { uuid: `u${n}` })
  expect((await at.journal()).prompts).toHaveLength(4)
})

test('a blank prompt of a client that counts no turns is none', async () => {
  await using at = await aCapture()
  await at.take(prompt(' \n ', null))
  expect((await at.journal()).prompts).toEqual([])
})

test('a tool use that overtook its prompt finds its turn', async () => {
  await using at = await aCapture()
  await at.take(toolUse('t1'), { at: 1010 })
  await at.take(prompt('go'), { at: 1000 })
  expect((await at.journal()).toolUses).toEqual([['t1', 1]])
})

test('a tool use that comes after its turn was told has it told again', async () => {
  await using at = await aCapture()
  await at.take(prompt('go'), { at: 1000 })
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'done' }, { at: 1020 })
  await at.noJobs()
  await at.take(toolUse('late'), { at: 1010 })
  expect(await at.jobs()).toEqual(['1:1'])
})

test('an answer told again a little earlier by another clock changes nothing; a later one stands', async () => {
  await using at = await aCapture()
  await at.take(prompt('go'), { at: 1000 })
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'from the hook' }, { at: 2000 })
  await at.noJobs()
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'from the transcript' }, { at: 1990 })
  expect([(await at.journal()).prompts[0]?.answer, await at.jobs()]).toEqual(['from the hook', []])
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'in the end' }, { at: 2010 })
  expect([(await at.journal()).prompts[0]?.answer, await at.jobs()]).toEqual(['in the end', ['1:1']])
})

test('an answer without a turn is nobody’s', async () => {
  await using at = await aCapture()
  await at.take({ kind: 'turn-ended', promptId: 'p9', answer: 'hello?' })
  expect((await at.journal()).prompts).toEqual([])
})

test('a turn that was broken off is told when the next one begins', async () => {
  await using at = await aCapture()
  await at.take(prompt('first', 'p1'), { at: 1000 })
  await at.take(prompt('second', 'p2'), { at: 2000 })
  expect(await at.jobs()).toEqual(['1:1'])
})

test('a wholly private prompt leaves nothing, and neither does what is done for it', async () => {
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

test('a tool use of a private turn stays out even when it comes after the next prompt', async () => {
  await using at = await aCapture()
  await at.take(prompt('<private>x</private>', 'p1'), { at: 1000 })
  await at.take(prompt('next', 'p2'), { at: 2000 })
  await at.take(toolUse('late', { promptId: 'p1' }), { at: 1500 })
  expect((await at.journal()).toolUses).toEqual([])
})

test('a private turn mutes also when prompts are not kept', async () => {
  await using at = await aCapture({ isWanted: (kind) => kind !== 'prompt-submitted' })
  await at.take(prompt('<private>x</private>', null), { at: 1000 })
  await at.take(toolUse('t1', { promptId: null }), { at: 1010 })
  await at.take(prompt('open', null), { at: 2000 })
  await at.take(toolUse('t2', { promptId: null }), { at: 2010 })
  const { prompts, toolUses } = await at.journal()
  expect([prompts, toolUses.map(([id]) => id)]).toEqual([[], ['t2']])
})

test('private parts, secrets and reminders are gone from everything that is kept', async () => {
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

test('a person can switch redaction off, and add patterns of their own', async () => {
  const key = 'AKIAIOSFODNN7EXAMPLQ'
  await using open = await aCapture({ redactPatterns: null })
  await open.take(prompt(`use ${key}`))
  expect((await open.journal()).prompts[0]?.text).toBe(`use ${key}`)
  await using strict = await aCapture({ redactPatterns: [/project-\w+/g, /x*/g] })
  await strict.take(prompt('ask project-umbra'))
  expect((await strict.journal()).prompts[0]?.text).not.toContain('umbra')
})

test('the host’s summary of a conversation is kept once for its turn', async () => {
  await using at = await aCapture()
  await at.take(prompt('go'))
  await at.take({ kind: 'compacted', promptId: null, summary: 'first half' }, { at: 2000 })
  await at.take({ kind: 'compacted', promptId: null, summary: 'first half, said again' }, { at: 2001 })
  expect((await at.journal()).summaries.map((s) => [s.source, s.notes])).toEqual([['compact', 'first half, said again']])
})

test.each([
  ['wholly', '<private>the merger</private>'],
  ['partly', 'plan <private>the merger</private>'],
])('the host’s summary is not kept when a prompt was %s private: it would tell', async (_, text) => {
  await using at = await aCapture()
  await at.take(prompt(text), { at: 1000 })
  await at.take(prompt('harmless', 'p2'), { at: 2000 })
  await at.take({ kind: 'compacted', promptId: null, summary: 'they plan the merger' }, { at: 3000 })
  expect((await at.journal()).summaries).toEqual([])
})

test('a subagent’s last word is the one that is kept', async () => {
  await using at = await aCapture()
  const ended = (answer: string): SessionEvent => ({ kind: 'subagent-ended', promptId: 'p1', agentId: 'a1', agentType: 'Explore', answer })
  await at.take(prompt('go'))
  await at.take(ended('looking'))
  await at.take(ended('found it'))
  await at.take(ended('   '))
  expect((await at.journal()).summaries.map((s) => [s.request, s.learned])).toEqual([['Explore', 'found it']])
})

test('a session that ended is over until it is resumed', async () => {
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

test('an end that was told late does not end what was resumed meanwhile', async () => {
  await using at = await aCapture()
  await at.take(prompt('go', 'p1'), { at: 1000 })
  await at.take({ kind: 'session-started', source: 'resume' }, { at: 3000 })
  expect(await at.take({ kind: 'session-ended', reason: 'other' }, { at: 2000 })).toEqual([])
  expect((await at.session()).status).not.toBe('completed')
})

test('an end that another event overtook by moments ends the session all the same', async () => {
  await using at = await aCapture()
  await at.take(prompt('go', 'p1'), { at: 1000 })
  await at.take({ kind: 'session-ended', reason: 'other' }, { at: 970 })
  expect(await at.session()).toMatchObject({ status: 'completed', endedAt: 1000 })
})

test('an answer that comes after the end of its session has the note of the session written again', async () => {
  await using at = await aCapture()
  await at.take(prompt('go', 'p1'), { at: 1000 })
  await at.take({ kind: 'session-ended', reason: 'other' }, { at: 2000 })
  await at.noJobs()
  const [session, prompts] = [await at.session(), await at.store.prompts.ofSession(1)]
  const draft = episodeDraft({ session, prompts, summaries: [], files: ['a.ts'], hook: 'session-end' })
  if (!draft) throw new Error('there is no draft')
  await at.store.notes.put(note({ id: draft.id }), 'print')
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'Done.' }, { at: 1900 })
  expect(await at.jobs()).toEqual(['1:1', '1'])
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'Done.' }, { at: 1950 })
  expect(await at.jobs()).toEqual([])
})

test('a session without a note gets none by an answer that comes after its end', async () => {
  await using at = await aCapture()
  await at.take(prompt('go', 'p1'), { at: 1000 })
  await at.store.sessions.complete(1, 1000)
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'Done.' }, { at: 1900 })
  expect(await at.jobs()).toEqual(['1:1'])
})

test('a prompt that is nothing but a picture is a turn of its own', async () => {
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

test('the answer of a turn that nobody knows is not that of another', async () => {
  await using at = await aCapture()
  await at.take(prompt('go', 'p1'), { at: 1000 })
  await at.take({ kind: 'turn-ended', promptId: 'p1', answer: 'Went.' }, { at: 1500 })
  await at.read({ kind: 'turn-ended', promptId: 'p9', answer: 'Something else.' }, { at: 2500 }, { uuid: 'u9' })
  expect((await at.journal()).prompts).toEqual([{ number: 1, text: 'go', answer: 'Went.' }])
})

test('a session that was told without its branch has it from the transcript', async () => {
  await using at = await aCapture({ projectOf: () => ({ project: asProjectKey('app'), branch: null }) })
  await at.take(prompt('go', 'p1'), { at: 1000 }, { ...nowhere, branch: null })
  expect((await at.session()).branch).toBeNull()
  await at.read(prompt('go', 'p1'), { at: 900 }, { uuid: 'u1' }, { ...nowhere, branch: 'login' })
  expect((await at.session()).branch).toBe('login')
  expect([...at.store.prompts.each(null)]).toHaveLength(1)
  expect(await at.on('login')).toEqual(['1'])
})

test('a turn is on the branch that its work ended on, and a line of a transcript knows its own', async () => {
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

test('what the client puts into a prompt neither mutes its turn nor makes the session private', async () => {
  await using at = await aCapture()
  await at.take(prompt('<system-reminder>The date has changed.</system-reminder>', 'p1'), { at: 1000 })
  await at.take(prompt('<system-reminder>Be brief.</system-reminder>Go on', 'p2'), { at: 1100 })
  await at.take(toolUse('t1', { promptId: 'p2' }), { at: 1200 })
  await at.take({ kind: 'compacted', promptId: 'p2', summary: 'all of it' }, { at: 1300 })
  const { prompts, toolUses, summaries } = await at.journal()
  expect(prompts.map(({ text }) => text)).toEqual(['Go on'])
  expect([toolUses.length, summaries.length]).toEqual([1, 1])
})

test('reading the transcript of a session that ended does not open it again', async () => {
  await using at = await aCapture()
  await at.take({ kind: 'session-started', source: 'startup' }, { at: 900 })
  await at.take(prompt('known', 'p1'), { at: 1000 })
  await at.take({ kind: 'session-ended', reason: 'other' }, { at: 3000 })
  await at.read(prompt('known', 'p1'), { at: 999 }, { uuid: 'u1' })
  await at.read(prompt('missed by the hook', 'p2'), { at: 2000 }, { uuid: 'u2' })
  await at.take({ kind: 'session-started', source: 'startup' }, { at: 900 })
  expect(await at.session()).toMatchObject({ status: 'completed', endedAt: 3000, promptCount: 2 })
})

test('a fork remembers when it split off, and keeps that moment', async () => {
  await using at = await aCapture()
  await at.take({ kind: 'session-started', source: 'fork' }, { at: 5000 })
  await at.take({ kind: 'session-started', source: 'fork' }, { at: 6000 })
  expect((await at.session()).forkedAt).toBe(5000)
})

test('of an excluded project nothing is kept, not even what goes on in a session from before', async () => {
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

test('tools on the skip list and files that are kept out leave nothing', async () => {
  await using at = await aCapture({
    isSkipped: (tool) => tool === 'TodoWrite',
    isExcludedInput: (input) => JSON.stringify(input).includes('.env'),
  })
  await at.take(toolUse('t1', { tool: 'TodoWrite' }))
  await at.take(toolUse('t2', { tool: 'Read', input: { file_path: '/p/.env' } }))
  await at.take(toolUse('t3', { tool: 'Read', input: { file_path: '/p/a.ts' } }))
  expect((await at.journal()).toolUses).toEqual([['t3', 0]])
})

test('kinds of events that are switched off leave nothing', async () => {
  await using at = await aCapture({ isWanted: (kind) => kind !== 'tool-used' })
  await at.take(prompt('go'))
  await at.take(toolUse('t1'))
  expect((await at.journal()).toolUses).toEqual([])
})

test('huge and odd tool uses are kept, bounded, as JSON', async () => {
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

test('the newest word on the transcript and the client stays', async () => {
  await using at = await aCapture()
  await at.take({ kind: 'session-started', source: 'startup' }, { transcript: '/t.jsonl' }, { ...nowhere, clientPid: 77 })
  await at.take(prompt('go'), { at: 500 })
  expect(await at.session()).toMatchObject({ transcript: '/t.jsonl', clientPid: 77, startedAt: 500, lastEventAt: 1000 })
})

/** A journal of its own, and the door to it. */
async function aCapture(given: Partial<CaptureRules> = {}) {
  const temporary = await temporaryStore()
  const { store } = temporary
  const rules = captureAll({
    projectOf: (folder) => ({ project: asProjectKey(folder.split('/').at(-1) ?? ''), branch: 'main' }),
    ...given,
  })
  const tell = async (
    said: SessionEvent,
    where: Partial<AgentEvent>,
    context: EventContext,
    line: TranscriptLineRef | null,
  ): Promise<Change[]> =>
    (await store.transaction(() => take(store, { ...event(said), ...where } as AgentEvent, context, rules, line))).changes
  return {
    store,
    rules,
    /** As a hook would tell it. */
    take: (said: SessionEvent, where: Partial<AgentEvent> = {}, context = nowhere) => tell(said, where, context, null),
    /** As a transcript would tell it. */
    read: (said: SessionEvent, where: Partial<AgentEvent>, line: TranscriptLineRef, context = nowhere) => tell(said, where, context, line),
    /** The prompts of a branch. */
    on: async (branch: string) => {
      const filter = { session: null, paths: [], branches: [branch], types: [], namespaces: [], tags: [], notTags: [], sources: [] }
      const found = await store.documents.newest({ project: null, kinds: ['prompt'], since: 0, before: 9000, limit: 9, filter })
      return found.map((place) => place.ref)
    },
    session: async () => {
      const session = await store.sessions.find('claude-code', asContentSessionId('s1'))
      if (!session) throw new Error('there is no session')
      return session
    },
    journal: async () => ({
      prompts: [...store.prompts.each(null)].map(({ number, text, answer }) => ({ number, text, answer })),
      toolUses: [...store.toolUses.each(null)].map((use): [string, number] => [use.toolUseId, use.promptNumber]),
      summaries: [...store.summaries.each(null)].map(({ id: _, at: __, ...summary }) => summary),
    }),
    jobs: () => keysOfJobs(store),
    noJobs: async () => void (await keysOfJobs(store)),
    [Symbol.asyncDispose]: async () => temporary[Symbol.dispose](),
  }
}

/** The turns that wait to be told; asking takes them off the list. */
async function keysOfJobs(store: Store): Promise<string[]> {
  const keys: string[] = []
  for (let job = await store.jobs.claim(Date.now()); job; job = await store.jobs.claim(Date.now())) {
    keys.push(job.key)
    await store.jobs.complete(job.id)
  }
  return keys
}
