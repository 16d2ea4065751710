import { RESTORABLE_DAYS, UNDO_DAYS } from '../core/memory.ts'
import { purgeNote } from '../notes/notes.ts'
import { freeBytes } from '../platform/folder.ts'
import type { RowsAndBytes } from '../store/store.ts'
import type { CleanUpLine, CleanUpReport, ExpiredAmount } from '../wire/contract/upkeep.ts'
import type { Services } from './services.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const BYTES_PER_MB = 1024 * 1024
/** Rows removed in one transaction; few, so no hook waits long. */
const ROWS_PER_PURGE = 2000
const NOTES_PER_PURGE = 50

/** A kind of row with a retention time: how many are expired, and how to remove a batch of them. */
type RetainedKind = { kind: ExpiredAmount['kind']; countExpired(): Promise<RowsAndBytes>; removeBatch(): Promise<number> }

/** Removes a batch of expired rows of each kind and frees a little disk space. Runs every hour. */
export async function purgeExpired(services: Services, now: number): Promise<void> {
  for (const { kind, removeBatch } of retainedKinds(services, now)) {
    const removed = await removeBatch()
    if (removed > 0) services.log.info('removed expired rows', { kind, removed })
    await Bun.sleep(0)
  }
  await reclaimSpace(services, RECLAIMS_PER_HOUR)
  for (let merges = 0; merges < MERGES_PER_HOUR && (await services.store.space.merge(PAGES_PER_MERGE)); merges++) await Bun.sleep(0)
  services.store.checkpoint()
}

/** Removes everything that is expired and reports it; a dry run only counts. */
export async function* cleanUp(services: Services, now: number, dryRun: boolean): AsyncGenerator<CleanUpLine> {
  const { store } = services
  const before = store.space.usage()
  const kinds: ExpiredAmount[] = []
  const retained = retainedKinds(services, now)
  for (const [index, { kind, countExpired, removeBatch }] of retained.entries()) {
    yield { kind: 'progress', done: index, of: retained.length + 1, what: kind }
    const amount = await countExpired()
    kinds.push({ kind, ...amount })
    while (!dryRun && (await removeBatch()) > 0) await Bun.sleep(0) // let hooks go first
  }
  yield { kind: 'progress', done: retained.length, of: retained.length + 1, what: 'freeing disk space' }
  const messages = dryRun ? [] : await reclaimAllSpace(services)
  const after = store.space.usage()
  const report: CleanUpReport = {
    dryRun,
    kinds,
    bytesBefore: before.bytes,
    bytesAfter: after.bytes,
    freeBytes: after.freeBytes,
    parts: store.space.parts(now, { evenLarge: true }) ?? [],
    messages,
  }
  if (!dryRun) {
    const removed = Object.fromEntries(kinds.filter(({ rows }) => rows > 0).map(({ kind, rows }) => [kind, rows]))
    services.log.info('cleaned up', { ...removed, bytesBefore: before.bytes, bytesAfter: after.bytes })
  }
  yield { kind: 'done', report }
}

