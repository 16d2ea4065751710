import type { Database } from 'bun:sqlite'
import type { ProjectKey } from '../core/ids.ts'
import type { DocumentKind, DocumentLocation, IndexedDocument, SearchScope, UnansweredPrompts } from './document.ts'
import { IN_TIME_AND_KINDS, LOCATION_COLUMNS, matchingAmong, scopeParams } from './document-filter.ts'
import { type SqlParams, sqlNextId } from './statement.ts'

/** A project is counted up to this; past it, the exact number makes no difference. */
const MAX_COUNTED_PROJECT_DOCUMENTS = 200_000
/** A shorter answer to a machine's report is an acknowledgement such as "Ack, 9/18"; a summary of what came of it is longer. */
const MAX_ACKNOWLEDGEMENT_CHARS = 200
/** How many prompts before and after a prompt are its context. */
export const CONTEXT_PROMPTS_EACH_SIDE = 2

/** Every statement about rows of `documents`: what a document is, where it is in time, how often it was read. Its words are in the indexes. */
export function documentRowStatements(db: Database) {
  const put = db.prepare<{ id: number }, SqlParams>(`
    INSERT INTO documents (id, kind, ref, session_id, turn, project, at) VALUES (${sqlNextId('documents', 'newest document')}, @kind, @ref, @sessionId, @turn, @project, @at)
    ON CONFLICT (kind, ref) DO UPDATE SET session_id = excluded.session_id, turn = excluded.turn, project = excluded.project, at = excluded.at
    RETURNING id`)
  const remove = db.prepare('DELETE FROM documents WHERE kind = @kind AND ref = @ref')
  const byId = db.prepare<DocumentLocation, SqlParams>(`SELECT ${LOCATION_COLUMNS} FROM documents d WHERE d.id = @id`)
  const byRef = db.prepare<DocumentLocation, SqlParams>(`SELECT ${LOCATION_COLUMNS} FROM documents d WHERE d.kind = @kind AND d.ref = @ref`)
  // Two statements, for one project and for all: a single one that serves both scans the whole table.
  const inOneOrAllProjects = (rest: string) => {
    const select = (inProject: string) =>
      db.prepare<DocumentLocation, SqlParams>(`SELECT ${LOCATION_COLUMNS} FROM documents d WHERE ${inProject} AND ${rest}`)
    const all = select('true')
    const one = select('d.project = @project')
    return ({ project, ...params }: SqlParams) => (project ? one.all({ ...params, project }) : all.all(params))
  }
  const before = inOneOrAllProjects('(d.at, d.id) < (@at, @id) ORDER BY d.at DESC, d.id DESC LIMIT @limit')
  const from = inOneOrAllProjects('(d.at, d.id) >= (@at, @id) ORDER BY d.at, d.id LIMIT @limit')
  const newest = inOneOrAllProjects(`${IN_TIME_AND_KINDS} ORDER BY d.at DESC, d.id DESC LIMIT @limit`)
  const matching = matchingAmong(db)
  // Counted from the person's last prompt: a machine may report while the person still waits for the answer.
  const unanswered = db.prepare<{ id: number; isBeside: number }, SqlParams>(`
    WITH running AS (
      SELECT p.id, p.session_id, p.number FROM sessions s CROSS JOIN prompts p ON p.session_id = s.id
        AND p.number >= (SELECT coalesce(max(number), 0) FROM prompts WHERE session_id = s.id AND origin = 'person')
      WHERE s.status <> 'completed' AND s.last_event_at > @since AND p.answer IS NULL)
    SELECT d.id, q.id NOT IN (SELECT id FROM running) AS isBeside
    FROM running r CROSS JOIN prompts q ON q.session_id = r.session_id AND q.number BETWEEN r.number - ${CONTEXT_PROMPTS_EACH_SIDE} AND r.number
      CROSS JOIN documents d ON d.kind = 'prompt' AND d.ref = CAST(q.id AS TEXT)`)
  const acknowledgements = db.prepare<{ id: number }, SqlParams>(`
    SELECT d.id FROM json_each(@ids) wanted CROSS JOIN documents d ON d.id = wanted.value
      CROSS JOIN prompts p ON p.session_id = d.session_id AND p.number = d.turn
    WHERE d.kind IN ('prompt', 'summary') AND p.origin = 'machine' AND length(coalesce(p.answer, '')) < ${MAX_ACKNOWLEDGEMENT_CHARS}`)
  const countUse = db.prepare(`
    INSERT INTO uses (document_id, times) SELECT id, 1 FROM documents WHERE kind = @kind AND ref = @ref
    ON CONFLICT (document_id) DO UPDATE SET times = times + 1`)
  const uses = db.prepare<{ id: number; times: number }, SqlParams>(`
    SELECT u.document_id AS id, u.times FROM json_each(@ids) wanted CROSS JOIN uses u ON u.document_id = wanted.value`)
  const countOfProject = db.prepare<{ n: number }, SqlParams>(`
    SELECT count(*) AS n FROM (SELECT 1 FROM documents WHERE project = @project LIMIT ${MAX_COUNTED_PROJECT_DOCUMENTS})`)

  return {
    /** Adds or updates the row and returns its id. */
    put: ({ kind, ref, sessionId, turn, project, at }: IndexedDocument): number => {
      const row = put.get({ kind, ref, sessionId, turn, project, at })
      if (!row) throw new Error('a document was neither added nor updated')
      return row.id
    },
    /** Triggers remove the document from the indexes too. */
    remove: (kind: DocumentKind, ref: string): void => {
      remove.run({ kind, ref })
    },
    byId: (id: number): DocumentLocation | null => byId.get({ id }),
    byRef: (kind: DocumentKind, ref: string): DocumentLocation | null => byRef.get({ kind, ref }),
    newest: (within: SearchScope): DocumentLocation[] => newest(scopeParams(within)),
    /** The documents among these that are in scope. */
    matching: (ids: number[], within: SearchScope): DocumentLocation[] =>
      matching.all({ ...scopeParams(within), ids: JSON.stringify(ids) }),
    timelineAround: (project: ProjectKey | null, at: number, depthBefore: number, depthAfter: number, id: number): DocumentLocation[] => [
      ...before({ project, at, id, limit: depthBefore }).reverse(),
      ...from({ project, at, id, limit: depthAfter + Number(id > 0) }),
    ],
    unansweredPrompts: (since: number): UnansweredPrompts => {
      const rows = unanswered.all({ since })
      const ids = (isBeside: boolean) => new Set(rows.filter((row) => Boolean(row.isBeside) === isBeside).map((row) => row.id))
      return { running: ids(false), preceding: ids(true) }
    },
    acknowledgements: (ids: number[]): Set<number> => new Set(acknowledgements.all({ ids: JSON.stringify(ids) }).map(({ id }) => id)),
    countUse: (kind: DocumentKind, ref: string): void => {
      countUse.run({ kind, ref })
    },
    useCounts: (ids: number[]): Map<number, number> => new Map(uses.all({ ids: JSON.stringify(ids) }).map(({ id, times }) => [id, times])),
    countOfProject: (project: string): number => countOfProject.get({ project })?.n ?? 0,
  }
}
