import type { Database } from 'bun:sqlite'
import type { Entity, EntityKind } from '../core/entities.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { OpenFailure } from '../core/memory.ts'
import type { DocumentKind } from './document.ts'
import { readJsonColumn, type SqlParams } from './statement.ts'

/** A memory by its kind and its id within the kind. */
export type DocumentRef = { kind: DocumentKind; ref: string }

/** How two memories are related. Every link points forward in time; the relation describes the later memory. */
export type LinkRelation = 'asked' | 'follows' | 'same-file' | 'co-changed' | 'failed-then-fixed' | 'mentions' | 'supersedes'

export type Link = {
  from: DocumentRef
  to: DocumentRef
  relation: LinkRelation
  /** The reason for the link, for a person: the files, the command, the commit. */
  origin: string
  /** The time of the later memory. */
  at: number
}

/** A memory that names an entity, or touched a file. */
export type Mention = DocumentRef & { at: number }
export type FileTouch = { observation: number; modified: boolean; at: number }

export type TimeSide = 'before' | 'after'

/** An entity and an observation that names it. */
export type ObservationEntity = { observation: number; entity: Entity }
type ObservationEntityRow = { observation: number; kind: EntityKind; name: string }
const observationEntity = ({ observation, kind, name }: ObservationEntityRow): ObservationEntity => ({
  observation,
  entity: { kind, name },
})

type LinkRow = {
  from_kind: DocumentKind
  from_ref: string
  to_kind: DocumentKind
  to_ref: string
  relation: LinkRelation
  origin: string
  at: number
}

/** How many of a file's newest touches are read to count its sessions. */
const MAX_FILE_TOUCHES = 2000

