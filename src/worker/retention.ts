import { purgeNote } from '../notes/notes.ts'
import { freeBytes } from '../platform/folder.ts'
import { type RowsAndBytes, UNDO_DAYS } from '../store/store.ts'
import type { CleanUpLine, CleanUpReport, ExpiredAmount } from '../wire/api.ts'
import type { Services } from './services.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const BYTES_PER_MB = 1024 * 1024
/** What is removed in one transaction: few enough that a hook never waits long behind it. */
const ROWS_PER_PURGE = 2000
const NOTES_PER_PURGE = 50
/** How long a forgotten observation can be brought back; then its text is wiped. */
const RESTORABLE_DAYS = 7

/** One kind of thing that is kept for a time: how much of it is past that, and how to remove a bite of it. */
type RetainedKind = { kind: ExpiredAmount['kind']; countExpired(): Promise<RowsAndBytes>; removeBatch(): Promise<number> }

/** Lets go of what is past its time, a bounded bite of each kind, and gives back a little room. Run every hour, so nobody waits for it. */
export async function purgeExpired(desk: Services, now: number): Promise<void> {
  for (const { kind, removeBatch: remove } of retainedKinds(desk, now)) {
    const removed = await remove()
    if (removed > 0) desk.log.info('let go of what is past its time', { kind, removed })
    await Bun.sleep(0)
  }
  await reclaimSpace(desk, RECLAIMS_PER_HOUR)
  for (let bite = 0; bite < MERGES_PER_HOUR && (await desk.store.space.merge(PAGES_PER_MERGE)); bite++) await Bun.sleep(0)
  desk.store.checkpoint()
}

/** Everything that is past its time, at once, with what it was; a dry run only counts. */
export async function* cleanUp(desk: Services, now: number, dryRun: boolean): AsyncGenerator<CleanUpLine> {
  const { store } = desk
  const before = store.space.usage()
  const kinds: ExpiredAmount[] = []
  const things = retainedKinds(desk, now)
  for (const [index, { kind, countExpired: past, removeBatch: remove }] of things.entries()) {
    yield { kind: 'progress', done: index, of: things.length + 1, what: kind }
    const amount = await past()
    kinds.push({ kind, ...amount })
    while (!dryRun && (await remove()) > 0) await Bun.sleep(0) // hooks go first
  }
  yield { kind: 'progress', done: things.length, of: things.length + 1, what: 'giving back room' }
  const said = dryRun ? [] : await reclaimAllSpace(desk)
  const after = store.space.usage()
  const report: CleanUpReport = {
    dryRun,
    kinds,
    bytesBefore: before.bytes,
    bytesAfter: after.bytes,
    freeBytes: after.freeBytes,
    parts: store.space.parts(now, { evenLarge: true }) ?? [],
    messages: said,
  }
  if (!dryRun) {
    const removed = Object.fromEntries(kinds.filter(({ rows }) => rows > 0).map(({ kind, rows }) => [kind, rows]))
    desk.log.info('cleaned up', { ...removed, bytesBefore: before.bytes, bytesAfter: after.bytes })
  }
  yield { kind: 'done', report }
}

