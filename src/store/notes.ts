import type { Database } from 'bun:sqlite'
import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import {
  asNoteId,
  isDeletedOrExpired,
  type Note,
  type NoteId,
  type NoteScope,
  type NoteSource,
  type NoteState,
  type NoteType,
} from '../core/note.ts'
import type { IndexedDocument } from './document.ts'
import type { DocumentIndexes } from './documents.ts'
import { eachRow, NO_ROWS, type RowsAndBytes, readJsonColumn, type SqlParams } from './statement.ts'

type NoteRow = {
  id: string
  path: string
  project: string
  scope: NoteScope
  namespace: string
  type: NoteType
  title: string
  body: string
  tags: string
  machine: string
  source: NoteSource
  author: string | null
  session: string | null
  model: string | null
  confidence: number
  supersedes: string
  conflict_of: string | null
  state: NoteState
  said: string
  pinned: number
  unknown: string
  created_at: number
  updated_at: number
  expires_at: number | null
  deleted_at: number | null
}

/** A file in the notes folder, as it was when it was read. `problem` says why it is not a note. */
export type NoteFile = { path: string; bytes: number; changedAt: number; id: NoteId | null; problem: string | null }

/** An earlier version of a note. */
export type StoredNoteVersion = { title: string; body: string; at: number }

const MAX_NOTE_VERSIONS = 50

export type NoteFilter = {
  /** Notes of this project and global notes; null for all projects. */
  project: ProjectKey | null
  types?: NoteType[]
  namespace?: string
  state?: NoteState
  /** Include superseded, expired and deleted notes. */
  hidden?: boolean
  now: number
  limit: number
  offset?: number
}

