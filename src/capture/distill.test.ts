import { expect, test } from 'bun:test'
import { captureAll, event, nowhere, prompt, temporaryStore, toolUse } from '../../test/support/builders.ts'
import type { SessionEvent } from '../core/event.ts'
import { asProjectKey } from '../core/ids.ts'
import { claudeCode } from '../integrations/agent.ts'
import type { Store } from '../store/store.ts'
import { take } from './capture.ts'
import { distillTurn } from './turns.ts'

test('distilling a turn adds observations and a summary, and gives the session a title and a memory session id', async () => {
  using t = await temporaryStore()
  await aTurn(t.store)
  const changes = await distillTurn(t.store, { sessionId: 1, number: 1 }, claudeCode.readAction)
  expect(new Set(changes.map((change) => change.kind))).toEqual(new Set(['observation-added', 'summary-added']))
  const [first] = [...t.store.observations.each(null)]
  expect(first).toMatchObject({ sessionId: 1, project: 'app', promptNumber: 1, model: 'plain', filesModified: ['src/auth.ts'] })
  expect(first?.tokens).toBeGreaterThan(0)
  const session = await t.store.sessions.get(1)
  expect(session?.title).toBeTruthy()
  expect(session?.memorySessionId).not.toBe(session?.contentSessionId as string)
})

test('distilling a turn again changes nothing and keeps the ids', async () => {
  using t = await temporaryStore()
  await aTurn(t.store)
  const distill = () => distillTurn(t.store, { sessionId: 1, number: 1 }, claudeCode.readAction)
  await distill()
  const once = await memories(t.store)
  expect(await distill()).toEqual([])
  expect(await memories(t.store)).toEqual(once)
})

test('when more of a turn has arrived, its memories are replaced', async () => {
  using t = await temporaryStore()
  await aTurn(t.store)
  const distill = () => distillTurn(t.store, { sessionId: 1, number: 1 }, claudeCode.readAction)
  await distill()
  await report(t.store, edit('t9', 'src/session.ts', 'ttl = 1', 'ttl = 60'), 1015)
  await report(t.store, { kind: 'turn-ended', promptId: 'p1', answer: 'Sessions now last a minute as well.' }, 3000)
  await distill()
  const { observations, summaries } = await memories(t.store)
  expect(observations.flatMap((o) => o.filesModified)).toEqual(expect.arrayContaining(['src/auth.ts', 'src/session.ts']))
  expect(new Set(observations.map((o) => o.title)).size).toBe(observations.length)
  expect(summaries).toHaveLength(1)
})

test('observations stay when their tool uses are deleted', async () => {
  using t = await temporaryStore()
  await aTurn(t.store)
  const distill = () => distillTurn(t.store, { sessionId: 1, number: 1 }, claudeCode.readAction)
  await distill()
  const before = await memories(t.store)
  await t.store.toolUses.purge(Date.now() + 1000, 100)
  expect(await distill()).toEqual([])
  expect(await memories(t.store)).toEqual(before)
})

test('observations stay when their tool uses are deleted, whatever other turns left', async () => {
  using t = await temporaryStore()
  await aTurn(t.store)
  const distill = (number: number) => distillTurn(t.store, { sessionId: 1, number }, claudeCode.readAction)
  await distill(1)
  await report(t.store, prompt('And why does the token carry seconds?', 'p2'), 4000)
  const answer =
    'The tokens carry seconds because `exp` is defined so in the standard. The clock of the server counts milliseconds, so `isValid` has to convert one of them. `refresh` does not compare them at all, which is why only the login failed.'
  await report(t.store, { kind: 'turn-ended', promptId: 'p2', answer }, 5000)
  await distill(2)
  const before = await memories(t.store)
  expect(new Set(before.observations.map((o) => o.promptNumber))).toEqual(new Set([1, 2]))
  await t.store.toolUses.purge(Date.now() + 1000, 100)
  expect(await distill(1)).toEqual([])
  expect(await memories(t.store)).toEqual(before)
})

test('the traces of a turn stay when its tool uses are deleted', async () => {
  using t = await temporaryStore()
  await aTurn(t.store)
  await report(t.store, edit('t2', 'src/clock.ts', 'readClock()', 'readClock(nowMs)'), 1015)
  const distill = () => distillTurn(t.store, { sessionId: 1, number: 1 }, claudeCode.readAction)
  const storedTraces = () => t.store.prompts.recentTraces(asProjectKey('app'), 10)
  await distill()
  const traces = { names: [['src/clock.ts', ['readClock']]], errors: [] }
  expect(await storedTraces()).toMatchObject([{ sessionId: 1, number: 1, traces }] as never)
  await t.store.toolUses.purge(Date.now() + 1000, 100)
  await distill()
  expect(await storedTraces()).toHaveLength(1)
})

test('an unknown turn gives no changes', async () => {
  using t = await temporaryStore()
  await aTurn(t.store)
  expect(await distillTurn(t.store, { sessionId: 1, number: 7 }, claudeCode.readAction)).toEqual([])
  expect(await distillTurn(t.store, { sessionId: 9, number: 1 }, claudeCode.readAction)).toEqual([])
})

test('a session that was left at a question has threads too', async () => {
  using t = await temporaryStore()
  await aTurn(t.store)
  await report(t.store, prompt('And what about the tests?', 'p2'), 9000)
  await distillTurn(t.store, { sessionId: 1, number: 1 }, claudeCode.readAction)
  expect((await t.store.threads.ofSession(1)).map(({ first, last }) => [first, last])).toEqual([[1, 2]])
})

async function aTurn(store: Store): Promise<void> {
  await report(store, prompt('The login test fails. Fix it.'), 1000)
  await report(store, edit('t1', 'src/auth.ts', 'return exp > now', 'return exp * 1000 > now'), 1010)
  await report(store, { kind: 'turn-ended', promptId: 'p1', answer: 'Fixed: exp is in seconds, so it is multiplied by 1000.' }, 2000)
}

const edit = (id: string, file: string, old_string: string, new_string: string): SessionEvent =>
  toolUse(id, { tool: 'Edit', input: { file_path: `/home/dev/app/${file}`, old_string, new_string }, output: {} })

function report(store: Store, reported: SessionEvent, at: number) {
  return take(store, event(reported, { at }), nowhere, captureAll())
}

async function memories(store: Store) {
  return { observations: [...store.observations.each(null)], summaries: [...store.summaries.each(null)] }
}
