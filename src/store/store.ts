/**
 * The store: all memories, in one SQLite file. It is the only room with SQL; callers get domain values and never see a column name. Methods
 * return promises because a second store (Postgres, for teams) will be asynchronous.
 *
 * One process writes: the worker. Its writes go through `transaction`, one after the other.
 */
import { Database } from 'bun:sqlite'
import { dirname } from 'node:path'
import { exists, fileSizeBytes, moveFile, readBytes } from '../platform/files.ts'
import { filesIn } from '../platform/folder.ts'
import type { anchorStatements } from './anchors.ts'
import { auditStatements } from './audit.ts'
import { changedValueStatements } from './changed-values.ts'
import { commitStatements } from './commits.ts'
import { costStatements } from './costs.ts'
import type { deletionStatements } from './deletions.ts'
import { distilledTurnStatements } from './distilled-turns.ts'
import { documentStatements } from './documents.ts'
import type { feedStatements } from './feed.ts'
import { injectionStatements } from './injections.ts'
import { jobStatements } from './jobs.ts'
import { linkStatements } from './links.ts'
import { noteStatements } from './notes.ts'
import { observationStatements } from './observations.ts'
import type { ownMachineStatements } from './own-machines.ts'
import type { planStatements } from './plans.ts'
import { projectStatements } from './projects.ts'
import { promptStatements } from './prompts.ts'
import { receiptStatements } from './receipts.ts'
import { NewerDatabase, refuseNewerDatabase, refuseOlderDatabase, SCHEMA_VERSION, versionOf } from './schema-version.ts'
import { sessionStatements } from './sessions.ts'
import { spaceStatements } from './space.ts'
import { compileOnFirstUse, FULLTEXT_TABLES } from './statement.ts'
import { summaryStatements } from './summaries.ts'
import type { teamStatements } from './team.ts'
import { threadStatements } from './threads.ts'
import { tombstoneStatements } from './tombstones.ts'
import { toolUseStatements } from './tool-uses.ts'
import { transcriptStatements } from './transcripts.ts'
import type { turnWorkStatements } from './turn-work.ts'
import { vectorStatements } from './vectors.ts'

export type { Verification } from './anchors.ts'
export type { CandidateIds } from './candidates.ts'
export type { ClaudeMem, ForeignSession } from './claude-mem.ts'
export type { NewCommit } from './commits.ts'
export type { DeletionFilter } from './deletion-selection.ts'
export type { DeletedUnit } from './deletion-undo.ts'
export { DERIVED_ID_PREFIX } from './derived-ids.ts'
export type {
  DocumentKind,
  DocumentLocation,
  DocumentMatch,
  DocumentRange,
  LargeStoreScan,
  SearchScope,
  UnansweredPrompts,
} from './document.ts'
export type { DocumentFilter, SessionFilter } from './document-filter.ts'
export type { InjectedItem } from './injections.ts'
export type { DocumentRef, Link, LinkRelation, Mention, TimeSide } from './links.ts'
export { holdLock } from './lock.ts'
export type { NoteFile, NoteFilter } from './notes.ts'
export type { WithBranch } from './observations.ts'
export type { OwnItem, OwnOutboxEntry } from './own-machines.ts'
export type { PlanKind, StoredPlan } from './plans.ts'
export type { RowsAndBytes } from './statement.ts'
export type { SubcogMemory } from './subcog.ts'
export type { OutboxEntry, ReceivedMemory, SentMemory, StoredTeamProject } from './team.ts'
export type { StoredThread } from './threads.ts'
export type { Tombstone } from './tombstones.ts'
export type { StoredWork } from './turn-work.ts'
export type { UnembeddedDocument } from './vectors.ts'
export { NewerDatabase }

export type Store = Awaited<ReturnType<typeof openStore>>

/** Loaded only by an import. */
export const openClaudeMem = async (path: string) => (await import('./claude-mem.ts')).openClaudeMem(path)
export const openSubcog = async (path: string) => (await import('./subcog.ts')).openSubcog(path)

export type StoreOptions = {
  readonly?: boolean
  /** Compiles statements on first use, for a quick start. Otherwise all are compiled at once, so that a mistake in one of them fails in any test. */
  startsQuickly?: boolean
  /** Called when a transaction finds the database damaged: the file should be set aside. */
  onDamage?: () => void
}

