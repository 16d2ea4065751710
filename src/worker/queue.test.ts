import { expect, setSystemTime, test } from 'bun:test'
import { temporaryStore } from '../../test/support/builders.ts'
import type { Job } from '../core/job.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/store.ts'
import { backoffMs, openQueue } from './queue.ts'

test('jobs run in the order in which they were added, one at a time', async () => {
  using t = await temporaryStore()
  const done: string[] = []
  let atOnce = 0
  const queue = openQueue(
    t.store,
    thenRemove(t.store, async (job) => {
      expect(++atOnce).toBe(1)
      await Bun.sleep(1)
      atOnce--
      done.push(job.key)
    }),
    quiet,
  )
  for (const key of ['a', 'b', 'c']) await t.store.jobs.add('embed', key, {}, 1)
  await queue.drained()
  expect(done).toEqual(['a', 'b', 'c'])
  expect(await t.store.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0 })
  await queue.stop()
})

test('a job that never ends is given up after its time, and the jobs behind it run', async () => {
  using t = await temporaryStore()
  const done: string[] = []
  const signals: AbortSignal[] = []
  const run = async (job: Job, signal: AbortSignal) => {
    if (job.key !== 'hangs') return thenRemove(t.store, async () => void done.push(job.key))(job)
    signals.push(signal)
    await new Promise(() => {})
  }
  const queue = openQueue(t.store, run, quiet, 5000, { usual: 20, long: 20 })
  for (const key of ['hangs', 'next']) await t.store.jobs.add('embed', key, {}, 1)
  await queue.drained()
  expect(done).toEqual(['next'])
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  expect(await t.store.jobs.counts()).toEqual({ waiting: 1, running: 0, dead: 0 })
  await queue.stop()
})

test('stopping does not wait for a job that never ends', async () => {
  using t = await temporaryStore()
  const queue = openQueue(t.store, () => new Promise(() => {}), quiet)
  await t.store.jobs.add('embed', 'hangs', {}, 1)
  queue.kick()
  while ((await t.store.jobs.counts()).running === 0) await Bun.sleep(1)
  await queue.stop()
  expect(await t.store.jobs.counts()).toEqual({ waiting: 0, running: 1, dead: 0 })
})

test('a job that took the worker down with every attempt is marked dead', async () => {
  using t = await temporaryStore()
  await t.store.jobs.add('embed', 'deadly', {}, 1)
  for (let attempt = 1; attempt <= 6; attempt++) {
    await t.store.transaction(() => t.store.jobs.claim(Date.now()))
    await t.store.transaction(() => t.store.jobs.returnRunning(0))
  }
  let tries = 0
  const queue = openQueue(t.store, async () => void tries++, quiet)
  await queue.drained()
  expect([tries, (await t.store.jobs.counts()).dead]).toEqual([0, 1])
  await queue.stop()
})

test('the wait after a failure doubles, up to an hour', () => {
  expect([1, 2, 3, 4].map(backoffMs)).toEqual([1000, 2000, 4000, 8000])
  expect(backoffMs(50)).toBe(3_600_000)
  expect(backoffMs(0)).toBe(1000)
})

test('a job that fails is retried later, and marked dead with its error when it keeps failing', async () => {
  using t = await temporaryStore()
  let tries = 0
  const queue = openQueue(
    t.store,
    async () => {
      tries++
      throw new Error('no luck', { cause: new Error('because') })
    },
    quiet,
  )
  await t.store.jobs.add('embed', 'k', {}, 1)
  const start = Date.now()
  try {
    for (let i = 1; i <= 6; i++) {
      await queue.drained()
      expect(tries).toBe(i)
      if (i < 6) expect(await t.store.jobs.nextAt()).toBeGreaterThanOrEqual(start + backoffMs(i))
      setSystemTime(new Date(((await t.store.jobs.nextAt()) ?? start) + 1))
    }
  } finally {
    setSystemTime()
  }
  expect(await t.store.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 1 })
  expect(await t.store.jobs.dead(1)).toMatchObject([{ key: 'k', attempts: 6, error: 'no luck: because' }])
  await queue.stop()
})

test('a job that fails does not hold up the others', async () => {
  using t = await temporaryStore()
  const done: string[] = []
  const queue = openQueue(
    t.store,
    thenRemove(t.store, async (job) => {
      if (job.key === 'bad') throw 'not even an error'
      done.push(job.key)
    }),
    quiet,
  )
  for (const key of ['bad', 'good']) await t.store.jobs.add('embed', key, {}, 1)
  await queue.drained()
  expect(done).toEqual(['good'])
  await queue.stop()
})