/** Every statement about entities, mentions and links. All three are derived and can be rebuilt from the journal. */
export function linkStatements(db: Database) {
  const given = `json_each(@entities) g CROSS JOIN entities e WHERE e.kind = g.value ->> 0 AND e.name = g.value ->> 1`
  const addEntities = db.prepare(`
    INSERT INTO entities (kind, name) SELECT value ->> 0, value ->> 1 FROM json_each(@entities) WHERE true ON CONFLICT (kind, name) DO NOTHING`)
  const dropMentions = db.prepare(`
    DELETE FROM mentions WHERE kind = @kind AND ref = @ref AND entity_id NOT IN (SELECT e.id FROM ${given})`)
  const addMentions = db.prepare(`
    INSERT INTO mentions (entity_id, kind, ref, project, at) SELECT e.id, @kind, @ref, @project, @at FROM ${given}
    ON CONFLICT DO UPDATE SET project = excluded.project, at = excluded.at`)
  const named = db.prepare<Entity, SqlParams>(`
    SELECT e.kind, e.name FROM mentions m JOIN entities e ON e.id = m.entity_id WHERE m.kind = @kind AND m.ref = @ref ORDER BY e.kind, e.name`)
  const naming = (when: string, order: string) =>
    db.prepare<Mention, SqlParams>(`
      SELECT m.kind, m.ref, m.at FROM mentions m
      WHERE m.entity_id = (SELECT id FROM entities WHERE kind = @kind AND name = @name) AND m.project = @project AND ${when}
      ORDER BY m.at ${order} LIMIT @limit`)
  const namingBefore = naming('m.at <= @at', 'DESC')
  const namingAfter = naming('m.at > @at', 'ASC')
  const recentObservations =
    '(SELECT id, session_id, prompt_number FROM observations WHERE project = @project ORDER BY at DESC, id DESC LIMIT @limit) o'
  const namedByObservation = `SELECT o.id AS observation, e.kind, e.name FROM ${recentObservations}
    CROSS JOIN mentions m ON m.kind = 'observation' AND m.ref = CAST(o.id AS TEXT) JOIN entities e ON e.id = m.entity_id`
  const namedByPrompt = `SELECT o.id AS observation, e.kind, e.name FROM ${recentObservations}
    CROSS JOIN prompts p ON p.session_id = o.session_id AND p.number = o.prompt_number
    CROSS JOIN mentions m ON m.kind = 'prompt' AND m.ref = CAST(p.id AS TEXT) JOIN entities e ON e.id = m.entity_id`
  const recentlyNamed = db.prepare<ObservationEntityRow, SqlParams>(`${namedByObservation} ORDER BY 1, 2, 3`)
  const recentlyNamedWithPrompts = db.prepare<ObservationEntityRow, SqlParams>(
    `${namedByObservation} UNION ${namedByPrompt} ORDER BY 1, 2, 3`,
  )

  const add = db.prepare(`
    INSERT INTO links (from_kind, from_ref, to_kind, to_ref, relation, origin, at)
    VALUES (@fromKind, @fromRef, @toKind, @toRef, @relation, @origin, @at)
    ON CONFLICT DO UPDATE SET origin = excluded.origin, at = excluded.at`)
  const before = db.prepare<LinkRow, SqlParams>(`
    SELECT * FROM links WHERE to_kind = @kind AND to_ref = @ref ORDER BY at DESC, relation, from_kind, from_ref LIMIT @limit`)
  const after = db.prepare<LinkRow, SqlParams>(`
    SELECT * FROM links WHERE from_kind = @kind AND from_ref = @ref ORDER BY at, relation, to_kind, to_ref LIMIT @limit`)
  const dropBefore = db.prepare('DELETE FROM links WHERE to_kind = @kind AND to_ref = @ref')
  const dropAfter = db.prepare('DELETE FROM links WHERE from_kind = @kind AND from_ref = @ref')

  const turn = db.prepare<DocumentRef, SqlParams>(`
    SELECT 'prompt' AS kind, CAST(id AS TEXT) AS ref FROM prompts WHERE session_id = @sessionId AND number = @number
    UNION ALL SELECT 'observation', CAST(id AS TEXT) FROM observations WHERE session_id = @sessionId AND prompt_number = @number
    UNION ALL SELECT 'summary', CAST(id AS TEXT) FROM summaries WHERE session_id = @sessionId AND prompt_number = @number`)
  const turnsAfter = db.prepare<{ id: number; sessionId: number; linked: number }, SqlParams>(`
    SELECT p.id, p.session_id AS sessionId,
      EXISTS (SELECT 1 FROM mentions WHERE kind = 'prompt' AND ref = CAST(p.id AS TEXT))
        OR EXISTS (SELECT 1 FROM links WHERE from_kind = 'prompt' AND from_ref = CAST(p.id AS TEXT)) AS linked
    FROM prompts p WHERE p.id > @after ORDER BY p.id LIMIT @limit`)
  const touched = (than: '<' | '>', order: string) =>
    db.prepare<{ observation: number; modified: number; at: number }, SqlParams>(`
      SELECT observation_id AS observation, modified, at FROM observation_files
      WHERE project = @project AND path = @path AND (at, observation_id) ${than} (@at, @id) ORDER BY at ${order}, observation_id ${order} LIMIT @limit`)
  const touchedBefore = touched('<', 'DESC')
  const touchedAfter = touched('>', 'ASC')
  const shared = db.prepare<{ touched: number; sessions: number }, SqlParams>(`
    SELECT (SELECT count(DISTINCT o.session_id) FROM
        (SELECT observation_id FROM observation_files WHERE project = @project AND path = @path ORDER BY at DESC LIMIT ${MAX_FILE_TOUCHES}) f
        JOIN observations o ON o.id = f.observation_id) AS touched,
      (SELECT count(*) FROM sessions WHERE project = @project) AS sessions`)
  const failures = db.prepare<{ sessionId: number; open_failures: string }, SqlParams>(`
    SELECT session_id AS sessionId, open_failures FROM prompts
    WHERE project = @project AND at < @at AND open_failures IS NOT NULL AND open_failures <> '[]' ORDER BY at DESC LIMIT @limit`)

  const fixed = db.prepare<DocumentRef, SqlParams>(`
    SELECT DISTINCT l.from_kind AS kind, l.from_ref AS ref FROM observations o
    CROSS JOIN links l ON l.to_kind = 'observation' AND l.to_ref = CAST(o.id AS TEXT) AND l.relation = 'failed-then-fixed'
    WHERE o.session_id IN (SELECT value FROM json_each(@sessions))`)

  return {
    /** Replaces the entities that a memory names. */
    setMentions: async (of: DocumentRef & { project: ProjectKey; at: number }, entities: Entity[]) => {
      const { kind, ref } = of
      const list = JSON.stringify(entities.map((entity) => [entity.kind, entity.name]))
      addEntities.run({ entities: list })
      dropMentions.run({ kind, ref, entities: list })
      addMentions.run({ kind, ref, project: of.project, at: of.at, entities: list })
    },
    entitiesOf: async ({ kind, ref }: DocumentRef): Promise<Entity[]> => named.all({ kind, ref }),
    /** The memories of a project that name an entity: up to a time, newest first; or after it, oldest first. */
    mentionsOf: async (entity: Entity, project: ProjectKey, side: TimeSide, at: number, limit: number): Promise<Mention[]> =>
      (side === 'before' ? namingBefore : namingAfter).all({ ...entity, project, at, limit }),
    /** The entities that the newest observations of a project name. */
    recentEntities: async (project: ProjectKey, observations: number): Promise<ObservationEntity[]> =>
      recentlyNamed.all({ project, limit: observations }).map(observationEntity),
    /** Like `recentEntities`, with the entities that the prompts of their turns name. */
    recentEntitiesWithPrompts: async (project: ProjectKey, observations: number): Promise<ObservationEntity[]> =>
      recentlyNamedWithPrompts.all({ project, limit: observations }).map(observationEntity),

    add: async (links: Link[]) => {
      for (const { from, to, relation, origin, at } of links)
        add.run({ fromKind: from.kind, fromRef: from.ref, toKind: to.kind, toRef: to.ref, relation, origin, at })
    },
    /** The links to a memory, or from it, nearest in time first. */
    of: async ({ kind, ref }: DocumentRef, side: TimeSide, limit: number): Promise<Link[]> =>
      (side === 'before' ? before : after).all({ kind, ref, limit }).map(fromRow),
    /** The memories of failures that these sessions fixed. */
    fixedBy: async (sessions: number[]): Promise<DocumentRef[]> => fixed.all({ sessions: JSON.stringify(sessions) }),
    /** Removes every link of a memory, before it is linked again. */
    clear: async ({ kind, ref }: DocumentRef) => {
      dropBefore.run({ kind, ref })
      dropAfter.run({ kind, ref })
    },

    /** The memories of a turn that can be linked. */
    documentsOfTurn: async (sessionId: number, number: number): Promise<DocumentRef[]> => turn.all({ sessionId, number }),
    /** The turns after a prompt, and whether they have mentions or links. */
    turnsAfter: async (after: number, limit: number): Promise<{ id: number; sessionId: number; linked: boolean }[]> =>
      turnsAfter.all({ after, limit }).map((row) => ({ ...row, linked: row.linked === 1 })),
    /** The observations that touched a file right before this one, or right after. */
    fileTouches: async (
      project: ProjectKey,
      path: string,
      side: TimeSide,
      than: { id: number; at: number },
      limit: number,
    ): Promise<FileTouch[]> =>
      (side === 'before' ? touchedBefore : touchedAfter)
        .all({ project, path, id: than.id, at: than.at, limit })
        .map((row) => ({ ...row, modified: row.modified === 1 })),
    /** How many sessions of a project touched a file, and how many sessions it has. */
    countSessionsTouching: async (project: ProjectKey, path: string): Promise<{ touched: number; sessions: number }> =>
      shared.get({ project, path }) ?? { touched: 0, sessions: 0 },
    /** The open failures of a project's turns before a time, newest first. */
    failuresBefore: async (project: ProjectKey, at: number, limit: number): Promise<{ sessionId: number; open: OpenFailure[] }[]> =>
      failures
        .all({ project, at, limit })
        .map((row) => ({ sessionId: row.sessionId, open: readJsonColumn<OpenFailure[]>(row.open_failures) })),
  }
}

function fromRow(row: LinkRow): Link {
  return {
    from: { kind: row.from_kind, ref: row.from_ref },
    to: { kind: row.to_kind, ref: row.to_ref },
    relation: row.relation,
    origin: row.origin,
    at: row.at,
  }
}
