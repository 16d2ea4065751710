import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addObservations, nowhere, observation, summary } from '../../test/support/builders.ts'
import { someServices } from '../../test/support/services.ts'
import { transcript } from '../../test/support/transcript.ts'
import { asProjectKey } from '../core/ids.ts'
import { claudeCode } from '../integrations/agent.ts'
import type { Store } from '../store/store.ts'
import { ingestDelivery } from './intake.ts'
import { ingestTranscript } from './reconcile.ts'
import type { Services } from './services.ts'

const start = { hook_event_name: 'SessionStart', source: 'startup' }
const read = { hook_event_name: 'PostToolUse', tool_name: 'Read', tool_use_id: 't1', tool_input: { file_path: '/home/dev/app/src/a.ts' } }

test('a session in a project with memories gets a brief, and the person a message about it', async () => {
  await using at = await someServices()
  await past(at.store)
  const reply = await deliver(at.desk, start)
  expect(reply).toEqual({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: expect.stringContaining('Changed a.ts') },
    systemMessage: expect.stringMatching(/^Recollect: last: It is done · \d+ tokens · viewer: \S+ view$/),
  })
  const [injected] = await at.store.injections.recent(null, 5)
  expect(injected).toMatchObject({
    event: 'SessionStart',
    project: 'app',
    items: [{ kind: 'line', id: 'frame' }, { kind: 'summary' }, { kind: 'observation' }],
  })
})

test('the first session in a project says once that it is remembered, without a brief', async () => {
  await using at = await someServices()
  expect(await deliver(at.desk, start)).toEqual({ systemMessage: expect.stringContaining('remembered from now on') })
  expect(await deliver(at.desk, { ...start, session_id: 's9' })).toEqual({})
  expect(await deliver(at.desk, { ...start, session_id: 's10', source: 'resume' })).toEqual({})
  expect(await at.store.injections.recent(null, 5)).toEqual([])
})

test('the brief can be switched off or limited', async () => {
  await using off = await someServices({ RECOLLECT_HOOKS_SESSION_START_ENABLED: 'false' })
  await past(off.store)
  expect(await deliver(off.desk, start)).toEqual({})
  await using small = await someServices({ RECOLLECT_HOOKS_SESSION_START_TOKEN_BUDGET: '10' })
  await past(small.store)
  expect(await deliver(small.desk, start)).toEqual({})
})

test('memories about a file are injected once per session', async () => {
  await using at = await someServices()
  await past(at.store)
  const isInjected = async (payload: object) => JSON.stringify(await deliver(at.desk, payload)).includes('Changed a.ts')
  expect(await isInjected(read)).toBe(true)
  expect(await isInjected({ ...read, tool_use_id: 't2' })).toBe(false)
  expect(await isInjected({ ...read, session_id: 's3' })).toBe(true)
})

test('failed tool uses, subagents and unknown files get no file brief', async () => {
  await using at = await someServices()
  await past(at.store)
  for (const payload of [
    { ...read, hook_event_name: 'PostToolUseFailure', error: 'no' },
    { ...read, agent_id: 'a1' },
    { ...read, tool_input: { file_path: '/home/dev/app/src/b.ts' } },
    { ...read, tool_input: { command: 'cat src/a.ts' } },
  ]) {
    expect(await deliver(at.desk, payload)).toEqual({})
  }
})

test('a resumed session gets only what other sessions added since', async () => {
  await using at = await someServices()
  await past(at.store)
  const resume = { ...start, source: 'resume' }
  expect(JSON.stringify(await deliver(at.desk, start))).toContain('Changed a.ts')
  expect(await deliver(at.desk, resume)).toEqual({})
  await addObservations(at.store, [observation({ title: 'Changed b.ts', at: 5000 })], 's9')
  const reply = JSON.stringify(await deliver(at.desk, resume))
  expect(reply).toContain('Changed b.ts')
  expect(reply).not.toContain('Changed a.ts')
  expect(await deliver(at.desk, resume)).toEqual({})
})

