import type { Database } from 'bun:sqlite'
import type { ProjectKey } from '../core/ids.ts'
import type { Thread } from '../core/memory.ts'
import type { SqlParams } from './statement.ts'

/** A thread with its row, and the thread that replaced what it settled. */
export type StoredThread = Thread & { id: number; sessionId: number; replacedBy: number | null }

/** Every statement about threads. They hold numbers of turns and no text, so deleting a turn leaves none here. */
export function threadStatements(db: Database) {
  const put = db.prepare(`
    INSERT INTO threads (session_id, first, last, outcome) VALUES (@sessionId, @first, @last, @outcome)
    ON CONFLICT (session_id, first) DO UPDATE SET last = excluded.last, outcome = excluded.outcome`)
  const ofSession = db.prepare<StoredThread, SqlParams>(`SELECT ${COLUMNS} FROM threads WHERE session_id = @sessionId ORDER BY first`)
  const remove = db.prepare('DELETE FROM threads WHERE id = @id')
  const ofTurn = db.prepare<StoredThread, SqlParams>(`
    SELECT ${COLUMNS} FROM threads WHERE session_id = @sessionId AND first <= @number AND last >= @number ORDER BY first DESC LIMIT 1`)
  const byId = db.prepare<StoredThread, SqlParams>(`SELECT ${COLUMNS} FROM threads WHERE id = @id`)
  const recent = db.prepare<StoredThread & { branch: string | null }, SqlParams>(`
    SELECT t.id, t.session_id AS sessionId, t.first, t.last, t.outcome, t.replaced_by AS replacedBy, p.branch
    FROM prompts p CROSS JOIN threads t ON t.session_id = p.session_id AND t.outcome = p.number
    WHERE p.project = @project AND t.replaced_by IS NULL AND p.undone_by IS NULL ORDER BY p.at DESC LIMIT @limit`)
  const older = db.prepare<StoredThread, SqlParams>(`SELECT ${COLUMNS} FROM threads WHERE replaced_by = @id ORDER BY id DESC LIMIT 1`)
  const anyReplaced = db.prepare('SELECT 1 FROM threads WHERE replaced_by IS NOT NULL LIMIT 1')
  const release = db.prepare(
    'UPDATE threads SET replaced_by = NULL WHERE replaced_by IN (SELECT id FROM threads WHERE session_id = @sessionId)',
  )
  const setReplaced = db.prepare('UPDATE threads SET replaced_by = @by WHERE id = @id')
  return {
    /** Replaces the threads of a session. One that starts at the same turn keeps its id. */
    replace: async (sessionId: number, threads: Thread[]): Promise<void> => {
      const starts = new Set(threads.map((thread) => thread.first))
      for (const { id, first } of ofSession.all({ sessionId })) if (!starts.has(first)) remove.run({ id })
      for (const { first, last, outcome } of threads) put.run({ sessionId, first, last, outcome })
    },
    ofSession: async (sessionId: number): Promise<StoredThread[]> => ofSession.all({ sessionId }),
    /** The thread that a turn belongs to; null for a turn that was never distilled. */
    ofTurn: async (sessionId: number, number: number): Promise<StoredThread | null> => ofTurn.get({ sessionId, number }),
    get: async (id: number): Promise<StoredThread | null> => byId.get({ id }),
    /** The newest of the threads that this one replaced. */
    replacedBy: async (id: number): Promise<StoredThread | null> => older.get({ id }),
    /** The threads of a project that have a result which still holds, newest first, with the branch of the result. */
    recent: async (project: ProjectKey, limit: number): Promise<(StoredThread & { branch: string | null })[]> =>
      recent.all({ project, limit }),
    hasReplaced: async (): Promise<boolean> => anyReplaced.get() !== null,
    /** Nothing counts as replaced by a thread of this session any more. */
    releaseReplacedBy: async (sessionId: number): Promise<void> => {
      release.run({ sessionId })
    },
    setReplaced: async (id: number, by: number | null): Promise<void> => {
      setReplaced.run({ id, by })
    },
  }
}

const COLUMNS = 'id, session_id AS sessionId, first, last, outcome, replaced_by AS replacedBy'
