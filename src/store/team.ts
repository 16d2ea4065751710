import type { Database } from 'bun:sqlite'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { NoteId } from '../core/note.ts'
import type { SharedMemoryKind, TeamPolicy, TeamRight } from '../core/team.ts'
import type { SqlParams } from './statement.ts'

/**
 * A project of the hub. `pulled` is how far its feed was read; `reading` counts how often reading it began at the start, and `finished` is the reading that
 * last came to the end.
 */
export type StoredTeamProject = {
  key: string
  project: ProjectKey
  title: string
  policy: TeamPolicy
  may: TeamRight | null
  review: boolean
  pulled: number
  reading: number
  finished: number
  head: number
}

/** A memory that changed since the hub last heard of it. */
export type OutboxEntry = { id: number; kind: SharedMemoryKind; ref: string }

/** A memory that this home has put on the hub. `hash` is the hub's newest version that this home knows, `sent` a fingerprint of what was sent last. */
export type SentMemory = {
  key: string
  id: string
  kind: SharedMemoryKind
  ref: string
  hash: string | null
  sent: string | null
  state: string
  /** Set on a version that the hub kept after a conflict, and on one that waits for a curator (`state` is `waiting`): the id of the memory. */
  versionOf: string | null
  problem: string | null
}

/** A memory that came from the hub. */
export type ReceivedMemory = {
  key: string
  id: string
  kind: string
  seq: number
  hash: string
  authorId: string
  author: string
  state: string
  versionOf: string | null
  copy: NoteId | null
  /** The memory as JSON, when no note was made of it. */
  body: string | null
  changedAt: number
  reading: number
}

type TeamProjectRow = Omit<StoredTeamProject, 'project' | 'review'> & { project: string; review: number }

const SHARED = 'key, id, kind, ref, hash, sent, state, version_of AS versionOf, problem'
const RECEIVED = `key, id, kind, seq, hash, author_id AS authorId, author, state, version_of AS versionOf, copy, body, changed_at AS changedAt, reading`

