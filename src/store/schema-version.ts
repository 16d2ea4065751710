import type { Database } from 'bun:sqlite'

/** The version of `schema.ts`, stored in the database as SQLite's user_version. A change of the schema raises it, so that older programs refuse the database. */
export const SCHEMA_VERSION = 36

/** Thrown when a newer program has migrated the database: writing to it could lose data. */
export class NewerDatabase extends Error {
  constructor(path: string, found: number) {
    super(
      `${path} was written by a newer Recollect (schema version ${found}; this program knows ${SCHEMA_VERSION}). ` +
        'Update Recollect, or set RECOLLECT_HOME to another folder. Nothing was changed.',
    )
  }
}

/** Must run before anything is written: even the header of a newer database must not change. */
export function refuseNewerDatabase(db: Database, path: string): void {
  if (versionOf(db) > SCHEMA_VERSION) throw new NewerDatabase(path, versionOf(db))
}

/** For read-only use, where the missing steps cannot be taken. */
export function refuseOlderDatabase(db: Database, path: string): void {
  if (versionOf(db) === SCHEMA_VERSION) return
  throw new Error(
    `${path} was written by an older Recollect (schema version ${versionOf(db)}; this program needs ${SCHEMA_VERSION}). ` +
      'Start the worker once where it can write to the file (recollect start); that migrates it.',
  )
}

export const versionOf = (db: Database) => (db.query('PRAGMA user_version').get() as { user_version: number }).user_version
