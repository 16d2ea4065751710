import type { Database } from 'bun:sqlite'
import type { ProjectKey } from '../core/ids.ts'
import type { Observation } from '../core/memory.ts'
import { type ObservationTableRow, observationOf } from './observations.ts'
import { eachRow, NO_ROWS, quoteFtsWord, type RowsAndBytes, readJsonColumn, type SqlParams } from './statement.ts'
import type { Tombstone, Tombstones } from './tombstones.ts'

/** Tables whose rows move to `deleted_rows`, in the order in which they are restored. */
const TABLES = ['sessions', 'muted_turns', 'prompts', 'tool_uses', 'observations', 'summaries', 'told_turns', 'injections'] as const
type DeletedTable = (typeof TABLES)[number]

/** Memories of sessions that a person selected, by row id. Turns are named by their prompt. */
export type SelectedRows = { sessions: number[]; prompts: number[]; observations: number[]; summaries: number[]; toolUses: number[] }

/** Conditions on memories; all of them must hold. Null means any. */
export type DeletionFilter = { sessionId: number | null; project: ProjectKey | null; since: number | null; before: number | null }

/** A deletion that can be undone: a session (by its row id), a turn (`P7`), a summary (`S4`), an observation (`#12`) or a tool use. */
export type DeletedUnit = {
  unit: string
  kind: DeletedTable
  ref: string
  row: Record<string, unknown>
  project: string
  at: number
  rows: number
}

type DeletedRow = { unit: string; kind: DeletedTable; ref: string; session_id: number; row: string; at: number }
type RowContent = Record<string, string | number | null>

/** What deleting rows left to do: index these neighbours again, distill these turns again. */
export type HiddenTurn = { sessionId: number; number: number; observations: number[] }

