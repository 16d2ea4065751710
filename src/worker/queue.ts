import type { Job, JobKind } from '../core/job.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/store.ts'

/** Does one job and removes it from the queue. The signal is aborted when the job has taken too long. */
export type RunJob = (job: Job, signal: AbortSignal) => Promise<void>

export type Queue = ReturnType<typeof openQueue>

const MAX_ATTEMPTS = 6
const RETRY_AFTER_STORE_ERROR_MS = 5000
/** Jobs that read or write a whole history may take long. No other job does, unless a disk or a program does not answer. */
const LONG_JOBS: ReadonlySet<JobKind> = new Set([
  'rebuild',
  'consolidate',
  'embed',
  'catch-up',
  'move-project',
  'erase',
  'read',
  'reconcile',
])
const TIME_LIMITS_MS = { usual: 5 * 60_000, long: 4 * 3_600_000 }
/** How long a stopping worker waits for the current job. The next worker does it again. */
const MAX_STOP_WAIT_MS = 3000

/** No job is queued for later than this. */
export const MAX_JOB_DELAY_MS = 3_600_000

/** How long to wait after the n-th failure: one second, doubled each time, at most an hour. */
export function backoffMs(attempts: number): number {
  return Math.min(MAX_JOB_DELAY_MS, 1000 * 2 ** Math.max(0, attempts - 1))
}

/**
 * Runs the jobs in the database one at a time. The queue keeps nothing in memory: if the worker dies, the next worker finds the job again.
 * A job that keeps failing is marked dead with its error, which a person can see.
 */
export function openQueue(store: Store, runJob: RunJob, log: Log, retryMs = RETRY_AFTER_STORE_ERROR_MS, timeLimits = TIME_LIMITS_MS) {
  let stopping = false
  let kickedWhileRunning = false
  let storeFailed = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | null = null

  async function runDueJobs(): Promise<void> {
    // A job that failed because the disk was full could not be returned either, and would count as running until the next start.
    if (storeFailed) await store.transaction(() => store.jobs.returnRunning(Date.now()))
    storeFailed = false
    while (!stopping) {
      const job = await store.transaction(() => store.jobs.claim(Date.now()))
      if (!job) break
      try {
        // It was started this often and never came to an end, good or bad: it takes the worker down with it.
        if (job.attempts > MAX_ATTEMPTS) throw new Error('it did not end in any of its attempts')
        await withinTime(job, LONG_JOBS.has(job.kind) ? timeLimits.long : timeLimits.usual)
      } catch (cause) {
        await fail(job, cause)
      }
      // Let hooks that arrived meanwhile go first.
      await Bun.sleep(0)
    }
  }

  /** Goes on without a job that does not end: one that hangs must not stop the others. */
  async function withinTime(job: Job, ms: number): Promise<void> {
    const limit = new AbortController()
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      const cause = new Error(`it did not end within ${Math.ceil(ms / 60_000)} minutes`)
      limit.abort(cause)
      late.reject(cause)
    }, ms)
    try {
      await Promise.race([runJob(job, limit.signal), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  async function fail(job: Job, cause: unknown): Promise<void> {
    const error = errorText(cause)
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
    kickedWhileRunning = running !== null
    if (running || stopping) return
    running = runDueJobs()
      .then(sleepUntilNext)
      .catch((cause) => {
        // The database itself failed, for example because the disk is full.
        log.warn('the queue could not read its jobs', { error: errorText(cause) })
        storeFailed = true
        if (!stopping) timer = setTimeout(kick, retryMs)
      })
      .finally(() => {
        running = null
        // The kick may have come after the last look at the database.
        if (kickedWhileRunning) kick()
      })
  }

  /** Returns a failed job that ran beside the queue. Keeps trying while the database cannot be written. */
  async function takeBack(job: Job, cause: unknown): Promise<void> {
    while (!stopping) {
      try {
        await fail(job, cause)
        return kick()
      } catch (storeError) {
        log.warn('a job could not be returned to the queue', { kind: job.kind, error: errorText(storeError) })
        await Bun.sleep(retryMs)
      }
    }
  }

  return {
    kick,
    takeBack,
    isBusy: () => running !== null,
    /** Resolves when no job is due any more. */
    async drained(): Promise<void> {
      do {
        kick()
        await running
      } while (((await store.jobs.nextAt()) ?? Number.POSITIVE_INFINITY) <= Date.now() && !stopping)
    },
    /** Waits briefly for the current job and starts no other. */
    async stop(): Promise<void> {
      stopping = true
      clearTimeout(timer)
      await Promise.race([running, Bun.sleep(MAX_STOP_WAIT_MS)])
    },
  }
}

function errorText(cause: unknown): string {
  const error = cause as Error
  const deeper = error?.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error?.message ?? String(cause)}${deeper}`.slice(0, 500)
}
