import type { Database } from 'bun:sqlite'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { DocumentKind, DocumentLocation } from './document.ts'
import type { SqlParams } from './statement.ts'

/** Which documents a feed lists, newest first. `upTo` excludes later arrivals, so pages do not shift while a person scrolls. */
export type FeedRange = {
  project: ProjectKey | null
  kinds: DocumentKind[]
  /** Types of observations. If not empty, the feed contains only observations of these types. */
  types: string[]
  agent: string | null
  since: number
  before: number
  /** Document ids: after `after`, up to and including `upTo`. Ids follow the order of arrival, not the time of the event. */
  after: number
  upTo: number
}

/** Every statement about documents as a list that a person scrolls through. */
export function feedStatements(db: Database) {
  const within = `
    FROM documents d WHERE d.at >= @since AND d.at < @before AND d.id > @after AND d.id <= @upTo
      AND (@project IS NULL OR d.project = @project) AND instr(@kinds, d.kind) > 0
      AND (@agent IS NULL OR d.session_id IN (SELECT id FROM sessions WHERE agent = @agent))
      AND (@types = '' OR (d.kind = 'observation' AND instr(@types, (SELECT type FROM observations WHERE id = CAST(d.ref AS INTEGER))) > 0))`
  const page = db.prepare<DocumentLocation, SqlParams>(`
    SELECT d.id AS documentId, d.kind, d.ref, d.session_id AS sessionId, d.turn, d.project, d.at ${within}
    ORDER BY d.at DESC, d.id DESC LIMIT @limit OFFSET @offset`)
  const count = db.prepare<{ n: number }, SqlParams>(`SELECT count(*) AS n ${within}`)
  const last = db.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM documents')
  const byDay = db.prepare<{ day: string; project: string; kind: DocumentKind; count: number }, SqlParams>(`
    SELECT date((at + @shift) / 1000, 'unixepoch') AS day, project, kind, count(*) AS count FROM documents
    WHERE at >= @since AND at < @before AND (@project IS NULL OR project = @project) GROUP BY 1, 2, 3`)
  return {
    page: async (range: FeedRange, limit: number, offset: number): Promise<DocumentLocation[]> =>
      page.all({ ...feedParams(range), limit, offset }).map((row) => ({ ...row, project: asProjectKey(row.project) })),
    count: async (range: FeedRange): Promise<number> => count.get(feedParams(range))?.n ?? 0,
    lastId: async (): Promise<number> => last.get()?.id ?? 0,
    /** The number of documents per day, project and kind. `shift` is the person's offset from UTC in milliseconds. */
    byDay: async (project: ProjectKey | null, since: number, before: number, shift: number) => byDay.all({ project, since, before, shift }),
  }
}

/** Kinds and types are fixed words, and none contains another, so a joined text can represent a set of them. */
function feedParams({ kinds, types, ...rest }: FeedRange): SqlParams {
  return { ...rest, kinds: kinds.join(' '), types: types.join(' ') }
}
