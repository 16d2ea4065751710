import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nowhere } from '../../test/support/builders.ts'
import { someServices } from '../../test/support/services.ts'
import { asContentSessionId } from '../core/ids.ts'
import { countTokens } from '../core/tokens.ts'
import { claudeCode } from '../integrations/agent.ts'
import { forgetNote, reindex } from '../notes/notes.ts'
import { readIfThere } from '../platform/files.ts'
import type { Store } from '../store/store.ts'
import { saveMarkedNotes } from './draft-notes.ts'
import { ingestDelivery, ingestWithoutReply } from './intake.ts'
import type { Services } from './services.ts'

const say = (prompt: string, given: object = {}) => ({ hook_event_name: 'UserPromptSubmit', prompt, prompt_id: 'p1', ...given })

test('a text marked in a prompt becomes a note at once, and the reply confirms it', async () => {
  await using at = await someServices()
  const context = await contextFor(at.desk, say("Let's use PostgreSQL [decision] because of JSONB support. Go."))
  const [note] = await notesOf(at.store)
  expect(note).toMatchObject({
    body: "Let's use PostgreSQL because of JSONB support.",
    namespace: 'decisions',
    source: 'human',
    session: 's1',
    scope: 'project',
    confidence: 1,
  })
  expect(readIfThere(join(at.desk.home.folder, note?.path ?? ''))).toContain('JSONB')
  expect(context).toContain(`Saved as N${note?.id.slice(10, 18)} (decisions): Let's use PostgreSQL because of JSONB support.`)
  const [recorded] = await at.store.injections.recent(null, 1)
  expect(recorded?.text).toBe(context)
  expect(recorded?.items).toMatchObject([{ kind: 'line', id: 'receipt', tokens: recorded?.tokens }])
})

test('the same prompt from hook, spool and transcript makes one note', async () => {
  await using at = await someServices()
  await contextFor(at.desk, say('[learned] The cache is per process'))
  await late(at.desk, say('[learned] The cache is per process'))
  await at.desk.queue.drained()
  const session = await at.store.sessions.find('claude-code', asContentSessionId('s1'))
  const again = await saveMarkedNotes(at.desk, { sessionId: session?.id ?? 0, number: 1 }, Date.now())
  expect(again.outcomes.map((one) => one.receipt.kind)).toEqual(['same'])
  expect(await notesOf(at.store)).toHaveLength(1)
})

test('marked texts of a spooled prompt are saved by its job', async () => {
  await using at = await someServices()
  await late(at.desk, say('[remember] The host is db-7'), Date.now() - 2000)
  await at.desk.queue.drained()
  expect(await notesOf(at.store)).toMatchObject([{ body: 'The host is db-7', namespace: 'context' }])
})

test('a forgotten note is not restored when its prompt is read again', async () => {
  await using at = await someServices()
  await contextFor(at.desk, say('[decision] Use tabs'))
  const [note] = await notesOf(at.store)
  if (note) await forgetNote(at.desk.notebook, note.id, Date.now())
  const session = await at.store.sessions.find('claude-code', asContentSessionId('s1'))
  await saveMarkedNotes(at.desk, { sessionId: session?.id ?? 0, number: 1 }, Date.now())
  expect(await notesOf(at.store)).toEqual([])
  // A person who marks it again wants the note again, whatever the rest of the prompt is.
  await contextFor(at.desk, say('[decision] Use tabs', { prompt_id: 'p2' }))
  const [again] = await notesOf(at.store)
  if (again) await forgetNote(at.desk.notebook, again.id, Date.now())
  await contextFor(at.desk, say('Once more: go on. [decision] Use tabs', { prompt_id: 'p3' }))
  expect((await notesOf(at.store)).map((one) => one.body)).toEqual(['Use tabs'])
})

test('a receipt distinguishes known notes, restatements and refusals', async () => {
  await using at = await someServices()
  const first = '[remember] The staging database for the billing service listens on port 5433 of the bastion host.'
  await contextFor(at.desk, say(first))
  expect(await contextFor(at.desk, say(first, { session_id: 's2' }))).toMatch(/Already saved as N\w{8}: The staging/)
  expect(await contextFor(at.desk, say(first.replace('The staging', 'Since March the staging'), { session_id: 's3' }))).toMatch(
    /Saved as N\w{8} \(context, restates N\w{8}\)/,
  )
})

