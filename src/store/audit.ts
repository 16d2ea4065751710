import type { Database } from 'bun:sqlite'
import { NO_ROWS, type RowsAndBytes, readJsonColumn, type SqlParams } from './statement.ts'

export type AuditEntry = { id: number; at: number; action: string; subject: string; details: Record<string, unknown> }

/**
 * Every statement about the audit log, which says what happened to memories but contains none of their text; and about the worker's own small
 * marks.
 */
export function auditStatements(db: Database) {
  const insert = db.prepare('INSERT INTO audit (at, action, subject, details) VALUES (@at, @action, @subject, @details)')
  const recent = db.prepare<Omit<AuditEntry, 'details'> & { details: string }, SqlParams>(
    'SELECT * FROM audit WHERE at >= @since ORDER BY id DESC LIMIT @limit',
  )
  const getMark = db.prepare<{ value: string }, SqlParams>('SELECT value FROM marks WHERE name = @name')
  const setMark = db.prepare(
    'INSERT INTO marks (name, value) VALUES (@name, @value) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const past = db.prepare<RowsAndBytes, SqlParams>(`
    SELECT count(*) AS rows, coalesce(sum(octet_length(subject) + octet_length(details)), 0) AS bytes FROM audit WHERE at < @before`)
  const purge = db.prepare('DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < @before ORDER BY id LIMIT @limit)')
  return {
    countPurgeable: async (before: number): Promise<RowsAndBytes> => past.get({ before }) ?? NO_ROWS,
    purge: async (before: number, limit: number): Promise<number> => purge.run({ before, limit }).changes,
    add: async (entry: Omit<AuditEntry, 'id'>) => {
      insert.run({ ...entry, details: JSON.stringify(entry.details) })
    },
    recent: async (limit: number, since = 0): Promise<AuditEntry[]> =>
      recent.all({ limit, since }).map((row) => ({ ...row, details: readJsonColumn<Record<string, unknown>>(row.details) })),
    mark: async (name: string): Promise<string | null> => getMark.get({ name })?.value ?? null,
    /** A mark that was written as JSON by the same part of the program, so its type is known. */
    jsonMark: async <T>(name: string): Promise<T | null> => {
      const mark = getMark.get({ name })
      return mark ? readJsonColumn<T>(mark.value) : null
    },
    setMark: async (name: string, value: string) => {
      setMark.run({ name, value })
    },
  }
}
