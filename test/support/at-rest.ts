import type { WorkerStatus } from '../../src/wire/contract/status.ts'

/** A worker looks for work that an earlier one left a moment after it listens. */
const LOOKS_AFTER_MS = 250

/** Whether a worker has nothing left to do. */
export function isAtRest({ jobs, spooled, startedAt }: Pick<WorkerStatus, 'jobs' | 'spooled' | 'startedAt'>): boolean {
  return jobs.waiting + jobs.running + spooled === 0 && Date.now() - startedAt > LOOKS_AFTER_MS
}
