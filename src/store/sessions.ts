import type { Database } from 'bun:sqlite'
import type { AgentName } from '../core/agent.ts'
import {
  asContentSessionId,
  asMemorySessionId,
  asProjectKey,
  type ContentSessionId,
  type MemorySessionId,
  type ProjectKey,
} from '../core/ids.ts'
import type { Session } from '../core/memory.ts'
import { eachRow, type SqlParams, sqlNextId } from './statement.ts'

type SessionRow = {
  id: number
  agent: string
  content_session_id: string
  host: string | null
  memory_session_id: string | null
  project: string
  folder: string
  branch: string | null
  title: string | null
  status: Session['status']
  prompt_count: number
  transcript: string | null
  client_pid: number | null
  forked_at: number | null
  forked_from: number | null
  briefed_at: number | null
  briefed_until: number | null
  context_from: number
  started_at: number
  last_event_at: number
  ended_at: number | null
}

/** A session with its counts, for a list. */
export type SessionWithCounts = Session & { observations: number; toolUses: number; tokensTold: number }

/** `folder` is where its newest session was started. */
export type ProjectCount = { project: ProjectKey; folder: string; sessions: number; lastAt: number }

/** Every statement about sessions and their muted turns. */
export function sessionStatements(db: Database) {
  const insert = db.prepare<SessionRow, SqlParams>(`
    INSERT INTO sessions (id, agent, content_session_id, host, project, folder, branch, status, transcript, client_pid, started_at, last_event_at)
    VALUES (${sqlNextId('sessions', 'newest session')}, @agent, @contentSessionId, @host, coalesce((SELECT now FROM renamed_projects WHERE old = @project), @project), @folder, @branch, 'initialized', @transcript, @clientPid, @at, @at)
    ON CONFLICT (agent, content_session_id) DO NOTHING
    RETURNING *`)
  const byContent = db.prepare<SessionRow, SqlParams>(
    'SELECT * FROM sessions WHERE agent = @agent AND content_session_id = @contentSessionId',
  )
  const byId = db.prepare<SessionRow, SqlParams>('SELECT * FROM sessions WHERE id = @id')
  const beginning = db.prepare<SessionRow, SqlParams>(`
    SELECT * FROM sessions WHERE content_session_id >= @begins AND content_session_id < @begins || char(0x10ffff)
    ORDER BY length(content_session_id), id DESC LIMIT @limit`)
  const touch = db.prepare(`
    UPDATE sessions SET
      last_event_at = max(last_event_at, @at),
      started_at = min(started_at, @at),
      transcript = coalesce(@transcript, transcript),
      client_pid = coalesce(@clientPid, client_pid)
    WHERE id = @id`)
  const reopen = db.prepare("UPDATE sessions SET status = 'active', ended_at = NULL WHERE id = @id AND status <> 'active'")
  const complete = db.prepare("UPDATE sessions SET status = 'completed', ended_at = @at WHERE id = @id AND status <> 'completed'")
  const setForked = db.prepare(
    'UPDATE sessions SET forked_at = coalesce(forked_at, @at), forked_from = coalesce(forked_from, @parent) WHERE id = @id',
  )
  const answeredAt = db.prepare<SessionRow, SqlParams>(`
    SELECT s.* FROM prompts p JOIN sessions s ON s.id = p.session_id
    WHERE p.project = @project AND p.at BETWEEN @at - 86400000 AND @at + @within AND abs(p.answered_at - @at) <= @within AND s.id <> @id
    ORDER BY abs(p.answered_at - @at) LIMIT 1`)
  const setBranch = db.prepare('UPDATE sessions SET branch = @branch WHERE id = @id')
  const setBriefed = db.prepare('UPDATE sessions SET briefed_at = @at, briefed_until = @until WHERE id = @id')
  const setContextFrom = db.prepare('UPDATE sessions SET context_from = max(context_from, @at) WHERE id = @id')
  const setTitle = db.prepare('UPDATE sessions SET title = @title WHERE id = @id')
  const setMemoryId = db.prepare('UPDATE sessions SET memory_session_id = @memorySessionId WHERE id = @id')
  const open = db.prepare<SessionRow, []>("SELECT * FROM sessions WHERE status <> 'completed' ORDER BY last_event_at")
  const recent = db.prepare<SessionRow, SqlParams>(`
    SELECT * FROM sessions WHERE (@project IS NULL OR project = @project) ORDER BY last_event_at DESC LIMIT @limit`)
  const projects = db.prepare<{ project: string; folder: string; sessions: number; lastAt: number }, []>(`
    SELECT project, folder, count(*) AS sessions, max(last_event_at) AS lastAt FROM sessions GROUP BY project ORDER BY lastAt DESC`)
  const inList = '(@project IS NULL OR project = @project) AND (@agent IS NULL OR agent = @agent)'
  const page = db.prepare<SessionRow & { observations: number; toolUses: number; tokensTold: number }, SqlParams>(`
    SELECT *, (SELECT count(*) FROM observations o WHERE o.session_id = sessions.id) AS observations,
      (SELECT count(*) FROM tool_uses t WHERE t.session_id = sessions.id) AS toolUses,
      (SELECT coalesce(sum(tokens), 0) FROM injections i WHERE i.session_id = sessions.id) AS tokensTold
    FROM sessions WHERE ${inList} ORDER BY last_event_at DESC, id DESC LIMIT @limit OFFSET @offset`)
  const countInList = db.prepare<{ n: number }, SqlParams>(`SELECT count(*) AS n FROM sessions WHERE ${inList}`)
  const idsOf = db.prepare<{ id: number }, SqlParams>('SELECT id FROM sessions WHERE project = @project ORDER BY id LIMIT @limit')
  const all = eachRow<SessionRow>(db, 'SELECT * FROM sessions ORDER BY started_at, id')
  const remove = db.prepare('DELETE FROM sessions WHERE id = @id')

  const setMuting = db.prepare('UPDATE sessions SET muting = @muting, has_private = has_private OR @muting WHERE id = @id')
  const setPrivate = db.prepare('UPDATE sessions SET has_private = 1 WHERE id = @id')
  const muteTurn = db.prepare('INSERT INTO muted_turns (session_id, prompt_id) VALUES (@id, @promptId) ON CONFLICT DO NOTHING')
  const mutedTurn = db.prepare('SELECT 1 FROM muted_turns WHERE session_id = @id AND prompt_id = @promptId')
  const privacy = db.prepare<{ muting: number; has_private: number }, SqlParams>('SELECT muting, has_private FROM sessions WHERE id = @id')

  return {
    /** Finds the session with this content id, or creates it. */
    open: async (s: {
      agent: AgentName
      contentSessionId: ContentSessionId
      host?: string | null
      project: ProjectKey
      folder: string
      branch: string | null
      transcript: string | null
      clientPid: number | null
      at: number
    }): Promise<{ session: Session; opened: boolean }> => {
      const made = insert.get({ ...s, host: s.host ?? null })
      if (made) return { session: fromRow(made), opened: true }
      const found = byContent.get({ agent: s.agent, contentSessionId: s.contentSessionId })
      if (!found) throw new Error(`session ${s.contentSessionId} was neither created nor found`)
      return { session: fromRow(found), opened: false }
    },
    find: async (agent: AgentName, contentSessionId: ContentSessionId): Promise<Session | null> =>
      orNull(byContent.get({ agent, contentSessionId })),
    get: async (id: number): Promise<Session | null> => orNull(byId.get({ id })),
    /** The sessions whose content id starts with this: an exact match first, then the newest. */
    withIdPrefix: async (prefix: string, limit: number): Promise<Session[]> => beginning.all({ begins: prefix, limit }).map(fromRow),
    /** Records the time of an event, and what the event knows about the session. */
    touch: async (id: number, seen: { at: number; transcript: string | null; clientPid: number | null }) => {
      touch.run({ id, ...seen })
    },
    activate: async (id: number) => {
      reopen.run({ id })
    },
    /** False when it was already completed. */
    complete: async (id: number, at: number) => complete.run({ id, at }).changes > 0,
    markForked: async (id: number, at: number, parent: number | null) => {
      setForked.run({ id, at, parent })
    },
    /** Another session of the project with an answer within `within` ms of this time: the parent of a fork. */
    findAnsweredAt: async (session: Session, at: number, within: number): Promise<Session | null> =>
      orNull(answeredAt.get({ project: session.project, id: session.id, at, within })),
    setBranch: async (id: number, branch: string) => {
      setBranch.run({ id, branch })
    },
    setBriefed: async (id: number, at: number, until: number) => {
      setBriefed.run({ id, at, until })
    },
    /** The client has compacted the conversation: earlier injections are no longer in the model's context. */
    setContextFrom: async (id: number, at: number) => {
      setContextFrom.run({ id, at })
    },
    setTitle: async (id: number, title: string) => {
      setTitle.run({ id, title })
    },
    /** Must be called before the session's first observation; the database rejects observations without it. */
    setMemorySessionId: async (id: number, memorySessionId: MemorySessionId) => {
      setMemoryId.run({ id, memorySessionId })
    },
    notCompleted: async (): Promise<Session[]> => open.all().map(fromRow),
    recent: async (project: ProjectKey | null, limit: number): Promise<Session[]> => recent.all({ project, limit }).map(fromRow),
    /** One page of sessions with their counts, latest first, and the total number. */
    page: async (project: ProjectKey | null, agent: string | null, limit: number, offset: number) => ({
      total: countInList.get({ project, agent })?.n ?? 0,
      sessions: page.all({ project, agent, limit, offset }).map(
        (row): SessionWithCounts => ({
          ...fromRow(row),
          observations: row.observations,
          toolUses: row.toolUses,
          tokensTold: row.tokensTold,
        }),
      ),
    }),
    idsOf: async (project: ProjectKey, limit: number): Promise<number[]> => idsOf.all({ project, limit }).map((row) => row.id),
    projects: async (): Promise<ProjectCount[]> => projects.all().map((row) => ({ ...row, project: asProjectKey(row.project) })),
    each: function* () {
      for (const row of all({})) yield fromRow(row)
    },
    /** Deletes the session and everything that belongs to it. */
    remove: async (id: number) => {
      remove.run({ id })
    },

    /** Mutes the turn of an entirely private prompt; the next prompt ends the muting. */
    setMuting: async (id: number, muting: boolean, promptId: string | null) => {
      setMuting.run({ id, muting: Number(muting) })
      if (muting && promptId) muteTurn.run({ id, promptId })
    },
    /** Events of older clients have no turn id; for them the session's state decides. */
    isMuted: async (id: number, promptId: string | null): Promise<boolean> =>
      promptId ? mutedTurn.get({ id, promptId }) !== null : privacy.get({ id })?.muting === 1,
    markPrivate: async (id: number) => {
      setPrivate.run({ id })
    },
    hasPrivate: async (id: number): Promise<boolean> => privacy.get({ id })?.has_private === 1,
  }
}

const orNull = (row: SessionRow | null) => (row ? fromRow(row) : null)

function fromRow(row: SessionRow): Session {
  return {
    id: row.id,
    agent: row.agent as AgentName,
    contentSessionId: asContentSessionId(row.content_session_id),
    host: row.host,
    memorySessionId: row.memory_session_id === null ? null : asMemorySessionId(row.memory_session_id),
    project: asProjectKey(row.project),
    folder: row.folder,
    branch: row.branch,
    title: row.title,
    status: row.status,
    promptCount: row.prompt_count,
    transcript: row.transcript,
    clientPid: row.client_pid,
    forkedAt: row.forked_at,
    forkedFrom: row.forked_from,
    briefed: row.briefed_at === null ? null : { at: row.briefed_at, until: row.briefed_until ?? 0 },
    contextFrom: row.context_from,
    startedAt: row.started_at,
    lastEventAt: row.last_event_at,
    endedAt: row.ended_at,
  }
}
