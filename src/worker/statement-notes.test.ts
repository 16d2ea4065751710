import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nowhere } from '../../test/support/builders.ts'
import { someServices } from '../../test/support/services.ts'
import { transcript } from '../../test/support/transcript.ts'
import { AGENT_NAMES } from '../core/agent.ts'
import { asProjectKey } from '../core/ids.ts'
import { asNoteId } from '../core/note.ts'
import { briefFor, rulesFor } from '../inject/brief.ts'
import { claudeCode } from '../integrations/agent.ts'
import { changeNote, forgetNote } from '../notes/notes.ts'
import { importTranscripts } from './import-transcripts.ts'
import { ingestWithoutReply } from './intake.ts'
import { openJobRunner } from './job-runner.ts'
import { openQueue } from './queue.ts'
import type { Services } from './services.ts'

test('statements of a session are proposed when it ends, with its place, and reading it again changes nothing', async () => {
  await using at = await someServices()
  const answer = 'I kept the JSON file rather than SQLite because the native build breaks. Retry-After is not honoured yet.'
  await aSession(at.desk, 's1', [['Never push to main. Now fix the cache.', answer]])
  const stated = await statementsOf(at.desk)
  expect(stated.map(({ namespace, body, tags }) => [namespace, body, tags])).toEqual([
    ['decisions', 'I kept the JSON file rather than SQLite because the native build breaks.', ['agent']],
    ['open-ends', 'Retry-After is not honoured yet.', ['agent']],
    ['rules', 'Never push to main.', []],
  ])
  for (const note of stated) {
    expect(note).toMatchObject({ state: 'proposed', source: 'session-end', session: 's1' })
    expect(note.said).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d s1:1$/)])
  }
  await tell(at.desk, 's1', { hook_event_name: 'SessionEnd', reason: 'other' })
  await at.desk.queue.drained()
  expect(await statementsOf(at.desk)).toEqual(stated)
})

test('a rule said again counts its places; the newer of two rules replaces the older', async () => {
  await using at = await someServices()
  await aSession(at.desk, 's1', [["Always start function names with 'x_'.", 'Noted.']])
  await aSession(at.desk, 's2', [["Remember: always start function names with 'x_'.", 'Yes.']])
  const [rule] = await statementsOf(at.desk)
  expect(rule?.said.map((place) => place.slice(11))).toEqual(['s1:1', 's2:1'])
  await aSession(at.desk, 's3', [["From now on, start function names with 'y_'.", 'Fine.']])
  const rules = await rulesFor(at.store, rule?.project as never, Date.now())
  expect(rules.map(({ text, timesSaid }) => [text, timesSaid])).toEqual([["From now on, start function names with 'y_'.", 1]])
})

test('for a month, the brief says which rule a rule replaced, until the replaced one is deleted', async () => {
  await using at = await someServices()
  await aSession(at.desk, 's1', [["Always start function names with 'x_'.", 'Noted.']])
  await aSession(at.desk, 's2', [["From now on, start function names with 'y_'.", 'Fine.']])
  const [rule] = await statementsOf(at.desk)
  if (!rule) throw new Error('nothing was proposed')
  const brief = async (now: number) => (await briefFor(at.store, { project: asProjectKey(rule.project ?? ''), now })).text
  expect(await brief(Date.now())).toMatch(
    /\n- "From now on, start function names with 'y_'\." \(.*\)\n {2}No longer: "Always start function names with 'x_'\."/,
  )
  expect(await brief(Date.now() + 40 * 86_400_000)).not.toContain('No longer')
  const [older] = rule.supersedes
  await forgetNote(at.desk.notebook, asNoteId(older ?? ''), Date.now())
  expect(await brief(Date.now())).not.toContain('No longer')
})

test('a rejected rule stays away, and an edited one keeps its words', async () => {
  await using at = await someServices()
  await aSession(at.desk, 's1', [['Never push to main. Always add a changelog entry.', 'Fine.']])
  const [one, other] = await statementsOf(at.desk)
  if (!one || !other) throw new Error('nothing was proposed')
  await forgetNote(at.desk.notebook, one.id, Date.now())
  await changeNote(at.desk.notebook, other.id, { body: 'Edited by hand.', state: 'accepted' }, Date.now())
  await aSession(at.desk, 's2', [['Never push to main. And always add a changelog entry.', 'Fine.']])
  expect((await statementsOf(at.desk)).map(({ body, state }) => [body, state])).toEqual([['Edited by hand.', 'accepted']])
})

