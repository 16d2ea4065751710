import { expect, test } from 'bun:test'
import { temporaryStore } from '../../test/support/builders.ts'
import { queueDistill } from './distill-job.ts'

test('a turn waits to be distilled once, however often its end is reported', async () => {
  using t = await temporaryStore()
  for (const number of [1, 2, 2]) await queueDistill(t.store, 7, number, 1000)
  const waiting: unknown[] = []
  for (let job = await t.store.jobs.claim(Date.now()); job; job = await t.store.jobs.claim(Date.now())) {
    waiting.push([job.kind, job.payload])
    await t.store.jobs.complete(job.id)
  }
  expect(waiting).toEqual([
    ['distill', { sessionId: 7, number: 1 }],
    ['distill', { sessionId: 7, number: 2 }],
  ])
})
