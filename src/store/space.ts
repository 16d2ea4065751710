import type { Database } from 'bun:sqlite'
import { FULLTEXT_TABLES, type SqlParams } from './statement.ts'

/** A part of the database, named for a person. */
export type DatabasePart = { name: string; bytes: number }

/** Measuring the parts reads the whole file, so the result is cached, and a large file is measured only on request. */
const PARTS_CACHE_MS = 10 * 60_000
const MAX_QUICK_SCAN_BYTES = 64 * 1024 * 1024

/** A reader in another process keeps the log from being emptied, usually for a few milliseconds. */
const LOG_RETRY_MS = 100
const MAX_LOG_WAIT_MS = 20_000

/** The size of the database file, and how to reduce it. `inTurn` keeps these writes apart from transactions. */
export function spaceStatements(db: Database, inTurn: <T>(work: () => Promise<T>) => Promise<T>) {
  const number = (pragma: string) => Object.values((db.query(`PRAGMA ${pragma}`).get() ?? {}) as Record<string, number>)[0] ?? 0
  const pageBytes = number('page_size')
  let known: { at: number; parts: DatabasePart[] } | null = null

  const merges = FULLTEXT_TABLES.map((table) =>
    db.prepare<unknown, SqlParams>(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', @pages)`),
  )
  const changes = db.prepare<{ n: number }, []>('SELECT total_changes() AS n')
  const changed = () => changes.get()?.n ?? 0

  const free = () => number('freelist_count') * pageBytes
  const all = () => number('page_count') * pageBytes
  return {
    /** The size of the file, and how much of it is free. */
    usage: (): { bytes: number; freeBytes: number } => ({ bytes: all(), freeBytes: free() }),
    /** The size of each part, largest first; null when the file is too large to measure now. */
    parts: (now: number, { evenLarge = false } = {}): DatabasePart[] | null => {
      if (known && now - known.at < PARTS_CACHE_MS && !evenLarge) return known.parts
      if (!evenLarge && all() > MAX_QUICK_SCAN_BYTES) return null
      known = { at: now, parts: measureParts(db, free()) }
      return known.parts
    },
    /** Whether `shrink` works. A database from before this feature needs `rewrite` first. */
    canShrink: (): boolean => number('auto_vacuum') === 2,
    /** Returns this many free pages to the disk; a hundred take a few milliseconds. */
    shrink: (pages: number): Promise<void> =>
      inTurn(async () => {
        db.query(`PRAGMA incremental_vacuum(${Math.floor(pages)})`).all()
        known = null
      }),
    /**
     * Merges segments of the full-text indexes that many small writes have left, so that a search looks a word up in a few segments instead of
     * dozens. A hundred pages take a few milliseconds. False when there is nothing left to merge.
     */
    merge: (pages: number): Promise<boolean> =>
      inTurn(async () =>
        merges.some((merge) => {
          const before = changed()
          merge.run({ pages })
          // FTS5 counts the merge command itself as one change.
          return changed() - before > 1
        }),
      ),
    /** Begins to rewrite every segment of the full-text indexes, without the words of deleted documents. Repeated calls of `merge` finish it. */
    beginRewrite: (pages: number): Promise<void> =>
      inTurn(async () => {
        for (const merge of merges) merge.run({ pages: -pages })
      }),
    /** Copies the current database to a new file, while writes continue. */
    copyTo: (path: string): void => {
      db.run('VACUUM INTO ?', [path])
    },
    /** Rewrites the file without free pages and empties its log, so that nothing of deleted rows is left in them. Takes about a second per hundred megabytes, and needs the same space again meanwhile. */
    rewrite: (): Promise<void> =>
      inTurn(async () => {
        db.run('PRAGMA auto_vacuum = INCREMENTAL')
        db.run('VACUUM')
        known = null
        for (let waited = 0; ; waited += LOG_RETRY_MS) {
          const { busy } = db.query('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
          if (busy === 0) return
          if (waited >= MAX_LOG_WAIT_MS)
            throw new Error('another program has been reading the database for too long; its log could not be emptied')
          await Bun.sleep(LOG_RETRY_MS)
        }
      }),
  }
}

const TABLE_PARTS: [RegExp, string][] = [
  [/^tool_uses/, 'tool uses'],
  [/^(?:fulltext|surroundings|trigrams|deeds|traits|documents)/, 'text index'],
  [/^(?:vectors|unembedded)/, 'vectors'],
  [/^(?:observations|observation_files)/, 'observations'],
  [/^(?:prompts|sessions|muted_turns|told_turns)/, 'sessions and prompts'],
  [/^summaries/, 'summaries'],
  [/^(?:notes|note_files|superseded|plans)/, 'notes'],
  [/^(?:entities|mentions|links)/, 'links'],
  [/^commits/, 'commits'],
  [/^(?:anchor|verified)/, 'anchors'],
  [/^injections/, 'injections'],
]

/** Empty when this SQLite was built without `dbstat`. */
function measureParts(db: Database, freeBytes: number): DatabasePart[] {
  let rows: { name: string; bytes: number }[]
  try {
    rows = db
      .query<{ name: string; bytes: number }, []>(`
        SELECT coalesce(m.tbl_name, d.name) AS name, sum(d.pgsize) AS bytes
        FROM dbstat d LEFT JOIN sqlite_schema m ON m.name = d.name WHERE d.aggregate = TRUE GROUP BY 1`)
      .all()
  } catch {
    return []
  }
  const sums = new Map<string, number>(freeBytes > 0 ? [['free', freeBytes]] : [])
  for (const { name, bytes } of rows) {
    const part = TABLE_PARTS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other'
    sums.set(part, (sums.get(part) ?? 0) + bytes)
  }
  return [...sums].map(([name, bytes]) => ({ name, bytes })).sort((a, b) => b.bytes - a.bytes)
}
