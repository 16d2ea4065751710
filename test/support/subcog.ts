import { Database } from 'bun:sqlite'

export type SubcogRow = {
  id: string
  body: string
  namespace?: string
  domain?: string
  project?: string | null
  status?: string
  tags?: string[]
  expiresAt?: number | null
}

/** Creates a database with the tables and columns of Subcog. They are taken from its source; no database of a real installation was at hand. */
export function subcogDatabase(path: string, rows: SubcogRow[]): void {
  const db = new Database(path, { create: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run(`CREATE TABLE memories (id TEXT PRIMARY KEY, namespace TEXT NOT NULL, domain TEXT, project_id TEXT, branch TEXT, file_path TEXT,
    status TEXT NOT NULL, created_at INTEGER NOT NULL, tags TEXT, source TEXT, tombstoned_at INTEGER, expires_at INTEGER)`)
  db.run('CREATE VIRTUAL TABLE memories_fts USING fts5(id, content, tags)')
  for (const {
    id,
    body,
    namespace = 'decisions',
    domain = 'project',
    project = null,
    status = 'active',
    tags = [],
    expiresAt = null,
  } of rows) {
    db.run(
      `INSERT INTO memories (id, namespace, domain, project_id, status, created_at, tags, expires_at) VALUES (?, ?, ?, ?, ?, 1735689600, ?, ?)`,
      [id, namespace, domain, project, status, tags.join(','), expiresAt],
    )
    db.run('INSERT INTO memories_fts VALUES (?, ?, ?)', [id, body, tags.join(' ')])
  }
  db.close()
}
