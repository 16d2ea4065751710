import type { Database, Statement } from 'bun:sqlite'

/** Named parameters of a statement. */
export type SqlParams = Record<string, string | number | null>

/** A number of rows, and about how many bytes of text they contain. */
export type RowsAndBytes = { rows: number; bytes: number }
export const NO_ROWS: RowsAndBytes = { rows: 0, bytes: 0 }

/** The indexes of documents, each a virtual table of FTS5. */
export const FULLTEXT_TABLES = ['fulltext', 'surroundings', 'trigrams', 'deeds', 'traits'] as const

/**
 * Reads rows one by one, for results too long for memory. Each reader has its own statement: running a statement again ends the rows of an
 * earlier reader.
 */
export function eachRow<Row>(db: Database, sql: string): (params: SqlParams) => Generator<Row> {
  db.prepare(sql).finalize() // A mistake in the SQL fails at start-up.
  return function* (params) {
    const rows = db.prepare<Row, SqlParams>(sql)
    try {
      yield* rows.iterate(params)
    } finally {
      rows.finalize()
    }
  }
}

/**
 * From now on, the statements of this database are compiled when they are first used. To compile all of them takes the worker a tenth of its start, and a
 * session needs a third of them.
 */
export function compileOnFirstUse(db: Database): void {
  const compile: (sql: string) => Statement = db.prepare.bind(db)
  const lazy = (sql: string): Pick<Statement, 'run' | 'get' | 'all' | 'iterate' | 'finalize'> => {
    let compiled: Statement | null = null
    const statement = () => {
      compiled ??= compile(sql)
      return compiled
    }
    return {
      run: (...params) => statement().run(...params),
      get: (...params) => statement().get(...params),
      all: (...params) => statement().all(...params),
      iterate: (...params) => statement().iterate(...params),
      finalize: () => compiled?.finalize(),
    }
  }
  db.prepare = lazy as typeof db.prepare
}

/** One more than any id that a table ever had: a trigger stores the highest id as a mark when its row is deleted. */
export const sqlNextId = (table: string, mark: string) => `1 + max(
  coalesce((SELECT max(id) FROM ${table}), 0),
  coalesce((SELECT CAST(value AS INTEGER) FROM marks WHERE name = '${mark}'), 0))`

/** A value from a JSON column. It has the type that was written, because only the store writes these columns. */
export const readJsonColumn = <T>(text: string): T => JSON.parse(text)

/** FTS5 reads - and : and * as syntax, so every word the person typed goes in quotes. */
export function quoteFtsWord(word: string): string {
  return `"${word.replaceAll('"', '""').replaceAll('\0', '')}"`
}
