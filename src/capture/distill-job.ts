import type { Jobs } from '../core/job.ts'
import type { Store } from '../store/store.ts'

export type DistillJob = Jobs['distill']

/** Asks for a turn to be told, soon: what follows within a moment (a late tool use, the same end told twice) is told with it. */
export async function queueDistill(store: Store, sessionId: number, number: number, at: number): Promise<void> {
  const job: DistillJob = { sessionId, number }
  await store.jobs.add('distill', `${sessionId}:${number}`, job, at)
}