function retainedKinds(desk: Services, now: number): RetainedKind[] {
  const { store, settings } = desk
  const { tool_uses_days, tool_uses_mb, deleted_notes_days, injections_days, audit_days } = settings.retention
  /** The moment before which it is past its time; nothing is when it is kept for ever. */
  const olderThan = (days: number) => (days > 0 ? now - days * DAY_MS : 0)
  const inOne = (work: () => Promise<number>) => () => store.transaction(work)
  return [
    {
      kind: 'tool uses by age',
      countExpired: () => store.toolUses.countPurgeable(olderThan(tool_uses_days)),
      removeBatch: inOne(() => store.toolUses.purge(olderThan(tool_uses_days), ROWS_PER_PURGE)),
    },
    {
      kind: 'tool uses by size',
      countExpired: async () => {
        // What goes by its age is the oldest of it, and counted there.
        const aged = await store.toolUses.countPurgeable(olderThan(tool_uses_days))
        const over = await store.toolUses.countPurgeableBySize(await excessToolUseBytes(desk, tool_uses_mb), now - HOUR_MS)
        return { rows: Math.max(0, over.rows - aged.rows), bytes: Math.max(0, over.bytes - aged.bytes) }
      },
      // What was stored within the hour may not have been distilled yet.
      removeBatch: inOne(async () => {
        const excess = await excessToolUseBytes(desk, tool_uses_mb)
        return excess > 0 ? store.toolUses.purgeBySize(excess, now - HOUR_MS, ROWS_PER_PURGE) : 0
      }),
    },
    {
      kind: 'forgotten notes',
      countExpired: () => store.notes.countPurgeable(olderThan(deleted_notes_days)),
      removeBatch: async () => {
        const ids = await store.notes.deletedBefore(olderThan(deleted_notes_days), NOTES_PER_PURGE)
        for (const id of ids) desk.announce(await purgeNote(desk.notebook, id))
        return ids.length
      },
    },
    {
      kind: 'injections',
      countExpired: () => store.injections.countPurgeable(olderThan(injections_days)),
      removeBatch: inOne(() => store.injections.purge(olderThan(injections_days), ROWS_PER_PURGE)),
    },
    {
      kind: 'forgotten observations',
      countExpired: () => store.observations.countErasable(now - RESTORABLE_DAYS * DAY_MS),
      removeBatch: inOne(() => store.observations.eraseForgotten({ before: now - RESTORABLE_DAYS * DAY_MS })),
    },
    {
      kind: 'audit',
      countExpired: () => store.audit.countPurgeable(olderThan(audit_days)),
      removeBatch: inOne(() => store.audit.purge(olderThan(audit_days), ROWS_PER_PURGE)),
    },
    {
      kind: 'receipts',
      countExpired: () => store.receipts.countPurgeable(now - 7 * DAY_MS),
      removeBatch: inOne(() => store.receipts.purge(now - 7 * DAY_MS)),
    },
    {
      kind: 'plans',
      countExpired: () => store.plans.countPurgeable(now - UNDO_DAYS * DAY_MS, now - DAY_MS),
      removeBatch: inOne(() => store.plans.purge(now - UNDO_DAYS * DAY_MS, now - DAY_MS)),
    },
    { kind: 'vectors', countExpired: () => store.vectors.countPurgeable(), removeBatch: inOne(() => store.vectors.purge()) },
  ]
}

/** By how many bytes all tool uses together are too many. */
async function excessToolUseBytes({ store }: Services, mb: number): Promise<number> {
  if (mb === 0) return 0
  return Math.max(0, (await store.toolUses.countPurgeable(Number.MAX_SAFE_INTEGER)).bytes - mb * BYTES_PER_MB)
}

/** Less than this is not worth the work: the database will fill it again. */
const MIN_RECLAIMABLE_BYTES = 8 * BYTES_PER_MB
const PAGES_PER_RECLAIM = 200
const RECLAIMS_PER_HOUR = 20
/** Few milliseconds each; an index that was never merged takes some hours, and then there is little to do. */
const PAGES_PER_MERGE = 32
const MERGES_PER_HOUR = 300

async function reclaimSpace(desk: Services, bites: number): Promise<void> {
  const { space } = desk.store
  if (!space.canShrink()) return
  for (let bite = 0; bite < bites && space.usage().freeBytes > MIN_RECLAIMABLE_BYTES; bite++) {
    await space.shrink(PAGES_PER_RECLAIM)
    await Bun.sleep(0)
  }
}

/** Returns what the person should know about it. */
async function reclaimAllSpace(desk: Services): Promise<string[]> {
  const { space } = desk.store
  const { bytes, freeBytes: free } = space.usage()
  if (space.canShrink()) {
    await reclaimSpace(desk, Number.POSITIVE_INFINITY)
    desk.store.checkpoint()
    return []
  }
  if (free < MIN_RECLAIMABLE_BYTES || free < bytes / 5) return []
  if (freeBytes(desk.home.folder) < 2 * bytes)
    return ['the disk is too full to write the database anew; the free room in it will be used again']
  try {
    await space.rewrite()
    return ['the database was written anew without what was free']
  } catch (cause) {
    return [`the database could not be written anew just now (${(cause as Error).message}); try again later`]
  }
}
