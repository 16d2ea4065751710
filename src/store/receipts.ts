import type { Database } from 'bun:sqlite'
import { NO_ROWS, type RowsAndBytes, type SqlParams } from './statement.ts'

/** Every statement about receipts: which deliveries of hook processes have been accepted. */
export function receiptStatements(db: Database) {
  const insert = db.prepare('INSERT INTO receipts (delivery, at) VALUES (@delivery, @at) ON CONFLICT DO NOTHING')
  const has = db.prepare('SELECT 1 FROM receipts WHERE delivery = @delivery')
  const purge = db.prepare('DELETE FROM receipts WHERE at < @before')
  const past = db.prepare<RowsAndBytes, SqlParams>(`
    SELECT count(*) AS rows, coalesce(sum(octet_length(delivery) + 8), 0) AS bytes FROM receipts WHERE at < @before`)
  return {
    /** False when this delivery was accepted before. */
    add: async (delivery: string, at: number): Promise<boolean> => insert.run({ delivery, at }).changes > 0,
    has: async (delivery: string): Promise<boolean> => has.get({ delivery }) !== null,
    countPurgeable: async (before: number): Promise<RowsAndBytes> => past.get({ before }) ?? NO_ROWS,
    purge: async (before: number): Promise<number> => purge.run({ before }).changes,
  }
}
