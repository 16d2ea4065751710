import type { Database } from 'bun:sqlite'
import { asProjectKey, type MemorySessionId, type ProjectKey } from '../core/ids.ts'
import type { Concept, Observation, ObservationType } from '../core/memory.ts'
import type { IndexedDocument } from './document.ts'
import { scopeWord } from './document-ranking.ts'
import type { DocumentIndexes } from './documents.ts'
import { eachRow, quoteFtsWord, readJsonColumn, type SqlParams } from './statement.ts'
import type { Tombstones } from './tombstones.ts'

export type ObservationTableRow = {
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
  tags: string
  files_read: string
  files_modified: string
  tool: string | null
  tokens: number
  model: string
  at: number
  undone_by: string | null
}

/** A memory and the branch of its turn; null outside git, or when unknown. */
export type WithBranch<T> = T & { branch: string | null }

/** How many of a file's newest touches are read: a much-used file has thousands. */
const MAX_RECENT_FILE_TOUCHES = 200

/** Every statement about observations. */
export function observationStatements(db: Database, index: DocumentIndexes, tombstones: Tombstones) {
  const insert = db.prepare<ObservationTableRow, SqlParams>(`
    INSERT INTO observations (key, session_id, memory_session_id, project, prompt_number, type, title, subtitle, narrative, facts, concepts, tags,
      files_read, files_modified, tool, tokens, model, at)
    VALUES (@key, @sessionId, @memorySessionId, @project, @promptNumber, @type, @title, @subtitle, @narrative, @facts, @concepts, @tags,
      @filesRead, @filesModified, @tool, @tokens, @model, @at)
    ON CONFLICT (key) DO UPDATE SET
      type = excluded.type, subtitle = excluded.subtitle, narrative = excluded.narrative, facts = excluded.facts,
      concepts = excluded.concepts, tags = excluded.tags, files_read = excluded.files_read, files_modified = excluded.files_modified,
      tool = excluded.tool, tokens = excluded.tokens, model = excluded.model, at = excluded.at
    RETURNING *`)
  const insertFile = db.prepare(`
    INSERT INTO observation_files (observation_id, project, path, modified, at) VALUES (@id, @project, @path, @modified, @at)
    ON CONFLICT (observation_id, path) DO UPDATE SET modified = max(modified, excluded.modified)`)
  const removeFiles = db.prepare('DELETE FROM observation_files WHERE observation_id = @id')
  const ofTurn = db.prepare<ObservationTableRow, SqlParams>(
    'SELECT * FROM observations WHERE session_id = @sessionId AND prompt_number = @number ORDER BY at, id',
  )
  const keysOfTurn = db.prepare<{ id: number; key: string }, SqlParams>(`
    SELECT id, key FROM observations WHERE session_id = @sessionId AND prompt_number = @number AND key NOT GLOB 'claude-mem:*'`)
  const hasKey = db.prepare('SELECT 1 FROM observations WHERE key = @key')
  const remove = db.prepare('DELETE FROM observations WHERE id = @id')
  const branch = 'SELECT branch FROM prompts WHERE session_id = o.session_id AND number = o.prompt_number'
  const recent = db.prepare<ObservationTableRow & { branch: string | null }, SqlParams>(`
    SELECT o.*, (${branch}) AS branch FROM observations o WHERE o.project = @project AND o.undone_by IS NULL ORDER BY o.at DESC, o.id DESC LIMIT @limit`)
  // Through the branch's newest turns: a branch may be as old as the project.
  const recentOn = db.prepare<ObservationTableRow & { branch: string | null }, SqlParams>(`
    SELECT o.*, @branch AS branch
    FROM (SELECT session_id, number FROM prompts WHERE project = @project AND branch = @branch ORDER BY at DESC LIMIT @limit) p
    CROSS JOIN observations o ON o.session_id = p.session_id AND o.prompt_number = p.number AND o.undone_by IS NULL
    ORDER BY o.at DESC, o.id DESC LIMIT @limit`)
  const last = db.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM observations')
  const byId = db.prepare<ObservationTableRow, SqlParams>('SELECT * FROM observations WHERE id = @id')
  const ofSession = db.prepare<ObservationTableRow, SqlParams>(
    'SELECT * FROM observations WHERE session_id = @sessionId ORDER BY at, id LIMIT @limit',
  )
  const aboutFile = db.prepare<ObservationTableRow, SqlParams>(`
    SELECT o.* FROM (
      SELECT id, max(modified) AS modified FROM (
        SELECT * FROM (SELECT observation_id AS id, modified FROM observation_files WHERE project = @project AND path = @path ORDER BY at DESC LIMIT ${MAX_RECENT_FILE_TOUCHES})
        UNION ALL SELECT value, 0 FROM json_each(@mentioned)
      ) GROUP BY id
    ) f
    CROSS JOIN observations o ON o.id = f.id WHERE o.session_id <> @notSession
    ORDER BY f.modified DESC, instr(o.title || o.subtitle || o.narrative || o.facts, @name) > 0 DESC, o.at DESC, o.id DESC LIMIT @limit`)
  // Through the words of paths, because no index covers the ends of paths; without the extension, which half of all files share.
  const pathsWith = db.prepare<{ path: string }, SqlParams>(`
    SELECT DISTINCT f.path FROM (SELECT rowid FROM fulltext WHERE fulltext MATCH @words ORDER BY rowid DESC LIMIT ${MAX_RECENT_FILE_TOUCHES}) w
    CROSS JOIN documents d ON d.id = w.rowid AND d.kind = 'observation'
    CROSS JOIN observation_files f ON f.observation_id = CAST(d.ref AS INTEGER)
    WHERE instr(f.path, @name) > 0`)
  const withConcept = db.prepare<ObservationTableRow, SqlParams>(`
    SELECT * FROM observations WHERE (@project IS NULL OR project = @project) AND instr(concepts, @concept) > 0 ORDER BY at DESC LIMIT @limit`)
  const sums = db.prepare<{ count: number; tokens: number }, []>(
    'SELECT count(*) AS count, coalesce(sum(tokens), 0) AS tokens FROM observations',
  )
  const turnContext = db.prepare<{ title: string | null; text: string | null }, SqlParams>(`
    SELECT s.title, p.text FROM sessions s LEFT JOIN prompts p ON p.session_id = s.id AND p.number = @number WHERE s.id = @sessionId`)
  /** The session's title and the prompt of the observation's turn. */
  const contextOf = (row: ObservationTableRow): string => {
    const turn = turnContext.get({ sessionId: row.session_id, number: row.prompt_number })
    return `${turn?.title ?? ''}\n${(turn?.text ?? '').slice(0, 600)}`
  }
  const putFiles = (row: ObservationTableRow) => {
    removeFiles.run({ id: row.id })
    const { id, project, at } = row
    for (const path of readJsonColumn<string[]>(row.files_read)) insertFile.run({ id, project, path, modified: 0, at })
    for (const path of readJsonColumn<string[]>(row.files_modified)) insertFile.run({ id, project, path, modified: 1, at })
  }
  const all = eachRow<ObservationTableRow & { content_session_id: string; agent: string }>(
    db,
    `
    SELECT o.*, s.content_session_id, s.agent FROM observations o JOIN sessions s ON s.id = o.session_id
    WHERE (@project IS NULL OR o.project = @project) ORDER BY o.at, o.id`,
  )

  /** Tells which observations of a turn were deleted. If it is not known which, none is added to those that are there. */
  const deletedIn = (sessionId: number, turn: number) => {
    const keys = tombstones.observationsOfTurn(sessionId, turn)
    if (keys.length === 0) return () => false
    return (title: string, isThere: boolean) => keys.includes(tombstones.observationKey(title)) || (keys.includes('') && !isThere)
  }

  /** Writes the row only. The indexes are written for several observations at once. */
  const put = (memorySessionId: MemorySessionId, o: Omit<Observation, 'id'> & { key: string }): Observation => {
    const row = insert.get({
      ...o,
      memorySessionId,
      facts: JSON.stringify(o.facts),
      concepts: JSON.stringify(o.concepts),
      tags: JSON.stringify(o.tags ?? []),
      filesRead: JSON.stringify(o.filesRead),
      filesModified: JSON.stringify(o.filesModified),
    })
    if (!row) throw new Error('an observation was neither added nor updated')
    putFiles(row)
    return observationOf(row)
  }

  return {
    /**
     * Replaces the observations of a turn, except those that claude-mem made of it. An observation with the same key keeps its id, so ids that a person has seen stay valid when the
     * turn is distilled again. `context` is the text of the turn.
     */
    replaceTurn: async (
      turn: { sessionId: number; memorySessionId: MemorySessionId; number: number },
      observations: (Omit<Observation, 'id'> & { key: string })[],
      context = '',
    ): Promise<{ added: Observation[]; removed: number[] }> => {
      const before = new Map(keysOfTurn.all(turn).map((row) => [row.key, row.id]))
      const added: Observation[] = []
      const written: Observation[] = []
      const isDeleted = deletedIn(turn.sessionId, turn.number)
      for (const o of observations) {
        // An observation that a person has deleted must not come back when its turn is distilled again.
        if (isDeleted(o.title, before.has(o.key))) continue
        const observation = put(turn.memorySessionId, o)
        written.push(observation)
        if (!before.delete(o.key)) added.push(observation)
      }
      index.put(...written.map((observation) => observationDocument(observation, context)))
      const removed = [...before.values()]
      for (const id of removed) remove.run({ id })
      return { added, removed }
    },
    /** Adds observations with new keys and leaves the rest of the turn alone. Returns how many were added. */
    add: async (
      turn: { sessionId: number; memorySessionId: MemorySessionId },
      observations: (Omit<Observation, 'id'> & { key: string })[],
    ): Promise<number> => {
      const fresh = observations.filter((o) => !hasKey.get({ key: o.key }) && !deletedIn(turn.sessionId, o.promptNumber)(o.title, false))
      index.put(...fresh.map((o) => observationDocument(put(turn.memorySessionId, o), '')))
      return fresh.length
    },
    /** The newest observations whose changes were not undone. */
    recent: async (project: ProjectKey, limit: number): Promise<WithBranch<Observation>[]> =>
      recent.all({ project, limit }).map((row) => ({ ...observationOf(row), branch: row.branch })),
    /** Like `recent`, of a branch. */
    recentOn: async (project: ProjectKey, branch: string, limit: number): Promise<WithBranch<Observation>[]> =>
      recentOn.all({ project, branch, limit }).map((row) => ({ ...observationOf(row), branch: row.branch })),
    /** The highest id. Ids follow the order of insertion, not the time of the event. */
    lastId: async (): Promise<number> => last.get()?.id ?? 0,
    get: async (ids: number[]): Promise<Observation[]> => ids.flatMap((id) => byId.get({ id }) ?? []).map(observationOf),
    ofTurn: async (sessionId: number, number: number): Promise<Observation[]> => ofTurn.all({ sessionId, number }).map(observationOf),
    ofSession: async (sessionId: number, limit: number): Promise<Observation[]> => ofSession.all({ sessionId, limit }).map(observationOf),
    /**
     * Recent observations of other sessions about a file: first those that changed it, then those that mention it, then those that only read it;
     * newest first. `mentioned` are ids of observations that mention the file without having touched it.
     */
    aboutFile: async (
      project: ProjectKey,
      path: string,
      mentioned: number[],
      notSession: number,
      limit: number,
    ): Promise<Observation[]> => {
      const name = path.slice(path.lastIndexOf('/') + 1)
      return aboutFile.all({ project, path, name, mentioned: JSON.stringify(mentioned), notSession, limit }).map(observationOf)
    },
    /** Recently touched files of a project whose paths contain `name`. */
    pathsWith: async (project: ProjectKey, name: string): Promise<string[]> =>
      pathsWith
        .all({
          project,
          name,
          words: `scope : ${quoteFtsWord(scopeWord(project))} AND files : ${quoteFtsWord(name.replace(/(?<=\w)\.\w+$/, ''))}`,
        })
        .map((row) => row.path),
    withConcept: async (project: ProjectKey | null, concept: string, limit: number): Promise<Observation[]> =>
      withConcept.all({ project, concept: JSON.stringify(concept), limit }).map(observationOf),
    /** The number of observations, and the tokens of all of them. */
    totals: async () => sums.get() ?? { count: 0, tokens: 0 },
    /** Indexes a session's observations again, under their current project; or only those of one turn. */
    reindex: async (sessionId: number, turn?: number) => {
      const rows = ofSession.all({ sessionId, limit: -1 }).filter((row) => turn === undefined || row.prompt_number === turn)
      index.put(...rows.map((row) => observationDocument(observationOf(row), contextOf(row))))
    },
    each: function* (project: ProjectKey | null) {
      for (const row of all({ project })) yield { ...observationOf(row), agent: row.agent, contentSessionId: row.content_session_id }
    },
  }
}

