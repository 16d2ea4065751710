import type { Database } from 'bun:sqlite'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { Summary } from '../core/memory.ts'
import type { DocumentIndexes } from './documents.ts'
import type { WithBranch } from './observations.ts'
import { eachRow, type SqlParams } from './statement.ts'
import type { Tombstones } from './tombstones.ts'

type SummaryRow = {
  id: number
  session_id: number
  project: string
  prompt_number: number
  source: Summary['source']
  request: string
  investigated: string
  learned: string
  completed: string
  next_steps: string
  notes: string
  model: string
  at: number
  undone_by?: string | null
}

/** Every statement about summaries. */
export function summaryStatements(db: Database, index: DocumentIndexes, tombstones: Tombstones) {
  const put = db.prepare<SummaryRow, SqlParams>(`
    INSERT INTO summaries (key, session_id, project, prompt_number, source, request, investigated, learned, completed, next_steps, notes, model, at)
    VALUES (@key, @sessionId, @project, @promptNumber, @source, @request, @investigated, @learned, @completed, @nextSteps, @notes, @model, @at)
    ON CONFLICT (key) DO UPDATE SET
      request = excluded.request, investigated = excluded.investigated, learned = excluded.learned, completed = excluded.completed,
      next_steps = excluded.next_steps, notes = excluded.notes, model = excluded.model, at = excluded.at
    RETURNING *`)
  const has = db.prepare('SELECT 1 FROM summaries WHERE key = @key')
  const remove = db.prepare('DELETE FROM summaries WHERE key = @key')
  const recent = db.prepare<SummaryRow & { branch: string | null }, SqlParams>(`
    SELECT s.*, (SELECT branch FROM prompts WHERE session_id = s.session_id AND number = s.prompt_number) AS branch
    FROM summaries s WHERE s.project = @project AND s.source = 'turn' AND NOT EXISTS (
      SELECT 1 FROM prompts WHERE session_id = s.session_id AND number = s.prompt_number AND undone_by IS NOT NULL)
    ORDER BY s.at DESC, s.id DESC LIMIT @limit`)
  const recentOn = db.prepare<SummaryRow & { branch: string | null }, SqlParams>(`
    SELECT s.*, @branch AS branch
    FROM (SELECT session_id, number FROM prompts WHERE project = @project AND branch = @branch AND undone_by IS NULL ORDER BY at DESC LIMIT @limit) p
    CROSS JOIN summaries s ON s.session_id = p.session_id AND s.prompt_number = p.number AND s.source = 'turn'
    ORDER BY s.at DESC, s.id DESC LIMIT @limit`)
  const ofSession = db.prepare<SummaryRow, SqlParams>(`
    SELECT * FROM summaries WHERE session_id = @sessionId AND source = 'turn' ORDER BY prompt_number, id`)
  const ofTurn = db.prepare<SummaryRow, SqlParams>(`
    SELECT * FROM summaries WHERE session_id = @sessionId AND prompt_number = @promptNumber AND source = 'turn' LIMIT 1`)
  const byId = db.prepare<SummaryRow, SqlParams>(`
    SELECT s.*, (SELECT undone_by FROM prompts WHERE session_id = s.session_id AND number = s.prompt_number AND s.source = 'turn') AS undone_by
    FROM summaries s WHERE s.id = @id`)
  const allOfSession = db.prepare<SummaryRow, SqlParams>('SELECT * FROM summaries WHERE session_id = @sessionId ORDER BY at, id')
  const all = eachRow<SummaryRow & { content_session_id: string; agent: string }>(
    db,
    `
    SELECT m.*, s.content_session_id, s.agent FROM summaries m JOIN sessions s ON s.id = m.session_id
    WHERE (@project IS NULL OR m.project = @project) ORDER BY m.at, m.id`,
  )

  const isDeleted = (key: string, { sessionId, promptNumber, source, learned }: Omit<Summary, 'id'>): boolean => {
    const deleted = tombstones.summariesOfTurn(sessionId, promptNumber)
    if (deleted.length === 0) return false
    return [learned, key.split(':')[2] ?? ''].some((identity) => deleted.includes(tombstones.summaryKey(source, identity)))
  }

  return {
    /** Writes the summary with this key; `added` is false when it replaced an earlier one. Null when a person has deleted it. */
    put: async (key: string, summary: Omit<Summary, 'id'>): Promise<{ summary: Summary; added: boolean } | null> => {
      if (isDeleted(key, summary)) return null
      const added = has.get({ key }) === null
      const row = put.get({ key, ...summary })
      if (!row) throw new Error('a summary was neither added nor updated')
      const stored = fromRow(row)
      indexSummary(index, stored)
      return { summary: stored, added }
    },
    has: async (key: string): Promise<boolean> => has.get({ key }) !== null,
    remove: async (key: string) => {
      remove.run({ key })
    },
    recent: async (project: ProjectKey, limit: number): Promise<WithBranch<Summary>[]> =>
      recent.all({ project, limit }).map((row) => ({ ...fromRow(row), branch: row.branch })),
    /** The newest summaries of a branch. */
    recentOn: async (project: ProjectKey, branch: string, limit: number): Promise<WithBranch<Summary>[]> =>
      recentOn.all({ project, branch, limit }).map((row) => ({ ...fromRow(row), branch: row.branch })),
    /** The summaries of a session's turns, in order. */
    ofSession: async (sessionId: number): Promise<Summary[]> => ofSession.all({ sessionId }).map(fromRow),
    ofTurn: async (sessionId: number, promptNumber: number): Promise<Summary | null> => {
      const row = ofTurn.get({ sessionId, promptNumber })
      return row ? fromRow(row) : null
    },
    /** Indexes a session's summaries again, under their current project; or only those of one turn. */
    reindex: async (sessionId: number, turn?: number) => {
      for (const row of allOfSession.all({ sessionId }))
        if (turn === undefined || row.prompt_number === turn) indexSummary(index, fromRow(row))
    },
    /** All summaries of a session, including those of compactions and subagents. */
    allOfSession: async (sessionId: number): Promise<Summary[]> => allOfSession.all({ sessionId }).map(fromRow),
    get: async (id: number): Promise<Summary | null> => {
      const row = byId.get({ id })
      return row ? fromRow(row) : null
    },
    each: function* (project: ProjectKey | null) {
      for (const row of all({ project })) yield { ...fromRow(row), agent: row.agent, contentSessionId: row.content_session_id }
    },
  }
}

function indexSummary(index: DocumentIndexes, s: Summary): void {
  index.put({
    kind: 'summary',
    ref: String(s.id),
    sessionId: s.sessionId,
    turn: s.promptNumber,
    project: s.project,
    at: s.at,
    words: { title: s.request, body: [s.investigated, s.learned, s.completed, s.nextSteps, s.notes].join('\n') },
    context: '',
  })
}

function fromRow(row: SummaryRow): Summary {
  return {
    id: row.id,
    sessionId: row.session_id,
    project: asProjectKey(row.project),
    promptNumber: row.prompt_number,
    source: row.source,
    request: row.request,
    investigated: row.investigated,
    learned: row.learned,
    completed: row.completed,
    nextSteps: row.next_steps,
    notes: row.notes,
    model: row.model,
    at: row.at,
    ...(row.undone_by ? { undoneBy: row.undone_by } : {}),
  }
}
