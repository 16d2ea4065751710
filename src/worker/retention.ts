import { purgeNote } from '../notes/notes.ts'
import { freeBytes } from '../platform/folder.ts'
import { type Amount, UNDO_DAYS } from '../store/store.ts'
import type { CleanUpLine, CleanUpReport, Letting } from '../wire/api.ts'
import type { Desk } from './desk.ts'

const HOUR = 60 * 60_000
const DAY = 24 * HOUR
const MB = 1024 * 1024
/** What is removed in one transaction: few enough that a hook never waits long behind it. */
const BITE = 2000
const NOTES_BITE = 50
/** How long a forgotten observation can be brought back; then its text is wiped. */
const RESTORABLE_DAYS = 7

/** One kind of thing that is kept for a time: how much of it is past that, and how to remove a bite of it. */
type Kept = { kind: Letting['kind']; past(): Promise<Amount>; remove(): Promise<number> }

/** Lets go of what is past its time, a bounded bite of each kind, and gives back a little room. Run every hour, so nobody waits for it. */
export async function retain(desk: Desk, now: number): Promise<void> {
  for (const { kind, remove } of keptThings(desk, now)) {
    const removed = await remove()
    if (removed > 0) desk.log.info('let go of what is past its time', { kind, removed })
    await Bun.sleep(0)
  }
  await giveBack(desk, HOURLY_BITES)
  for (let bite = 0; bite < HOURLY_MERGES && (await desk.store.space.merge(MERGED_PAGES)); bite++) await Bun.sleep(0)
  desk.store.checkpoint()
}

/** Everything that is past its time, at once, with what it was; a dry run only counts. */
export async function* cleanUp(desk: Desk, now: number, dryRun: boolean): AsyncGenerator<CleanUpLine> {
  const { store } = desk
  const before = store.space.used()
  const kinds: Letting[] = []
  const things = keptThings(desk, now)
  for (const [index, { kind, past, remove }] of things.entries()) {
    yield { kind: 'progress', done: index, of: things.length + 1, what: kind }
    const amount = await past()
    kinds.push({ kind, ...amount })
    while (!dryRun && (await remove()) > 0) await Bun.sleep(0) // hooks go first
  }
  yield { kind: 'progress', done: things.length, of: things.length + 1, what: 'giving back room' }
  const said = dryRun ? [] : await giveBackAll(desk)
  const after = store.space.used()
  const report: CleanUpReport = {
    dryRun,
    kinds,
    bytesBefore: before.bytes,
    bytesAfter: after.bytes,
    freeBytes: after.freeBytes,
    parts: store.space.parts(now, { evenLarge: true }) ?? [],
    said,
  }
  if (!dryRun) {
    const removed = Object.fromEntries(kinds.filter(({ rows }) => rows > 0).map(({ kind, rows }) => [kind, rows]))
    desk.log.info('cleaned up', { ...removed, bytesBefore: before.bytes, bytesAfter: after.bytes })
  }
  yield { kind: 'done', report }
}

function keptThings(desk: Desk, now: number): Kept[] {
  const { store, settings } = desk
  const { tool_uses_days, tool_uses_mb, deleted_notes_days, injections_days, audit_days } = settings.retention
  /** The moment before which it is past its time; nothing is when it is kept for ever. */
  const olderThan = (days: number) => (days > 0 ? now - days * DAY : 0)
  const inOne = (work: () => Promise<number>) => () => store.transaction(work)
  return [
    {
      kind: 'tool uses by age',
      past: () => store.toolUses.past(olderThan(tool_uses_days)),
      remove: inOne(() => store.toolUses.purge(olderThan(tool_uses_days), BITE)),
    },
    {
      kind: 'tool uses by size',
      past: async () => {
        // What goes by its age is the oldest of it, and counted there.
        const aged = await store.toolUses.past(olderThan(tool_uses_days))
        const over = await store.toolUses.pastSize(await excessOf(desk, tool_uses_mb), now - HOUR)
        return { rows: Math.max(0, over.rows - aged.rows), bytes: Math.max(0, over.bytes - aged.bytes) }
      },
      // What was stored within the hour may not have been distilled yet.
      remove: inOne(async () => {
        const excess = await excessOf(desk, tool_uses_mb)
        return excess > 0 ? store.toolUses.purgeSize(excess, now - HOUR, BITE) : 0
      }),
    },
    {
      kind: 'forgotten notes',
      past: () => store.notes.past(olderThan(deleted_notes_days)),
      remove: async () => {
        const ids = await store.notes.deletedBefore(olderThan(deleted_notes_days), NOTES_BITE)
        for (const id of ids) desk.announce(await purgeNote(desk.notebook, id))
        return ids.length
      },
    },
    {
      kind: 'injections',
      past: () => store.injections.past(olderThan(injections_days)),
      remove: inOne(() => store.injections.purge(olderThan(injections_days), BITE)),
    },
    {
      kind: 'forgotten observations',
      past: () => store.observations.pastForgotten(now - RESTORABLE_DAYS * DAY),
      remove: inOne(() => store.observations.eraseForgotten({ before: now - RESTORABLE_DAYS * DAY })),
    },
    {
      kind: 'audit',
      past: () => store.audit.past(olderThan(audit_days)),
      remove: inOne(() => store.audit.purge(olderThan(audit_days), BITE)),
    },
    { kind: 'receipts', past: () => store.receipts.past(now - 7 * DAY), remove: inOne(() => store.receipts.purge(now - 7 * DAY)) },
    {
      kind: 'plans',
      past: () => store.plans.past(now - UNDO_DAYS * DAY, now - DAY),
      remove: inOne(() => store.plans.purge(now - UNDO_DAYS * DAY, now - DAY)),
    },
    { kind: 'vectors', past: () => store.vectors.past(), remove: inOne(() => store.vectors.purge()) },
  ]
}

/** By how many bytes all tool uses together are too many. */
async function excessOf({ store }: Desk, mb: number): Promise<number> {
  if (mb === 0) return 0
  return Math.max(0, (await store.toolUses.past(Number.MAX_SAFE_INTEGER)).bytes - mb * MB)
}

/** Less than this is not worth the work: the database will fill it again. */
const WORTH_BYTES = 8 * MB
const PAGES = 200
const HOURLY_BITES = 20
/** Few milliseconds each; an index that was never merged takes some hours, and then there is little to do. */
const MERGED_PAGES = 32
const HOURLY_MERGES = 300

async function giveBack(desk: Desk, bites: number): Promise<void> {
  const { space } = desk.store
  if (!space.givesBack()) return
  for (let bite = 0; bite < bites && space.used().freeBytes > WORTH_BYTES; bite++) {
    await space.giveBack(PAGES)
    await Bun.sleep(0)
  }
}

/** Returns what the person should know about it. */
async function giveBackAll(desk: Desk): Promise<string[]> {
  const { space } = desk.store
  const { bytes, freeBytes: free } = space.used()
  if (space.givesBack()) {
    await giveBack(desk, Number.POSITIVE_INFINITY)
    desk.store.checkpoint()
    return []
  }
  if (free < WORTH_BYTES || free < bytes / 5) return []
  if (freeBytes(desk.home.folder) < 2 * bytes)
    return ['the disk is too full to write the database anew; the free room in it will be used again']
  try {
    await space.rewrite()
    return ['the database was written anew without what was free']
  } catch (cause) {
    return [`the database could not be written anew just now (${(cause as Error).message}); try again later`]
  }
}
