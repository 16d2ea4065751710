import type { Database } from 'bun:sqlite'
import type { ToolUse } from '../core/memory.ts'
import { DERIVED_ID_PREFIX } from './derived-ids.ts'

/**
 * Some agents report an event in parts: a hook sends a prompt or a tool use without its id, or without saying that it failed, and the transcript
 * completes it. These statements bring both together.
 */
export function eventCompletion(db: Database) {
  const same = db.query(`
    SELECT 1 FROM tool_uses WHERE session_id = @sessionId AND at BETWEEN @from AND @until AND input = @input
      AND tool_use_id NOT GLOB '${DERIVED_ID_PREFIX}*'`)
  const replaceDerived = db.query(`
    UPDATE tool_uses SET tool_use_id = @toolUseId, tool = @tool, output = @output, error = @error WHERE id = (
      SELECT id FROM tool_uses WHERE session_id = @sessionId AND tool_use_id >= '${DERIVED_ID_PREFIX}' AND tool_use_id < '${DERIVED_ID_PREFIX}\uffff'
        AND input = @input ORDER BY tool = @tool DESC, at, id LIMIT 1)`)
  const samePrompt = db.query(`
    SELECT 1 FROM prompts WHERE session_id = @sessionId AND at BETWEEN @from AND @until AND text = @text AND uuid IS NOT NULL`)
  const markFailed = db.query(`
    UPDATE tool_uses SET output = NULL, error = @error WHERE session_id = @sessionId AND tool_use_id = @toolUseId AND error IS NULL`)
  return {
    /** Whether a tool use with an id of the agent has this content, in this time. */
    hasSame: (sessionId: number, content: { input: string; from: number; until: number }): boolean =>
      same.get({ sessionId, ...content }) !== null,
    /** Whether a prompt of the transcript has this text, in this time. */
    hasSamePrompt: (sessionId: number, prompt: { text: string; from: number; until: number }): boolean =>
      samePrompt.get({ sessionId, ...prompt }) !== null,
    /** Gives the oldest tool use with this content and a derived id the agent's own id, and its outcome. False when there is none. */
    replaceDerived: (
      sessionId: number,
      { toolUseId, tool, input, output, error }: Pick<ToolUse, 'toolUseId' | 'tool' | 'input' | 'output' | 'error'>,
    ): boolean => replaceDerived.run({ sessionId, toolUseId, tool, input, output, error }).changes > 0,
    /** Records that a tool use failed, unless that is known. */
    markFailed: (sessionId: number, toolUseId: string, error: string): boolean =>
      markFailed.run({ sessionId, toolUseId, error }).changes > 0,
  }
}
