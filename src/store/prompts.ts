import type { Database } from 'bun:sqlite'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { OpenFailure, PassedTestRun, Prompt, Session, Traces } from '../core/memory.ts'
import type { IndexedDocument } from './document.ts'
import { CONTEXT_PROMPTS_EACH_SIDE } from './document-rows.ts'
import type { DocumentIndexes } from './documents.ts'
import { eachRow, readJsonColumn, type SqlParams, sqlNextId } from './statement.ts'

type PromptRow = {
  id: number
  session_id: number
  project: string
  number: number
  prompt_id: string | null
  origin: Prompt['origin']
  text: string
  answer: string | null
  at: number
  answered_at: number | null
  undone_by: string | null
}

/** How much of each neighbouring prompt is context. Measured: a few hundred characters of two prompts work best. */
const CONTEXT_CHARS_PER_PROMPT = 300

/** Every statement about prompts and the answers to them. */
export function promptStatements(db: Database, index: DocumentIndexes) {
  const insert = db.prepare<PromptRow, SqlParams>(`
    INSERT INTO prompts (id, session_id, project, number, key, prompt_id, uuid, origin, text, branch, at)
    SELECT ${sqlNextId('prompts', 'newest prompt')}, @sessionId, @project, 1 + max(coalesce(max(number), 0), (
      SELECT coalesce(max(t.turn), 0) FROM sessions s CROSS JOIN tombstones t ON t.session = s.content_session_id AND t.agent = s.agent AND t.kind = 'turn'
      WHERE s.id = @sessionId)), @key, @promptId, @uuid, @origin, @text, @branch, @at
    FROM prompts WHERE session_id = @sessionId
    ON CONFLICT (session_id, key) DO NOTHING
    RETURNING *`)
  const count = db.prepare('UPDATE sessions SET prompt_count = (SELECT max(number) FROM prompts WHERE session_id = @id) WHERE id = @id')
  const claimUses = db.prepare(`
    UPDATE tool_uses SET prompt_number = @number
    WHERE session_id = @sessionId AND prompt_id = @promptId AND at >= @at AND prompt_number < @number`)
  const byKey = db.prepare<PromptRow, SqlParams>('SELECT * FROM prompts WHERE session_id = @sessionId AND key = @key')
  const lastOfText = db.prepare<{ n: number | null }, SqlParams>(`
    SELECT max(CAST(substr(key, length(@from) + 1) AS INTEGER)) AS n FROM prompts WHERE session_id = @sessionId AND key >= @from AND key < @to`)
  const withoutLine = db.prepare<{ key: string }, SqlParams>(`
    SELECT key FROM prompts WHERE session_id = @sessionId AND key >= @from AND key < @to AND uuid IS NULL ORDER BY number LIMIT 1`)
  const keyOfLine = db.prepare<{ key: string }, SqlParams>('SELECT key FROM prompts WHERE uuid = @uuid AND session_id = @sessionId')
  const setUuid = db.prepare('UPDATE prompts SET uuid = @uuid WHERE session_id = @sessionId AND key = @key AND uuid IS NULL')
  const fillBranch = db.prepare('UPDATE prompts SET branch = @branch WHERE session_id = @sessionId AND key = @key AND branch IS NULL')
  const elsewhere = db.prepare('SELECT 1 FROM prompts WHERE uuid = @uuid AND session_id <> @sessionId LIMIT 1')
  const ofTurn = db.prepare<PromptRow, SqlParams>(`
    SELECT * FROM prompts WHERE session_id = @sessionId AND prompt_id = @promptId AND at <= @at ORDER BY at DESC, number DESC LIMIT 1`)
  const firstOfTurn = db.prepare<PromptRow, SqlParams>(`
    SELECT * FROM prompts WHERE session_id = @sessionId AND prompt_id = @promptId ORDER BY at, number LIMIT 1`)
  const before = db.prepare<PromptRow, SqlParams>(`
    SELECT * FROM prompts WHERE session_id = @sessionId AND at <= @at ORDER BY at DESC, number DESC LIMIT 1`)
  const byNumber = db.prepare<PromptRow, SqlParams>('SELECT * FROM prompts WHERE session_id = @sessionId AND number = @number')
  const byId = db.prepare<PromptRow, SqlParams>('SELECT * FROM prompts WHERE id = @id')
  const timesBefore = db.prepare<{ n: number }, SqlParams>(`
    SELECT count(*) AS n FROM prompts WHERE session_id = @sessionId AND number < @number AND text = @text`)
  const ofSession = db.prepare<PromptRow, SqlParams>('SELECT * FROM prompts WHERE session_id = @sessionId ORDER BY number')
  const between = db.prepare<PromptRow, SqlParams>(
    'SELECT * FROM prompts WHERE session_id = @sessionId AND number BETWEEN @first AND @last ORDER BY number DESC LIMIT @limit',
  )
  const newest = db.prepare<PromptRow, SqlParams>(
    "SELECT * FROM prompts WHERE project = @project AND origin = 'person' ORDER BY at DESC, id DESC LIMIT 1",
  )
  const near = db.prepare<PromptRow, SqlParams>(`
    SELECT * FROM prompts WHERE session_id = @sessionId AND number BETWEEN @number - @reach AND @number + @reach ORDER BY number`)
  const setBranch = db.prepare('UPDATE prompts SET branch = @branch WHERE id = @id AND branch IS NOT @branch')
  const answer = db.prepare('UPDATE prompts SET answer = @answer, answered_at = @at WHERE id = @id')
  const failures = db.prepare<{ open_failures: string }, SqlParams>(`
    SELECT open_failures FROM prompts
    WHERE session_id = @sessionId AND number < @number AND open_failures IS NOT NULL ORDER BY number DESC LIMIT 1`)
  const failuresAround = db.prepare<{ number: number; open_failures: string }, SqlParams>(`
    SELECT number, open_failures FROM prompts
    WHERE session_id = @sessionId AND number BETWEEN @number - @reach AND @number + @reach AND open_failures IS NOT NULL ORDER BY number`)
  const setFailures = db.prepare('UPDATE prompts SET open_failures = @failures WHERE session_id = @sessionId AND number = @number')
  // The vector is made again without the deleted words; until then there is none.
  const dropVector = db.prepare("DELETE FROM vectors WHERE document_id = (SELECT id FROM documents WHERE kind = 'prompt' AND ref = @ref)")
  const setTraces = db.prepare('UPDATE prompts SET traces = @traces WHERE id = @id')
  const traces = db.prepare<{ sessionId: number; number: number; traces: string }, SqlParams>(`
    SELECT p.session_id AS sessionId, p.number, p.traces FROM
      (SELECT DISTINCT session_id, prompt_number FROM
        (SELECT session_id, prompt_number FROM observations WHERE project = @project ORDER BY at DESC, id DESC LIMIT @limit)) turn
      CROSS JOIN prompts p ON p.session_id = turn.session_id AND p.number = turn.prompt_number
    WHERE p.traces IS NOT NULL`)
  const tracesOfTurn = db.prepare<{ traces: string | null }, SqlParams>('SELECT traces FROM prompts WHERE id = @id')
  const passes = db.prepare<{ passes: string }, SqlParams>(`
    SELECT traces ->> 'passes' AS passes FROM prompts
    WHERE project = @project AND traces ->> 'passes' IS NOT NULL AND (@branch IS NULL OR branch IS NULL OR branch = @branch)
    ORDER BY at DESC LIMIT @limit`)
  const passesOf = db.prepare<{ passes: string }, SqlParams>(`
    SELECT traces ->> 'passes' AS passes FROM prompts
    WHERE session_id IN (SELECT value FROM json_each(@sessions)) AND traces ->> 'passes' IS NOT NULL`)
  const all = eachRow<PromptRow & { content_session_id: string; agent: string }>(
    db,
    `
    SELECT p.*, s.content_session_id, s.agent FROM prompts p JOIN sessions s ON s.id = p.session_id
    WHERE (@project IS NULL OR p.project = @project) ORDER BY p.at, p.id`,
  )

  const turnAt = (sessionId: number, promptId: string | null, at: number): PromptRow | null =>
    (promptId ? (ofTurn.get({ sessionId, promptId, at }) ?? firstOfTurn.get({ sessionId, promptId })) : null) ??
    before.get({ sessionId, at })

  /** Of a machine's notice only the answer is indexed: people do not search for the notice. */
  const documentOf = (row: PromptRow): IndexedDocument => {
    const neighbours = near.all({ sessionId: row.session_id, number: row.number, reach: CONTEXT_PROMPTS_EACH_SIDE })
    return {
      kind: 'prompt',
      ref: String(row.id),
      sessionId: row.session_id,
      turn: row.number,
      project: asProjectKey(row.project),
      at: row.at,
      words: { prompt: row.origin === 'person' ? row.text : '', body: row.answer ?? '' },
      context: contextText(neighbours, row.id),
    }
  }

  return {
    /** Adds a prompt under the next number of its session, and assigns it tool uses that arrived earlier. Null when it was already stored. */
    add: async (
      session: Session,
      p: {
        key: string
        promptId: string | null
        uuid: string | null
        origin: Prompt['origin']
        text: string
        branch?: string | null
        at: number
      },
    ): Promise<Prompt | null> => {
      const row = insert.get({ ...p, branch: p.branch ?? session.branch, sessionId: session.id, project: session.project })
      if (!row) {
        if (p.uuid) setUuid.run({ sessionId: session.id, key: p.key, uuid: p.uuid })
        if (p.branch) fillBranch.run({ sessionId: session.id, key: p.key, branch: p.branch })
        return null
      }
      count.run({ id: session.id })
      if (p.promptId) claimUses.run({ sessionId: session.id, promptId: p.promptId, at: p.at, number: row.number })
      // The new prompt is context of its neighbours, so these are indexed again.
      index.put(...near.all({ sessionId: session.id, number: row.number, reach: CONTEXT_PROMPTS_EACH_SIDE }).map(documentOf))
      return fromRow(row)
    },
    /** The next free key with this prefix: prompts with one text are numbered. */
    nextKey: async (sessionId: number, prefix: string): Promise<string> =>
      `${prefix}${1 + (lastOfText.get({ sessionId, from: prefix, to: `${prefix}\uffff` })?.n ?? 0)}`,
    /** The key of the first prompt with this prefix that was not found in a transcript yet. */
    keyWithoutLine: async (sessionId: number, prefix: string): Promise<string | null> =>
      withoutLine.get({ sessionId, from: prefix, to: `${prefix}\uffff` })?.key ?? null,
    /** The key of the prompt on this line of a transcript. */
    keyOfLine: async (sessionId: number, uuid: string): Promise<string | null> => keyOfLine.get({ sessionId, uuid })?.key ?? null,
    has: async (sessionId: number, key: string): Promise<boolean> => byKey.get({ sessionId, key }) !== null,
    /** True when another session has the same line of a transcript: a fork starts with a copy of its parent's lines. */
    isCopy: async (sessionId: number, uuid: string): Promise<boolean> => elsewhere.get({ sessionId, uuid }) !== null,
    /** Whether a prompt with this turn id of the client is stored. */
    hasTurn: async (sessionId: number, promptId: string): Promise<boolean> => firstOfTurn.get({ sessionId, promptId }) !== null,
    /** The prompt of the turn at a time: by the client's turn id, else by time. */
    turnAt: async (sessionId: number, promptId: string | null, at: number): Promise<Prompt | null> =>
      orNull(turnAt(sessionId, promptId, at)),
    /** Like `turnAt`, but null when the client gave that turn another id. */
    ownTurnAt: async (sessionId: number, promptId: string | null, at: number): Promise<Prompt | null> => {
      const row = turnAt(sessionId, promptId, at)
      return row && (promptId === null || row.prompt_id === null || row.prompt_id === promptId) ? fromRow(row) : null
    },
    byNumber: async (sessionId: number, number: number): Promise<Prompt | null> => orNull(byNumber.get({ sessionId, number })),
    /** How many earlier prompts of its session have the same text. */
    countSameTextBefore: async ({ sessionId, number, text }: Prompt): Promise<number> =>
      timesBefore.get({ sessionId, number, text })?.n ?? 0,
    /** The last prompt of a person in a project. */
    newest: async (project: ProjectKey): Promise<Prompt | null> => orNull(newest.get({ project })),
    /** All prompts of a session, in order. */
    ofSession: async (sessionId: number): Promise<Prompt[]> => ofSession.all({ sessionId }).map(fromRow),
    /** The turns of a thread, in order: the last of them, if there are more than `limit`. */
    ofThread: async ({ sessionId, first, last }: { sessionId: number; first: number; last: number }, limit = 40): Promise<Prompt[]> =>
      between.all({ sessionId, first, last, limit }).map(fromRow).reverse(),
    /** Indexes a session's prompts again, under their current project. */
    reindex: async (sessionId: number) => {
      index.put(...ofSession.all({ sessionId }).map(documentOf))
    },
    /** Indexes a prompt and its neighbours again, after one of them was deleted or restored: each is context of the others. */
    reindexAround: async (sessionId: number, number: number) => {
      const rows = near.all({ sessionId, number, reach: CONTEXT_PROMPTS_EACH_SIDE })
      index.put(...rows.map(documentOf))
      for (const { id } of rows) dropVector.run({ ref: String(id) })
    },
    get: async (id: number): Promise<Prompt | null> => orNull(byId.get({ id })),
    /** Sets the branch on which the turn ended, whichever it started on. */
    setBranch: async (prompt: Prompt, branch: string) => {
      setBranch.run({ id: prompt.id, branch })
    },
    /** The start of the prompts right before and after. When one of them is added, this prompt's document counts as changed. */
    contextOf: async ({ id, sessionId, number }: Prompt): Promise<string> => contextText(near.all({ sessionId, number, reach: 1 }), id),
    /** False when it already has this answer. */
    setAnswer: async (prompt: Prompt, text: string, at: number): Promise<boolean> => {
      if (prompt.answer === text) return false
      answer.run({ id: prompt.id, answer: text, at })
      const row = byId.get({ id: prompt.id })
      if (row) index.put(documentOf(row))
      return true
    },
    /** Indexes the activity of the prompt's turn and stores its traces. Empty values remove earlier ones. */
    setActivity: async (prompt: Prompt, activity: string, traces: Traces = { names: [], errors: [] }): Promise<void> => {
      index.putActivity(prompt.id, activity)
      setTraces.run({ id: prompt.id, traces: hasTraces(traces) ? JSON.stringify(traces) : null })
    },
    /** The traces of its turn. */
    traces: async ({ id }: Prompt): Promise<Traces> => readJsonColumn<Traces>(tracesOfTurn.get({ id })?.traces ?? NO_TRACES_JSON),
    /** The traces of the turns of a project's newest observations. */
    recentTraces: async (project: ProjectKey, observations: number): Promise<{ sessionId: number; number: number; traces: Traces }[]> =>
      traces.all({ project, limit: observations }).map((row) => ({ ...row, traces: readJsonColumn<Traces>(row.traces) })),
    /** The tests that passed in a project's latest turns with tests, on this branch or on an unknown one. */
    recentPasses: async (project: ProjectKey, branch: string | null, turns: number): Promise<PassedTestRun[]> =>
      passes.all({ project, branch, limit: turns }).flatMap((row) => readJsonColumn<PassedTestRun[]>(row.passes)),
    /** The tests that passed in these sessions. */
    passesOf: async (sessions: number[]): Promise<PassedTestRun[]> =>
      passesOf.all({ sessions: JSON.stringify(sessions) }).flatMap((row) => readJsonColumn<PassedTestRun[]>(row.passes)),
    /** The failures that were open when the turn started: those of the nearest earlier turn. */
    openFailuresBefore: async (sessionId: number, number: number): Promise<OpenFailure[]> => {
      const row = failures.get({ sessionId, number })
      return row ? readJsonColumn<OpenFailure[]>(row.open_failures) : []
    },
    /** The failures that were open at the end of a turn and its neighbours, in order. Turns that are not distilled are missing. */
    openFailuresAround: async ({ sessionId, number }: Prompt, reach: number): Promise<{ number: number; open: OpenFailure[] }[]> =>
      failuresAround
        .all({ sessionId, number, reach })
        .map((row) => ({ number: row.number, open: readJsonColumn<OpenFailure[]>(row.open_failures) })),
    setOpenFailures: async (sessionId: number, number: number, open: OpenFailure[]) => {
      setFailures.run({ sessionId, number, failures: JSON.stringify(open) })
    },
    each: function* (project: ProjectKey | null) {
      for (const row of all({ project }))
        yield { ...fromRow(row), agent: row.agent, contentSessionId: row.content_session_id, project: asProjectKey(row.project) }
    },
  }
}

function contextText(neighbours: PromptRow[], id: number): string {
  const others = neighbours.filter((other) => other.id !== id)
  return others.map((other) => other.text.slice(0, CONTEXT_CHARS_PER_PROMPT)).join('\n')
}

const NO_TRACES_JSON = '{"names":[],"errors":[]}'
const hasTraces = (traces: Traces) => Object.values(traces).some((list) => list.length > 0)

const orNull = (row: PromptRow | null) => (row ? fromRow(row) : null)

function fromRow(row: PromptRow): Prompt {
  return {
    id: row.id,
    sessionId: row.session_id,
    number: row.number,
    origin: row.origin,
    text: row.text,
    answer: row.answer,
    at: row.at,
    answeredAt: row.answered_at,
    ...(row.undone_by === null ? {} : { undoneBy: row.undone_by }),
  }
}