test('stopping finishes the current job and starts no other', async () => {
  using t = await temporaryStore()
  const started = Promise.withResolvers<void>()
  const done: string[] = []
  const queue = openQueue(
    t.store,
    thenRemove(t.store, async (job) => {
      started.resolve()
      await Bun.sleep(10)
      done.push(job.key)
    }),
    quiet,
  )
  for (const key of ['first', 'second']) await t.store.jobs.add('embed', key, {}, 1)
  queue.kick()
  await started.promise
  await queue.stop()
  queue.kick()
  await Bun.sleep(5)
  expect(done).toEqual(['first'])
  expect(await t.store.jobs.counts()).toEqual({ waiting: 1, running: 0, dead: 0 })
})

test('a job that is added while the queue is about to go to sleep still runs', async () => {
  for (let ticks = 0; ticks < 12; ticks++) {
    using t = await temporaryStore()
    const done = Promise.withResolvers<void>()
    let looked = false
    const late: Store = {
      ...t.store,
      jobs: {
        ...t.store.jobs,
        nextAt: async () => {
          const at = await t.store.jobs.nextAt()
          if (!looked) void addLateJob()
          looked = true
          return at
        },
      },
    }
    const addLateJob = async () => {
      await t.store.jobs.add('embed', 'late', {}, 1)
      for (let tick = 0; tick < ticks; tick++) await null
      queue.kick()
    }
    const queue = openQueue(
      late,
      thenRemove(t.store, async () => done.resolve()),
      quiet,
    )
    queue.kick()
    await Promise.race([done.promise, Bun.sleep(3000).then(() => Promise.reject(new Error(`the job did not run after ${ticks} ticks`)))])
    await queue.stop()
  }
})

test('a job with a due time runs then, without another kick', async () => {
  using t = await temporaryStore()
  const done = Promise.withResolvers<number>()
  const queue = openQueue(
    t.store,
    thenRemove(t.store, async () => done.resolve(Date.now())),
    quiet,
  )
  const due = Date.now() + 40
  await t.store.jobs.add('embed', 'k', {}, 1, due)
  queue.kick()
  expect(await done.promise).toBeGreaterThanOrEqual(due)
  await queue.stop()
})

test('a failing database does not end the queue, and the current job runs again when the database works', async () => {
  using t = await temporaryStore()
  let full = true
  const done: string[] = []
  const warned: string[] = []
  const failing: Store = {
    ...t.store,
    transaction: async (work) => {
      const result = await t.store.transaction(work)
      if (full && started) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
      return result
    },
    jobs: { ...t.store.jobs, retry: async () => {}, markDead: async () => {} },
  }
  let started = false
  const queue = openQueue(
    failing,
    async (job) => {
      if (full) {
        started = true
        throw new Error('database or disk is full')
      }
      done.push(job.key)
      await t.store.jobs.complete(job.id)
    },
    { info: () => {}, warn: (fact) => void warned.push(fact) },
  )
  await t.store.jobs.add('embed', 'k', {}, 1)
  await queue.drained()
  expect([warned, done]).toEqual([['a job failed', 'the queue could not read its jobs'], []])
  expect((await t.store.jobs.counts()).running).toBe(1)
  full = false
  await queue.drained()
  expect(done).toEqual(['k'])
  expect(await t.store.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0 })
  await queue.stop()
})

test('a job that ran beside the queue and failed is returned as soon as the database can be written', async () => {
  using t = await temporaryStore()
  let isLocked = true
  const store: Store = {
    ...t.store,
    transaction: async (work) => {
      if (isLocked) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
      return t.store.transaction(work)
    },
  }
  await t.store.jobs.add('embed', 'k', {}, 1)
  const job = await t.store.jobs.claim(Date.now())
  const queue = openQueue(store, async () => {}, quiet, 5)
  const takenBack = job && queue.takeBack(job, new Error('the answer could not be written'))
  await Bun.sleep(20)
  expect((await t.store.jobs.counts()).running).toBe(1)
  isLocked = false
  await takenBack
  expect(await t.store.jobs.counts()).toEqual({ waiting: 1, running: 0, dead: 0 })
  await queue.stop()
})

const quiet: Log = { info: () => {}, warn: () => {} }

/** Does the work, then removes the job. */
function thenRemove(store: Store, work: (job: Job) => Promise<void>): (job: Job) => Promise<void> {
  return async (job) => {
    await work(job)
    await store.transaction(() => store.jobs.complete(job.id))
  }
}