/** Undone work is found by its words but ranks low: it is neither a title nor anything's context. */
function observationDocument(o: Observation, context: string): IndexedDocument {
  const files = [...o.filesModified, ...o.filesRead].join('\n')
  const words = {
    title: `${o.title} ${o.subtitle}`,
    body: o.narrative,
    facts: `${o.facts.join('\n')} ${[...o.concepts, ...(o.tags ?? [])].join(' ')}`,
    files,
  }
  return {
    kind: 'observation',
    ref: String(o.id),
    sessionId: o.sessionId,
    turn: o.promptNumber,
    project: o.project,
    at: o.at,
    words: o.undoneBy ? { facts: Object.values(words).join('\n') } : words,
    context: o.undoneBy ? '' : context,
  }
}

/** An observation as callers know it. */
export function observationOf(row: ObservationTableRow): Observation {
  return {
    id: row.id,
    sessionId: row.session_id,
    project: asProjectKey(row.project),
    promptNumber: row.prompt_number,
    type: row.type as ObservationType,
    title: row.title,
    subtitle: row.subtitle,
    narrative: row.narrative,
    facts: readJsonColumn<string[]>(row.facts),
    concepts: readJsonColumn<Concept[]>(row.concepts),
    ...(row.tags === '[]' ? {} : { tags: readJsonColumn<string[]>(row.tags) }),
    filesRead: readJsonColumn<string[]>(row.files_read),
    filesModified: readJsonColumn<string[]>(row.files_modified),
    tool: row.tool,
    tokens: row.tokens,
    model: row.model,
    at: row.at,
    // Missing in rows that an older version deleted.
    ...(row.undone_by ? { undoneBy: row.undone_by } : {}),
  }
}
