import type { Database } from 'bun:sqlite'
import { asText, type Columns, openForeignDatabase, timestampOf } from './foreign-database.ts'

/** A memory of Subcog; texts are unchanged. */
export type SubcogMemory = {
  id: string
  namespace: string
  /** `user` for a memory that applies everywhere. */
  domain: string
  /** The normalised address of the repository, or the name of its folder. */
  project: string | null
  status: string
  /** Separated by commas. */
  tags: string
  body: string
  at: number
  expiresAt: number | null
}

export type Subcog = { count: number; memories(): Generator<SubcogMemory>; close(): void }

/** Opens the database of Subcog for reading. Returns a text with the reason when it is not one, or cannot be read. */
export function openSubcog(path: string): Subcog | string {
  const program = { name: 'Subcog', usualPath: '~/.local/share/subcog/index.db', tables: ['memories', 'memories_fts_content'] }
  return openForeignDatabase(path, program, subcogReader)
}

/** The texts are only in the table of the full-text index, whose columns have no names: the id, the text, the tags. */
function subcogReader(db: Database, columns: Columns): Subcog {
  const optional = (name: string) => `${columns('memories').has(name) ? `m.${name}` : 'NULL'} AS ${name}`
  const select = `SELECT m.id, m.namespace, m.status, m.created_at, f.c1 AS body, ${['domain', 'project_id', 'tags', 'expires_at', 'tombstoned_at'].map(optional).join(', ')}
    FROM memories m LEFT JOIN memories_fts_content f ON f.c0 = m.id ORDER BY m.created_at, m.id`
  const { n } = db.query('SELECT count(*) AS n FROM memories').get() as { n: number }
  return {
    count: n,
    *memories() {
      for (const row of db.query<Record<string, unknown>, []>(select).all())
        yield {
          id: asText(row.id),
          namespace: asText(row.namespace),
          domain: asText(row.domain),
          project: asText(row.project_id) || null,
          status: row.tombstoned_at === null ? asText(row.status) : 'tombstoned',
          tags: asText(row.tags),
          body: asText(row.body),
          at: timestampOf(row.created_at) ?? 0, // Not the current time: the note's id depends on it, and the next import must find the note.
          expiresAt: timestampOf(row.expires_at),
        }
    },
    close: () => db.close(),
  }
}
