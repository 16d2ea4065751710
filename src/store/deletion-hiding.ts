import type { Database } from 'bun:sqlite'
import type { Observation } from '../core/memory.ts'
import { columnsOfDeletedTables, DELETED_TABLES, type DeletedTable } from './deleted-rows.ts'
import { readJsonColumn, type SqlParams } from './statement.ts'
import type { Tombstone, Tombstones } from './tombstones.ts'

/** What deleting rows left to do: index these neighbours again, distill these turns again. */
/** `dependent`: the turns that were distilled with what this one left: its answer, its failures. */
export type HiddenTurn = { sessionId: number; number: number; observations: number[]; dependent: number[] }

/** Every statement that moves memories of sessions to the deleted rows and leaves their tombstones. */
export function deletionHidingStatements(db: Database, tombstones: Tombstones) {
  const columns = columnsOfDeletedTables(db)
  const asJson = (table: DeletedTable) => `json_object(${columns[table].map((name) => `'${name}', ${name}`).join(', ')})`
  /** Copies the rows of a table that pass a condition; `time` is the column that says when they happened. */
  const keep = (table: DeletedTable, where: string) => {
    const has = (name: string) => columns[table].includes(name)
    const time = table === 'sessions' ? 'started_at' : has('at') ? 'at' : '@at'
    const session = table === 'sessions' ? 'id' : 'session_id'
    const project = has('project') ? 'project' : `(SELECT project FROM sessions WHERE id = ${table}.${session})`
    return db.prepare(`
      INSERT INTO deleted_rows (unit, kind, ref, session_id, project, happened_at, row, at)
      SELECT @unit, '${table}', ${has('id') ? 'CAST(id AS TEXT)' : "''"}, ${session}, ${project}, ${time}, ${asJson(table)}, @at FROM ${table} WHERE ${where}`)
  }
  const ofTurn = 'session_id = @sessionId AND prompt_number = @number'
  const byId = 'id = @id'
  const session = db.prepare<{ agent: string; session: string }, SqlParams>(
    'SELECT agent, content_session_id AS session FROM sessions WHERE id = @sessionId',
  )
  const prompt = db.prepare<
    { id: number; sessionId: number; number: number; promptId: string | null; uuid: string | null; text: string; at: number },
    SqlParams
  >(`
    SELECT id, session_id AS sessionId, number, prompt_id AS promptId, uuid, text, at FROM prompts WHERE id = @id`)
  const promptsOf = db.prepare<{ id: number }, SqlParams>('SELECT id FROM prompts WHERE session_id = @sessionId ORDER BY number')
  const usesOfTurn = db.prepare<{ key: string; at: number }, SqlParams>(`SELECT tool_use_id AS key, at FROM tool_uses WHERE ${ofTurn}`)
  const observationsOfTurn = db.prepare<{ id: number }, SqlParams>(`SELECT id FROM observations WHERE ${ofTurn}`)
  const observationsOfSession = db.prepare<{ id: number }, SqlParams>('SELECT id FROM observations WHERE session_id = @sessionId')
  const observation = db.prepare<{ sessionId: number; number: number; title: string; at: number }, SqlParams>(`
    SELECT session_id AS sessionId, prompt_number AS number, title, at FROM observations WHERE ${byId}`)
  const summary = db.prepare<{ sessionId: number; number: number; source: string; key: string; learned: string; at: number }, SqlParams>(`
    SELECT session_id AS sessionId, prompt_number AS number, source, key, learned, at FROM summaries WHERE ${byId}`)
  const toolUse = db.prepare<{ sessionId: number; number: number; key: string; at: number }, SqlParams>(`
    SELECT session_id AS sessionId, prompt_number AS number, tool_use_id AS key, at FROM tool_uses WHERE ${byId}`)
  const turnParts = (['tool_uses', 'observations', 'summaries', 'told_turns'] as const).map((table) => ({
    keep: keep(table, ofTurn),
    remove: db.prepare(`DELETE FROM ${table} WHERE ${ofTurn}`),
  }))
  const keepPrompt = keep('prompts', byId)
  const removePrompt = db.prepare('DELETE FROM prompts WHERE id = @id')
  const sessionParts = DELETED_TABLES.map((table) => keep(table, table === 'sessions' ? 'id = @sessionId' : 'session_id = @sessionId'))
  const removeSession = db.prepare('DELETE FROM sessions WHERE id = @sessionId')
  const single = {
    observations: { keep: keep('observations', byId), remove: db.prepare('DELETE FROM observations WHERE id = @id') },
    summaries: { keep: keep('summaries', byId), remove: db.prepare('DELETE FROM summaries WHERE id = @id') },
    tool_uses: { keep: keep('tool_uses', byId), remove: db.prepare('DELETE FROM tool_uses WHERE id = @id') },
    injections: { keep: keep('injections', byId), remove: db.prepare('DELETE FROM injections WHERE id = @id') },
  }
  const keepThreads = db.prepare(`
    INSERT INTO deleted_rows (unit, kind, ref, session_id, project, happened_at, row, at)
    SELECT @unit, 'threads', '', s.id, s.project, s.started_at, json_object('first', t.first, 'bySession', b.session_id, 'byFirst', b.first), @at
    FROM threads t JOIN threads b ON b.id = t.replaced_by JOIN sessions s ON s.id = t.session_id
    WHERE t.session_id = @sessionId AND b.session_id <> @sessionId AND (@number IS NULL OR @number BETWEEN t.first AND t.last)`)
  const keepPlace = db.prepare(`
    INSERT INTO deleted_rows (unit, kind, ref, session_id, project, happened_at, row, at)
    VALUES (@unit, 'places', @note, @sessionId, @project, @at, json_object('place', @place), @at)`)
  const commitColumns = (db.query("SELECT name FROM pragma_table_info('commits')").all() as { name: string }[]).map(({ name }) => name)
  const keepCommit = db.prepare(`
    INSERT INTO deleted_rows (unit, kind, ref, session_id, project, happened_at, row, at)
    SELECT @unit, 'commits', CAST(id AS TEXT), 0, project, at, json_object(${commitColumns.map((name) => `'${name}', ${name}`).join(', ')}), @at
    FROM commits WHERE id = @id AND forgotten = 0`)
  // The client summarized the conversation up to there, so this turn is in it too.
  const laterCompactions = db.prepare<{ id: number }, SqlParams>(
    "SELECT id FROM summaries WHERE session_id = @sessionId AND source = 'compact' AND prompt_number >= @number",
  )
  const clearTitle = db.prepare('UPDATE sessions SET title = NULL WHERE id = @sessionId')
  // A title may quote any turn of its session, so no other deletion may keep it.
  const dropTitles = db.prepare("DELETE FROM deleted_rows WHERE kind = 'titles' AND session_id = @sessionId")
  const keepTitle = db.prepare(`
    INSERT INTO deleted_rows (unit, kind, ref, session_id, project, happened_at, row, at)
    SELECT @unit, 'titles', '', id, project, started_at, json_object('title', title), @at FROM sessions WHERE id = @sessionId AND title IS NOT NULL`)
  const dropTurnJobs = db.prepare(`
    DELETE FROM jobs WHERE kind IN ('distill', 'model-distill', 'markers', 'anchor') AND key = @sessionId || ':' || @number`)
  const laterFailures = db.prepare<{ id: number; number: number; open_failures: string }, SqlParams>(`
    SELECT id, number, open_failures FROM prompts
    WHERE session_id = @sessionId AND number > @number AND open_failures IS NOT NULL AND open_failures <> '[]' ORDER BY number`)
  const setFailures = db.prepare('UPDATE prompts SET open_failures = @failures WHERE id = @id')
  const nextPrompt = db.prepare<{ number: number }, SqlParams>(
    'SELECT number FROM prompts WHERE session_id = @sessionId AND number > @number ORDER BY number LIMIT 1',
  )
  const bury = (unit: string, sessionId: number, tombstone: Omit<Tombstone, 'promptId' | 'uuid'> & Partial<Tombstone>) => {
    const of = session.get({ sessionId })
    if (of) tombstones.add(unit, of, { promptId: null, uuid: null, ...tombstone })
  }
  const buryTurn = (unit: string, id: number, at: number): { sessionId: number; number: number } | null => {
    const row = prompt.get({ id })
    if (!row) return null
    const { sessionId, number, promptId, uuid } = row
    bury(unit, sessionId, { kind: 'turn', turn: number, promptId, uuid, key: tombstones.promptKey(row.text), happenedAt: row.at, at })
    for (const use of usesOfTurn.all({ sessionId, number }))
      bury(unit, sessionId, { kind: 'tool-use', turn: number, key: use.key, happenedAt: use.at, at })
    return { sessionId, number }
  }
  const hideOne = (table: keyof typeof single, unit: string, id: number, at: number) => {
    single[table].keep.run({ unit, id, at })
    single[table].remove.run({ id })
  }
  const hideSummary = (unit: string, id: number, at: number): number | null => {
    const row = summary.get({ id })
    if (!row) return null
    const { sessionId, number, source } = row
    const keys = new Set([tombstones.summaryKey(source, row.learned), tombstones.summaryKey(source, row.key.split(':')[2] ?? '')])
    for (const key of keys) bury(unit, sessionId, { kind: 'summary', turn: number, key, happenedAt: row.at, at })
    hideOne('summaries', unit, id, at)
    return sessionId
  }

  return {
    hideInjections: async (ids: number[], unit: string, at: number): Promise<void> => {
      for (const id of ids) hideOne('injections', unit, id, at)
    },

    /** Moves a turn to the deleted rows, and every trace of it that other turns of the session carry. Null when it does not exist. */
    hideTurn: async (promptId: number, unit: string, at: number): Promise<HiddenTurn | null> => {
      const turn = buryTurn(unit, promptId, at)
      if (!turn) return null
      const observations = observationsOfTurn.all(turn).map(({ id }) => id)
      for (const { id } of laterCompactions.all(turn)) hideSummary(unit, id, at)
      keepThreads.run({ unit, at, ...turn })
      for (const part of turnParts) {
        part.keep.run({ unit, at, ...turn })
        part.remove.run(turn)
      }
      keepPrompt.run({ unit, at, id: promptId })
      removePrompt.run({ id: promptId })
      dropTurnJobs.run(turn)
      dropTitles.run({ sessionId: turn.sessionId })
      keepTitle.run({ unit, at, sessionId: turn.sessionId })
      clearTitle.run({ sessionId: turn.sessionId })
      const carriers = laterFailures.all(turn).flatMap((row) => {
        const open = readJsonColumn<{ promptNumber: number }[]>(row.open_failures)
        const others = open.filter((failure) => failure.promptNumber !== turn.number)
        if (others.length === open.length) return []
        setFailures.run({ id: row.id, failures: JSON.stringify(others) })
        return [row.number]
      })
      // A turn that fixed a failure quotes it, however many turns later.
      const next = [turn.number, ...carriers].flatMap((number) => nextPrompt.get({ sessionId: turn.sessionId, number })?.number ?? [])
      return { ...turn, observations, dependent: [...new Set([...carriers, ...next])].sort((a, b) => a - b) }
    },
    /** Moves a session and everything of it to the deleted rows. Returns its observations; null when it does not exist. */
    hideSession: async (sessionId: number, unit: string, at: number): Promise<number[] | null> => {
      if (!session.get({ sessionId })) return null
      bury(unit, sessionId, { kind: 'session', turn: null, key: '', happenedAt: at, at })
      for (const { id } of promptsOf.all({ sessionId })) buryTurn(unit, id, at)
      const observations = observationsOfSession.all({ sessionId }).map(({ id }) => id)
      keepThreads.run({ unit, at, sessionId, number: null })
      for (const part of sessionParts) part.run({ unit, at, sessionId })
      removeSession.run({ sessionId })
      return observations
    },
    /** Moves one observation to the deleted rows. Returns its turn; null when it does not exist. */
    hideObservation: async (id: number, unit: string, at: number): Promise<{ sessionId: number; number: number } | null> => {
      const row = observation.get({ id })
      if (!row) return null
      const { sessionId, number } = row
      bury(unit, sessionId, { kind: 'observation', turn: number, key: tombstones.observationKey(row.title), happenedAt: row.at, at })
      hideOne('observations', unit, id, at)
      return { sessionId, number }
    },
    /** Keeps observations out that a turn had before it was distilled again without a deleted turn. */
    buryObservations: async (unit: string, observations: Observation[], at: number): Promise<void> => {
      for (const { sessionId, promptNumber, title, at: happenedAt } of observations)
        bury(unit, sessionId, { kind: 'observation', turn: promptNumber, key: tombstones.observationKey(title), happenedAt, at })
    },
    /** Returns the session; null when the summary does not exist. */
    hideSummary: async (id: number, unit: string, at: number): Promise<number | null> => hideSummary(unit, id, at),
    /** Remembers that a statement was said in a deleted turn. */
    keepPlace: async (
      lost: { note: string; place: string; unit: string; sessionId: number; project: string },
      at: number,
    ): Promise<void> => {
      keepPlace.run({ ...lost, at })
    },
    /** Copies a commit to the deleted rows. The caller must then erase its text. */
    keepCommit: async (id: number, unit: string, at: number): Promise<void> => {
      keepCommit.run({ id, unit, at })
    },
    hideToolUse: async (id: number, unit: string, at: number): Promise<{ sessionId: number; number: number } | null> => {
      const row = toolUse.get({ id })
      if (!row) return null
      const { sessionId, number } = row
      bury(unit, sessionId, { kind: 'tool-use', turn: number, key: row.key, happenedAt: row.at, at })
      hideOne('tool_uses', unit, id, at)
      return { sessionId, number }
    },
  }
}
