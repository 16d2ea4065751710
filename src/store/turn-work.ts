import type { Database } from 'bun:sqlite'
import type { ProjectKey } from '../core/ids.ts'
import type { KnownFix, Session } from '../core/memory.ts'
import type { TurnWork, WorkStep } from '../core/work.ts'
import { readJsonColumn, type SqlParams } from './statement.ts'

/** The steps of a stored turn, and the marks of undone work: its own, and whether one of its observations has one. */
export type StoredWork = TurnWork & { number: number; undoneBy?: string; hasMarkedObservation: boolean }

type WorkRow = Omit<TurnWork, 'steps'> & { number: number; undone_by: string | null; hasMarked: number; work: string }

/** How many of a project's newest turns with a fix are searched for an error. */
const MAX_FIX_TURNS = 2000

/** Every statement about what turns did to files: which changes were undone, and which of them fixed a failure. */
export function turnWorkStatements(db: Database) {
  // A message typed while a turn runs is a turn of its own with an earlier number, so the order is that of the times.
  const work = (than: '<=' | '>', order: string) =>
    db.prepare<WorkRow, SqlParams>(`
      SELECT p.id, p.session_id AS sessionId, p.number, s.folder, p.at, p.undone_by, p.traces ->> 'work' AS work,
        EXISTS (SELECT 1 FROM observations o
          WHERE o.session_id = p.session_id AND o.prompt_number = p.number AND o.undone_by IS NOT NULL) AS hasMarked
      FROM prompts p CROSS JOIN sessions s ON s.id = p.session_id
      WHERE p.project = @project AND p.traces ->> 'work' IS NOT NULL AND p.at ${than} @at ORDER BY p.at ${order}, p.id ${order} LIMIT @limit`)
  const workBefore = work('<=', 'DESC')
  const workAfter = work('>', 'ASC')
  const markTurn = db.prepare('UPDATE prompts SET undone_by = @by WHERE id = @id')
  const markObservation = db.prepare('UPDATE observations SET undone_by = @by WHERE id = @id')
  const undoneTurns = db.prepare<{ number: number; by: string }, SqlParams>(
    'SELECT number, undone_by AS by FROM prompts WHERE session_id = @sessionId AND undone_by IS NOT NULL',
  )
  const reverted = db.prepare<{ hash: string; by: number }, SqlParams>(`
    SELECT c.hash, r.id AS by FROM commits c JOIN commits r ON r.project = c.project AND r.hash = c.undone_by
    WHERE c.project = @project AND c.undone_by IS NOT NULL`)
  const fixes = db.prepare<{ sessionId: number; number: number; fix: string }, SqlParams>(`
    SELECT p.session_id AS sessionId, p.number, f.value AS fix
    FROM (SELECT session_id, number, traces FROM prompts
      WHERE project = @project AND traces ->> 'fixes' IS NOT NULL ORDER BY at DESC LIMIT ${MAX_FIX_TURNS}) p
      CROSS JOIN json_each(p.traces, '$.fixes') f
    WHERE p.session_id <> @notSession
      AND EXISTS (SELECT 1 FROM json_each(f.value, '$.signatures') s CROSS JOIN json_each(@signatures) w ON w.value = s.value)
    LIMIT 1`)
  const hasFixes = db.prepare("SELECT 1 FROM prompts WHERE project = @project AND traces ->> 'fixes' IS NOT NULL LIMIT 1")
  const occasions = db.prepare<{ event: string }, SqlParams>(
    'SELECT DISTINCT event FROM injections WHERE session_id = @sessionId AND at >= @since',
  )

  return {
    /** The turns of a project that changed files, up to so many on each side of a time, in order. */
    around: async (project: ProjectKey, at: number, { before, after }: { before: number; after: number }): Promise<StoredWork[]> =>
      [...workBefore.all({ project, at, limit: before }).reverse(), ...workAfter.all({ project, at, limit: after })].map(
        ({ work, undone_by, hasMarked, ...row }) => ({
          ...row,
          hasMarkedObservation: hasMarked === 1,
          steps: readJsonColumn<WorkStep[]>(work),
          ...(undone_by === null ? {} : { undoneBy: undone_by }),
        }),
      ),
    /** Marks the changes of a turn as undone, or takes the mark off. */
    markTurn: async (id: number, by: string | null) => {
      markTurn.run({ id, by })
    },
    /** The same for an observation. The caller must index it again: it ranks lower while it has the mark. */
    markObservation: async (id: number, by: string | null) => {
      markObservation.run({ id, by })
    },
    /** The turns of a session whose changes were undone, by number, and what undid them. */
    undoneTurns: async (sessionId: number): Promise<Map<number, string>> =>
      new Map(undoneTurns.all({ sessionId }).map(({ number, by }) => [number, by])),
    /** The commits that others reverted, and what reverted them. */
    revertedCommits: async (project: ProjectKey): Promise<{ hash: string; by: string }[]> =>
      reverted.all({ project }).map(({ hash, by }) => ({ hash, by: `C${by}` })),
    /** Whether some turn of the project put a failure right. */
    hasFixes: async (project: ProjectKey): Promise<boolean> => hasFixes.get({ project }) !== null,
    /** The newest turn of another session that put one of these failures right. */
    fixOf: async (
      project: ProjectKey,
      signatures: string[],
      notSession: number,
    ): Promise<{ sessionId: number; number: number; fix: KnownFix } | null> => {
      const row = fixes.get({ project, signatures: JSON.stringify(signatures), notSession })
      return row && { ...row, fix: readJsonColumn<KnownFix>(row.fix) }
    },
    /** The events of what was injected into a session and not compacted away. */
    occasionsOf: async (session: Session): Promise<string[]> =>
      occasions.all({ sessionId: session.id, since: session.contextFrom }).map(({ event }) => event),
  }
}