/** Opens the database and creates or migrates its tables. Throws `NewerDatabase`, `CorruptDatabase`, or the error of the disk. */
export async function openStore(path: string, options: StoreOptions = {}) {
  requireSafeSqlite()
  let db: Database
  try {
    db = await openDatabase(path, options.readonly ?? false)
  } catch (cause) {
    throw isCorrupt(cause) ? new CorruptDatabase(path, { cause }) : cause
  }
  if (options.startsQuickly) compileOnFirstUse(db)
  const index = documentStatements(db)
  const tombstones = tombstoneStatements(db)
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  let anchors: Promise<ReturnType<typeof anchorStatements>> | null = null
  let turnWork: Promise<ReturnType<typeof turnWorkStatements>> | null = null
  let deletions: Promise<ReturnType<typeof deletionStatements>> | null = null
  let feed: Promise<ReturnType<typeof feedStatements>> | null = null
  let team: Promise<ReturnType<typeof teamStatements>> | null = null
  let plans: Promise<ReturnType<typeof planStatements>> | null = null
  let ownMachines: Promise<ReturnType<typeof ownMachineStatements>> | null = null
  let last: Promise<unknown> = Promise.resolve()
  /** Runs work one after the other, even if the one before failed. */
  let secureDeletions = 0
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }

  return {
    path,
    sessions: sessionStatements(db),
    prompts: promptStatements(db, index),
    projects: projectStatements(db),
    /** The viewer's lists. Loaded with the first of them. */
    feed: (): Promise<ReturnType<typeof feedStatements>> => {
      feed ??= import('./feed.ts').then(({ feedStatements }) => feedStatements(db))
      return feed
    },
    threads: threadStatements(db),
    changedValues: changedValueStatements(db),
    toolUses: toolUseStatements(db),
    observations: observationStatements(db, index, tombstones),
    summaries: summaryStatements(db, index, tombstones),
    notes: noteStatements(db, index),
    commits: commitStatements(db, index),
    /** Plans of consolidation. Loaded with the first one. */
    plans: (): Promise<ReturnType<typeof planStatements>> => {
      plans ??= import('./plans.ts').then(({ planStatements }) => planStatements(db))
      return plans
    },
    jobs: jobStatements(db),
    distilledTurns: distilledTurnStatements(db, tombstones),
    tombstones,
    /** What deletes and restores memories. Loaded with the first deletion, because a session never needs it. */
    deletions: (): Promise<ReturnType<typeof deletionStatements>> => {
      deletions ??= import('./deletions.ts').then(({ deletionStatements }) => deletionStatements(db, tombstones))
      return deletions
    },
    /** The code that memories speak of. Loaded with the first memory that is anchored or shown. */
    anchors: (): Promise<ReturnType<typeof anchorStatements>> => {
      anchors ??= import('./anchors.ts').then(({ anchorStatements }) => anchorStatements(db))
      return anchors
    },
    /** What turns did to files. Loaded with the first turn that is distilled. */
    turnWork: (): Promise<ReturnType<typeof turnWorkStatements>> => {
      turnWork ??= import('./turn-work.ts').then(({ turnWorkStatements }) => turnWorkStatements(db))
      return turnWork
    },
    /** Memories shared with a team. Loaded by homes that joined one. */
    team: (): Promise<ReturnType<typeof teamStatements>> => {
      team ??= import('./team.ts').then(({ teamStatements }) => teamStatements(db))
      return team
    },
    /** Memories that the person's own machines share through a hub. Loaded by homes that use it. */
    ownMachines: (): Promise<ReturnType<typeof ownMachineStatements>> => {
      ownMachines ??= import('./own-machines.ts').then(({ ownMachineStatements }) => ownMachineStatements(db))
      return ownMachines
    },
    costs: costStatements(db),
    injections: injectionStatements(db),
    receipts: receiptStatements(db),
    transcripts: transcriptStatements(db),
    audit: auditStatements(db),
    vectors: vectorStatements(db),
    links: linkStatements(db),
    /** Everything that a search can find: by words, names, traits and time. */
    documents: index,
    /** Stores all of the work or none of it. Transactions run one at a time, in the order of the calls, and must not be nested. */
    transaction<T>(work: () => Promise<T>): Promise<T> {
      return inTurn(async () => {
        begin.run()
        try {
          const result = await work()
          commit.run()
          return result
        } catch (cause) {
          if (db.inTransaction) rollback.run()
          if (!isCorrupt(cause)) throw cause
          options.onDamage?.()
          throw new CorruptDatabase(path, { cause })
        }
      })
    },
    /** The size of the database, by part, and how to reduce it. */
    space: spaceStatements(db, inTurn),
    /** Moves the write-ahead log into the database file, so that the log does not grow. */
    checkpoint() {
      db.run('PRAGMA wal_checkpoint(PASSIVE)')
    },
    /**
     * Overwrites what the work deletes, in the file and in its log: for data that a person wants gone for good. Words in the indexes go when
     * segments are merged. Not the default, because it makes every deletion slower.
     */
    async withSecureDelete<T>(work: () => Promise<T>): Promise<T> {
      secureDeletions++
      db.run('PRAGMA secure_delete = ON')
      try {
        return await work()
      } finally {
        // Between two transactions: SQLite refuses to empty the log during one.
        await inTurn(async () => {
          // A longer one may be running beside it.
          if (--secureDeletions > 0) return
          db.run('PRAGMA secure_delete = FAST')
          db.run('PRAGMA wal_checkpoint(TRUNCATE)')
        })
      }
    },
    /** Frees SQLite's page cache. The next query reads the pages again, usually from the system's cache. */
    releaseMemory() {
      db.run('PRAGMA shrink_memory')
    },
    bytes: () => fileSizeBytes(path) + fileSizeBytes(`${path}-wal`),
    isReadonly: options.readonly ?? false,
    close() {
      db.close(false)
    },
  }
}