test('after a compaction the brief and the file briefs are injected again', async () => {
  await using at = await someServices()
  await past(at.store)
  const isInjected = async (payload: object, later = 0) =>
    JSON.stringify(await deliver(at.desk, payload, null, later)).includes('Changed a.ts')
  expect([await isInjected(start), await isInjected(read), await isInjected({ ...read, tool_use_id: 't2' })]).toEqual([true, true, false])
  expect(await isInjected({ ...start, source: 'compact' }, 10)).toBe(true)
  expect(await isInjected({ ...read, tool_use_id: 't3' }, 20)).toBe(true)
})

test('a fork knows what was injected into its parent', async () => {
  await using at = await someServices()
  await past(at.store)
  await deliver(at.desk, start)
  await deliver(at.desk, { hook_event_name: 'UserPromptSubmit', prompt: 'go', prompt_id: 'p1' })
  await deliver(at.desk, { hook_event_name: 'Stop', last_assistant_message: 'done', prompt_id: 'p1' }, null, 1000)
  const fork = { ...start, source: 'fork', session_id: 's3', seconds_since_last_response: 60 }
  expect(await deliver(at.desk, fork, null, 61_000)).toEqual({})
  const [session] = await at.store.sessions.recent(null, 1)
  expect(session).toMatchObject({ contentSessionId: 's3', forkedFrom: 2 })
})

test('a session from before the installation gets a full brief when it is resumed', async () => {
  await using at = await someServices()
  await past(at.store)
  expect(JSON.stringify(await deliver(at.desk, { ...start, source: 'resume' }))).toContain('Changed a.ts')
})

test('a delivery that comes twice is stored and answered once', async () => {
  await using at = await someServices()
  await past(at.store)
  const once = { hook_event_name: 'UserPromptSubmit', prompt: 'go' }
  await deliver(at.desk, once, 'd1')
  await deliver(at.desk, once, 'd1')
  expect([...at.store.prompts.each(null)]).toHaveLength(1)
  expect(at.announced.filter((change) => change.kind === 'prompt-added')).toHaveLength(1)
})

test('a recall is recorded with the candidates it left out, and a prompt without a recall leaves no record', async () => {
  await using at = await someServices()
  const titles = ['Pelican invoices are numbered by the ledger', 'A pelican flew by', ...Array.from({ length: 12 }, (_, i) => `Chore ${i}`)]
  await addObservations(
    at.store,
    titles.map((title) => observation({ title })),
    'before',
  )
  const recorded = () => at.store.injections.recent(null, 10)
  await deliver(at.desk, { hook_event_name: 'UserPromptSubmit', prompt: 'which museum has a stuffed pelican?' })
  await deliver(at.desk, { hook_event_name: 'UserPromptSubmit', prompt: '/team:chore' })
  expect(await recorded()).toEqual([])
  await deliver(at.desk, { hook_event_name: 'UserPromptSubmit', prompt: 'who numbers the pelican invoices?' })
  expect(await recorded()).toMatchObject([
    {
      event: 'UserPromptSubmit',
      text: expect.stringContaining('memory_get'),
      items: [
        { kind: 'line', id: 'frame' },
        { kind: 'observation', id: 1 },
      ],
      left: [{ kind: 'observation', id: 2, why: expect.stringContaining('below the threshold') }],
    },
  ])
})

test('an ignored event leaves nothing, and one without a session is rejected', async () => {
  await using at = await someServices()
  expect(await deliver(at.desk, { hook_event_name: 'Notification' })).toEqual({})
  expect(await at.store.sessions.recent(null, 5)).toEqual([])
  await expect(deliver(at.desk, { ...start, session_id: '' })).rejects.toThrow('session_id')
})

