import { Database } from 'bun:sqlite'

/**
 * Opens the database of a home whose worker runs, or was just stopped: it keeps the file locked for a moment when it opens, writes or closes it.
 */
export function openWorkerDatabase(path: string, options: { readonly?: boolean } = {}): Database {
  const db = options.readonly ? new Database(path, { readonly: true }) : new Database(path)
  db.run('PRAGMA busy_timeout = 30000')
  return db
}
