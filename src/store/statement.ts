import type { Database } from 'bun:sqlite'

/** What a statement takes: values by name. */
export type SqlParams = Record<string, string | number | null>

/** So many rows, and about so many bytes of text in them. */
export type RowsAndBytes = { rows: number; bytes: number }
export const NO_ROWS: RowsAndBytes = { rows: 0, bytes: 0 }

/**
 * Rows one by one, for answers too long to hold. Each reader has a statement of its own: one that is run again while somebody
 * still reads from it would end that reader's rows.
 */
export function eachRow<Row>(db: Database, sql: string): (params: SqlParams) => Generator<Row> {
  db.prepare(sql).finalize() // so that this too fails at start-up
  return function* (params) {
    const rows = db.prepare<Row, SqlParams>(sql)
    try {
      yield* rows.iterate(params)
    } finally {
      rows.finalize()
    }
  }
}

/** FTS5 reads - and : and * as syntax, so every word the person typed goes in quotes. */
export function quoteFtsWord(word: string): string {
  return `"${word.replaceAll('"', '""').replaceAll('\0', '')}"`
}
