import type { Database } from 'bun:sqlite'
import type { GitCommit } from '../core/commit.ts'
import { commitMark } from '../core/commit.ts'
import type { CommitType, RevertTarget } from '../core/commit-message.ts'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { IndexedDocument } from './document.ts'
import type { DocumentIndexes } from './documents.ts'
import { eachRow, readJsonColumn, type SqlParams } from './statement.ts'

type CommitRow = {
  id: number
  project: string
  hash: string
  subject: string
  body: string
  files: string
  file_count: number
  author: string
  at: number
  type: CommitType
  undone_by: string | null
  abandoned: number
  forgotten: number
}

/** A commit that is not stored yet. */
export type NewCommit = Omit<GitCommit, 'id' | 'project' | 'undoneBy' | 'abandoned'> & { reverts: RevertTarget | null }

/** Every statement about commits. They are derived from git; only what a person has forgotten is not there. */
export function commitStatements(db: Database, index: DocumentIndexes) {
  const insert = db.prepare<CommitRow, SqlParams>(`
    INSERT INTO commits (project, hash, subject, body, files, file_count, author, at, type, reverts_hash, reverts_subject)
    VALUES (@project, @hash, @subject, @body, @files, @fileCount, @author, @at, @type, @revertsHash, @revertsSubject)
    ON CONFLICT (project, hash) DO NOTHING RETURNING *`)
  const setAbandoned = db.prepare<CommitRow, SqlParams>(`
    UPDATE commits SET abandoned = @abandoned WHERE project = @project AND abandoned <> @abandoned AND forgotten = 0
      AND hash IN (SELECT value FROM json_each(@hashes)) RETURNING *`)
  const known = db.prepare<{ hash: string }, SqlParams>(
    'SELECT hash FROM commits WHERE project = @project AND hash IN (SELECT value FROM json_each(@hashes))',
  )
  // A hash may be shortened, so it is a range; a subject means the newest such commit before the revert.
  const reverts = db.prepare<{ hash: string; target: string | null }, SqlParams>(`
    SELECT r.hash, CASE WHEN r.reverts_hash IS NOT NULL
      THEN (SELECT hash FROM commits WHERE project = @project AND hash >= r.reverts_hash AND hash < r.reverts_hash || 'g' LIMIT 1)
      ELSE (SELECT hash FROM commits x WHERE x.project = @project AND x.subject = r.reverts_subject AND x.at <= r.at AND x.id <> r.id
        ORDER BY x.at DESC LIMIT 1) END AS target
    FROM commits r WHERE r.project = @project AND (r.reverts_hash IS NOT NULL OR r.reverts_subject IS NOT NULL) AND r.abandoned = 0`)
  const undone = db.prepare<{ hash: string; undone_by: string }, SqlParams>(
    'SELECT hash, undone_by FROM commits WHERE project = @project AND undone_by IS NOT NULL',
  )
  const setUndone = db.prepare<CommitRow, SqlParams>(
    'UPDATE commits SET undone_by = @by WHERE project = @project AND hash = @hash AND forgotten = 0 RETURNING *',
  )
  const byId = db.prepare<CommitRow, SqlParams>('SELECT * FROM commits WHERE id = @id AND forgotten = 0')
  const byHash = db.prepare<CommitRow, SqlParams>(
    "SELECT * FROM commits WHERE hash >= @hash AND hash < @hash || 'g' AND forgotten = @forgotten ORDER BY id DESC LIMIT @limit",
  )
  const forget = db.prepare<{ id: number }, SqlParams>(`
    UPDATE commits SET forgotten = 1, subject = '', body = '', files = '[]', author = '', reverts_subject = NULL
    WHERE id = @id AND forgotten = 0 RETURNING id`)
  const unforget = db.prepare<CommitRow, SqlParams>(`
    UPDATE commits SET forgotten = 0, subject = @subject, body = @body, files = @files, author = @author, reverts_subject = @reverts_subject
    WHERE id = @id AND forgotten = 1 RETURNING *`)
  const forgottenTwin = db.prepare<{ id: number }, SqlParams>(`
    SELECT o.id FROM commits c JOIN commits o ON o.project = @to AND o.hash = c.hash WHERE c.id = @id AND c.forgotten = 1`)
  const ofProject = db.prepare<{ id: number }, SqlParams>('SELECT id FROM commits WHERE project = @project LIMIT @limit')
  const move = db.prepare<CommitRow, SqlParams>('UPDATE OR IGNORE commits SET project = @to WHERE id = @id RETURNING *')
  const remove = db.prepare('DELETE FROM commits WHERE id = @id')
  const all = eachRow<CommitRow>(
    db,
    'SELECT * FROM commits WHERE (@project IS NULL OR project = @project) AND forgotten = 0 ORDER BY at, id',
  )
  const putDocuments = (rows: CommitRow[]) =>
    index.put(...rows.filter(({ forgotten }) => forgotten === 0).map((row) => commitDocument(fromRow(row))))
  const erase = (id: number) => {
    if (!forget.get({ id })) return false
    index.remove('commit', String(id))
    return true
  }

  return {
    /** The hashes that are stored, also of forgotten commits. One that was abandoned is on a branch again. */
    recognize: async (project: ProjectKey, hashes: string[]): Promise<Set<string>> => {
      putDocuments(setAbandoned.all({ project, abandoned: 0, hashes: JSON.stringify(hashes) }))
      return new Set(known.all({ project, hashes: JSON.stringify(hashes) }).map(({ hash }) => hash))
    },
    /** Adds commits that are not stored yet and returns how many these are. */
    add: async (project: ProjectKey, commits: NewCommit[]): Promise<number> => {
      const added = commits.flatMap(({ files, reverts, ...commit }) => {
        const target = { revertsHash: null, revertsSubject: null, ...(reverts && revertColumns(reverts)) }
        return insert.get({ ...commit, ...target, project, files: JSON.stringify(files) }) ?? []
      })
      putDocuments(added)
      return added.length
    },
    /** Marks commits that are on no branch any more. */
    abandon: async (project: ProjectKey, hashes: string[]): Promise<void> => {
      putDocuments(setAbandoned.all({ project, abandoned: 1, hashes: JSON.stringify(hashes) }))
    },
    /** Marks the commits that reverts took back. A revert that was itself taken back undoes nothing. */
    settleReverts: async (project: ProjectKey): Promise<void> => {
      const now = undoneCommits(reverts.all({ project }))
      const before = new Map(undone.all({ project }).map((row) => [row.hash, row.undone_by]))
      const changed = [...new Set([...now.keys(), ...before.keys()])].filter((hash) => now.get(hash) !== before.get(hash))
      putDocuments(changed.flatMap((hash) => setUndone.get({ project, hash, by: now.get(hash) ?? null }) ?? []))
    },
    get: async (id: number): Promise<GitCommit | null> => {
      const row = byId.get({ id })
      return row ? fromRow(row) : null
    },
    /** The commit with this number, or whose hash begins with it. */
    find: async (ref: string): Promise<GitCommit | null> => {
      const row =
        (/^\d{1,15}$/.test(ref) ? byId.get({ id: Number(ref) }) : null) ??
        (ref.length >= 7 ? byHash.get({ hash: ref, forgotten: 0, limit: 1 }) : null)
      return row ? fromRow(row) : null
    },
    /** The commits whose hash begins with this: one in each project that has it. With `forgotten`, those whose text was erased. */
    withHash: async (hash: string, forgotten = false): Promise<{ id: number; hash: string }[]> =>
      byHash.all({ hash, forgotten: Number(forgotten), limit: MAX_SAME_HASHES }).map((row) => ({ id: row.id, hash: row.hash })),
    /** Erases a commit's text and keeps its hash, so that it does not come back. False when it does not exist. */
    forget: async (id: number): Promise<boolean> => erase(id),
    /** Gives a forgotten commit its text back. False when its row is gone: another project had it too, and the two were merged. */
    restore: async (row: Record<string, string | number | null>): Promise<boolean> => {
      const { id, subject, body, files, author, reverts_subject } = row
      const restored = unforget.all({ id, subject, body, files, author, reverts_subject } as SqlParams)
      putDocuments(restored)
      return restored.length > 0
    },
    /** Moves up to `limit` commits to another project, or with null deletes them. Returns whether there may be more. */
    move: async (project: ProjectKey, to: ProjectKey | null, limit: number): Promise<boolean> => {
      const ids = ofProject.all({ project, limit }).map(({ id }) => id)
      for (const id of ids) {
        const moved = to === null ? null : move.get({ id, to })
        // The other project may have it too. If a person has forgotten one of the two, both are.
        if (to !== null && !moved) for (const twin of forgottenTwin.all({ id, to })) erase(twin.id)
        if (moved) putDocuments([moved])
        else remove.run({ id })
      }
      return ids.length === limit
    },
    idsOf: async (project: ProjectKey): Promise<number[]> => ofProject.all({ project, limit: -1 }).map(({ id }) => id),
    /** Moves these commits to a project, except those that it has already. */
    moveSome: async (ids: number[], to: ProjectKey): Promise<void> => putDocuments(ids.flatMap((id) => move.get({ id, to }) ?? [])),
    each: function* (project: ProjectKey | null): Generator<GitCommit> {
      for (const row of all({ project })) yield fromRow(row)
    },
  }
}

