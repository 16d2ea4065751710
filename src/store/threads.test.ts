import { expect, test } from 'bun:test'
import { openSession, temporaryStore } from '../../test/support/builders.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Prompt } from '../core/memory.ts'
import type { Store } from './store.ts'

const app = asProjectKey('app')

async function sessionWithTurns(store: Store, name: string, times: number[]) {
  const session = await openSession(store, name)
  for (const [n, at] of times.entries()) {
    const given = { key: `${name}${n}`, promptId: null, uuid: null, origin: 'person' as const, text: `Turn ${n}`, at, branch: `b${n}` }
    await store.prompts.add(session, given)
  }
  return session.id
}

test('a turn belongs to the thread around it; a thread that starts at the same turn keeps its id', async () => {
  using t = await temporaryStore()
  const id = await sessionWithTurns(t.store, 's1', [1, 2, 3, 4])
  await t.store.threads.replace(id, [
    { first: 1, last: 2, outcome: 2 },
    { first: 3, last: 4, outcome: null },
  ])
  const before = await t.store.threads.ofTurn(id, 1)
  expect([
    (await t.store.threads.ofTurn(id, 2))?.first,
    (await t.store.threads.ofTurn(id, 3))?.first,
    await t.store.threads.ofTurn(id, 5),
  ]).toEqual([1, 3, null])
  await t.store.threads.replace(id, [{ first: 1, last: 4, outcome: 4 }])
  expect(await t.store.threads.ofSession(id)).toEqual([
    { id: before?.id ?? 0, sessionId: id, first: 1, last: 4, outcome: 4, replacedBy: null },
  ])
})

test('recent threads have a result that still holds, newest first, with its branch', async () => {
  using t = await temporaryStore()
  const [one, two] = [await sessionWithTurns(t.store, 's1', [1000, 4000]), await sessionWithTurns(t.store, 's2', [2000, 3000])]
  await t.store.threads.replace(one, [
    { first: 1, last: 1, outcome: 1 },
    { first: 2, last: 2, outcome: 2 },
  ])
  await t.store.threads.replace(two, [
    { first: 1, last: 1, outcome: 1 },
    { first: 2, last: 2, outcome: null },
  ])
  const recent = async (limit = 9) =>
    (await t.store.threads.recent(app, limit)).map(({ sessionId, first, branch }) => `${sessionId}:${first} ${branch}`)
  expect(await recent()).toEqual([`${one}:2 b1`, `${two}:1 b0`, `${one}:1 b0`])
  expect(await recent(1)).toHaveLength(1)
  const undone = (await t.store.prompts.byNumber(one, 2)) as Prompt
  await (await t.store.turnWork()).markTurn(undone.id, 'P9')
  expect(await recent()).toEqual([`${two}:1 b0`, `${one}:1 b0`])
  expect(await t.store.threads.recent(asProjectKey('other'), 9)).toEqual([])
})

test('a replaced thread is not recent, leads to what replaced it, and is free again when that goes', async () => {
  using t = await temporaryStore()
  const [one, two] = [await sessionWithTurns(t.store, 's1', [1000]), await sessionWithTurns(t.store, 's2', [2000])]
  for (const id of [one, two]) await t.store.threads.replace(id, [{ first: 1, last: 1, outcome: 1 }])
  const [older, newer] = await Promise.all([t.store.threads.ofTurn(one, 1), t.store.threads.ofTurn(two, 1)])
  expect(await t.store.threads.hasReplaced()).toBe(false)
  await t.store.threads.setReplaced(older?.id ?? 0, newer?.id ?? 0)
  expect(await t.store.threads.hasReplaced()).toBe(true)
  expect((await t.store.threads.get(older?.id ?? 0))?.replacedBy).toBe(newer?.id as number)
  expect((await t.store.threads.replacedBy(newer?.id ?? 0))?.id).toBe(older?.id as number)
  expect((await t.store.threads.recent(app, 9)).map(({ sessionId }) => sessionId)).toEqual([two])
  await t.store.threads.releaseReplacedBy(two)
  expect(await t.store.threads.recent(app, 9)).toHaveLength(2)
})
