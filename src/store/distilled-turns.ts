import type { Database } from 'bun:sqlite'
import type { ProjectKey } from '../core/ids.ts'
import type { SqlParams } from './statement.ts'
import type { Tombstones } from './tombstones.ts'

/** A turn that a text model has distilled. `print` is a fingerprint of the turn at that time: when it changes, the turn is distilled again. */
export type DistilledTurnRecord = { sessionId: number; number: number; print: string; model: string; at: number }

/** Every statement about which turns a text model has distilled. All other turns were distilled by rules only. */
export function distilledTurnStatements(db: Database, tombstones: Tombstones) {
  const put = db.prepare(`
    INSERT INTO told_turns (session_id, prompt_number, print, model, at) VALUES (@sessionId, @number, @print, @model, @at)
    ON CONFLICT (session_id, prompt_number) DO UPDATE SET print = excluded.print, model = excluded.model, at = excluded.at`)
  const print = db.prepare<{ print: string }, SqlParams>(`
    SELECT print FROM told_turns WHERE session_id = @sessionId AND prompt_number = @number`)
  const forget = db.prepare('DELETE FROM told_turns WHERE session_id = @sessionId AND prompt_number = @number')
  // Turns without an answer and without stored tool uses are skipped: a model could only do worse than the rules did.
  const plain = db.prepare<{ sessionId: number; number: number; at: number }, SqlParams>(`
    SELECT p.session_id AS sessionId, p.number AS number, p.at AS at FROM prompts p
    WHERE p.at >= @since AND (@project IS NULL OR p.project = @project)
      AND NOT EXISTS (SELECT 1 FROM told_turns t WHERE t.session_id = p.session_id AND t.prompt_number = p.number)
      AND NOT EXISTS (SELECT 1 FROM sessions s CROSS JOIN tombstones d ON d.session = s.content_session_id AND d.agent = s.agent
        WHERE s.id = p.session_id AND d.kind = 'observation' AND d.turn = p.number)
      AND (p.answer IS NOT NULL OR EXISTS (SELECT 1 FROM tool_uses u WHERE u.session_id = p.session_id AND u.prompt_number = p.number))
    ORDER BY p.at, p.id`)
  return {
    put: async (turn: DistilledTurnRecord) => {
      put.run(turn)
    },
    /** Of the turn as the model saw it; null when no model has distilled it. */
    fingerprint: async (sessionId: number, number: number): Promise<string | null> => print.get({ sessionId, number })?.print ?? null,
    forget: async (sessionId: number, number: number) => {
      forget.run({ sessionId, number })
    },
    /** Whether a person has forgotten an observation of the turn: distilled again in other words, it would come back. */
    hasForgottenObservation: async (sessionId: number, number: number): Promise<boolean> =>
      tombstones.observationsOfTurn(sessionId, number).length > 0,
    /** The turns since `since` that no model has distilled, oldest first. */
    notDistilledByModel: async (since: number, project: ProjectKey | null): Promise<{ sessionId: number; number: number; at: number }[]> =>
      plain.all({ since, project }),
  }
}
