/** What the worker asks for by itself: rows on the list of jobs, and nothing of what does them. */
import type { Store } from '../store/store.ts'
import type { Services } from './services.ts'

/** Asks for a sync in the background; asked for twice before it begins, it is done once. Inside a transaction. */
export async function queueSync(store: Store, at: number, runAfter: number): Promise<void> {
  await store.jobs.add('sync', 'notes', {}, at, runAfter)
}

const CONSOLIDATED_MARK = 'consolidated until'
const MIN_IDLE_CONSOLIDATION_INTERVAL_MS = 6 * 60 * 60_000

/** Asks for it when enough new notes have come, or when a few have and nobody works. True when it did. */
export async function queueConsolidation(desk: Services, now: number, isIdle: boolean): Promise<boolean> {
  const { store, settings } = desk
  const enough = settings.consolidate.after_captures
  if (enough === 0) return false
  const since = Number((await store.audit.mark(CONSOLIDATED_MARK)) ?? 0)
  const captured = await store.notes.countCapturedSince(since)
  if (captured < enough && !(isIdle && captured > 0 && now - since >= MIN_IDLE_CONSOLIDATION_INTERVAL_MS)) return false
  await store.transaction(async () => {
    await store.jobs.add('consolidate', 'all', {}, now, now)
    await store.audit.setMark(CONSOLIDATED_MARK, String(now))
  })
  return true
}

export const CAUGHT_UP_MARK = 'older turns have links, deeds, traces and passes'
/** The last turn that has them, until all do: a worker that starts goes on there. */
export const CAUGHT_UP_TO_MARK = `${CAUGHT_UP_MARK}, up to`

/** Once for every database: turns that were told by an older version get in the background what new ones have. */
export async function queueCatchUp(store: Store): Promise<void> {
  if ((await store.audit.mark(CAUGHT_UP_MARK)) !== null) return
  const now = Date.now()
  await store.transaction(() => store.jobs.add('catch-up', 'older', {}, now, now))
}
