import { expect, test } from 'bun:test'
import { event, loginTurn, nowhere, openSession } from '../../test/support/builders.ts'
import { someServices } from '../../test/support/services.ts'
import { take } from '../capture/capture.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Job } from '../core/job.ts'
import { type Agent, claudeCode } from '../integrations/agent.ts'
import type { Store } from '../store/store.ts'
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

test('turns that wait are distilled in the transaction of the first, and all get vectors; old ones are not tied to code', async () => {
  await using at = await someServices()
  const { store } = at
  await journalTurns(at, 3)
  await openJobRunner(at.desk, at.embedding, Number.POSITIVE_INFINITY).do(await claimed(store), AbortSignal.timeout(60_000))
  expect(new Set((await store.observations.ofSession(1, 100)).map((o) => o.promptNumber))).toEqual(new Set([1, 2, 3]))
  const left: string[] = []
  for (
    let job = await store.transaction(() => store.jobs.claim(Date.now()));
    job;
    job = await store.transaction(() => store.jobs.claim(Date.now()))
  )
    left.push(job.kind)
  expect(left).toContain('embed')
  expect(left).not.toContain('distill')
  expect(left).not.toContain('anchor')
})

test('a turn that was tried before is distilled alone, because it may take the worker down', async () => {
  await using at = await someServices()
  const { store } = at
  await journalTurns(at, 3)
  const jobs = openJobRunner(at.desk, at.embedding, Number.POSITIVE_INFINITY)
  await claimed(store)
  await store.transaction(() => store.jobs.returnRunning(0)) // as after a crash
  await jobs.do(await claimed(store), AbortSignal.timeout(60_000))
  expect((await store.observations.ofSession(1, 100)).every((o) => o.promptNumber === 1)).toBe(true)

  const second = await claimed(store)
  await store.transaction(async () => {
    const third = await store.jobs.claim(Date.now())
    await store.jobs.retry(third?.id ?? 0, 0, 'failed once')
  })
  await jobs.do(second, AbortSignal.timeout(60_000))
  expect((await store.observations.ofSession(1, 100)).some((o) => o.promptNumber === 3)).toBe(false)
  expect(await claimed(store)).toMatchObject({ kind: 'distill', payload: { number: 3 } })
})

async function journalTurns({ store, desk }: Awaited<ReturnType<typeof someServices>>, count: number): Promise<void> {
  const context = { ...nowhere, project: asProjectKey('app') }
  for (let number = 1; number <= count; number++)
    for (const [ms, turnEvent] of loginTurn(number).entries())
      await store.transaction(() => take(store, event(turnEvent, { at: number * 1000 + ms }), context, desk.rules(claudeCode)))
}

async function claimed(store: Store): Promise<Job> {
  const job = await store.transaction(() => store.jobs.claim(Date.now()))
  if (!job) throw new Error('no job is due')
  return job
}

test('a job of an unknown kind is dropped', async () => {
  await using at = await someServices()
  await at.store.jobs.add('sync', 'k', {}, 1)
  const job = await at.store.transaction(() => at.store.jobs.claim(Date.now()))
  await openJobRunner(at.desk, at.embedding).do({ ...job, kind: 'from another version' } as unknown as Job, AbortSignal.timeout(60_000))
  expect(await at.store.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0 })
})
