import { Database } from 'bun:sqlite'
import { exists, fileSizeBytes, isFolder } from '../platform/files.ts'

/** The columns of a table; empty if there is no such table. */
export type Columns = (table: string) => Set<string>

type ForeignProgram = { name: string; usualPath: string; tables: string[] }

/** Opens the database of another program for reading. Returns a text with the reason when it is not one, or cannot be read. */
export function openForeignDatabase<Reader>(
  path: string,
  { name, usualPath, tables }: ForeignProgram,
  readerOf: (db: Database, columns: Columns) => Reader,
): Reader | string {
  if (isFolder(path)) return `${path} is a folder; name the database file, usually ${usualPath}`
  if (!exists(path) || fileSizeBytes(path) === 0) return `${path} is empty or does not exist; the database is usually ${usualPath}`
  let db: Database | null = null
  try {
    db = new Database(path, { readonly: true, strict: true })
    db.run('PRAGMA busy_timeout = 2000')
    const [damage] = db.query('PRAGMA quick_check(1)').all() as { quick_check: string }[]
    if (damage && damage.quick_check !== 'ok') throw new Error(`it is damaged (${damage.quick_check.split('\n')[0]})`)
    const columns = columnsOf(db)
    const missing = tables.filter((table) => columns(table).size === 0)
    if (missing.length > 0) throw new Error(`it is not a ${name} database (no table ${missing.join(', ')})`)
    return readerOf(db, columns)
  } catch (cause) {
    db?.close()
    return `could not read ${path}: ${reasonOf(cause)}`
  }
}

function reasonOf(cause: unknown): string {
  const code = (cause as { code?: string }).code ?? ''
  if (code === 'SQLITE_NOTADB') return 'it is not a database'
  if (code.startsWith('SQLITE_CORRUPT')) return 'it is damaged; copy it again from its original'
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return 'another program is writing to it; stop that program and try again'
  return (cause as Error).message
}

function columnsOf(db: Database): Columns {
  const known = new Map<string, Set<string>>()
  return (table) => {
    const found = known.get(table)
    if (found) return found
    // Only tables with rows of their own: a view or a virtual table could compute for ever.
    const rows = db
      .query(
        `SELECT name FROM pragma_table_info('${table}') WHERE EXISTS (
          SELECT 1 FROM pragma_table_list('${table}') WHERE schema = 'main' AND type IN ('table', 'shadow'))`,
      )
      .all() as { name: string }[]
    const names = new Set(rows.map((row) => row.name))
    known.set(table, names)
    return names
  }
}

export const asText = (value: unknown) => (typeof value === 'string' ? value : value === null || value === undefined ? '' : String(value))

/** Milliseconds; some programs wrote seconds. Null for a value outside the calendar. */
export function timestampOf(value: unknown): number | null {
  const given = value === null ? Number.NaN : Number(value)
  const at = Math.floor(given > 1e11 ? given : given * 1000)
  return at >= 0 && at <= MAX_TIMESTAMP_MS ? at : null
}

const MAX_TIMESTAMP_MS = Date.UTC(9999, 11, 31)
