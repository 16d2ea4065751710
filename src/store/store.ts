/**
 * The store: everything that is remembered, in one SQLite file. The only room that speaks SQL; callers ask for domain values and
 * never see a column name. Methods return promises because a second store (Postgres, for teams) will not answer at once.
 *
 * One process writes: the worker. Its writes go through `transaction`, one after the other.
 */
import { Database } from 'bun:sqlite'
import { dirname } from 'node:path'
import { exists, fileSizeBytes, moveFile, readBytes } from '../platform/files.ts'
import { filesIn } from '../platform/folder.ts'
import { auditStatements } from './audit.ts'
import { costStatements } from './costs.ts'
import { distilledTurnStatements } from './distilled-turns.ts'
import { documentStatements } from './documents.ts'
import { feedStatements } from './feed.ts'
import { injectionStatements } from './injections.ts'
import { jobStatements } from './jobs.ts'
import { linkStatements } from './links.ts'
import { migrate, NewerDatabase, refuseNewerDatabase, refuseOlderDatabase } from './migrations.ts'
import { noteStatements } from './notes.ts'
import { observationStatements } from './observations.ts'
import { planStatements } from './plans.ts'
import { projectStatements } from './projects.ts'
import { promptStatements } from './prompts.ts'
import { receiptStatements } from './receipts.ts'
import { sessionStatements } from './sessions.ts'
import { spaceStatements } from './space.ts'
import { summaryStatements } from './summaries.ts'
import { toolUseStatements } from './tool-uses.ts'
import { transcriptStatements } from './transcripts.ts'
import { vectorStatements } from './vectors.ts'

export type { CandidateIds } from './candidates.ts'
export { type ForeignSession, openClaudeMem } from './claude-mem.ts'
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
export { type PlanKind, type StoredPlan, UNDO_DAYS } from './plans.ts'
export type { RowsAndBytes } from './statement.ts'
export type { UnembeddedDocument } from './vectors.ts'
export { NewerDatabase }

export type Store = Awaited<ReturnType<typeof openStore>>

export type StoreOptions = {
  readonly?: boolean
  /** Called when a transaction meets damage: time to set the file aside. */
  onDamage?: () => void
}