test('a receipt says how many marked texts were not saved, and why', async () => {
  await using at = await someServices()
  const many = (of: number) =>
    Array.from({ length: of }, (_, n) => `[decision] Rule ${n} is called ${'abcdefghijklmnopqrstuvwxyz'[n]}`).join('\n')
  const context = await contextFor(at.desk, say(many(25)))
  expect(context).toContain('25 texts are marked, but only 20 per prompt are saved. The last 5 were not saved.')
  expect(await at.store.notes.list({ project: null, now: Date.now(), limit: 50 })).toHaveLength(20)
  expect(await contextFor(at.desk, say(many(20), { session_id: 's2' }))).not.toContain('per prompt')
})

test('a receipt says which text was cut because the prompt was too long', async () => {
  await using at = await someServices()
  const context = await contextFor(at.desk, say(`[decision] Use tabs.\n\n[remember] The log says ${'so much, '.repeat(10_000)} and ends.`))
  expect(context).toMatch(/Saved as N\w{8} \(decisions\): Use tabs\./)
  expect(context).toMatch(/Saved as N\w{8} \(context\): \(cut, because the prompt is too long\) The log says/)
})

test('private parts, machine notices and muted sessions leave no note', async () => {
  await using at = await someServices()
  const before = Date.now() - 2000
  await late(at.desk, say('<private>[decision] Buy the rival</private>'), before)
  await late(at.desk, say('Go on <private>[decision] Buy the rival</private>', { prompt_id: 'p2' }), before)
  await late(at.desk, say('<task-notification><summary>[decision] by a machine</summary></task-notification>', { prompt_id: 'p3' }), before)
  await at.desk.queue.drained()
  expect(await notesOf(at.store)).toEqual([])
})

test('secrets in a marked text are redacted in the note and in the receipt', async () => {
  await using at = await someServices()
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  const context = await contextFor(at.desk, say(`[remember] The deploy token is ${secret}`))
  expect(context).not.toContain(secret)
  expect((await notesOf(at.store))[0]?.body).not.toContain(secret)
})

test('markers can be switched off', async () => {
  await using at = await someServices({ RECOLLECT_HOOKS_USER_PROMPT_MARKERS: '' })
  expect(await contextFor(at.desk, say('[decision] Use tabs'))).toBe('')
  expect(await notesOf(at.store)).toEqual([])
})

test('receipts and recall share one budget', async () => {
  await using at = await someServices()
  const prompt = Array.from({ length: 20 }, (_, n) => `[decision] Rule number ${n} ${'with a long reason '.repeat(8)}`).join('\n')
  const context = await contextFor(at.desk, say(prompt))
  expect(countTokens(context)).toBeLessThanOrEqual(1000)
  expect(await notesOf(at.store)).toHaveLength(20)
})

test('a session has one note, which a compaction, its end and a resume update', async () => {
  await using at = await someServices()
  await contextFor(at.desk, say('Fix the login test'))
  await late(at.desk, { hook_event_name: 'PreCompact', trigger: 'manual' })
  await at.desk.queue.drained()
  expect(await notesOf(at.store)).toMatchObject([{ type: 'episodic', title: 'Fix the login test', tags: ['session', 'precompact'] }])
  await late(at.desk, { hook_event_name: 'Stop', prompt_id: 'p1', last_assistant_message: 'Both tests pass.' })
  await late(at.desk, { hook_event_name: 'SessionEnd', reason: 'other' })
  await at.desk.queue.drained()
  await late(at.desk, { hook_event_name: 'SessionStart', source: 'resume' })
  await at.desk.queue.drained()
  const notes = await notesOf(at.store)
  expect(notes).toMatchObject([
    { namespace: 'sessions', session: 's1', source: 'session-end', tags: ['session', 'precompact', 'session-end'] },
  ])
  expect(notes[0]?.body).toContain('**Outcome:** Both tests pass.')
})

test('changes by a person or a reflection survive an update of a session’s note', async () => {
  await using at = await someServices()
  await contextFor(at.desk, say('Fix the login test'))
  await late(at.desk, { hook_event_name: 'SessionEnd', reason: 'other' })
  await at.desk.queue.drained()
  const [first] = await notesOf(at.store)
  if (!first) throw new Error('no note')
  const path = join(at.desk.home.folder, first.path)
  writeFileSync(path, (readIfThere(path) ?? '').replace('tags: [session', 'tags: [reflected, session').replace('**Ask:**', 'My words:'))
  await reindex(at.desk.notebook)
  await late(at.desk, { hook_event_name: 'Stop', prompt_id: 'p1', last_assistant_message: 'Both tests pass now.' })
  await late(at.desk, { hook_event_name: 'SessionEnd', reason: 'other' })
  await at.desk.queue.drained()
  const [note] = await notesOf(at.store)
  expect(note?.tags).toContain('reflected')
  expect(note?.body).toStartWith('My words: Fix the login test')
})