/** Thrown when the file is damaged or not a database. `setAside` moves it away; nothing is deleted. */
export class CorruptDatabase extends Error {
  constructor(path: string, options?: ErrorOptions) {
    super(`${path} is damaged`, options)
  }
}

/** Renames a damaged database and its log to a dated name in the same folder, and returns that path. */
export function setAside(path: string, at: Date): string {
  const aside = `${path}${DAMAGED_SUFFIX}${at.toISOString().replace(/[:.]/g, '-')}`
  for (const suffix of ['', '-wal', '-shm']) if (exists(path + suffix)) moveFile(path + suffix, aside + suffix)
  return aside
}

/** The damaged databases that were set aside and still exist. */
export function listSetAside(path: string): string[] {
  const files = filesIn(dirname(path), '').map((file) => file.path)
  return files.filter((file) => file.startsWith(path + DAMAGED_SUFFIX) && !/-(wal|shm)$/.test(file))
}

const DAMAGED_SUFFIX = '.damaged-'

/**
 * The problems that SQLite's quick check finds. It needs a fresh connection and no active writer: a long-lived connection reports full-text
 * damage that does not exist while another one writes.
 */
export function checkDatabase(path: string): string[] {
  let db: Database | null = null
  try {
    db = openForReading(path)
    const rows = db.query('PRAGMA quick_check(20)').all() as { quick_check: string }[]
    return rows.map((row) => row.quick_check).filter((text) => text !== 'ok')
  } catch (cause) {
    // A busy or unreadable file is another problem, and no reason to replace it.
    if (!isCorrupt(cause)) throw cause
    return [(cause as Error).message]
  } finally {
    db?.close()
  }
}

/** Why this program cannot use the database: a newer one has migrated it. Null when it can, or when there is another problem. */
export function newerDatabaseProblem(path: string): string | null {
  let db: Database | null = null
  try {
    db = openForReading(path)
    refuseNewerDatabase(db, path)
    return null
  } catch (cause) {
    return cause instanceof NewerDatabase ? cause.message : null
  } finally {
    db?.close()
  }
}

/** How many memories a database contains. */
export type StoredAmounts = { sessions: number; prompts: number; observations: number; summaries: number; notes: number }

/**
 * Copies a database of any version to a new file while the worker writes, and checks the copy. Free pages, which may contain deleted text, are not
 * copied. Throws `CorruptDatabase`, or the error of the disk.
 */
export function copyDatabase(path: string, to: string): StoredAmounts {
  const db = readingOrCorrupt(path, () => openForReading(path))
  try {
    db.run('PRAGMA busy_timeout = 5000')
    readingOrCorrupt(path, () => db.run('VACUUM INTO ?', [to]))
  } finally {
    db.close()
  }
  const [problem] = checkDatabase(to)
  if (problem) throw new CorruptDatabase(path, { cause: new Error(problem) })
  return countStored(to)
}

/** Counts the memories of a database of any version. Throws `CorruptDatabase` if it cannot be read. */
export function countStored(path: string): StoredAmounts {
  return readingOrCorrupt(path, () => {
    const db = openForReading(path)
    try {
      const count = (table: keyof StoredAmounts) => db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0
      return {
        sessions: count('sessions'),
        prompts: count('prompts'),
        observations: count('observations'),
        summaries: count('summaries'),
        notes: count('notes'),
      }
    } finally {
      db.close()
    }
  })
}

/**
 * Migrates a copied database before a worker uses it, and notes in its audit log where it came from. Leaves no log file beside it. Throws
 * `CorruptDatabase`, also when it is not a database of ours, or `NewerDatabase`.
 */
