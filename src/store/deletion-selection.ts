import type { Database } from 'bun:sqlite'
import type { ProjectKey } from '../core/ids.ts'
import type { SelectedRows } from '../core/job.ts'
import { eachRow, quoteFtsWord, readJsonColumn, type SqlParams } from './statement.ts'

/** Conditions on memories; all of them must hold. Null means any. */
export type DeletionFilter = { sessionId: number | null; project: ProjectKey | null; since: number | null; before: number | null }

/** Every statement that finds what a person wants to delete, and the records that show it. */
export function deletionSelectionStatements(db: Database) {
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
  const commitScope = `forgotten = 0 AND @sessionId IS NULL AND (@project IS NULL OR project = @project) AND ${inTime('at')}`
  const commitsIn = db.prepare<{ id: number }, SqlParams>(`SELECT id FROM commits WHERE ${commitScope}`)
  const matching = db.prepare<{ kind: string; ref: string }, SqlParams>(`
    SELECT d.kind, d.ref FROM fulltext f CROSS JOIN documents d ON d.id = f.rowid
    WHERE f.fulltext MATCH @match AND (@project IS NULL OR d.project = @project) AND (@sessionId IS NULL OR d.session_id = @sessionId)
      AND ${inTime('d.at')}`)
  const hasWords = (text: string) => `NOT EXISTS (SELECT 1 FROM json_each(@words) w WHERE instr(lower(${text}), w.value) = 0)`
  const usesWith = db.prepare<{ id: number }, SqlParams>(`
    SELECT id FROM tool_uses WHERE ${useScope} AND ${hasWords("input || ' ' || coalesce(output, '') || ' ' || coalesce(error, '')")}`)
  // Authors are not indexed, nor are the files of commits that rank low.
  const commitsWith = db.prepare<{ id: number }, SqlParams>(`
    SELECT id FROM commits WHERE ${commitScope} AND ${hasWords("subject || ' ' || body || ' ' || files || ' ' || author")}`)
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
      UNION ALL SELECT x.at FROM json_each(@summaries) w CROSS JOIN summaries x ON x.id = w.value
      -- A commit's time is what its author's clock said, so it may have been shown at any time.
      UNION ALL SELECT 0 FROM json_each(@commits))`)
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
    UNION ALL SELECT c.subject || char(10) || c.body, 0 FROM json_each(@commits) w CROSS JOIN commits c ON c.id = w.value
    UNION ALL SELECT r.row, CASE r.kind WHEN 'commits' THEN 0 ELSE r.happened_at END FROM json_each(@units) w
      CROSS JOIN deleted_rows r ON r.unit = w.value WHERE r.kind IN ('prompts', 'observations', 'summaries', 'commits')`,
  )

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
        commits: ids(commitsIn.all(filter)),
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
        commits: [...new Set([...refs('commit').map(Number), ...commitsWith.all({ ...filter, words: lower }).map(({ id }) => id)])],
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
        ...selected.commits.map((id) => `commit ${id}`),
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
  }
}