function retainedKinds(services: Services, now: number): RetainedKind[] {
  const { store, settings } = services
  const { tool_uses_days, tool_uses_mb, deleted_notes_days, injections_days, audit_days } = settings.retention
  /** The time before which rows are expired. 0 days means that they are kept for ever. */
  const olderThan = (days: number) => (days > 0 ? now - days * DAY_MS : 0)
  const inTransaction = (work: () => Promise<number>) => () => store.transaction(work)
  return [
    {
      kind: 'tool uses by age',
      countExpired: () => store.toolUses.countPurgeable(olderThan(tool_uses_days)),
      removeBatch: inTransaction(() => store.toolUses.purge(olderThan(tool_uses_days), ROWS_PER_PURGE)),
    },
    {
      kind: 'tool uses by size',
      countExpired: async () => {
        // Rows that expire by age are among the oldest, and are counted there.
        const aged = await store.toolUses.countPurgeable(olderThan(tool_uses_days))
        const over = await store.toolUses.countPurgeableBySize(await excessToolUseBytes(services, tool_uses_mb), now - HOUR_MS)
        return { rows: Math.max(0, over.rows - aged.rows), bytes: Math.max(0, over.bytes - aged.bytes) }
      },
      // Tool uses of the last hour may not have been distilled yet.
      removeBatch: inTransaction(async () => {
        const excess = await excessToolUseBytes(services, tool_uses_mb)
        return excess > 0 ? store.toolUses.purgeBySize(excess, now - HOUR_MS, ROWS_PER_PURGE) : 0
      }),
    },
    {
      kind: 'forgotten notes',
      countExpired: () => store.notes.countPurgeable(olderThan(deleted_notes_days)),
      removeBatch: async () => {
        const ids = await store.notes.deletedBefore(olderThan(deleted_notes_days), NOTES_PER_PURGE)
        for (const id of ids) services.announce(await purgeNote(services.notebook, id, now))
        return ids.length
      },
    },
    {
      kind: 'injections',
      countExpired: () => store.injections.countPurgeable(olderThan(injections_days)),
      removeBatch: inTransaction(() => store.injections.purge(olderThan(injections_days), ROWS_PER_PURGE)),
    },
    {
      kind: 'forgotten memories',
      countExpired: async () => (await store.deletions()).countErasable(now - RESTORABLE_DAYS * DAY_MS),
      removeBatch: inTransaction(async () => (await store.deletions()).eraseBefore(now - RESTORABLE_DAYS * DAY_MS, ROWS_PER_PURGE)),
    },
    {
      kind: 'audit',
      countExpired: () => store.audit.countPurgeable(olderThan(audit_days)),
      removeBatch: inTransaction(() => store.audit.purge(olderThan(audit_days), ROWS_PER_PURGE)),
    },
    {
      kind: 'receipts',
      countExpired: () => store.receipts.countPurgeable(now - 7 * DAY_MS),
      removeBatch: inTransaction(() => store.receipts.purge(now - 7 * DAY_MS)),
    },
    {
      kind: 'plans',
      countExpired: async () => (await store.plans()).countPurgeable(now - UNDO_DAYS * DAY_MS, now - DAY_MS),
      removeBatch: inTransaction(async () => (await store.plans()).purge(now - UNDO_DAYS * DAY_MS, now - DAY_MS)),
    },
    { kind: 'vectors', countExpired: () => store.vectors.countPurgeable(), removeBatch: inTransaction(() => store.vectors.purge()) },
  ]
}

/** By how many bytes the tool uses exceed their limit. */
async function excessToolUseBytes({ store }: Services, mb: number): Promise<number> {
  if (mb === 0) return 0
  return Math.max(0, (await store.toolUses.countPurgeable(Number.MAX_SAFE_INTEGER)).bytes - mb * BYTES_PER_MB)
}

/** Less is not worth the work, because the database will use it again. */
const MIN_RECLAIMABLE_BYTES = 8 * BYTES_PER_MB
const PAGES_PER_RECLAIM = 200
const RECLAIMS_PER_HOUR = 20
/** A few milliseconds each. An index that was never merged takes some hours; after that there is little to do. */
const PAGES_PER_MERGE = 32
const MERGES_PER_HOUR = 300

async function reclaimSpace(services: Services, maxSteps: number): Promise<void> {
  const { space } = services.store
  if (!space.canShrink()) return
  for (let step = 0; step < maxSteps && space.usage().freeBytes > MIN_RECLAIMABLE_BYTES; step++) {
    await space.shrink(PAGES_PER_RECLAIM)
    await Bun.sleep(0)
  }
}

/** Returns messages for the person. */
async function reclaimAllSpace(services: Services): Promise<string[]> {
  const { space } = services.store
  const { bytes, freeBytes: free } = space.usage()
  if (space.canShrink()) {
    await reclaimSpace(services, Number.POSITIVE_INFINITY)
    services.store.checkpoint()
    return []
  }
  if (free < MIN_RECLAIMABLE_BYTES || free < bytes / 5) return []
  if (freeBytes(services.home.folder) < 2 * bytes) return ['the disk is too full to rewrite the database; its free space will be reused']
  try {
    await space.rewrite()
    return ['the database was rewritten without its free space']
  } catch (cause) {
    return [`the database could not be rewritten now (${(cause as Error).message}); try again later`]
  }
}
