import { expect, test } from 'bun:test'
import { openSession, temporaryStore } from '../../test/support/builders.ts'
import type { Session } from '../core/memory.ts'
import type { Store } from './store.ts'

const use = (session: Session, toolUseId: string, output = 'x', at = 1000) => ({
  sessionId: session.id,
  promptNumber: 1,
  promptId: null,
  toolUseId,
  tool: 'Bash',
  input: '{}',
  output,
  error: null,
  interrupted: false,
  agentId: null,
  cwd: null,
  at,
})
const addPrompt = (store: Store, session: Session, text: string, given: { promptId?: string; uuid?: string; at?: number } = {}) =>
  store.transaction(() =>
    store.prompts.add(session, { key: `${text}:k`, promptId: null, uuid: null, origin: 'person', text, at: 1000, ...given }),
  )

test('a turn is found by the client’s id first, else by time', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  await addPrompt(t.store, session, 'one', { promptId: 'p1', at: 1000 })
  await addPrompt(t.store, session, 'two', { promptId: 'p2', at: 2000 })
  const at = async (promptId: string | null, time: number) => (await t.store.prompts.turnAt(session.id, promptId, time))?.text
  expect([await at('p1', 2500), await at(null, 2500), await at(null, 1500), await at('unknown', 1500)]).toEqual([
    'one',
    'two',
    'one',
    'one',
  ])
  expect(await t.store.prompts.ownTurnAt(session.id, 'unknown', 1500)).toBeNull()
})

test('a line of a transcript belongs to one session, and other sessions recognise it as a copy', async () => {
  using t = await temporaryStore()
  const [parent, fork] = [await openSession(t.store, 'parent'), await openSession(t.store, 'fork')]
  await addPrompt(t.store, parent, 'one', { uuid: 'line-1' })
  expect([await t.store.prompts.isCopy(fork.id, 'line-1'), await t.store.prompts.isCopy(parent.id, 'line-1')]).toEqual([true, false])
})

test('prompts with equal texts get numbered keys, and the next line goes to the first without one', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  const key = await t.store.prompts.nextKey(session.id, 'text:a:')
  await t.store.transaction(() => t.store.prompts.add(session, { key, promptId: null, uuid: null, origin: 'person', text: 'a', at: 1 }))
  expect([key, await t.store.prompts.nextKey(session.id, 'text:a:')]).toEqual(['text:a:1', 'text:a:2'])
  expect(await t.store.prompts.keyWithoutLine(session.id, 'text:a:')).toBe('text:a:1')
})

test('a tool use is stored once per session, and retention deletes the oldest first, by age or by size', async () => {
  using t = await temporaryStore()
  const [one, two] = [await openSession(t.store, 'one'), await openSession(t.store, 'two')]
  const add = (session: Session, id: string, output?: string) => t.store.transaction(() => t.store.toolUses.add(use(session, id, output)))
  expect([await add(one, 't1', 'x'.repeat(998)), await add(one, 't1'), await add(two, 't1')]).toEqual([true, false, true])
  const later = Date.now() + 1
  expect(await t.store.toolUses.countPurgeable(later)).toEqual({ rows: 2, bytes: 1003 })
  expect(await t.store.toolUses.countPurgeableBySize(500, later)).toEqual({ rows: 1, bytes: 1000 })
  expect(await t.store.transaction(() => t.store.toolUses.purgeBySize(500, later, 10))).toBe(1)
  expect([await t.store.toolUses.has(one.id, 't1'), await t.store.toolUses.has(two.id, 't1')]).toEqual([false, true])
  expect(await t.store.transaction(() => t.store.toolUses.purge(0, 10))).toBe(0)
})

test('injected memories count until the conversation is compacted', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  const item = { kind: 'prompt' as const, id: 1, tokens: 3, why: 'words' }
  await t.store.transaction(() =>
    t.store.injections.add({
      sessionId: session.id,
      project: session.project,
      event: 'SessionStart',
      text: 'x',
      tokens: 3,
      items: [item],
      at: 5000,
    }),
  )
  const current = async () => (await t.store.sessions.get(session.id)) ?? session
  expect([
    await t.store.injections.wasInjected(await current(), 'SessionStart'),
    await t.store.injections.itemsOf(await current()),
  ]).toEqual([true, [item]])
  await t.store.transaction(() => t.store.sessions.setContextFrom(session.id, 6000))
  expect([
    await t.store.injections.wasInjected(await current(), 'SessionStart'),
    await t.store.injections.itemsOf(await current()),
  ]).toEqual([false, []])
})

test('a delivery is accepted once, until its receipt is purged', async () => {
  using t = await temporaryStore()
  const accept = () => t.store.transaction(() => t.store.receipts.add('d1', 1000))
  expect([await accept(), await accept(), await t.store.receipts.has('d1')]).toEqual([true, false, true])
  expect(await t.store.transaction(() => t.store.receipts.purge(1001))).toBe(1)
  expect(await accept()).toBe(true)
})

test('an entirely private turn mutes its own events, and only those', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  await t.store.transaction(() => t.store.sessions.setMuting(session.id, true, 'p1'))
  const muted = (promptId: string | null) => t.store.sessions.isMuted(session.id, promptId)
  expect([await muted('p1'), await muted('p2'), await muted(null)]).toEqual([true, false, true])
  await t.store.transaction(() => t.store.sessions.setMuting(session.id, false, null))
  expect([await muted('p1'), await muted(null), await t.store.sessions.hasPrivate(session.id)]).toEqual([true, false, true])
})