test('a brief that comes too late is not recorded as injected, and is injected the next time', async () => {
  await using at = await someServices()
  await past(at.store)
  const late = (payload: object) => deliver(at.desk, payload, null, 0, () => false)
  const resume = { hook_event_name: 'SessionStart', source: 'resume' }
  expect([await late(start), await late(read)]).toEqual([{}, {}])
  expect(await at.store.injections.recent(null, 5)).toEqual([])
  expect(JSON.stringify(await deliver(at.desk, resume))).toContain('Changed a.ts')
  expect(JSON.stringify(await deliver(at.desk, { ...read, tool_use_id: 't2' }))).toContain('Changed a.ts')
  expect(await at.store.injections.recent(null, 5)).toHaveLength(2)
})

test('an event that arrives before its prompt is read from the transcript, and is not added to the previous turn', async () => {
  await using at = await someServices()
  await at.desk.queue.stop()
  const path = join(at.folder, 's2.jsonl')
  const turns = [
    { prompt: 'one', answer: 'First.', promptId: 'p1' },
    { prompt: 'two', commands: ['ls'], answer: 'Second.', promptId: 'p2' },
  ]
  writeFileSync(path, transcript('s2', turns))
  const hook = (payload: object) => deliver(at.desk, { transcript_path: path, ...payload })
  await hook({ hook_event_name: 'UserPromptSubmit', prompt: 'one', prompt_id: 'p1' })
  await hook({ hook_event_name: 'Stop', last_assistant_message: 'First.', prompt_id: 'p1' })
  const use = {
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_use_id: 's2-t1-0',
    tool_input: { command: 'ls' },
    tool_response: {},
  }
  await hook({ ...use, prompt_id: 'p2' })
  await hook({ hook_event_name: 'Stop', last_assistant_message: 'Second.', prompt_id: 'p2' })
  expect([...at.store.prompts.each(null)].map(({ answer }) => answer)).toEqual(['First.'])
  expect([...at.store.toolUses.each(null)]).toEqual([])
  const jobs = [await at.store.jobs.claim(Date.now()), await at.store.jobs.claim(Date.now())]
  expect(jobs).toMatchObject([{ kind: 'distill' }, { kind: 'read', payload: { path } }])
  await ingestTranscript(at.desk, claudeCode, path)
  expect([...at.store.prompts.each(null)].map(({ text, answer }) => [text, answer])).toEqual([
    ['one', 'First.'],
    ['two', 'Second.'],
  ])
  expect([...at.store.toolUses.each(null)]).toMatchObject([{ toolUseId: 's2-t1-0', promptNumber: 2 }])
})

test('nothing of a private turn is stored, even if its events arrive before its prompt', async () => {
  await using at = await someServices()
  const path = join(at.folder, 's2.jsonl')
  const secret = { prompt: '<private>the merger</private>', commands: ['cat merger'], answer: 'Globex pays 40M.', promptId: 'p2' }
  writeFileSync(path, transcript('s2', [{ prompt: 'one', answer: 'First.', promptId: 'p1' }, secret]))
  const hook = (payload: object) => deliver(at.desk, { transcript_path: path, ...payload })
  await hook({ hook_event_name: 'UserPromptSubmit', prompt: 'one', prompt_id: 'p1' })
  const use = { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_use_id: 't9', tool_input: { command: 'cat merger' } }
  await hook({ ...use, tool_response: 'Globex', prompt_id: 'p2' })
  await hook({ hook_event_name: 'SubagentStop', agent_id: 'a', agent_type: 'plan', last_assistant_message: 'Globex', prompt_id: 'p2' })
  await hook({ hook_event_name: 'PostCompact', compact_summary: 'Globex', prompt_id: 'p2' })
  await hook({ hook_event_name: 'Stop', last_assistant_message: 'Globex pays 40M.', prompt_id: 'p2' })
  await ingestTranscript(at.desk, claudeCode, path)
  const all = [...at.store.prompts.each(null), ...at.store.toolUses.each(null), ...at.store.summaries.each(null)]
  expect(JSON.stringify(all)).not.toMatch(/Globex|merger/)
  expect(all).toHaveLength(1)
})