const MAX_SAME_HASHES = 100

const revertColumns = (target: RevertTarget) => ('hash' in target ? { revertsHash: target.hash } : { revertsSubject: target.subject })

/** For each commit that is undone, the revert that undid it. A revert counts once it is known whether it was undone itself. */
function undoneCommits(reverts: { hash: string; target: string | null }[]): Map<string, string> {
  const targetOf = new Map(reverts.map(({ hash, target }) => [hash, target]))
  const waitingFor = new Map<string, number>()
  for (const { target } of reverts) if (target) waitingFor.set(target, (waitingFor.get(target) ?? 0) + 1)
  const undone = new Map<string, string>()
  const settled = reverts.map(({ hash }) => hash).filter((hash) => !waitingFor.has(hash))
  for (const hash of settled) {
    const target = targetOf.get(hash)
    if (!target) continue
    if (!undone.has(hash)) undone.set(target, hash)
    const left = (waitingFor.get(target) ?? 0) - 1
    waitingFor.set(target, left)
    if (left === 0 && targetOf.has(target)) settled.push(target)
  }
  return undone
}

/** Upkeep, and what no longer holds, is found by its words but ranks low: it is neither a title nor anything's context. */
function commitDocument(commit: GitCommit): IndexedDocument {
  const { id, project, at, type, subject, body, files } = commit
  const ranksLow = type === 'chore' || commitMark(commit) !== ''
  const words = ranksLow ? { facts: `${subject}\n${body}` } : { title: subject, body, files: files.join('\n') }
  return { kind: 'commit', ref: String(id), sessionId: null, turn: null, project, at, words, context: '' }
}

function fromRow(row: CommitRow): GitCommit {
  const { id, hash, subject, body, author, at, type } = row
  return {
    id,
    project: asProjectKey(row.project),
    hash,
    subject,
    body,
    files: readJsonColumn<string[]>(row.files),
    fileCount: row.file_count,
    author,
    at,
    type,
    undoneBy: row.undone_by,
    abandoned: row.abandoned === 1,
  }
}