test('trivial, private and excluded sessions leave no note, and session notes can be switched off', async () => {
  await using at = await someServices({ RECOLLECT_PRIVACY_EXCLUDE_PROJECTS: '/home/dev/secret' })
  const end = { hook_event_name: 'SessionEnd', reason: 'other' }
  await late(at.desk, say('/clear'))
  await late(at.desk, end)
  await late(at.desk, say('<private>what nobody may know</private>', { session_id: 's2' }))
  await late(at.desk, { ...end, session_id: 's2' })
  await late(at.desk, say('Do things', { session_id: 's3', cwd: '/home/dev/secret' }))
  await late(at.desk, { ...end, session_id: 's3', cwd: '/home/dev/secret' })
  await at.desk.queue.drained()
  expect(await notesOf(at.store)).toEqual([])
  await using off = await someServices({ RECOLLECT_HOOKS_STOP_SESSION_ANALYSIS: 'false' })
  await late(off.desk, say('Do things'))
  await late(off.desk, end)
  await off.desk.queue.drained()
  expect(await notesOf(off.store)).toEqual([])
})

test('a session note lists changed files relative to the project, without failed changes', async () => {
  await using at = await someServices()
  await late(at.desk, say('Change it'))
  const edit = (id: string, file: string, given: object = {}) =>
    late(at.desk, {
      hook_event_name: 'PostToolUse',
      tool_name: 'Edit',
      tool_use_id: id,
      prompt_id: 'p1',
      tool_input: { file_path: file, old_string: 'a', new_string: 'b' },
      tool_response: {},
      ...given,
    })
  await edit('t1', '/home/dev/app/src/a.ts')
  await edit('t2', '/etc/hosts')
  await edit('t3', '/home/dev/app/src/b.ts', { hook_event_name: 'PostToolUseFailure', error: 'no' })
  await late(at.desk, { hook_event_name: 'SessionEnd', reason: 'other' })
  await at.desk.queue.drained()
  expect((await notesOf(at.store))[0]?.body).toContain('**Files touched (2):**\n- src/a.ts\n- /etc/hosts\n')
})

test('a compaction saves decisions and findings as notes once, and gets an empty reply', async () => {
  await using at = await someServices()
  await contextFor(at.desk, say("Let's go with SQLite instead of Postgres because it needs no server. Should we use Redis?"))
  const answer = 'Done. The root cause was that `exp` is in seconds, not milliseconds.'
  await late(at.desk, { hook_event_name: 'Stop', prompt_id: 'p1', last_assistant_message: answer })
  const compacting = { hook_event_name: 'PreCompact', trigger: 'auto' }
  expect(await ingestDelivery(at.desk, delivery(compacting))).toEqual({})
  await at.desk.queue.drained()
  await late(at.desk, compacting)
  await at.desk.queue.drained()
  const stated = (await notesOf(at.store)).filter((note) => note.type !== 'episodic')
  expect(stated.map((note) => [note.namespace, note.source, note.session, note.body]).sort()).toEqual([
    ['decisions', 'session-end', 's1', "Let's go with SQLite instead of Postgres because it needs no server."],
    ['learnings', 'session-end', 's1', 'The root cause was that `exp` is in seconds, not milliseconds.'],
  ])
  expect(stated.every((note) => note.confidence >= 0.8 && note.confidence < 1)).toBe(true)
})

test('saving at a compaction can be limited by a threshold or switched off', async () => {
  for (const variables of [{ RECOLLECT_HOOKS_PRE_COMPACT_CONFIDENCE_THRESHOLD: '1' }, { RECOLLECT_HOOKS_PRE_COMPACT_ENABLED: 'false' }]) {
    await using at = await someServices(variables)
    await late(at.desk, say('We decided to use tabs instead of spaces because of the linter.'))
    await late(at.desk, { hook_event_name: 'PreCompact', trigger: 'auto' })
    await at.desk.queue.drained()
    expect((await notesOf(at.store)).filter((note) => note.type !== 'episodic')).toEqual([])
  }
})

const delivery = (payload: object, at = Date.now()) => ({
  agent: claudeCode,
  payload: { session_id: 's1', cwd: '/home/dev/app', ...payload },
  context: nowhere,
  delivery: null,
  at,
})

async function contextFor(desk: Services, payload: object): Promise<string> {
  const reply = (await ingestDelivery(desk, delivery(payload))) as { hookSpecificOutput?: { additionalContext?: string } }
  return reply.hookSpecificOutput?.additionalContext ?? ''
}

const late = (desk: Services, payload: object, at = Date.now()) => ingestWithoutReply(desk, delivery(payload, at))
const notesOf = (store: Store) => store.notes.list({ project: null, now: Date.now(), limit: 100 })