test('a compaction is recorded without its prompt, and transcripts of excluded projects are not read', async () => {
  await using at = await someServices({ RECOLLECT_PRIVACY_EXCLUDE_PROJECTS: '/home/dev/secret' })
  await at.desk.queue.stop()
  const path = join(at.folder, 's2.jsonl')
  writeFileSync(path, transcript('s2', [{ prompt: 'one', answer: 'First.', promptId: 'p1' }]))
  await deliver(at.desk, { hook_event_name: 'UserPromptSubmit', prompt: 'one', prompt_id: 'p1', transcript_path: path })
  await deliver(at.desk, { hook_event_name: 'PreCompact', trigger: 'manual', prompt_id: 'compact', transcript_path: path })
  const kinds: string[] = []
  for (let job = await at.store.jobs.claim(Date.now()); job; job = await at.store.jobs.claim(Date.now())) kinds.push(job.kind)
  expect(kinds).toEqual(['read', 'distill', 'episode', 'statements'])
  const compacting = { session_id: 's8', cwd: '/home/dev/secret', transcript_path: path, hook_event_name: 'PreCompact', trigger: 'auto' }
  await ingestDelivery(at.desk, { agent: claudeCode, payload: compacting, context: nowhere, delivery: null, at: 5000 })
  const payload = { session_id: 's9', cwd: '/home/dev/secret', transcript_path: path, ...read, prompt_id: 'p9' }
  await ingestDelivery(at.desk, { agent: claudeCode, payload, context: nowhere, delivery: null, at: 5000 })
  expect(await at.store.jobs.claim(Date.now())).toBeNull()
})

test.each<[string, Record<string, string>, object[]]>([
  ['by default', {}, [{}, {}]],
  ['without fetch_remote', { RECOLLECT_HOOKS_SESSION_START_FETCH_REMOTE: 'false' }, [{}]],
  ['without push_remote', { RECOLLECT_HOOKS_STOP_PUSH_REMOTE: 'false' }, [{ push: false }, { push: false }]],
  ['without stop', { RECOLLECT_HOOKS_STOP_ENABLED: 'false' }, [{}]],
  ['without session_start', { RECOLLECT_HOOKS_SESSION_START_ENABLED: 'false' }, [{}]],
])('%s, a session is synced when the settings say so', async (_, env, expected) => {
  await using at = await someServices(env)
  await at.desk.queue.stop()
  const payloads: object[] = []
  for (const event of [start, { hook_event_name: 'SessionEnd', reason: 'other' }]) {
    await deliver(at.desk, event)
    const later = Date.now() + 60_000
    for (let job = await at.store.jobs.claim(later); job; job = await at.store.jobs.claim(later)) {
      if (job.kind === 'sync') payloads.push(job.payload)
      const { id } = job
      await at.store.transaction(() => at.store.jobs.complete(id))
    }
  }
  expect(payloads).toEqual(expected)
})

test('the end of a session queues a read of its transcript', async () => {
  await using at = await someServices()
  await at.desk.queue.stop()
  await deliver(at.desk, { ...start, transcript_path: '/t.jsonl' })
  await deliver(at.desk, { hook_event_name: 'SessionEnd', reason: 'other', transcript_path: '/t.jsonl' })
  const claim = () => at.store.jobs.claim(Date.now())
  const jobs = [await claim(), await claim(), await claim()]
  expect(jobs).toMatchObject([{ kind: 'episode' }, { kind: 'statements' }, { kind: 'reconcile', payload: { sessionId: 1 } }])
})

function deliver(desk: Services, payload: object, delivery: string | null = null, later = 0, isAwaited?: () => boolean) {
  const completePayload = { session_id: 's2', cwd: '/home/dev/app', ...payload }
  const context = { ...nowhere, project: asProjectKey('app') }
  return ingestDelivery(desk, { agent: claudeCode, payload: completePayload, context, delivery, at: 5000 + later }, isAwaited)
}

/** An earlier session with a summary and an observation. */
async function past(store: Store): Promise<void> {
  await addObservations(store, [observation({ title: 'Changed a.ts', filesModified: ['src/a.ts'] })])
  await store.summaries.put('k', summary())
}
