import { expect, test } from 'bun:test'
import { temporaryStore } from '../../test/support/builders.ts'
import type { Store } from './store.ts'

const distill = (store: Store, number: number, at = 1000, runAfter = 0) =>
  store.jobs.add('distill', `1:${number}`, { sessionId: 1, number }, at, runAfter)

test('a job is claimed once, the earliest first, and not before its time', async () => {
  using t = await temporaryStore()
  const [late, early] = [await distill(t.store, 1, 1000, 3000), await distill(t.store, 2, 1000, 2000)]
  expect(await t.store.jobs.claim(1999)).toBeNull()
  expect(await t.store.jobs.nextAt()).toBe(2000)
  expect(await t.store.jobs.claim(5000)).toMatchObject({
    id: early,
    kind: 'distill',
    key: '1:2',
    payload: { sessionId: 1, number: 2 },
    attempts: 1,
  })
  expect((await t.store.jobs.claim(5000))?.id).toBe(late)
  expect(await t.store.jobs.claim(5000)).toBeNull()
  expect([await t.store.jobs.nextAt(), await t.store.jobs.counts()]).toEqual([null, { waiting: 0, running: 2, dead: 0 }])
})

test('work queued twice before it starts is done once, at the earlier time; work queued while it runs is done again', async () => {
  using t = await temporaryStore()
  const first = await distill(t.store, 1, 1000, 3000)
  expect(await distill(t.store, 1, 1000, 2000)).toBe(first)
  expect(await distill(t.store, 1, 1000, 9000)).toBe(first)
  expect((await t.store.jobs.claim(2000))?.id).toBe(first)
  const second = await distill(t.store, 1)
  expect(second).not.toBe(first)
  await t.store.jobs.complete(first)
  expect(await t.store.jobs.state(first)).toBeNull()
  expect((await t.store.jobs.claim(2000))?.id).toBe(second)
})

test('a failed job waits and says why; if the same work was queued meanwhile, that does it', async () => {
  using t = await temporaryStore()
  const id = await distill(t.store, 1)
  await t.store.jobs.claim(2000)
  await t.store.jobs.retry(id, 5000, 'the model is away')
  expect([await t.store.jobs.state(id), await t.store.jobs.nextAt()]).toEqual([{ error: 'the model is away' }, 5000])
  expect((await t.store.jobs.claim(5000))?.attempts).toBe(2)
  const twin = await distill(t.store, 1)
  await t.store.jobs.retry(id, 6000, 'again')
  expect(await t.store.jobs.state(id)).toBeNull()
  expect(await t.store.jobs.counts()).toEqual({ waiting: 1, running: 0, dead: 0 })
  expect((await t.store.jobs.claim(7000))?.id).toBe(twin)
})

test('after a crash jobs that were running are due again', async () => {
  using t = await temporaryStore()
  const [one, two] = [await distill(t.store, 1), await distill(t.store, 2)]
  await t.store.jobs.claim(2000)
  await t.store.jobs.claim(2000)
  await distill(t.store, 2)
  expect(await t.store.jobs.returnRunning(3000)).toBe(2)
  expect([(await t.store.jobs.state(one)) !== null, await t.store.jobs.state(two)]).toEqual([true, null])
  expect(await t.store.jobs.counts()).toEqual({ waiting: 2, running: 0, dead: 0 })
})

test('a dead job stays until a person revives it', async () => {
  using t = await temporaryStore()
  const id = await distill(t.store, 1, 1234)
  await t.store.jobs.claim(2000)
  await t.store.jobs.markDead(id, 'it failed too often')
  expect(await t.store.jobs.claim(9000)).toBeNull()
  expect(await t.store.jobs.dead(5)).toMatchObject([{ id, error: 'it failed too often', createdAt: 1234, attempts: 1 }])
  expect([await t.store.jobs.revive(99, 3000), await t.store.jobs.revive(id, 3000), await t.store.jobs.revive(id, 3000)]).toEqual([
    false,
    true,
    false,
  ])
  expect(await t.store.jobs.claim(3000)).toMatchObject({ id, attempts: 1 })
  await t.store.jobs.markDead(id, 'again')
  expect([await t.store.jobs.reviveDead(4000), await t.store.jobs.reviveDead(4000)]).toEqual([1, 0])
})

test('jobs that a clock which was set back left in the future are due now; ordinary waiting is not cut short', async () => {
  using t = await temporaryStore()
  const HOUR = 3_600_000
  const now = 100 * HOUR
  await distill(t.store, 1, now + HOUR, now + HOUR)
  await distill(t.store, 2, now, now + 3 * HOUR)
  await distill(t.store, 3, now, now + HOUR)
  expect(await t.store.jobs.bringForward(now, 2 * HOUR)).toBe(2)
  expect([(await t.store.jobs.claim(now))?.key, (await t.store.jobs.claim(now))?.key, await t.store.jobs.claim(now)]).toEqual([
    '1:1',
    '1:2',
    null,
  ])
})