export async function adoptDatabase(
  path: string,
  audit: { at: number; action: string; subject: string; details: Record<string, unknown> },
): Promise<void> {
  const { migrate } = await import('./migrations.ts')
  const [problem] = checkDatabase(path)
  if (problem) throw new CorruptDatabase(path, { cause: new Error(problem) })
  readingOrCorrupt(path, () => {
    const db = new Database(path, { readwrite: true, strict: true })
    try {
      refuseNewerDatabase(db, path)
      if (!db.query('SELECT 1 FROM sqlite_schema WHERE name = $name').get({ name: 'observations' })) throw new CorruptDatabase(path)
      migrate(db)
      db.run('INSERT INTO audit (at, action, subject, details) VALUES (?, ?, ?, ?)', [
        audit.at,
        audit.action,
        audit.subject,
        JSON.stringify(audit.details),
      ])
    } finally {
      db.close()
    }
  })
}

function readingOrCorrupt<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw isCorrupt(cause) ? new CorruptDatabase(path, { cause }) : cause
  }
}

const LARGE_DATABASE_BYTES = 256 * 1024 * 1024

async function openDatabase(path: string, readonly: boolean): Promise<Database> {
  const db = readonly ? openForReading(path) : new Database(path, { create: true, readwrite: true, strict: true })
  try {
    db.run('PRAGMA busy_timeout = 5000')
    db.run('PRAGMA foreign_keys = ON')
    // In KiB. A search in a large history reads most pages twice; in another one the system's cache is as good. More, or a mapped file, would cost
    // the worker memory all day.
    db.run(`PRAGMA cache_size = -${fileSizeBytes(path) > LARGE_DATABASE_BYTES ? 8000 : 2000}`)
    refuseNewerDatabase(db, path)
    if (readonly) {
      refuseOlderDatabase(db, path)
      openFulltextTables(db)
      return db
    }
    // Free pages can then be returned to the disk in small steps. In an existing database it has no effect, and is a write with two flushes.
    if (versionOf(db) === 0) db.run('PRAGMA auto_vacuum = INCREMENTAL')
    // WAL with NORMAL: a killed process loses nothing that was committed; a power cut may lose the last seconds, which the transcript still has.
    db.run('PRAGMA journal_mode = WAL')
    db.run('PRAGMA synchronous = NORMAL')
    // Rows that move to another page leave no text behind on the old one, where a later deletion would not find it. It costs no reading or writing.
    db.run('PRAGMA secure_delete = FAST')
    if (versionOf(db) < SCHEMA_VERSION) (await import('./migrations.ts')).migrate(db)
    openFulltextTables(db)
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

/** Notices damage at the start. SQLite reads its own tables with the first statement, but what FTS5 stores about a table only with a statement about it. */
function openFulltextTables(db: Database): void {
  for (const table of FULLTEXT_TABLES) db.prepare(`SELECT 1 FROM ${table}`).finalize()
}

/**
 * SQLite needs write access next to a database with a log even for reading. On a read-only disk the file is therefore read into memory; no other
 * process can be writing to it there.
 */
function openForReading(path: string): Database {
  try {
    const db = new Database(path, { readonly: true, strict: true })
    db.query('SELECT 1 FROM sqlite_schema').get()
    return db
  } catch (cause) {
    if (!/^SQLITE_(CANTOPEN|READONLY)/.test((cause as { code?: string }).code ?? '')) throw cause
    const bytes = readBytes(path)
    bytes.set([1, 1], LOG_VERSION_OFFSET_BYTES)
    return Database.deserialize(bytes, { readonly: true, strict: true })
  }
}

/** The offset of the header bytes that say whether the file has a write-ahead log: 2 with a log, 1 without. */
const LOG_VERSION_OFFSET_BYTES = 18

/** True when the disk or the database failed, not the data. */
export function isStoreFailure(cause: unknown): boolean {
  return cause instanceof CorruptDatabase || /^SQLITE_(?!CONSTRAINT)/.test((cause as { code?: string } | null)?.code ?? '')
}

function isCorrupt(cause: unknown): boolean {
  const code = (cause as { code?: string } | null)?.code
  return code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT_') === true
}

/** SQLite before 3.51.3 can damage a database when its write-ahead log is reset. */
function requireSafeSqlite(): void {
  const db = new Database(':memory:')
  const { version } = db.query('SELECT sqlite_version() AS version').get() as { version: string }
  db.close()
  if (!isSafeSqlite(version)) {
    throw new Error(
      `SQLite ${version} can damage databases in WAL mode; Recollect needs 3.51.3 or newer. Start it with bin/recollect, which uses its own Bun.`,
    )
  }
}

export function isSafeSqlite(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return major > 3 || (major === 3 && (minor > 51 || (minor === 51 && patch >= 3)))
}