/** Every statement about sharing with a team. The outbox itself is filled by triggers, in the transaction that changes a memory. */
export function teamStatements(db: Database) {
  const projects = db.prepare<TeamProjectRow, []>('SELECT * FROM team_projects ORDER BY key')
  const projectByKey = db.prepare<TeamProjectRow, SqlParams>('SELECT * FROM team_projects WHERE key = @key')
  const putProject = db.prepare(`
    INSERT INTO team_projects (key, project, title, policy, may, review, pulled, reading, finished, head)
    VALUES (@key, @project, @title, @policy, @may, @review, @pulled, @reading, @finished, @head)
    ON CONFLICT (key) DO UPDATE SET project = excluded.project, title = excluded.title, policy = excluded.policy, may = excluded.may,
      review = excluded.review, pulled = excluded.pulled, reading = excluded.reading, finished = excluded.finished, head = excluded.head`)
  const removeProject = db.prepare('DELETE FROM team_projects WHERE key = @key')
  const counts = db.prepare<{ key: string; shared: number; received: number }, []>(`
    SELECT key, (SELECT count(*) FROM team_shared s WHERE s.key = p.key AND s.sent IS NOT NULL AND s.version_of IS NULL) AS shared,
      (SELECT count(*) FROM team_received r WHERE r.key = p.key AND r.copy IS NOT NULL) AS received FROM team_projects p`)

  const authors = db.prepare<{ name: string; memories: number }, SqlParams>(`
    SELECT author AS name, count(*) AS memories FROM team_received WHERE key = @key AND copy IS NOT NULL GROUP BY author_id
    ORDER BY memories DESC, name LIMIT 20`)
  const outbox = db.prepare<OutboxEntry, SqlParams>('SELECT id, kind, ref FROM team_outbox WHERE id > @after ORDER BY id LIMIT @limit')
  const outboxSize = db.prepare<{ n: number }, []>('SELECT count(*) AS n FROM team_outbox')
  const isWaiting = db.prepare('SELECT 1 FROM team_outbox WHERE kind = @kind AND ref = @ref')
  const settle = db.prepare('DELETE FROM team_outbox WHERE id = @id')
  const unqueue = db.prepare('DELETE FROM team_outbox WHERE kind = @kind AND ref = @ref')
  const queue = db.prepare('INSERT INTO team_outbox (kind, ref) VALUES (@kind, @ref)')
  const queueNotes = db.prepare(`
    INSERT INTO team_outbox (kind, ref) SELECT 'note', id FROM notes
    WHERE project = @project AND author IS NULL AND id NOT IN (SELECT ref FROM team_outbox WHERE kind = 'note') ORDER BY updated_at`)
  const queueRows = (['observation', 'summary'] as const).map((kind) =>
    db.prepare(`
      INSERT INTO team_outbox (kind, ref) SELECT '${kind}', id FROM ${kind === 'summary' ? 'summaries' : 'observations'}
      WHERE project = @project AND CAST(id AS TEXT) NOT IN (SELECT ref FROM team_outbox WHERE kind = '${kind}') ORDER BY at`),
  )
  const queueShared = db.prepare(`
    INSERT INTO team_outbox (kind, ref) SELECT DISTINCT kind, ref FROM team_shared s WHERE key = @key
      AND NOT EXISTS (SELECT 1 FROM team_outbox o WHERE o.kind = s.kind AND o.ref = s.ref)`)

  const sharedOf = db.prepare<SentMemory, SqlParams>(`SELECT ${SHARED} FROM team_shared WHERE kind = @kind AND ref = @ref ORDER BY key, id`)
  const shared = db.prepare<SentMemory, SqlParams>(`SELECT ${SHARED} FROM team_shared WHERE key = @key AND id = @id`)
  const sharedIn = db.prepare<SentMemory, SqlParams>(`SELECT ${SHARED} FROM team_shared WHERE key = @key ORDER BY id`)
  const unsettled = db.prepare<SentMemory, []>(`
    SELECT ${SHARED} FROM team_shared WHERE problem IS NOT NULL OR state IN ('proposed', 'rejected') ORDER BY key, id LIMIT 1000`)
  const putShared = db.prepare(`
    INSERT INTO team_shared (key, id, kind, ref, hash, sent, state, version_of, problem)
    VALUES (@key, @id, @kind, @ref, @hash, @sent, @state, @versionOf, @problem)
    ON CONFLICT (key, id) DO UPDATE SET kind = excluded.kind, ref = excluded.ref, hash = excluded.hash, sent = excluded.sent, state = excluded.state,
      version_of = excluded.version_of, problem = excluded.problem`)
  const removeShared = db.prepare('DELETE FROM team_shared WHERE key = @key AND id = @id')

  const choices = db.prepare<{ key: string; isShared: number }, SqlParams>(
    'SELECT key, is_shared AS isShared FROM team_choices WHERE note = @note',
  )
  const putChoice = db.prepare(`
    INSERT INTO team_choices (note, key, is_shared) VALUES (@note, @key, @isShared)
    ON CONFLICT (note, key) DO UPDATE SET is_shared = excluded.is_shared`)
  const removeChoice = db.prepare('DELETE FROM team_choices WHERE note = @note AND key = @key')
  const removeChosenIn = db.prepare('DELETE FROM team_choices WHERE key = @key AND is_shared = 1')

  const received = db.prepare<ReceivedMemory, SqlParams>(`SELECT ${RECEIVED} FROM team_received WHERE key = @key AND id = @id`)
  const receivedIn = db.prepare<ReceivedMemory, SqlParams>(`SELECT ${RECEIVED} FROM team_received WHERE key = @key ORDER BY seq`)
  const copiesOfOwn = db.prepare<ReceivedMemory, SqlParams>(`
    SELECT ${RECEIVED} FROM team_received WHERE key = @key AND author_id = @authorId AND copy IS NOT NULL AND id GLOB '*' || @mark
      AND EXISTS (SELECT 1 FROM notes n WHERE n.id = substr(team_received.id, 1, length(team_received.id) - length(@mark)) AND n.author IS NULL)`)
  const receivedAs = db.prepare<ReceivedMemory, SqlParams>(`SELECT ${RECEIVED} FROM team_received WHERE copy = @copy`)
  const outdated = db.prepare<ReceivedMemory, SqlParams>(
    `SELECT ${RECEIVED} FROM team_received WHERE key = @key AND reading < @reading ORDER BY seq`,
  )
  const oldest = db.prepare<ReceivedMemory, SqlParams>(
    `SELECT ${RECEIVED} FROM team_received WHERE key = @key ORDER BY seq DESC LIMIT -1 OFFSET @keep`,
  )
  const toReview = db.prepare<ReceivedMemory, []>(
    `SELECT ${RECEIVED} FROM team_received WHERE state = 'proposed' AND body IS NOT NULL ORDER BY changed_at`,
  )
  const versions = db.prepare<ReceivedMemory, []>(
    `SELECT ${RECEIVED} FROM team_received WHERE body IS NOT NULL AND state <> 'proposed' ORDER BY key, version_of, id`,
  )
  const putReceived = db.prepare(`
    INSERT INTO team_received (key, id, kind, seq, hash, author_id, author, state, version_of, copy, body, changed_at, reading)
    VALUES (@key, @id, @kind, @seq, @hash, @authorId, @author, @state, @versionOf, @copy, @body, @changedAt, @reading)
    ON CONFLICT (key, id) DO UPDATE SET kind = excluded.kind, seq = excluded.seq, hash = excluded.hash, author_id = excluded.author_id,
      author = excluded.author, state = excluded.state, version_of = excluded.version_of, copy = excluded.copy, body = excluded.body,
      changed_at = excluded.changed_at, reading = excluded.reading`)
  const removeReceived = db.prepare('DELETE FROM team_received WHERE key = @key AND id = @id')

  const fromRow = (row: TeamProjectRow): StoredTeamProject => ({ ...row, project: asProjectKey(row.project), review: row.review === 1 })
  return {
    projects: async (): Promise<StoredTeamProject[]> => projects.all().map(fromRow),
    project: async (key: string): Promise<StoredTeamProject | null> => {
      const row = projectByKey.get({ key })
      return row ? fromRow(row) : null
    },
    putProject: async (project: StoredTeamProject): Promise<void> => {
      putProject.run({ ...project, review: Number(project.review) })
    },
    /** How many memories of each project are shared and received. */
    counts: async (): Promise<Map<string, { shared: number; received: number }>> =>
      new Map(counts.all().map(({ key, shared, received }) => [key, { shared, received }])),

    /** Whose copies a project has, most first. */
    authors: async (key: string): Promise<{ name: string; memories: number }[]> => authors.all({ key }),

    /** The oldest entries of the outbox after an id. An entry gets a new id whenever its memory changes. */
    outbox: async (after: number, limit: number): Promise<OutboxEntry[]> => outbox.all({ after, limit }),
    outboxSize: async (): Promise<number> => outboxSize.get()?.n ?? 0,
    isWaiting: async (kind: SharedMemoryKind, ref: string): Promise<boolean> => isWaiting.get({ kind, ref }) !== null,
    /** Removes an entry that was dealt with. Does nothing if the memory changed since it was read. */
    settle: async (id: number): Promise<void> => {
      settle.run({ id })
    },
    queue: async (kind: SharedMemoryKind, ref: string): Promise<void> => {
      unqueue.run({ kind, ref })
      queue.run({ kind, ref })
    },
    /** Queues every memory of a project that its policy may concern. Whether one is shared is decided when it is sent. */
    queueProject: async (project: ProjectKey, policy: TeamPolicy): Promise<void> => {
      queueNotes.run({ project })
      if (policy === 'notes+distilled') for (const statement of queueRows) statement.run({ project })
    },
    /** Queues everything that this home has put into a project of the hub. */
    queueShared: async (key: string): Promise<void> => {
      queueShared.run({ key })
    },

    sharedOf: async (kind: SharedMemoryKind, ref: string): Promise<SentMemory[]> => sharedOf.all({ kind, ref }),
    shared: async (key: string, id: string): Promise<SentMemory | null> => shared.get({ key, id }),
    sharedIn: async (key: string): Promise<SentMemory[]> => sharedIn.all({ key }),
    /** Shared memories that were refused, rejected, wait for a curator, or are in conflict. */
    unsettled: async (): Promise<SentMemory[]> => unsettled.all(),
    putShared: async (memory: SentMemory): Promise<void> => {
      putShared.run({ ...memory })
    },
    removeShared: async (key: string, id: string): Promise<void> => {
      removeShared.run({ key, id })
    },

    /** The projects that the person shares a note with, or withholds it from, whatever the policy says. */
    choices: async (note: NoteId): Promise<{ key: string; isShared: boolean }[]> =>
      choices.all({ note }).map(({ key, isShared }) => ({ key, isShared: isShared === 1 })),
    choose: async (note: NoteId, key: string, isShared: boolean | null): Promise<void> => {
      if (isShared === null) removeChoice.run({ note, key })
      else putChoice.run({ note, key, isShared: Number(isShared) })
    },
    /** Forgets which notes the person chose to share with a project. What was withheld stays withheld. */
    dropChosen: async (key: string): Promise<void> => {
      removeChosenIn.run({ key })
    },

    received: async (key: string, id: string): Promise<ReceivedMemory | null> => received.get({ key, id }),
    receivedIn: async (key: string): Promise<ReceivedMemory[]> => receivedIn.all({ key }),
    /** Copies of the person's own notes, whose ids on the hub end with `mark`, where the note itself is here too. */
    copiesOfOwn: async (key: string, authorId: string, mark: string): Promise<ReceivedMemory[]> => copiesOfOwn.all({ key, authorId, mark }),
    /** The origin of a copy. */
    receivedAs: async (copy: NoteId): Promise<ReceivedMemory | null> => receivedAs.get({ copy }),
    /** Memories that the current reading of the whole feed has not seen. */
    notSeenAgain: async (key: string, reading: number): Promise<ReceivedMemory[]> => outdated.all({ key, reading }),
    /** All but the newest memories of a project. */
    beyond: async (key: string, keep: number): Promise<ReceivedMemory[]> => oldest.all({ key, keep }),
    toReview: async (): Promise<ReceivedMemory[]> => toReview.all(),
    /** Other versions of memories, after conflicts. */
    versions: async (): Promise<ReceivedMemory[]> => versions.all(),
    putReceived: async (memory: ReceivedMemory): Promise<void> => {
      putReceived.run({ ...memory })
    },
    removeReceived: async (key: string, id: string): Promise<void> => {
      removeReceived.run({ key, id })
    },
    /** Forgets a project of the hub, with what is known about shared memories in it. Copies must be removed before. */
    dropProject: async (key: string): Promise<void> => {
      for (const table of ['team_shared', 'team_received', 'team_choices']) db.run(`DELETE FROM ${table} WHERE key = ?`, [key])
      removeProject.run({ key })
    },
    /** Forgets everything about a team. Copies must be removed before. */
    clear: async (): Promise<void> => {
      for (const table of ['team_shared', 'team_received', 'team_choices', 'team_outbox', 'team_projects']) db.run(`DELETE FROM ${table}`)
    },
  }
}
