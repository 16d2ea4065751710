import type { Database } from 'bun:sqlite'
import type { Anchor } from '../core/anchor.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { DocumentRef } from './links.ts'
import type { SqlParams } from './statement.ts'

type AnchorRow = {
  kind: DocumentRef['kind']
  ref: string
  path: string
  name: string
  signature: string
  sketch: Uint8Array
  header: string
  commit_hash: string
  branch: string
  abandoned: number
}

/** An anchor as it is stored: `isAbandoned` when its commit is on no branch any more. */
export type StoredAnchor = Anchor & { isAbandoned: boolean }

/** A confirmation that a memory still holds. */
export type Verification = { commit: string | null; at: number }

const refKey = ({ kind, ref }: DocumentRef): string => `${kind}:${ref}`

/** Every statement about anchors: which code each memory speaks of. */
export function anchorStatements(db: Database) {
  const add = db.prepare(`
    INSERT INTO anchors (path, name, signature, sketch, header, commit_hash, branch)
    VALUES (@path, @name, @signature, @sketch, @header, @commit, @branch) ON CONFLICT DO NOTHING`)
  const attach = db.prepare(`
    INSERT INTO anchored (kind, ref, anchor_id)
    SELECT @kind, @ref, id FROM anchors
    WHERE path = @path AND name = @name AND signature = @signature AND commit_hash = @commit AND branch = @branch ON CONFLICT DO NOTHING`)
  const detach = db.prepare('DELETE FROM anchored WHERE kind = @kind AND ref = @ref')
  // A commit may be known in several projects, and be abandoned in one of them only.
  const columns = `a.kind, a.ref, x.path, x.name, x.signature, x.sketch, x.header, x.commit_hash, x.branch,
    x.commit_hash <> '' AND EXISTS (SELECT 1 FROM commits c WHERE c.hash = x.commit_hash AND c.abandoned = 1)
      AND NOT EXISTS (SELECT 1 FROM commits c WHERE c.hash = x.commit_hash AND c.abandoned = 0) AS abandoned`
  const given = db.prepare<AnchorRow, SqlParams>(`
    SELECT ${columns} FROM json_each(@refs) g
    CROSS JOIN anchored a ON a.kind = g.value ->> 0 AND a.ref = g.value ->> 1 JOIN anchors x ON x.id = a.anchor_id ORDER BY x.id`)
  const ofSession = db.prepare<AnchorRow, SqlParams>(`
    SELECT DISTINCT 'prompt' AS kind, '' AS ref, x.path, x.name, x.signature, x.sketch, x.header, x.commit_hash, x.branch, 0 AS abandoned
    FROM prompts p CROSS JOIN anchored a ON a.kind = 'prompt' AND a.ref = CAST(p.id AS TEXT) JOIN anchors x ON x.id = a.anchor_id
    WHERE p.session_id = @sessionId ORDER BY x.id DESC LIMIT @limit`)
  const inProject = db.prepare<DocumentRef & { at: number }, SqlParams>(`
    SELECT d.kind, d.ref, d.at FROM documents d
    WHERE d.project = @project AND d.at < @before
      AND EXISTS (SELECT 1 FROM anchored a JOIN anchors x ON x.id = a.anchor_id WHERE a.kind = d.kind AND a.ref = d.ref AND x.name <> '')
    ORDER BY d.at DESC, d.id DESC LIMIT @limit`)
  const inFile = db.prepare<DocumentRef & { at: number; name: string }, SqlParams>(`
    SELECT DISTINCT d.kind, d.ref, d.at, x.name FROM anchors x JOIN anchored a ON a.anchor_id = x.id
    JOIN documents d ON d.kind = a.kind AND d.ref = a.ref
    WHERE x.path = @path AND d.project = @project ORDER BY d.at DESC, d.id DESC LIMIT @limit`)
  const setVerified = db.prepare(`
    INSERT INTO verified (kind, ref, commit_hash, at) VALUES (@kind, @ref, @commit, @at)
    ON CONFLICT DO UPDATE SET commit_hash = excluded.commit_hash, at = excluded.at`)
  const verified = db.prepare<{ commit: string | null; at: number }, SqlParams>(
    'SELECT commit_hash AS "commit", at FROM verified WHERE kind = @kind AND ref = @ref',
  )
  const total = db.prepare<{ anchors: number; memories: number }, SqlParams>(`
    SELECT (SELECT count(*) FROM anchors) AS anchors, (SELECT count(*) FROM (SELECT DISTINCT kind, ref FROM anchored)) AS memories`)

  const folders = db.prepare<{ folder: string }, SqlParams>(
    'SELECT folder FROM sessions WHERE project = @project GROUP BY folder ORDER BY max(last_event_at) DESC LIMIT @limit',
  )

  return {
    /** Replaces the anchors of a memory. */
    set: async (ref: DocumentRef, anchors: Anchor[]): Promise<void> => {
      detach.run({ kind: ref.kind, ref: ref.ref })
      for (const anchor of anchors) {
        const { path, signature, header } = anchor
        const identity = { path, name: anchor.name ?? '', signature, commit: anchor.commit ?? '', branch: anchor.branch ?? '' }
        add.run({ ...identity, header, sketch: Buffer.from(anchor.sketch, 'base64') })
        attach.run({ ...identity, kind: ref.kind, ref: ref.ref })
      }
    },
    /** The anchors of several memories, by `refKey`. Memories without anchors are left out. */
    of: async (refs: DocumentRef[]): Promise<Map<string, StoredAnchor[]>> => {
      const rows = given.all({ refs: JSON.stringify(refs.map(({ kind, ref }) => [kind, ref])) })
      return new Map([...Map.groupBy(rows, refKey)].map(([key, ofMemory]) => [key, ofMemory.map(fromRow)]))
    },
    /** The anchors of a session's turns, newest first. */
    ofSession: async (sessionId: number, limit: number): Promise<Anchor[]> => ofSession.all({ sessionId, limit }).map(fromRow),
    /** Memories of a project that speak of a definition, newest first, older than a time. */
    inProject: async (project: ProjectKey, before: number, limit: number): Promise<(DocumentRef & { at: number })[]> =>
      inProject.all({ project, before, limit }),
    /** Memories of a project that speak of a file, newest first, with the definition that each speaks of; one may occur several times. */
    inFile: async (project: ProjectKey, path: string, limit: number): Promise<(DocumentRef & { at: number; name: string | null })[]> =>
      inFile.all({ project, path, limit }).map((row) => ({ ...row, name: row.name || null })),
    /** Records that a memory was confirmed at a commit. */
    setVerified: async ({ kind, ref }: DocumentRef, { commit, at }: Verification): Promise<void> => {
      setVerified.run({ kind, ref, commit, at })
    },
    verified: async ({ kind, ref }: DocumentRef): Promise<Verification | null> => verified.get({ kind, ref }) ?? null,
    /** The folders in which a project was worked on, the latest first. */
    foldersOf: async (project: ProjectKey, limit: number): Promise<string[]> => folders.all({ project, limit }).map(({ folder }) => folder),
    count: async (): Promise<{ anchors: number; memories: number }> => total.get({}) ?? { anchors: 0, memories: 0 },
  }
}

function fromRow(row: AnchorRow): StoredAnchor {
  return {
    path: row.path,
    name: row.name === '' ? null : row.name,
    signature: row.signature,
    sketch: Buffer.from(row.sketch).toString('base64'),
    header: row.header,
    commit: row.commit_hash || null,
    branch: row.branch || null,
    isAbandoned: row.abandoned === 1,
  }
}
