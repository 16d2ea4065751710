import type { Database } from 'bun:sqlite'
import type { SqlParams } from './statement.ts'

/** A part of the database as a person thinks of it. */
export type DatabasePart = { name: string; bytes: number }

/** Taking the file apart reads all of it, so it is not done often, nor by itself when the file is large. */
const PARTS_CACHE_MS = 10 * 60_000
const MAX_QUICK_SCAN_BYTES = 64 * 1024 * 1024

/** The room that the database takes. `inTurn` keeps what rewrites the file apart from transactions. */
export function spaceStatements(db: Database, inTurn: <T>(work: () => Promise<T>) => Promise<T>) {
  const number = (pragma: string) => Object.values((db.query(`PRAGMA ${pragma}`).get() ?? {}) as Record<string, number>)[0] ?? 0
  const pageBytes = number('page_size')
  let known: { at: number; parts: DatabasePart[] } | null = null

  const merges = ['fulltext', 'surroundings', 'trigrams', 'deeds', 'traits'].map((table) =>
    db.prepare<unknown, SqlParams>(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', @pages)`),
  )
  const changes = db.prepare<{ n: number }, []>('SELECT total_changes() AS n')
  const changed = () => changes.get()?.n ?? 0

  const free = () => number('freelist_count') * pageBytes
  const all = () => number('page_count') * pageBytes
  return {
    /** How large the file is, and how much of it is not in use. */
    usage: (): { bytes: number; freeBytes: number } => ({ bytes: all(), freeBytes: free() }),
    /** What takes how much, the largest first; null when the file is too large to look just now. */
    parts: (now: number, { evenLarge = false } = {}): DatabasePart[] | null => {
      if (known && now - known.at < PARTS_CACHE_MS && !evenLarge) return known.parts
      if (!evenLarge && all() > MAX_QUICK_SCAN_BYTES) return null
      known = { at: now, parts: measureParts(db, free()) }
      return known.parts
    },
    /** Whether free room can be given back in bites; an older database learns it from `rewrite`. */
    canShrink: (): boolean => number('auto_vacuum') === 2,
    /** Gives back so many pages, a few milliseconds for each hundred. */
    shrink: (pages: number): Promise<void> =>
      inTurn(async () => {
        db.query(`PRAGMA incremental_vacuum(${Math.floor(pages)})`).all()
        known = null
      }),
    /**
     * Merges a bite of what many small writings have left in the index of words, so that a question looks a word up in a few places and not in
     * dozens; a few milliseconds for each hundred pages. False when there is nothing left to merge.
     */
    merge: (pages: number): Promise<boolean> =>
      inTurn(async () =>
        merges.some((merge) => {
          const before = changed()
          merge.run({ pages })
          // FTS5 counts one change for being asked.
          return changed() - before > 1
        }),
      ),
    /** The whole database as it is now in a file that is not there yet, while others go on writing. */
    copyTo: (path: string): void => {
      db.run('VACUUM INTO ?', [path])
    },
    /** Writes the whole file anew without what is free. Takes a second for each hundred megabytes, and as much room again meanwhile. */
    rewrite: (): Promise<void> =>
      inTurn(async () => {
        db.run('PRAGMA auto_vacuum = INCREMENTAL')
        db.run('VACUUM')
        db.run('PRAGMA wal_checkpoint(TRUNCATE)')
        known = null
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
  [/^injections/, 'injections'],
]

/** Not every SQLite can tell; then there are no parts. */
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
