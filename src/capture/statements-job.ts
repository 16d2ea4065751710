import type { Jobs } from '../core/job.ts'
import type { Store } from '../store/store.ts'

export type StatementsJob = Jobs['statements']

/** Queues proposing what a session has stated so far as notes: when it ends, when it was imported, and before it is compacted. */
export async function queueStatements(
  store: Store,
  sessionId: number,
  occasion: NonNullable<StatementsJob['occasion']>,
  at: number,
): Promise<void> {
  const job: StatementsJob = { sessionId, occasion }
  await store.jobs.add('statements', String(sessionId), job, at)
}
