import type { Database } from 'bun:sqlite'
import type { ProjectKey } from '../core/ids.ts'
import type { ToolUse } from '../core/memory.ts'
import { eachRow, NO_ROWS, type RowsAndBytes, type SqlParams } from './statement.ts'

type ToolUseRow = {
  id: number
  session_id: number
  prompt_number: number
  tool_use_id: string
  tool: string
  input: string
  output: string | null
  error: string | null
  interrupted: number
  agent_id: string | null
  cwd: string | null
  at: number
}

/** Every statement about tool uses. They are not indexed: measurements showed that tool output buries what people wrote. */
export function toolUseStatements(db: Database) {
  const insert = db.prepare(`
    INSERT INTO tool_uses (session_id, prompt_number, prompt_id, tool_use_id, tool, input, output, error, interrupted, agent_id, cwd, at, stored_at)
    VALUES (@sessionId, @promptNumber, @promptId, @toolUseId, @tool, @input, @output, @error, @interrupted, @agentId, @cwd, @at, @storedAt)
    ON CONFLICT (session_id, tool_use_id) DO NOTHING`)
  const ofTurn = db.prepare<ToolUseRow, SqlParams>(`
    SELECT * FROM tool_uses WHERE session_id = @sessionId AND prompt_number = @number ORDER BY at, id LIMIT @limit`)
  const succeeded = eachRow<{ tool: string; input: string }>(
    db,
    'SELECT tool, input FROM tool_uses WHERE session_id = @sessionId AND error IS NULL ORDER BY at, id',
  )
  const ofSession = db.prepare<ToolUseRow, SqlParams>('SELECT * FROM tool_uses WHERE session_id = @sessionId ORDER BY at, id LIMIT @limit')
  const byId = db.prepare<ToolUseRow, SqlParams>('SELECT * FROM tool_uses WHERE id = @id')
  const has = db.prepare('SELECT 1 FROM tool_uses WHERE session_id = @sessionId AND tool_use_id = @toolUseId')
  const byHostId = db.prepare<ToolUseRow, SqlParams>('SELECT * FROM tool_uses WHERE session_id = @sessionId AND tool_use_id = @toolUseId')
  const last = db.prepare<{ toolUseId: string }, SqlParams>(
    'SELECT tool_use_id AS toolUseId FROM tool_uses WHERE session_id = @sessionId ORDER BY id DESC LIMIT 1',
  )
  const sameContent = db.prepare<{ n: number }, SqlParams>(`
    SELECT count(*) AS n FROM tool_uses WHERE session_id = @sessionId AND tool_use_id >= @from AND tool_use_id < @to`)
  const purge = db.prepare(`
    DELETE FROM tool_uses WHERE id IN (SELECT id FROM tool_uses WHERE stored_at < @before ORDER BY stored_at LIMIT @limit)`)
  const bytes = 'octet_length(input) + coalesce(octet_length(output), 0) + coalesce(octet_length(error), 0)'
  const past = db.prepare<RowsAndBytes, SqlParams>(`
    SELECT count(*) AS rows, coalesce(sum(${bytes}), 0) AS bytes FROM tool_uses WHERE stored_at < @before`)
  // The oldest tool uses, as many as add up to the excess.
  const excess = `
    SELECT id, bytes FROM (SELECT id, bytes, sum(bytes) OVER (ORDER BY stored_at, id) - bytes AS sofar
      FROM (SELECT id, stored_at, ${bytes} AS bytes FROM tool_uses WHERE stored_at < @before ORDER BY stored_at, id LIMIT @limit)) WHERE sofar < @excess`
  const countExcess = db.prepare<RowsAndBytes, SqlParams>(`SELECT count(*) AS rows, coalesce(sum(bytes), 0) AS bytes FROM (${excess})`)
  const purgeExcess = db.prepare(`DELETE FROM tool_uses WHERE id IN (SELECT id FROM (${excess}))`)
  const all = eachRow<ToolUseRow & { content_session_id: string; agent: string; project: string }>(
    db,
    `
    SELECT t.*, s.content_session_id, s.agent, s.project FROM tool_uses t JOIN sessions s ON s.id = t.session_id
    WHERE (@project IS NULL OR s.project = @project) ORDER BY t.at, t.id`,
  )

  return {
    /** False when it was already stored: an event can arrive twice, from the hook and from the transcript. */
    add: async (use: Omit<ToolUse, 'id'> & { promptId: string | null }): Promise<boolean> =>
      insert.run({ ...use, interrupted: Number(use.interrupted), storedAt: Date.now() }).changes > 0,
    has: async (sessionId: number, toolUseId: string): Promise<boolean> => has.get({ sessionId, toolUseId }) !== null,
    /** The id of the tool use that was stored last. */
    lastId: async (sessionId: number): Promise<string | null> => last.get({ sessionId })?.toolUseId ?? null,
    /** How many tool uses of the session have an id with this prefix. */
    countIds: async (sessionId: number, prefix: string): Promise<number> =>
      sameContent.get({ sessionId, from: prefix, to: `${prefix}\uffff` })?.n ?? 0,
    /** For agents that report a tool use in parts. Loaded when such an agent is first met. */
    completion: async () => (await import('./event-completion.ts')).eventCompletion(db),
    /** The tool uses of a turn, in order. */
    ofTurn: async (sessionId: number, number: number, limit = 1000): Promise<ToolUse[]> =>
      ofTurn.all({ sessionId, number, limit }).map(fromRow),
    /** The tools and inputs of a session's tool uses that did not fail, without their outputs. */
    inputsOf: (sessionId: number): Generator<{ tool: string; input: string }> => succeeded({ sessionId }),
    ofSession: async (sessionId: number, limit: number): Promise<ToolUse[]> => ofSession.all({ sessionId, limit }).map(fromRow),
    get: async (id: number): Promise<ToolUse | null> => {
      const row = byId.get({ id })
      return row ? fromRow(row) : null
    },
    /** By the host's id of it. */
    find: async (sessionId: number, toolUseId: string): Promise<ToolUse | null> => {
      const row = byHostId.get({ sessionId, toolUseId })
      return row ? fromRow(row) : null
    },
    /** Deletes at most `limit` tool uses that were stored before `before`; imported ones count from their import. Returns how many. */
    purge: async (before: number, limit: number): Promise<number> => purge.run({ before, limit }).changes,
    /** What repeated calls of `purge` would delete. */
    countPurgeable: async (before: number): Promise<RowsAndBytes> => past.get({ before }) ?? NO_ROWS,
    /** The oldest tool uses, stored before `before`, that add up to `excess` bytes; at most `limit`. */
    countPurgeableBySize: async (excess: number, before: number, limit = -1): Promise<RowsAndBytes> =>
      countExcess.get({ excess, before, limit }) ?? NO_ROWS,
    purgeBySize: async (excess: number, before: number, limit: number): Promise<number> =>
      purgeExcess.run({ excess, before, limit }).changes,
    each: function* (project: ProjectKey | null) {
      for (const row of all({ project }))
        yield { ...fromRow(row), agent: row.agent, contentSessionId: row.content_session_id, project: row.project }
    },
  }
}

function fromRow(row: ToolUseRow): ToolUse {
  return {
    id: row.id,
    sessionId: row.session_id,
    promptNumber: row.prompt_number,
    toolUseId: row.tool_use_id,
    tool: row.tool,
    input: row.input,
    output: row.output,
    error: row.error,
    interrupted: row.interrupted === 1,
    agentId: row.agent_id,
    cwd: row.cwd,
    at: row.at,
  }
}
