import type { Database } from 'bun:sqlite'
import { asProjectKey, type MemorySessionId, type ProjectKey } from '../core/ids.ts'
import type { Concept, Observation, ObservationType } from '../core/memory.ts'
import type { Document, Index } from './fulltext.ts'
import { eachRow, type Params } from './statement.ts'

type Row = {
  id: number
  key: string
  session_id: number
  project: string
  prompt_number: number
  type: string
  title: string
  subtitle: string
  narrative: string
  facts: string
  concepts: string
  files_read: string
  files_modified: string
  tool: string | null
  tokens: number
  model: string
  at: number
}

/** A memory and the branch its turn was on; null outside of git, and where nobody knows. */
export type OnBranch<T> = T & { branch: string | null }

/** How many of the newest touches of a file are looked at: one that everybody touches has thousands. */
const LATELY = 200

/** Every statement about observations. */
export function observationStatements(db: Database, index: Index) {
  const insert = db.prepare<Row, Params>(`
    INSERT INTO observations (key, session_id, memory_session_id, project, prompt_number, type, title, subtitle, narrative, facts, concepts,
      files_read, files_modified, tool, tokens, model, at)
    VALUES (@key, @sessionId, @memorySessionId, @project, @promptNumber, @type, @title, @subtitle, @narrative, @facts, @concepts,
      @filesRead, @filesModified, @tool, @tokens, @model, @at)
    ON CONFLICT (key) DO UPDATE SET
      type = excluded.type, subtitle = excluded.subtitle, narrative = excluded.narrative, facts = excluded.facts,
      concepts = excluded.concepts, files_read = excluded.files_read, files_modified = excluded.files_modified,
      tool = excluded.tool, tokens = excluded.tokens, model = excluded.model, at = excluded.at
    RETURNING *`)
  const insertFile = db.prepare(`
    INSERT INTO observation_files (observation_id, project, path, modified, at) VALUES (@id, @project, @path, @modified, @at)
    ON CONFLICT (observation_id, path) DO UPDATE SET modified = max(modified, excluded.modified)`)
  const removeFiles = db.prepare('DELETE FROM observation_files WHERE observation_id = @id')
  const keysOfTurn = db.prepare<{ id: number; key: string }, Params>(`
    SELECT id, key FROM observations WHERE session_id = @sessionId AND prompt_number = @number`)
  const hasKey = db.prepare('SELECT 1 FROM observations WHERE key = @key')
  const remove = db.prepare('DELETE FROM observations WHERE id = @id')
  const branch = 'SELECT branch FROM prompts WHERE session_id = o.session_id AND number = o.prompt_number'
  const recent = db.prepare<Row & { branch: string | null }, Params>(`
    SELECT o.*, (${branch}) AS branch FROM observations o WHERE o.project = @project ORDER BY o.at DESC, o.id DESC LIMIT @limit`)
  // By way of the branch's newest turns: a branch may be as old as the project.
  const recentOn = db.prepare<Row & { branch: string | null }, Params>(`
    SELECT o.*, @branch AS branch
    FROM (SELECT session_id, number FROM prompts WHERE project = @project AND branch = @branch ORDER BY at DESC LIMIT @limit) p
    CROSS JOIN observations o ON o.session_id = p.session_id AND o.prompt_number = p.number
    ORDER BY o.at DESC, o.id DESC LIMIT @limit`)
  const last = db.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM observations')
  const byId = db.prepare<Row, Params>('SELECT * FROM observations WHERE id = @id')
  const ofSession = db.prepare<Row, Params>('SELECT * FROM observations WHERE session_id = @sessionId ORDER BY at, id LIMIT @limit')
  const aboutFile = db.prepare<Row, Params>(`
    SELECT o.* FROM
      (SELECT observation_id, modified, at FROM observation_files WHERE project = @project AND path = @path ORDER BY at DESC LIMIT ${LATELY}) f
    CROSS JOIN observations o ON o.id = f.observation_id WHERE o.session_id <> @notSession
    ORDER BY f.modified DESC, f.at DESC LIMIT @limit`)
  const all = eachRow<Row & { content_session_id: string; agent: string }>(
    db,
    `
    SELECT o.*, s.content_session_id, s.agent FROM observations o JOIN sessions s ON s.id = o.session_id
    WHERE (@project IS NULL OR o.project = @project) ORDER BY o.at, o.id`,
  )

  /** Without its words, which are written for several at once. */
  const put = (memorySessionId: MemorySessionId, o: Omit<Observation, 'id'> & { key: string }): Observation => {
    const row = insert.get({
      ...o,
      memorySessionId,
      facts: JSON.stringify(o.facts),
      concepts: JSON.stringify(o.concepts),
      filesRead: JSON.stringify(o.filesRead),
      filesModified: JSON.stringify(o.filesModified),
    })
    if (!row) throw new Error('an observation was neither added nor updated')
    removeFiles.run({ id: row.id })
    for (const [files, modified] of [
      [o.filesRead, 0],
      [o.filesModified, 1],
    ] as const) {
      for (const path of files) insertFile.run({ id: row.id, project: o.project, path, modified, at: o.at })
    }
    return fromRow(row)
  }

  return {
    /**
     * Makes these the observations of a turn. One that was there under the same key keeps its id, so that distilling a turn again,
     * when more of it has come in, does not turn what a person has seen into something else. `around` is what the turn was about.
     */
    replaceTurn: async (
      turn: { sessionId: number; memorySessionId: MemorySessionId; number: number },
      observations: (Omit<Observation, 'id'> & { key: string })[],
      around = '',
    ): Promise<{ added: Observation[]; removed: number[] }> => {
      const before = new Map(keysOfTurn.all(turn).map((row) => [row.key, row.id]))
      const added: Observation[] = []
      const written: Observation[] = []
      for (const o of observations) {
        const observation = put(turn.memorySessionId, o)
        written.push(observation)
        if (!before.delete(o.key)) added.push(observation)
      }
      index.put(...written.map((observation) => documentOf(observation, around)))
      const removed = [...before.values()]
      for (const id of removed) remove.run({ id })
      return { added, removed }
    },
    /** Adds what is not there yet under its key, and leaves the rest of the turn alone. Returns how many were new. */
    add: async (
      turn: { sessionId: number; memorySessionId: MemorySessionId },
      observations: (Omit<Observation, 'id'> & { key: string })[],
    ): Promise<number> => {
      const fresh = observations.filter((o) => !hasKey.get({ key: o.key }))
      index.put(...fresh.map((o) => documentOf(put(turn.memorySessionId, o), '')))
      return fresh.length
    },
    recent: async (project: ProjectKey, limit: number): Promise<OnBranch<Observation>[]> =>
      recent.all({ project, limit }).map((row) => ({ ...fromRow(row), branch: row.branch })),
    /** The newest that were made on a branch. */
    recentOn: async (project: ProjectKey, branch: string, limit: number): Promise<OnBranch<Observation>[]> =>
      recentOn.all({ project, branch, limit }).map((row) => ({ ...fromRow(row), branch: row.branch })),
    /** The number of the newest; later ones have higher numbers, whenever what they tell happened. */
    lastId: async (): Promise<number> => last.get()?.id ?? 0,
    get: async (ids: number[]): Promise<Observation[]> => ids.flatMap((id) => byId.get({ id }) ?? []).map(fromRow),
    ofSession: async (sessionId: number, limit: number): Promise<Observation[]> => ofSession.all({ sessionId, limit }).map(fromRow),
    /** What is known of a file from other sessions lately, changes before readings, newest first. */
    aboutFile: async (project: ProjectKey, path: string, notSession: number, limit: number): Promise<Observation[]> =>
      aboutFile.all({ project, path, notSession, limit }).map(fromRow),
    each: function* (project: ProjectKey | null) {
      for (const row of all({ project })) yield { ...fromRow(row), agent: row.agent, contentSessionId: row.content_session_id }
    },
  }
}

function documentOf(o: Observation, around: string): Document {
  return {
    kind: 'observation',
    ref: String(o.id),
    sessionId: o.sessionId,
    project: o.project,
    at: o.at,
    words: {
      title: `${o.title} ${o.subtitle}`,
      body: o.narrative,
      facts: `${o.facts.join('\n')} ${o.concepts.join(' ')}`,
      files: [...o.filesModified, ...o.filesRead].join('\n'),
    },
    around,
  }
}

function fromRow(row: Row): Observation {
  return {
    id: row.id,
    sessionId: row.session_id,
    project: asProjectKey(row.project),
    promptNumber: row.prompt_number,
    type: row.type as ObservationType,
    title: row.title,
    subtitle: row.subtitle,
    narrative: row.narrative,
    facts: JSON.parse(row.facts) as string[],
    concepts: JSON.parse(row.concepts) as Concept[],
    filesRead: JSON.parse(row.files_read) as string[],
    filesModified: JSON.parse(row.files_modified) as string[],
    tool: row.tool,
    tokens: row.tokens,
    model: row.model,
    at: row.at,
  }
}
