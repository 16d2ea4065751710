/** Jobs that the worker queues on its own initiative. Running them is up to `job-runner.ts`. */
import { fingerprint } from '../core/hash.ts'
import type { Jobs } from '../core/job.ts'
import { repairedKey } from '../core/project.ts'
import type { Store } from '../store/store.ts'
import type { Services } from './services.ts'

/** Queues a sync in the background; several requests before it starts are one. Call inside a transaction. */
export async function queueSync(store: Store, at: number, runAfter: number, push = true): Promise<void> {
  await store.jobs.add('sync', 'notes', push ? {} : { push }, at, runAfter)
}

/** An older turn, from an import for example, spoke of code that may have changed since: nothing can be said about it. */
export const MAX_ANCHORED_AGE_MS = 30 * 60_000

/** Queues tying the memories of a turn to code, after they were made. Call inside a transaction. */
export async function queueAnchoring(store: Store, turn: Jobs['anchor'], now: number): Promise<void> {
  const prompt = await store.prompts.byNumber(turn.sessionId, turn.number)
  if (!prompt) return
  const isOld = now - (prompt.answeredAt ?? prompt.at) > MAX_ANCHORED_AGE_MS
  // New memories of an old turn get the anchors that it has.
  if (isOld && (await (await store.anchors()).of([{ kind: 'prompt', ref: String(prompt.id) }])).size === 0) return
  await store.jobs.add('anchor', `${turn.sessionId}:${turn.number}`, turn, now)
}

/** Queues reading what is new in a project's repository. Call inside a transaction. */
export async function queueGitHistory(store: Store, payload: Jobs['git-history'], at: number, runAfter: number): Promise<void> {
  await store.jobs.add('git-history', `${payload.project} ${payload.folder}`, payload, at, runAfter)
}

const CONSOLIDATED_MARK = 'consolidated until'
const MIN_IDLE_CONSOLIDATION_INTERVAL_MS = 6 * 60 * 60_000

/** Queues a consolidation after enough new notes, or after a few when no session is live. Returns whether it did. */
export async function queueConsolidation(services: Services, now: number, isIdle: boolean): Promise<boolean> {
  const { store, settings } = services
  const threshold = settings.consolidate.after_captures
  if (threshold === 0) return false
  const since = Number((await store.audit.mark(CONSOLIDATED_MARK)) ?? 0)
  const captured = await store.notes.countCapturedSince(since)
  if (captured < threshold && !(isIdle && captured > 0 && now - since >= MIN_IDLE_CONSOLIDATION_INTERVAL_MS)) return false
  await store.transaction(async () => {
    await store.jobs.add('consolidate', 'all', {}, now, now)
    await store.audit.setMark(CONSOLIDATED_MARK, String(now))
  })
  return true
}

/** Moves projects whose keys contain a token or a password, because an earlier version took the whole address of a remote. */
export async function queueKeyRepairs(store: Store): Promise<void> {
  const now = Date.now()
  for (const { project: from } of await store.projects.totals()) {
    const to = repairedKey(from)
    if (to) await store.transaction(() => store.jobs.add('move-project', fingerprint(from), { from, to }, now))
  }
}

/** Stored in databases, so the words stay. */
export const CAUGHT_UP_MARK = 'older turns have links, deeds, traces and passes'
/** The last turn that is done, while some are not: a worker that starts continues there. */
export const CAUGHT_UP_TO_MARK = `${CAUGHT_UP_MARK}, up to`

/** Once per database: gives turns that an older version distilled what new turns have, in the background. */
export async function queueCatchUp(store: Store): Promise<void> {
  if ((await store.audit.mark(CAUGHT_UP_MARK)) !== null) return
  const now = Date.now()
  await store.transaction(() => store.jobs.add('catch-up', 'older', {}, now, now))
}
