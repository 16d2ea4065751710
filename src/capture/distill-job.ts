import type { Jobs } from '../core/job.ts'
import type { Store } from '../store/store.ts'

export type DistillJob = Jobs['distill']

/** Queues a turn for distilling. The short delay lets late tool uses and repeated reports of its end join in. */
export async function queueDistill(store: Store, sessionId: number, number: number, at: number): Promise<void> {
  const job: DistillJob = { sessionId, number }
  await store.jobs.add('distill', `${sessionId}:${number}`, job, at)
}
