import type { Database } from 'bun:sqlite'
import type { ProjectKey } from '../core/ids.ts'
import { eachRow } from './statement.ts'

type Row = {
  id: string
  project: string
  scope: string
  namespace: string
  type: string
  title: string
  body: string
  tags: string
  updated_at: number
}

/** Every statement about note rows, which are derived from the markdown files. */
export function noteStatements(db: Database) {
  const all = eachRow<Row>(db, 'SELECT * FROM notes WHERE (@project IS NULL OR project = @project) ORDER BY updated_at, id')
  return {
    each: function* (project: ProjectKey | null) {
      for (const row of all({ project })) {
        yield { ...row, tags: JSON.parse(row.tags) as string[], updatedAt: row.updated_at }
      }
    },
  }
}
