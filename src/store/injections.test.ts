import { expect, test } from 'bun:test'
import { openSession, temporaryStore } from '../../test/support/builders.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Injection } from './injections.ts'

const injection = (given: Partial<Injection> = {}) => ({
  sessionId: 1,
  project: asProjectKey('app'),
  event: 'SessionStart',
  text: 'A brief',
  tokens: 3,
  items: [{ kind: 'observation' as const, id: 12, tokens: 3, why: 'recent' }],
  at: 1000,
  ...given,
})

test('an injection is known until the session is compacted', async () => {
  using t = await temporaryStore()
  const [session, other] = [await openSession(t.store, 's1'), await openSession(t.store, 's2')]
  await t.store.injections.add(injection({ sessionId: session.id, event: 'file:src/a.ts' }))
  expect(await t.store.injections.wasInjected(session, 'file:src/a.ts')).toBe(true)
  expect(await t.store.injections.wasInjected(session, 'file:src/b.ts')).toBe(false)
  expect(await t.store.injections.wasInjected(other, 'file:src/a.ts')).toBe(false)
  expect(await t.store.injections.itemsOf(session)).toEqual(injection().items)
  const compacted = { ...session, contextFrom: 1001 }
  expect([await t.store.injections.wasInjected(compacted, 'file:src/a.ts'), await t.store.injections.itemsOf(compacted)]).toEqual([
    false,
    [],
  ])
})

test('injections are listed newest first, of one session or of all, with what was left out', async () => {
  using t = await temporaryStore()
  const [one, two] = [await openSession(t.store, 's1'), await openSession(t.store, 's2')]
  const left = [{ kind: 'note' as const, id: 'n1', why: 'no room' }]
  await t.store.injections.add(injection({ sessionId: one.id, text: 'first', left }))
  await t.store.injections.add(injection({ sessionId: two.id, text: 'second' }))
  expect((await t.store.injections.recent(null, 9)).map(({ text }) => text)).toEqual(['second', 'first'])
  expect(await t.store.injections.recent(null, 1)).toHaveLength(1)
  expect(await t.store.injections.recent(one.id, 9)).toEqual([{ id: 1, ...injection({ sessionId: one.id, text: 'first' }), left }])
})

test('totals count files and errors together, since a time', async () => {
  using t = await temporaryStore()
  const { id: sessionId } = await openSession(t.store)
  for (const [event, at] of [
    ['SessionStart', 1000],
    ['file:a.ts', 1000],
    ['file:b.ts', 2000],
    ['error:P1', 2000],
  ] as const)
    await t.store.injections.add(injection({ sessionId, event, at }))
  expect(await t.store.injections.totals(0)).toEqual([
    { event: 'SessionStart', count: 1, tokens: 3 },
    { event: 'error', count: 1, tokens: 3 },
    { event: 'file', count: 2, tokens: 6 },
  ])
  expect((await t.store.injections.totals(1001)).map(({ event, count }) => [event, count])).toEqual([
    ['error', 1],
    ['file', 1],
  ])
  expect([...t.store.injections.since(1001)].map(({ id }) => id)).toEqual([3, 4])
})

test('old injections are counted and removed in portions', async () => {
  using t = await temporaryStore()
  const { id: sessionId } = await openSession(t.store)
  for (const at of [1000, 2000, 3000]) await t.store.injections.add(injection({ sessionId, at }))
  const size = 'A brief'.length + JSON.stringify(injection().items).length
  expect(await t.store.injections.countPurgeable(3000)).toEqual({ rows: 2, bytes: 2 * size })
  expect([await t.store.injections.purge(3000, 1), await t.store.injections.purge(3000, 9)]).toEqual([1, 1])
  expect((await t.store.injections.recent(null, 9)).map(({ at }) => at)).toEqual([3000])
})
