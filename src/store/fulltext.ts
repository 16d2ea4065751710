import type { Database } from 'bun:sqlite'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { Params } from './statement.ts'

export type DocumentKind = 'observation' | 'summary' | 'prompt' | 'note'

export type Document = {
  kind: DocumentKind
  ref: string
  sessionId: number | null
  project: ProjectKey
  at: number
  words: { title?: string; prompt?: string; body?: string; facts?: string; files?: string }
}

/** Where a document stands in time. */
export type Place = { kind: DocumentKind; ref: string; sessionId: number | null; project: ProjectKey; at: number }

export type Match = Place & { score: number }

/** How much a word counts, by where it stands: title, prompt, body (answer or narrative), facts, files. */
const WEIGHTS = [4, 3, 1, 2, 2] as const

/** The full-text index, kept by the store itself: whoever writes a row puts its words here in the same transaction. */
export type Index = ReturnType<typeof fulltextStatements>

export function fulltextStatements(db: Database) {
  const put = db.prepare<{ id: number }, Params>(`
    INSERT INTO documents (kind, ref, session_id, project, at) VALUES (@kind, @ref, @sessionId, @project, @at)
    ON CONFLICT (kind, ref) DO UPDATE SET session_id = excluded.session_id, project = excluded.project, at = excluded.at
    RETURNING id`)
  const write = db.prepare(`
    INSERT OR REPLACE INTO fulltext (rowid, title, prompt, body, facts, files) VALUES (@id, @title, @prompt, @body, @facts, @files)`)
  const match = db.prepare<Match, Params>(`
    SELECT d.kind, d.ref, d.session_id AS sessionId, d.project, d.at, -bm25(fulltext, ${WEIGHTS.join(', ')}) AS score
    FROM fulltext JOIN documents d ON d.id = fulltext.rowid
    WHERE fulltext MATCH @words
      AND (@project IS NULL OR d.project = @project)
      AND (@kind IS NULL OR d.kind = @kind)
      AND d.at >= @since AND d.at < @before
    ORDER BY score DESC, d.at DESC LIMIT @limit OFFSET @offset`)

  const before = db.prepare<Place, Params>(`
    SELECT kind, ref, session_id AS sessionId, project, at FROM documents
    WHERE (@project IS NULL OR project = @project) AND at < @at ORDER BY at DESC, id DESC LIMIT @limit`)
  const from = db.prepare<Place, Params>(`
    SELECT kind, ref, session_id AS sessionId, project, at FROM documents
    WHERE (@project IS NULL OR project = @project) AND at >= @at ORDER BY at, id LIMIT @limit`)

  return {
    put: (document: Document): void => {
      const { words, ...place } = document
      const row = put.get(place)
      if (!row) throw new Error('a document was neither added nor updated')
      write.run({ id: row.id, title: '', prompt: '', body: '', facts: '', files: '', ...words })
    },
    /** What happened around a moment, in the order it happened. */
    around: async (project: ProjectKey | null, at: number, depthBefore: number, depthAfter: number): Promise<Place[]> => [
      ...before.all({ project, at, limit: depthBefore }).reverse(),
      ...from.all({ project, at, limit: depthAfter + 1 }),
    ],
    /** Documents that hold any of the words, best first. The words are plain text; here they become a query. */
    match: async (
      words: string[],
      within: { project: ProjectKey | null; kind: DocumentKind | null; since: number; before: number; limit: number; offset: number },
    ): Promise<Match[]> => {
      if (words.length === 0) return []
      return match.all({ ...within, words: words.map(quoted).join(' OR ') }).map((row) => ({ ...row, project: asProjectKey(row.project) }))
    },
  }
}

/** FTS5 reads - and : and * as syntax, so every word the person typed goes in quotes. */
function quoted(word: string): string {
  return `"${word.replaceAll('"', '""').replaceAll('\0', '')}"`
}
