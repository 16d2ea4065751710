import type { Log } from '../platform/log.ts'
import type { Job, Store } from '../store/store.ts'

/** Does one job and takes it off the list, in the way that suits it: in one transaction where that can be. */
export type RunJob = (job: Job) => Promise<void>

export type Queue = ReturnType<typeof openQueue>

const MAX_ATTEMPTS = 6
/** How soon a database that could not be written is tried again. */
const RETRY_AFTER_STORE_ERROR_MS = 5000

/** How long to wait after the n-th failure: one second, doubled each time, an hour at most. */
export function backoffMs(attempts: number): number {
  return Math.min(3_600_000, 1000 * 2 ** Math.max(0, attempts - 1))
}

/**
 * Works through the jobs in the database, one at a time. Nothing is kept in memory: whatever kills the worker, the job is still
 * there and is done by the next one. A job that fails again and again is set aside with its reason, where a person can see it.
 */
export function openQueue(store: Store, doJob: RunJob, log: Log, againMs = RETRY_AFTER_STORE_ERROR_MS) {
  let stopping = false
  let asked = false
  let troubled = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | null = null

  async function workThrough(): Promise<void> {
    // A job that failed because the disk was full could not be put back either; it would count as running until the next start.
    if (troubled) await store.transaction(() => store.jobs.returnRunning(Date.now()))
    troubled = false
    while (!stopping) {
      const job = await store.transaction(() => store.jobs.claim(Date.now()))
      if (!job) break
      try {
        await doJob(job)
      } catch (cause) {
        await fail(job, cause)
      }
      // Hooks that came in meanwhile go first.
      await Bun.sleep(0)
    }
  }

  async function fail(job: Job, cause: unknown): Promise<void> {
    const error = reasonOf(cause)
    log.warn('a job failed', { kind: job.kind, attempts: job.attempts, error })
    await store.transaction(async () => {
      if (job.attempts >= MAX_ATTEMPTS) await store.jobs.markDead(job.id, error)
      else await store.jobs.retry(job.id, Date.now() + backoffMs(job.attempts), error)
    })
  }

  async function sleepUntilNext(): Promise<void> {
    const at = await store.jobs.nextAt()
    if (at !== null && !stopping) timer = setTimeout(kick, Math.min(Math.max(10, at - Date.now()), 60_000))
  }

  /** Looks for work now. */
  function kick(): void {
    clearTimeout(timer)
    asked = running !== null
    if (running || stopping) return
    running = workThrough()
      .then(sleepUntilNext)
      .catch((cause) => {
        // The database itself is in trouble (a full disk): try again soon.
        log.warn('the queue could not read its jobs', { error: reasonOf(cause) })
        troubled = true
        if (!stopping) timer = setTimeout(kick, againMs)
      })
      .finally(() => {
        running = null
        // Asked for while it was about to rest: the job may have come after the last look.
        if (asked) kick()
      })
  }

  /** Takes back a job that ran beside the list and failed: at once, or when the database can be written again. */
  async function takeBack(job: Job, cause: unknown): Promise<void> {
    while (!stopping) {
      try {
        await fail(job, cause)
        return kick()
      } catch (trouble) {
        log.warn('a job could not be put back', { kind: job.kind, error: reasonOf(trouble) })
        await Bun.sleep(againMs)
      }
    }
  }

  return {
    kick,
    takeBack,
    isBusy: () => running !== null,
    /** Resolves when nothing is due any more. */
    async drained(): Promise<void> {
      do {
        kick()
        await running
      } while (((await store.jobs.nextAt()) ?? Number.POSITIVE_INFINITY) <= Date.now() && !stopping)
    },
    /** Finishes the job in hand and takes no other. */
    async stop(): Promise<void> {
      stopping = true
      clearTimeout(timer)
      await running
    },
  }
}

function reasonOf(cause: unknown): string {
  const error = cause as Error
  const deeper = error?.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error?.message ?? String(cause)}${deeper}`.slice(0, 500)
}