/** Every statement that deletes memories of sessions, restores them, or erases them for good. */
export function deletionStatements(db: Database, tombstones: Tombstones) {
  const columns = Object.fromEntries(
    TABLES.map((table) => [
      table,
      (db.query(`SELECT name FROM pragma_table_info('${table}')`).all() as { name: string }[]).map((c) => c.name),
    ]),
  ) as Record<DeletedTable, string[]>
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
  const sessionParts = TABLES.map((table) => keep(table, table === 'sessions' ? 'id = @sessionId' : 'session_id = @sessionId'))
  const removeSession = db.prepare('DELETE FROM sessions WHERE id = @sessionId')
  const single = {
    observations: { keep: keep('observations', byId), remove: db.prepare('DELETE FROM observations WHERE id = @id') },
    summaries: { keep: keep('summaries', byId), remove: db.prepare('DELETE FROM summaries WHERE id = @id') },
    tool_uses: { keep: keep('tool_uses', byId), remove: db.prepare('DELETE FROM tool_uses WHERE id = @id') },
    injections: { keep: keep('injections', byId), remove: db.prepare('DELETE FROM injections WHERE id = @id') },
  }
  // The client summarized the conversation up to there, so this turn is in it too.
  const laterCompactions = db.prepare<{ id: number }, SqlParams>(
    "SELECT id FROM summaries WHERE session_id = @sessionId AND source = 'compact' AND prompt_number >= @number",
  )
  const clearTitle = db.prepare('UPDATE sessions SET title = NULL WHERE id = @sessionId')
  const dropTurnJobs = db.prepare(`
    DELETE FROM jobs WHERE kind IN ('distill', 'model-distill', 'markers') AND key = @sessionId || ':' || @number`)
  const laterFailures = db.prepare<{ id: number; number: number; open_failures: string }, SqlParams>(`
    SELECT id, number, open_failures FROM prompts
    WHERE session_id = @sessionId AND number > @number AND open_failures IS NOT NULL AND open_failures <> '[]' ORDER BY number`)
  const setFailures = db.prepare('UPDATE prompts SET open_failures = @failures WHERE id = @id')
  const nextPrompt = db.prepare<{ number: number }, SqlParams>(
    'SELECT number FROM prompts WHERE session_id = @sessionId AND number > @number ORDER BY number LIMIT 1',
  )

  const inTime = (column: string) => `(@since IS NULL OR ${column} >= @since) AND (@before IS NULL OR ${column} < @before)`
  const inScope = (time: string) => `
    (@project IS NULL OR project = @project) AND (@sessionId IS NULL OR session_id = @sessionId) AND ${inTime(time)}`
  const sessionsIn = db.prepare<{ id: number }, SqlParams>(`
    SELECT id FROM sessions s WHERE (@project IS NULL OR project = @project) AND (@sessionId IS NULL OR id = @sessionId)
      AND (@since IS NULL OR started_at >= @since) AND (@before IS NULL OR last_event_at < @before)
      AND NOT EXISTS (SELECT 1 FROM prompts p WHERE p.session_id = s.id AND NOT (${inTime('p.at')}))`)
  const among = 'session_id NOT IN (SELECT value FROM json_each(@sessions))'
  const promptsIn = db.prepare<{ id: number }, SqlParams>(`SELECT id FROM prompts WHERE ${inScope('at')} AND ${among}`)
  // Imported memories, and tool uses before the first prompt, belong to no turn.
  const orphan = (table: string) =>
    `NOT EXISTS (SELECT 1 FROM prompts p WHERE p.session_id = ${table}.session_id AND p.number = ${table}.prompt_number)`
  const observationsIn = db.prepare<{ id: number }, SqlParams>(
    `SELECT id FROM observations WHERE ${inScope('at')} AND ${among} AND ${orphan('observations')}`,
  )
  const summariesIn = db.prepare<{ id: number }, SqlParams>(
    `SELECT id FROM summaries WHERE ${inScope('at')} AND ${among} AND ${orphan('summaries')}`,
  )
  const useScope = `
    (@project IS NULL OR session_id IN (SELECT id FROM sessions WHERE project = @project)) AND (@sessionId IS NULL OR session_id = @sessionId) AND ${inTime('at')}`
  const toolUsesIn = db.prepare<{ id: number }, SqlParams>(
    `SELECT id FROM tool_uses WHERE ${useScope} AND ${among} AND ${orphan('tool_uses')}`,
  )
  const matching = db.prepare<{ kind: string; ref: string }, SqlParams>(`
    SELECT d.kind, d.ref FROM fulltext f CROSS JOIN documents d ON d.id = f.rowid
    WHERE f.fulltext MATCH @match AND (@project IS NULL OR d.project = @project) AND (@sessionId IS NULL OR d.session_id = @sessionId)
      AND ${inTime('d.at')}`)
  const hasWords = (text: string) => `NOT EXISTS (SELECT 1 FROM json_each(@words) w WHERE instr(lower(${text}), w.value) = 0)`
  const usesWith = db.prepare<{ id: number }, SqlParams>(`
    SELECT id FROM tool_uses WHERE ${useScope} AND ${hasWords("input || ' ' || coalesce(output, '') || ' ' || coalesce(error, '')")}`)
  // The notices of a machine are not indexed.
  const noticesWith = db.prepare<{ id: number }, SqlParams>(
    `SELECT id FROM prompts WHERE origin = 'machine' AND ${inScope('at')} AND ${hasWords('text')}`,
  )
  const unitsIn = db.prepare<{ unit: string }, SqlParams>(`
    SELECT DISTINCT unit FROM deleted_rows WHERE ${inScope('happened_at')} AND (@words = '[]' OR ${hasWords('row')})`)

  const counts = db.prepare<{ prompts: number; toolUses: number; observations: number; summaries: number; injections: number }, SqlParams>(`
    WITH wanted AS (SELECT value AS id FROM json_each(@sessions)), turns AS (
      SELECT p.session_id, p.number FROM json_each(@prompts) w CROSS JOIN prompts p ON p.id = w.value)
    SELECT
      (SELECT count(*) FROM wanted w CROSS JOIN prompts x ON x.session_id = w.id) + (SELECT count(*) FROM turns) AS prompts,
      (SELECT count(*) FROM wanted w CROSS JOIN tool_uses x ON x.session_id = w.id)
        + (SELECT count(*) FROM turns t CROSS JOIN tool_uses x ON x.session_id = t.session_id AND x.prompt_number = t.number) AS toolUses,
      (SELECT count(*) FROM wanted w CROSS JOIN observations x ON x.session_id = w.id)
        + (SELECT count(*) FROM turns t CROSS JOIN observations x ON x.session_id = t.session_id AND x.prompt_number = t.number) AS observations,
      (SELECT count(*) FROM wanted w CROSS JOIN summaries x ON x.session_id = w.id)
        + (SELECT count(*) FROM turns t CROSS JOIN summaries x ON x.session_id = t.session_id AND x.prompt_number = t.number) AS summaries,
      (SELECT count(*) FROM wanted w CROSS JOIN injections x ON x.session_id = w.id) AS injections`)
  const refsOf = db.prepare<{ kind: string; ref: string }, SqlParams>(`
    SELECT d.kind, d.ref FROM json_each(@sessions) w CROSS JOIN documents d ON d.session_id = w.value
    UNION ALL SELECT d.kind, d.ref FROM json_each(@prompts) w CROSS JOIN prompts p ON p.id = w.value
      CROSS JOIN documents d ON d.session_id = p.session_id AND d.turn = p.number`)
  const earliest = db.prepare<{ at: number | null }, SqlParams>(`
    SELECT min(at) AS at FROM (
      SELECT started_at AS at FROM json_each(@sessions) w CROSS JOIN sessions x ON x.id = w.value
      UNION ALL SELECT x.at FROM json_each(@prompts) w CROSS JOIN prompts x ON x.id = w.value
      UNION ALL SELECT x.at FROM json_each(@observations) w CROSS JOIN observations x ON x.id = w.value
      UNION ALL SELECT x.at FROM json_each(@summaries) w CROSS JOIN summaries x ON x.id = w.value)`)
  const injectionsSince = db.prepare<{ id: number; items: string; left_out: string }, SqlParams>(
    'SELECT id, items, left_out FROM injections WHERE at >= @since ORDER BY id',
  )
  const injectionsDuring = db.prepare<{ id: number }, SqlParams>(`
    SELECT i.id FROM json_each(@prompts) w CROSS JOIN prompts p ON p.id = w.value
      CROSS JOIN injections i ON i.session_id = p.session_id AND i.at >= p.at
        AND i.at < coalesce((SELECT min(at) FROM prompts n WHERE n.session_id = p.session_id AND n.number > p.number), 9e15)`)

  const texts = eachRow<{ text: string; at: number }>(
    db,
    `
    WITH turns AS (
      SELECT p.session_id, p.number FROM json_each(@sessions) w CROSS JOIN prompts p ON p.session_id = w.value
      UNION SELECT p.session_id, p.number FROM json_each(@prompts) w CROSS JOIN prompts p ON p.id = w.value),
    observed AS (
      SELECT o.id FROM turns t CROSS JOIN observations o ON o.session_id = t.session_id AND o.prompt_number = t.number
      UNION SELECT o.id FROM json_each(@sessions) w CROSS JOIN observations o ON o.session_id = w.value
      UNION SELECT value FROM json_each(@observations)),
    summed AS (
      SELECT s.id FROM turns t CROSS JOIN summaries s ON s.session_id = t.session_id AND s.prompt_number = t.number
      UNION SELECT s.id FROM json_each(@sessions) w CROSS JOIN summaries s ON s.session_id = w.value
      UNION SELECT value FROM json_each(@summaries))
    SELECT p.text || char(10) || coalesce(p.answer, '') || char(10) || coalesce(p.open_failures, '') || char(10) || coalesce(p.traces, '') AS text, p.at
      FROM turns t CROSS JOIN prompts p ON p.session_id = t.session_id AND p.number = t.number
    UNION ALL SELECT o.title || char(10) || o.subtitle || char(10) || o.narrative || char(10) || o.facts, o.at
      FROM observed d CROSS JOIN observations o ON o.id = d.id
    UNION ALL SELECT s.request || char(10) || s.investigated || char(10) || s.learned || char(10) || s.completed || char(10) || s.next_steps || char(10) || s.notes, s.at
      FROM summed d CROSS JOIN summaries s ON s.id = d.id
    UNION ALL SELECT n.title || char(10) || n.body, n.created_at FROM json_each(@notes) w CROSS JOIN notes n ON n.id = w.value
    UNION ALL SELECT r.row, r.happened_at FROM json_each(@units) w CROSS JOIN deleted_rows r ON r.unit = w.value WHERE r.kind IN ('prompts', 'observations', 'summaries')`,
  )
  const unitOf = db.prepare<{ unit: string }, SqlParams>(
    'SELECT unit FROM deleted_rows WHERE kind = @kind AND ref = @ref ORDER BY id DESC LIMIT 1',
  )
  const deletedRow = db.prepare<{ row: string; at: number }, SqlParams>(
    'SELECT row, at FROM deleted_rows WHERE kind = @kind AND ref = @ref',
  )
  const rowsOfUnit = db.prepare<DeletedRow, SqlParams>('SELECT unit, kind, ref, session_id, row, at FROM deleted_rows WHERE unit = @unit')
  const dropUnit = db.prepare('DELETE FROM deleted_rows WHERE unit = @unit')
  // The row with the lowest rank, which `min` selects, says what the unit is.
  const units = db.prepare<Omit<DeletedUnit, 'row'> & { row: string; rank: number }, SqlParams>(`
    SELECT unit, kind, ref, row, project, at, count(*) AS rows, min(CASE kind WHEN 'sessions' THEN 0 WHEN 'prompts' THEN 1 ELSE 2 END) AS rank
    FROM deleted_rows WHERE kind <> 'injections' AND (@unit IS NULL OR unit = @unit) AND (@project IS NULL OR project = @project)
    GROUP BY unit ORDER BY at DESC LIMIT @limit`)
  const sessionNow = db.prepare<{ id: number; memory_session_id: string | null; project: string }, SqlParams>(`
    SELECT id, memory_session_id, project FROM sessions WHERE id = @id OR (agent = @agent AND content_session_id = @session) LIMIT 1`)
  const sessionOf = db.prepare<{ agent: string; session: string }, SqlParams>(
    'SELECT agent, session FROM tombstones WHERE unit = @unit LIMIT 1',
  )
  const setMemorySession = db.prepare('UPDATE sessions SET memory_session_id = @memory WHERE id = @id AND memory_session_id IS NULL')
  const putBack = Object.fromEntries(
    TABLES.map((table) => {
      // The ids of tool uses are not shown anywhere for long, and may have been given again.
      const names = columns[table].filter((name) => table !== 'tool_uses' || name !== 'id')
      return [
        table,
        db.prepare(`INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`),
      ]
    }),
  ) as Record<DeletedTable, ReturnType<typeof db.prepare>>
  const putFiles = db.prepare(`
    INSERT INTO observation_files (observation_id, project, path, modified, at)
    SELECT o.id, o.project, f.value, f.modified, o.at FROM observations o CROSS JOIN (
      SELECT value, 1 AS modified FROM json_each(@modified) UNION ALL SELECT value, 0 FROM json_each(@read)) f
    WHERE o.id = @id ON CONFLICT (observation_id, path) DO UPDATE SET modified = max(modified, excluded.modified)`)
  const oldUnits = db.prepare<{ unit: string }, SqlParams>('SELECT DISTINCT unit FROM deleted_rows WHERE at < @before LIMIT @limit')
  const past = db.prepare<RowsAndBytes, SqlParams>(
    'SELECT count(*) AS rows, coalesce(sum(octet_length(row)), 0) AS bytes FROM deleted_rows WHERE at < @before',
  )

  /** Puts one row back, into a session that may have got another id and project meanwhile. */
  const putRow = (
    kind: DeletedTable,
    row: RowContent,
    into: { from: number; id: number; memory_session_id?: string | null; project?: string },
  ) => {
    const content = { ...row }
    const isOfSession = content.session_id === into.from
    if (isOfSession) content.session_id = into.id
    if (isOfSession && into.project !== undefined && 'project' in content) content.project = into.project
    if (typeof content.key === 'string') content.key = withSessionId(content.key, into.from, into.id)
    // The session that was shown something may be deleted by now.
    if (kind === 'injections' && content.session_id !== null && !session.get({ sessionId: Number(content.session_id) })) return
    if (kind === 'observations') {
      if (!into.memory_session_id) setMemorySession.run({ id: into.id, memory: content.memory_session_id ?? null })
      content.memory_session_id = sessionNow.get({ id: into.id, agent: '', session: '' })?.memory_session_id ?? null
    }
    if (kind === 'tool_uses') delete content.id
    putBack[kind].run(content)
    if (kind === 'observations') putFiles.run({ id: row.id ?? 0, modified: row.files_modified ?? '[]', read: row.files_read ?? '[]' })
  }
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
    /** The sessions, turns and other memories in a filter. A session counts when all of its turns do. */
    selectInScope: async (filter: DeletionFilter): Promise<SelectedRows> => {
      const sessions = sessionsIn.all(filter).map(({ id }) => id)
      const rest = { ...filter, sessions: JSON.stringify(sessions) }
      const ids = (rows: { id: number }[]) => rows.map(({ id }) => id)
      return {
        sessions,
        prompts: ids(promptsIn.all(rest)),
        observations: ids(observationsIn.all(rest)),
        summaries: ids(summariesIn.all(rest)),
        toolUses: ids(toolUsesIn.all(rest)),
      }
    },
    /** Memories in a filter that contain all words; of notes the ids. */
    selectWithWords: async (words: string[], filter: DeletionFilter): Promise<SelectedRows & { notes: string[] }> => {
      const match = `{title prompt body facts files} : (${words.map(quoteFtsWord).join(' AND ')})`
      const found = Map.groupBy(matching.all({ ...filter, match }), ({ kind }) => kind)
      const refs = (kind: string) => (found.get(kind) ?? []).map(({ ref }) => ref)
      const lower = JSON.stringify(words.map((word) => word.toLowerCase()))
      const notices = noticesWith.all({ ...filter, words: lower }).map(({ id }) => id)
      return {
        sessions: [],
        prompts: [...new Set([...refs('prompt').map(Number), ...notices])],
        observations: refs('observation').map(Number),
        summaries: refs('summary').map(Number),
        toolUses: usesWith.all({ ...filter, words: lower }).map(({ id }) => id),
        notes: refs('note'),
      }
    },
    /** Deletions in a filter that could still be undone. */
    selectUnits: async (filter: DeletionFilter, words: string[]): Promise<string[]> =>
      unitsIn.all({ ...filter, words: JSON.stringify(words.map((word) => word.toLowerCase())) }).map(({ unit }) => unit),
    /** How many rows go with these sessions and turns. */
    count: async ({ sessions, prompts }: SelectedRows) =>
      counts.get({ sessions: JSON.stringify(sessions), prompts: JSON.stringify(prompts) }) ?? {
        prompts: 0,
        toolUses: 0,
        observations: 0,
        summaries: 0,
        injections: 0,
      },
    /**
     * The records of what was shown that contain one of these memories, or that a selected turn was given, except those that go with their
     * session. `alsoShown` are notes.
     */
    injectionsShowing: async (selected: SelectedRows, alsoShown: { id: string; at: number }[]): Promise<number[]> => {
      const lists = Object.fromEntries(Object.entries(selected).map(([name, ids]) => [name, JSON.stringify(ids)]))
      const since = Math.min(earliest.get(lists)?.at ?? Number.MAX_SAFE_INTEGER, ...alsoShown.map(({ at }) => at))
      const refs = new Set([
        ...refsOf
          .all({ sessions: JSON.stringify(selected.sessions), prompts: JSON.stringify(selected.prompts) })
          .map((r) => `${r.kind} ${r.ref}`),
        ...selected.observations.map((id) => `observation ${id}`),
        ...selected.summaries.map((id) => `summary ${id}`),
        ...alsoShown.map(({ id }) => `note ${id}`),
      ])
      if (refs.size === 0) return []
      const found = new Set(injectionsDuring.all({ prompts: JSON.stringify(selected.prompts) }).map(({ id }) => id))
      const mentions = (json: string) =>
        readJsonColumn<{ kind: string; id: number | string }[]>(json).some((item) => refs.has(`${item.kind} ${item.id}`))
      for (const row of injectionsSince.iterate({ since })) if (mentions(row.items) || mentions(row.left_out)) found.add(row.id)
      return [...found]
    },
    /** The texts of memories that these sessions, turns, memories, notes and deletions contain. Tool uses are not shown to models. */
    texts: function* ({
      notes,
      derivedNotes,
      units,
      ...selected
    }: SelectedRows & { notes: string[]; derivedNotes: string[]; units: string[] }) {
      const lists = Object.fromEntries(
        Object.entries({ ...selected, units, notes: [...notes, ...derivedNotes] }).map(([name, ids]) => [name, JSON.stringify(ids)]),
      )
      yield* texts(lists)
    },
    hideInjections: async (ids: number[], unit: string, at: number): Promise<void> => {
      for (const id of ids) hideOne('injections', unit, id, at)
    },

    /** Moves a turn to the deleted rows, and every trace of it that other turns of the session carry. Null when it does not exist. */
    hideTurn: async (promptId: number, unit: string, at: number): Promise<HiddenTurn | null> => {
      const turn = buryTurn(unit, promptId, at)
      if (!turn) return null
      const observations = observationsOfTurn.all(turn).map(({ id }) => id)
      for (const { id } of laterCompactions.all(turn)) hideSummary(unit, id, at)
      for (const part of turnParts) {
        part.keep.run({ unit, at, ...turn })
        part.remove.run(turn)
      }
      keepPrompt.run({ unit, at, id: promptId })
      removePrompt.run({ id: promptId })
      dropTurnJobs.run(turn)
      clearTitle.run({ sessionId: turn.sessionId })
      for (const row of laterFailures.all(turn)) {
        const open = readJsonColumn<{ promptNumber: number }[]>(row.open_failures)
        const others = open.filter((failure) => failure.promptNumber !== turn.number)
        if (others.length < open.length) setFailures.run({ id: row.id, failures: JSON.stringify(others) })
      }
      return { ...turn, observations }
    },
    /** The turn after a number, which may have been distilled with the help of the one before. */
    nextTurn: async (sessionId: number, number: number): Promise<number | null> => nextPrompt.get({ sessionId, number })?.number ?? null,
    /** Moves a session and everything of it to the deleted rows. Returns its observations; null when it does not exist. */
    hideSession: async (sessionId: number, unit: string, at: number): Promise<number[] | null> => {
      if (!session.get({ sessionId })) return null
      bury(unit, sessionId, { kind: 'session', turn: null, key: '', happenedAt: at, at })
      for (const { id } of promptsOf.all({ sessionId })) buryTurn(unit, id, at)
      const observations = observationsOfSession.all({ sessionId }).map(({ id }) => id)
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
    hideToolUse: async (id: number, unit: string, at: number): Promise<{ sessionId: number; number: number } | null> => {
      const row = toolUse.get({ id })
      if (!row) return null
      const { sessionId, number } = row
      bury(unit, sessionId, { kind: 'tool-use', turn: number, key: row.key, happenedAt: row.at, at })
      hideOne('tool_uses', unit, id, at)
      return { sessionId, number }
    },

    /** The deletion that took a memory along, if it can still be undone. */
    unitOf: async (kind: DeletedTable, ref: string): Promise<string | null> => unitOf.get({ kind, ref })?.unit ?? null,
    /** A deleted observation that can still be restored. */
    deletedObservation: async (id: number): Promise<{ observation: Observation; at: number } | null> => {
      const found = deletedRow.get({ kind: 'observations', ref: String(id) })
      return found ? { observation: observationOf(readJsonColumn<ObservationTableRow>(found.row)), at: found.at } : null
    },
    /** Deletions that can be undone, newest first, each with its main row. */
    units: async (project: ProjectKey | null, limit: number): Promise<DeletedUnit[]> =>
      units.all({ project, limit, unit: null }).map(withRow),
    unit: async (unit: string): Promise<DeletedUnit | null> => units.all({ project: null, limit: 1, unit }).map(withRow)[0] ?? null,
    /** Puts the rows of a unit back. The caller must index them again. Null when their session is deleted too. */
    restoreUnit: async (unit: string): Promise<{ sessionId: number; turns: number[]; hasSession: boolean } | null> => {
      const rows = rowsOfUnit.all({ unit }).map((row) => ({ ...row, content: readJsonColumn<RowContent>(row.row) }))
      const [first] = rows.filter(({ kind }) => kind !== 'injections')
      const of = sessionOf.get({ unit })
      const existing = first && sessionNow.get({ id: first.session_id, agent: of?.agent ?? '', session: of?.session ?? '' })
      const own = rows.find(({ kind }) => kind === 'sessions')
      if (!first || (!existing && !own)) return null
      // A resumed session was recorded again under another id meanwhile.
      const into = { ...existing, from: first.session_id, id: existing?.id ?? first.session_id }
      for (const table of TABLES)
        for (const { kind, content } of rows) if (kind === table && !(kind === 'sessions' && existing)) putRow(kind, content, into)
      dropUnit.run({ unit })
      tombstones.removeUnit(unit)
      const turns = rows.flatMap(({ kind, content }) => (kind === 'prompts' ? content.number : content.prompt_number) ?? []).map(Number)
      return { sessionId: into.id, turns: [...new Set(turns)], hasSession: own !== undefined }
    },
    /** Puts back the records of what was shown that went with a note. */
    restoreInjections: async (unit: string): Promise<void> => {
      for (const { row, session_id } of rowsOfUnit.all({ unit }))
        putRow('injections', readJsonColumn<RowContent>(row), { from: session_id, id: session_id })
      dropUnit.run({ unit })
    },
    /** Removes the rows of a unit for good. Its tombstones stay. */
    eraseUnit: async (unit: string): Promise<number> => dropUnit.run({ unit }).changes,
    /** Removes deletions that are too old to be undone, at most `limit` of them. */
    eraseBefore: async (before: number, limit: number): Promise<number> =>
      oldUnits.all({ before, limit }).reduce((sum, { unit }) => sum + dropUnit.run({ unit }).changes, 0),
    countErasable: async (before: number): Promise<RowsAndBytes> => past.get({ before }) ?? NO_ROWS,
  }
}

const withRow = ({ row, rank: _, ...unit }: Omit<DeletedUnit, 'row'> & { row: string; rank: number }): DeletedUnit => ({
  ...unit,
  row: readJsonColumn(row),
})

/** The keys of observations and summaries contain the number of their session. */
function withSessionId(key: string, from: number, to: number): string {
  if (key.startsWith(`${from}:`)) return `${to}${key.slice(String(from).length)}`
  return key.replace(new RegExp(`^(turn|compact|subagent):${from}:`), (_, source) => `${source}:${to}:`)
}