test('nothing is taken from machine prompts, and an agent states no rules', async () => {
  await using at = await someServices()
  const machine = '<task-notification><summary>Always use tabs.</summary></task-notification>'
  await aSession(at.desk, 's1', [[machine, 'Always use tabs. Never use spaces.']])
  expect(await statementsOf(at.desk)).toEqual([])
})

test('a session that states a hundred things proposes a few of them', async () => {
  await using at = await someServices()
  const words = Array.from({ length: 100 }, (_, n) => `Never touch the ${'abcdefghij'[n % 10]}${'klmnopqrst'[Math.floor(n / 10)]}folder.`)
  await aSession(at.desk, 's1', [[words.join('\n'), 'Fine.']])
  expect(await statementsOf(at.desk)).toHaveLength(12)
})

test('imported sessions propose notes, the same ones on a second import, in any order of files', async () => {
  await using at = await someServices()
  const history = join(at.desk.home.folder, 'history')
  mkdirSync(history, { recursive: true })
  const day = (n: number) => ({ from: Date.UTC(2026, 0, n) })
  writeFileSync(join(history, 'a.jsonl'), transcript('late', [{ prompt: 'From now on, use npm.', commands: [], answer: 'Fine.' }], day(2)))
  writeFileSync(join(history, 'b.jsonl'), transcript('early', [{ prompt: 'Always use pnpm.', commands: [], answer: 'Fine.' }], day(1)))
  await runImport(at, history)
  const stated = await statementsOf(at.desk)
  expect(stated).toMatchObject([{ body: 'From now on, use npm.', source: 'import', state: 'proposed', said: ['2026-01-02 late:1'] }])
  await runImport(at, history)
  expect(await statementsOf(at.desk)).toEqual(stated)
})

test('session analysis can be switched off', async () => {
  await using at = await someServices({ RECOLLECT_HOOKS_STOP_SESSION_ANALYSIS: 'false' })
  await aSession(at.desk, 's1', [['Never push to main.', 'Fine.']])
  expect(await statementsOf(at.desk)).toEqual([])
})

async function aSession(desk: Services, session: string, turns: [prompt: string, answer: string][]): Promise<void> {
  for (const [n, [prompt, answer]] of turns.entries()) {
    await tell(desk, session, { hook_event_name: 'UserPromptSubmit', prompt, prompt_id: `${session}p${n}` })
    await tell(desk, session, { hook_event_name: 'Stop', prompt_id: `${session}p${n}`, last_assistant_message: answer })
  }
  await tell(desk, session, { hook_event_name: 'SessionEnd', reason: 'other' })
  await desk.queue.drained()
}

/** Each event is a little later than the one before, as in a real session. */
let clock = Date.now() - 3_600_000
function tell(desk: Services, session: string, payload: object) {
  clock += 1000
  const said = { session_id: session, cwd: '/home/dev/app', ...payload }
  return ingestWithoutReply(desk, { agent: claudeCode, payload: said, context: nowhere, delivery: null, at: clock })
}

const statementsOf = async ({ store }: Services) =>
  (await store.notes.list({ project: null, now: Date.now(), limit: 100 }))
    .filter((note) => note.said.length > 0)
    .sort((a, b) => `${a.namespace} ${a.body}`.localeCompare(`${b.namespace} ${b.body}`))

/** Runs every job as the worker does. */
async function runImport({ desk, embedding }: Awaited<ReturnType<typeof someServices>>, folder: string): Promise<void> {
  const worker: Services = { ...desk, queue: openQueue(desk.store, (job, signal) => jobs.do(job, signal), desk.log) }
  const jobs = openJobRunner(worker, embedding)
  await Array.fromAsync(importTranscripts(worker, { agents: AGENT_NAMES, paths: [folder], since: null, project: null }))
  await worker.queue.stop()
}
