import { expect, test } from 'bun:test'
import { openSession } from '../../test/support/builders.ts'
import { aDesk } from '../../test/support/desk.ts'
import type { Job } from '../core/job.ts'
import { CAUGHT_UP_MARK, queueCatchUp } from './automatic-jobs.ts'
import { openJobRunner } from './job-runner.ts'

test('a worker that starts again goes on catching up where the last one was', async () => {
  await using at = await aDesk()
  const { store } = at
  await store.transaction(async () => {
    const session = await openSession(store)
    for (let n = 1; n <= 120; n++)
      await store.prompts.add(session, { key: `${n}`, promptId: null, uuid: null, origin: 'person', text: `Step ${n}`, at: n })
  })
  const jobs = openJobRunner(at.desk, at.embedding)
  const next = () => store.transaction(() => store.jobs.claim(Date.now()))

  await queueCatchUp(store)
  await jobs.do((await next()) as Job)
  await queueCatchUp(store) // as every start does
  let more = 0
  for (let job = await next(); job; job = await next()) {
    await jobs.do(job)
    more++
  }
  expect(await store.audit.mark(CAUGHT_UP_MARK)).not.toBeNull()
  expect(more).toBe(2) // of three bites of fifty turns
})
