import { expect, test } from 'bun:test'
import { event, loginTurn, nowhere, openSession } from '../../test/support/builders.ts'
import { someServices } from '../../test/support/services.ts'
import { take } from '../capture/capture.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Job } from '../core/job.ts'
import { type Agent, claudeCode } from '../integrations/agent.ts'
import { CAUGHT_UP_MARK, queueCatchUp } from './automatic-jobs.ts'
import { openJobRunner } from './job-runner.ts'

test('a restarted worker continues catching up where the last one stopped', async () => {
  await using at = await someServices()
  const { store } = at
  await store.transaction(async () => {
    const session = await openSession(store)
    for (let n = 1; n <= 120; n++)
      await store.prompts.add(session, { key: `${n}`, promptId: null, uuid: null, origin: 'person', text: `Step ${n}`, at: n })
  })
  const jobs = openJobRunner(at.desk, at.embedding)
  const next = () => store.transaction(() => store.jobs.claim(Date.now()))

  await queueCatchUp(store)
  await jobs.do((await next()) as Job, AbortSignal.timeout(60_000))
  await queueCatchUp(store) // every start does this
  let more = 0
  for (let job = await next(); job; job = await next()) {
    await jobs.do(job, AbortSignal.timeout(60_000))
    more++
  }
  expect(await store.audit.mark(CAUGHT_UP_MARK)).not.toBeNull()
  expect(more).toBe(2) // of three batches of fifty turns
})

test('a job reads tool uses with the agent of its session', async () => {
  await using at = await someServices()
  const { store } = at
  const context = { ...nowhere, project: asProjectKey('app') }
  for (const [ms, turnEvent] of loginTurn(1).entries())
    await store.transaction(() => take(store, event(turnEvent, { at: 1000 + ms }), context, at.desk.rules(claudeCode)))
  const tools: string[] = []
  const readAction: Agent['readAction'] = (use) => {
    tools.push(use.tool)
    return claudeCode.readAction(use)
  }
  const jobs = openJobRunner(
    { ...at.desk, agents: { ...at.desk.agents, 'claude-code': () => ({ ...claudeCode, readAction }) } },
    at.embedding,
  )
  await jobs.do({ id: 1, kind: 'distill', key: '1:1', payload: { sessionId: 1, number: 1 }, attempts: 1 }, AbortSignal.timeout(60_000))
  expect(tools).not.toEqual([])
})

test('a job of an unknown kind is dropped', async () => {
  await using at = await someServices()
  await at.store.jobs.add('sync', 'k', {}, 1)
  const job = await at.store.transaction(() => at.store.jobs.claim(Date.now()))
  await openJobRunner(at.desk, at.embedding).do({ ...job, kind: 'from another version' } as unknown as Job, AbortSignal.timeout(60_000))
  expect(await at.store.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0 })
})