/** Opens the database, makes or completes its tables. Throws `NewerDatabase`, `CorruptDatabase`, or what the disk says. */
export async function openStore(path: string, options: StoreOptions = {}) {
  requireSafeSqlite()
  let db: Database
  try {
    db = openDatabase(path, options.readonly ?? false)
  } catch (cause) {
    throw isCorrupt(cause) ? new CorruptDatabase(path, { cause }) : cause
  }
  const index = documentStatements(db)
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  let last: Promise<unknown> = Promise.resolve()
  /** One after the other, whatever became of the one before. */
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
    feed: feedStatements(db),
    toolUses: toolUseStatements(db),
    observations: observationStatements(db, index),
    summaries: summaryStatements(db, index),
    notes: noteStatements(db, index),
    plans: planStatements(db),
    jobs: jobStatements(db),
    distilledTurns: distilledTurnStatements(db),
    costs: costStatements(db),
    injections: injectionStatements(db),
    receipts: receiptStatements(db),
    transcripts: transcriptStatements(db),
    audit: auditStatements(db),
    vectors: vectorStatements(db),
    links: linkStatements(db),
    /** Everything that can be found, by its words, its names and its place in time. */
    documents: index,
    /** All of the work is kept or none of it. One at a time, in the order asked; not to be nested. */
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
    /** How much room the database takes, by part, and how to give back what is free. */
    space: spaceStatements(db, inTurn),
    /** Moves what the log holds into the file itself, so that the log does not grow while nobody reads. */
    checkpoint() {
      db.run('PRAGMA wal_checkpoint(PASSIVE)')
    },
    /**
     * What is deleted meanwhile is overwritten in the file and in its log too, and not only no longer listed: for what a person wants gone
     * for good. Single words go from the index as it is merged. Everything else would pay for it with every page that is freed.
     */
    async withSecureDelete<T>(work: () => Promise<T>): Promise<T> {
      db.run('PRAGMA secure_delete = ON')
      try {
        return await work()
      } finally {
        db.run('PRAGMA secure_delete = OFF')
        db.run('PRAGMA wal_checkpoint(TRUNCATE)')
      }
    },
    /** Gives back the pages it holds to be fast. The next question reads them again, from where the system keeps them. */
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

/** Thrown when the file is not a sound database. `setAside` moves it out of the way; nothing is deleted. */
export class CorruptDatabase extends Error {
  constructor(path: string, options?: ErrorOptions) {
    super(`${path} is damaged`, options)
  }
}

/** Moves a damaged database and its log beside itself under a dated name, and returns that name. */
export function setAside(path: string, at: Date): string {
  const aside = `${path}${DAMAGED_SUFFIX}${at.toISOString().replace(/[:.]/g, '-')}`
  for (const suffix of ['', '-wal', '-shm']) if (exists(path + suffix)) moveFile(path + suffix, aside + suffix)
  return aside
}

/** The damaged databases that were set aside and still lie there. */
export function listSetAside(path: string): string[] {
  const files = filesIn(dirname(path), '').map((file) => file.path)
  return files.filter((file) => file.startsWith(path + DAMAGED_SUFFIX) && !/-(wal|shm)$/.test(file))
}

const DAMAGED_SUFFIX = '.damaged-'

/**
 * What SQLite itself says of the file. On a fresh connection, and only while no writer is busy: a long-lived connection reports
 * full-text damage that is not there while another one writes.
 */
export function checkDatabase(path: string): string[] {
  const db = new Database(path, { readonly: true, strict: true })
  try {
    const rows = db.query('PRAGMA quick_check(20)').all() as { quick_check: string }[]
    return rows.map((row) => row.quick_check).filter((text) => text !== 'ok')
  } catch (cause) {
    return [(cause as Error).message]
  } finally {
    db.close()
  }
}

function openDatabase(path: string, readonly: boolean): Database {
  const db = readonly ? openForReading(path) : new Database(path, { create: true, readwrite: true, strict: true })
  try {
    db.run('PRAGMA busy_timeout = 5000')
    db.run('PRAGMA foreign_keys = ON')
    // In KiB. Four times the default: of a large history a search reads most of its pages twice. More, or a mapped file, is memory that
    // the worker would hold all day.
    db.run('PRAGMA cache_size = -8000')
    refuseNewerDatabase(db, path)
    if (readonly) {
      refuseOlderDatabase(db, path)
      return db
    }
    // WAL with NORMAL: a killed process loses nothing that was committed; a power cut may lose the last moments, which the
    // transcript still has.
    // Only a new database heeds this: what is freed can then be given back in bites.
    db.run('PRAGMA auto_vacuum = INCREMENTAL')
    db.run('PRAGMA journal_mode = WAL')
    db.run('PRAGMA synchronous = NORMAL')
    migrate(db)
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

/**
 * SQLite wants to write beside a database with a log even to read it. Where nothing can be written, on a disk that is mounted read-only, the
 * file is read into memory; nobody can be writing to it there.
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

/** Where the file says that it has a log: 2 is with one, 1 is without. */
const LOG_VERSION_OFFSET_BYTES = 18

/** True when it is the disk or the database that is in trouble, not what was to be written. */
export function isStoreFailure(cause: unknown): boolean {
  return cause instanceof CorruptDatabase || /^SQLITE_(?!CONSTRAINT)/.test((cause as { code?: string } | null)?.code ?? '')
}

function isCorrupt(cause: unknown): boolean {
  const code = (cause as { code?: string } | null)?.code
  return code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT_') === true
}

/** SQLite before 3.51.3 can damage a database when its write-ahead log is reset; we do not put memories at that risk. */
function requireSafeSqlite(): void {
  const db = new Database(':memory:')
  const { version } = db.query('SELECT sqlite_version() AS version').get() as { version: string }
  db.close()
  if (!isSafeSqlite(version)) {
    throw new Error(
      `SQLite ${version} can damage databases in WAL mode; 3.51.3 or newer is needed. Run Recollect on its own Bun (bin/recollect).`,
    )
  }
}

export function isSafeSqlite(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return major > 3 || (major === 3 && (minor > 51 || (minor === 51 && patch >= 3)))
}