/** Every statement about notes. The markdown files are authoritative; the rows can be rebuilt from them. */
export function noteStatements(db: Database, index: DocumentIndexes) {
  const put = db.prepare(`
    INSERT INTO notes (id, path, project, scope, namespace, type, title, body, tags, machine, source, author, session, model, confidence, supersedes,
      conflict_of, state, said, pinned, unknown, print, created_at, updated_at, expires_at, deleted_at)
    VALUES (@id, @path, @project, @scope, @namespace, @type, @title, @body, @tags, @machine, @source, @author, @session, @model, @confidence, @supersedes,
      @conflictOf, @state, @said, @pinned, @unknown, @print, @createdAt, @updatedAt, @expiresAt, @deletedAt)
    ON CONFLICT (id) DO UPDATE SET path = excluded.path, project = excluded.project, scope = excluded.scope, namespace = excluded.namespace,
      type = excluded.type, title = excluded.title, body = excluded.body, tags = excluded.tags, machine = excluded.machine,
      source = excluded.source, author = excluded.author, session = excluded.session, model = excluded.model, confidence = excluded.confidence,
      supersedes = excluded.supersedes, conflict_of = excluded.conflict_of, state = excluded.state, said = excluded.said, pinned = excluded.pinned, unknown = excluded.unknown,
      print = excluded.print, created_at = excluded.created_at, updated_at = excluded.updated_at, expires_at = excluded.expires_at,
      deleted_at = excluded.deleted_at`)
  const projects = db.prepare<{ project: string }, SqlParams>('SELECT DISTINCT project FROM notes WHERE deleted_at IS NULL')
  const beginning = db.prepare<{ id: string }, SqlParams>(`
    SELECT id FROM notes WHERE id >= @text AND id < @end
    UNION SELECT id FROM notes WHERE substr(id, 11) >= @text AND substr(id, 11) < @end LIMIT 3`)
  const addVersion = db.prepare(`
    INSERT INTO note_versions (note, title, body, at) VALUES (@note, @title, @body, @at) ON CONFLICT DO NOTHING`)
  const cutVersions = db.prepare(`
    DELETE FROM note_versions WHERE note = @note AND at < (SELECT at FROM note_versions WHERE note = @note ORDER BY at DESC LIMIT 1 OFFSET ${MAX_NOTE_VERSIONS - 1})`)
  const versions = db.prepare<StoredNoteVersion, SqlParams>('SELECT title, body, at FROM note_versions WHERE note = @note ORDER BY at DESC')
  const remove = db.prepare('DELETE FROM notes WHERE id = @id')
  const forgetSuperseded = db.prepare('DELETE FROM superseded WHERE newer = @newer')
  const addSuperseded = db.prepare('INSERT INTO superseded (older, newer) VALUES (@older, @newer) ON CONFLICT DO NOTHING')
  const olderOf = db.prepare<{ older: string }, SqlParams>('SELECT older FROM superseded WHERE newer = @newer')
  /** A deleted note supersedes nothing. */
  const supersedesIt = `SELECT 1 FROM superseded s JOIN notes n ON n.id = s.newer WHERE s.older = notes.id AND n.deleted_at IS NULL`
  const newerOf = db.prepare<{ newer: string }, SqlParams>(`
    SELECT s.newer FROM superseded s JOIN notes n ON n.id = s.newer WHERE s.older = @older AND n.deleted_at IS NULL ORDER BY n.updated_at DESC`)
  const byId = db.prepare<NoteRow, SqlParams>('SELECT * FROM notes WHERE id = @id')
  const bySession = db.prepare<NoteRow, SqlParams>(`SELECT * FROM notes WHERE session = @session AND type = 'episodic' ORDER BY id LIMIT 1`)
  const allOfSession = db.prepare<NoteRow, SqlParams>('SELECT * FROM notes WHERE session = @session ORDER BY id')
  const madeFrom = db.prepare<NoteRow, SqlParams>(`
    SELECT * FROM notes WHERE conflict_of = @id OR (source = 'reflection' AND instr(unknown, @id) > 0) ORDER BY id`)
  // A place is a date, the session and its turn: 2026-01-31 3f1c7a52:4.
  const saidIn = db.prepare<NoteRow, SqlParams>(`
    SELECT * FROM notes WHERE said <> '[]' AND EXISTS (SELECT 1 FROM json_each(said) p WHERE rtrim(substr(p.value, 12), '0123456789')
      IN (SELECT value || ':' FROM json_each(@sessions))) ORDER BY id`)
  const deletedAt = db.prepare<NoteRow, SqlParams>('SELECT * FROM notes WHERE deleted_at = @at ORDER BY id')
  const dropVersions = db.prepare('DELETE FROM note_versions WHERE note = @id')
  const byPrint = db.prepare<NoteRow, SqlParams>('SELECT * FROM notes WHERE print = @print ORDER BY updated_at DESC')
  const list = db.prepare<NoteRow, SqlParams>(`
    SELECT * FROM notes
    WHERE (@project IS NULL OR project = @project OR project = '${GLOBAL_PROJECT}')
      AND (@types IS NULL OR instr(@types, type) > 0) AND (@namespace IS NULL OR namespace = @namespace)
      AND (@state IS NULL OR state = @state)
      AND (@hidden OR (deleted_at IS NULL AND (expires_at IS NULL OR expires_at > @now) AND NOT EXISTS (${supersedesIt})))
    ORDER BY updated_at DESC, confidence DESC, id DESC LIMIT @limit OFFSET @offset`)
  const newest = db.prepare<NoteRow, SqlParams>(`
    SELECT * FROM notes
    WHERE project = @project AND instr(@types, type) > 0 AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > @now)
      AND conflict_of IS NULL AND NOT EXISTS (${supersedesIt})
    ORDER BY author IS NOT NULL, updated_at DESC, confidence DESC, id DESC LIMIT @limit`)
  const pinned = db.prepare<NoteRow, SqlParams>(`
    SELECT * FROM notes
    WHERE pinned = 1 AND project = @project AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > @now)
      AND conflict_of IS NULL AND NOT EXISTS (${supersedesIt})
    ORDER BY updated_at DESC, id DESC LIMIT @limit`)
  const ofNamespace = db.prepare<NoteRow, SqlParams>(`
    SELECT * FROM notes
    WHERE namespace = @namespace AND (project = @project OR project = '${GLOBAL_PROJECT}') AND deleted_at IS NULL
      AND (expires_at IS NULL OR expires_at > @now) AND conflict_of IS NULL AND NOT EXISTS (${supersedesIt})
    ORDER BY updated_at DESC, id DESC LIMIT @limit`)
  const rejected = db.prepare<NoteRow, SqlParams>(`
    SELECT * FROM notes WHERE project = @project AND deleted_at IS NOT NULL AND said <> '[]' ORDER BY deleted_at DESC LIMIT @limit`)
  const counts = db.prepare<{ all: number; hidden: number; conflicted: number }, SqlParams>(`
    SELECT count(*) AS "all", total(conflict_of IS NOT NULL AND deleted_at IS NULL) AS conflicted,
      total(deleted_at IS NOT NULL OR expires_at <= @now OR EXISTS (${supersedesIt})) AS hidden FROM notes`)
  const captured = db.prepare<{ n: number }, SqlParams>(`
    SELECT count(*) AS n FROM notes WHERE created_at > @at AND deleted_at IS NULL AND state = 'accepted' AND source NOT IN ('merge', 'reflection')`)
  const past = db.prepare<RowsAndBytes, SqlParams>(`
    SELECT count(*) AS rows, coalesce(sum(octet_length(body) + octet_length(title)), 0) AS bytes FROM notes
    WHERE deleted_at < @before AND said = '[]'`)
  const deletedBefore = db.prepare<{ id: string }, SqlParams>(
    "SELECT id FROM notes WHERE deleted_at < @before AND said = '[]' ORDER BY deleted_at LIMIT @limit",
  )
  const conflicts = db.prepare<NoteRow, SqlParams>('SELECT * FROM notes WHERE conflict_of IS NOT NULL AND deleted_at IS NULL ORDER BY id')
  const all = eachRow<NoteRow>(db, 'SELECT * FROM notes WHERE (@project IS NULL OR project = @project) ORDER BY updated_at, id')

  const putFile = db.prepare(`
    INSERT INTO note_files (path, bytes, changed_at, id, problem) VALUES (@path, @bytes, @changedAt, @id, @problem)
    ON CONFLICT (path) DO UPDATE SET bytes = excluded.bytes, changed_at = excluded.changed_at, id = excluded.id, problem = excluded.problem`)
  const removeFile = db.prepare('DELETE FROM note_files WHERE path = @path')
  const files = db.prepare<NoteFile, []>('SELECT path, bytes, changed_at AS changedAt, id, problem FROM note_files')
  const filesOf = db.prepare<NoteFile, SqlParams>(
    'SELECT path, bytes, changed_at AS changedAt, id, problem FROM note_files WHERE id = @id ORDER BY path',
  )
  const fileAt = db.prepare<NoteFile, SqlParams>(
    'SELECT path, bytes, changed_at AS changedAt, id, problem FROM note_files WHERE path = @path',
  )
  const problems = db.prepare<NoteFile, []>(`
    SELECT path, bytes, changed_at AS changedAt, id, problem FROM note_files WHERE problem IS NOT NULL ORDER BY path`)

  const get = (id: NoteId): Note | null => {
    const row = byId.get({ id })
    return row ? fromRow(row) : null
  }
  /** Notes whose words are written later; null outside `indexTogether`. */
  let waiting: Set<NoteId> | null = null
  /** A superseded note can still be found, and is marked then. Expiry is checked when a note is read. */
  const indexNotes = (ids: NoteId[]) => {
    if (waiting) {
      for (const id of ids) waiting.add(id)
      return
    }
    const documents: IndexedDocument[] = []
    for (const id of ids) {
      const note = get(id)
      if (note && note.deletedAt === null) documents.push(documentOf(note))
      else index.remove('note', id)
    }
    index.put(...documents)
  }

  return {
    /** Writes the row of a note. Notes that it supersedes are hidden; those that it no longer supersedes are shown again. */
    put: async (note: Note, print: string): Promise<void> => {
      const before = get(note.id)
      // Of another person's note only the current version is kept: what its author removed from it is gone here too.
      if (before?.author === null && (before.title !== note.title || before.body !== note.body)) {
        addVersion.run({ note: note.id, title: before.title, body: before.body, at: before.updatedAt })
        cutVersions.run({ note: note.id })
      }
      put.run({
        ...note,
        tags: JSON.stringify(note.tags),
        supersedes: JSON.stringify(note.supersedes),
        unknown: JSON.stringify(note.unknown),
        said: JSON.stringify(note.said),
        pinned: Number(note.pinned),
        print,
      })
      const touched = new Set<string>([note.id, ...note.supersedes, ...olderOf.all({ newer: note.id }).map((row) => row.older)])
      forgetSuperseded.run({ newer: note.id })
      for (const older of note.supersedes) if (older !== note.id) addSuperseded.run({ older, newer: note.id })
      indexNotes([...touched].map(asNoteId))
    },
    /**
     * Indexes all notes that the work writes at its end. Between the words of two notes, every other statement makes FTS5 write out the words it
     * holds, so that many notes at once take twice as long. Must run inside a transaction.
     */
    indexTogether: async <T>(work: () => Promise<T>): Promise<T> => {
      const together = new Set<NoteId>()
      waiting = together
      let result: T
      try {
        result = await work()
      } finally {
        waiting = null
      }
      indexNotes([...together])
      return result
    },
    remove: async (id: NoteId): Promise<void> => {
      const older = olderOf.all({ newer: id })
      remove.run({ id })
      indexNotes(older.map((row) => asNoteId(row.older)))
    },
    get: async (id: NoteId): Promise<Note | null> => get(id),
    /** Earlier versions, latest first. */
    versions: async (id: NoteId): Promise<StoredNoteVersion[]> => versions.all({ note: id }),
    /** The note, unless it is hidden: deleted, expired, or superseded. */
    getVisible: async (id: NoteId, now: number): Promise<Note | null> => {
      const note = get(id)
      return note && !isDeletedOrExpired(note, now) && !newerOf.get({ older: id }) ? note : null
    },
    /** The projects that have notes. */
    projects: async (): Promise<ProjectKey[]> => projects.all({}).map((row) => asProjectKey(row.project)),
    /** The ids that begin with a text, or whose part after the time does: at most three, because more are ambiguous anyway. */
    idsBeginning: async (text: string): Promise<NoteId[]> =>
      beginning.all({ text, end: `${text}\u{10ffff}` }).map((row) => asNoteId(row.id)),
    /** The notes that supersede it, newest first. */
    supersededBy: async (id: NoteId): Promise<NoteId[]> => newerOf.all({ older: id }).map((row) => asNoteId(row.newer)),
    /** The one episodic note of an agent's session. */
    ofSession: async (session: string): Promise<Note | null> => {
      const row = bySession.get({ session })
      return row ? fromRow(row) : null
    },
    /** Everything that was noted in an agent's session. */
    allOfSession: async (session: string): Promise<Note[]> => allOfSession.all({ session }).map(fromRow),
    /** Conflicting versions of a note, and the notes that a reflection made from it. */
    versionsAndReflectionsOf: async (id: NoteId): Promise<Note[]> => madeFrom.all({ id }).map(fromRow),
    /** Notes that were said in one of these sessions of an agent, also hidden ones. */
    saidIn: async (sessions: string[]): Promise<Note[]> => saidIn.all({ sessions: JSON.stringify(sessions) }).map(fromRow),
    /** Notes that were hidden at exactly this time, by one deletion. */
    deletedAt: async (at: number): Promise<Note[]> => deletedAt.all({ at }).map(fromRow),
    dropVersions: async (id: NoteId): Promise<void> => {
      dropVersions.run({ id })
    },
    withFingerprint: async (print: string): Promise<Note[]> => byPrint.all({ print }).map(fromRow),
    list: async ({ project, types, namespace, state, hidden = false, now, limit, offset = 0 }: NoteFilter): Promise<Note[]> =>
      list
        .all({
          project,
          types: types?.join(' ') ?? null,
          namespace: namespace ?? null,
          state: state ?? null,
          hidden: Number(hidden),
          now,
          limit,
          offset,
        })
        .map(fromRow),
    /** The newest visible notes of one project; for equal times, the more confident first. Copies of others' notes come last, so that they push out none of the person's. */
    newest: async (project: ProjectKey, types: NoteType[], now: number, limit: number): Promise<Note[]> =>
      newest.all({ project, types: types.join(' '), now, limit }).map(fromRow),
    /** The pinned notes of a project, of any age. */
    pinned: async (project: ProjectKey, now: number, limit: number): Promise<Note[]> => pinned.all({ project, now, limit }).map(fromRow),
    /** The visible notes of a namespace, of a project and for all projects; newest first. */
    ofNamespace: async (project: ProjectKey, namespace: string, now: number, limit: number): Promise<Note[]> =>
      ofNamespace.all({ project, namespace, now, limit }).map(fromRow),
    /** Statements taken from conversations that a person rejected, latest first. */
    rejected: async (project: ProjectKey, limit: number): Promise<Note[]> => rejected.all({ project, limit }).map(fromRow),
    counts: async (now: number): Promise<{ all: number; hidden: number; conflicted: number }> =>
      counts.get({ now }) ?? { all: 0, hidden: 0, conflicted: 0 },
    /** How many notes were made after a time, without those from merging and reflecting. */
    countCapturedSince: async (at: number): Promise<number> => captured.get({ at })?.n ?? 0,
    /** Notes that were forgotten before a time: their number and size here, their ids below, oldest deletion first. */
    countPurgeable: async (before: number): Promise<RowsAndBytes> => past.get({ before }) ?? NO_ROWS,
    deletedBefore: async (before: number, limit: number): Promise<NoteId[]> =>
      deletedBefore.all({ before, limit }).map((row) => asNoteId(row.id)),
    /** Unresolved versions from other machines. */
    conflicts: async (): Promise<Note[]> => conflicts.all({}).map(fromRow),
    each: function* (project: ProjectKey | null): Generator<Note> {
      for (const row of all({ project })) yield fromRow(row)
    },
    files: async (): Promise<NoteFile[]> => files.all(),
    fileAt: async (path: string): Promise<NoteFile | null> => fileAt.get({ path }),
    filesOf: async (id: NoteId): Promise<NoteFile[]> => filesOf.all({ id }),
    putFile: async (file: NoteFile): Promise<void> => {
      putFile.run({ ...file })
    },
    removeFile: async (path: string): Promise<void> => {
      removeFile.run({ path })
    },
    /** Files that are not notes, and why. */
    problems: async (): Promise<NoteFile[]> => problems.all(),
  }
}

const documentOf = (note: Note): IndexedDocument => ({
  kind: 'note',
  ref: note.id,
  sessionId: null,
  turn: null,
  project: note.project,
  at: note.updatedAt,
  words: { title: note.title, body: note.body, facts: [note.namespace, ...note.tags].join(' ') },
  context: '',
})

function fromRow(row: NoteRow): Note {
  return {
    id: asNoteId(row.id),
    path: row.path,
    project: asProjectKey(row.project),
    scope: row.scope,
    namespace: row.namespace,
    type: row.type,
    title: row.title,
    body: row.body,
    tags: readJsonColumn<string[]>(row.tags),
    machine: row.machine,
    source: row.source,
    author: row.author,
    session: row.session,
    model: row.model,
    confidence: row.confidence,
    supersedes: readJsonColumn<NoteId[]>(row.supersedes),
    conflictOf: row.conflict_of === null ? null : asNoteId(row.conflict_of),
    state: row.state,
    said: readJsonColumn<string[]>(row.said),
    pinned: row.pinned === 1,
    unknown: readJsonColumn<string[]>(row.unknown),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
    deletedAt: row.deleted_at,
  }
}
