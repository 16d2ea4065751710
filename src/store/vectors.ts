import type { Database } from 'bun:sqlite'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { DocumentKind } from './document.ts'
import { NO_ROWS, type RowsAndBytes, type SqlParams } from './statement.ts'

/** A document that waits for its vector. */
export type UnembeddedDocument = {
  documentId: number
  kind: DocumentKind
  ref: string
  /** Changes with every change of the document: `put` and `skip` with an older mark leave it waiting. */
  mark: number
  /** Text fingerprint and embedder of its present vector, to see whether a new one is needed. */
  fingerprint: string | null
  embedder: string | null
}

/** A stored vector: integers from -127 to 127, to be multiplied by the scale. */
export type StoredVector = { seq: number; scale: number; row: Int8Array }

/** The document of a vector. */
export type VectorDocument = { seq: number; documentId: number; kind: DocumentKind; ref: string; project: ProjectKey }

/** How many documents are put back on the waiting list at once when the embedder has changed. */
const ENLIST_BATCH_DOCUMENTS = 20_000

type VectorRow = { seq: number; scale: number; row: Uint8Array }

/** Every statement about vectors. They are derived: search works without them, and they can be made again. */
export function vectorStatements(db: Database) {
  // Newest first: people search for recent work first.
  const waiting = db.prepare<UnembeddedDocument, SqlParams>(`
    SELECT d.id AS documentId, d.kind, d.ref, u.mark, v.fingerprint, v.embedder
    FROM unembedded u JOIN documents d ON d.id = u.document_id LEFT JOIN vectors v ON v.document_id = d.id
    ORDER BY u.document_id DESC LIMIT @limit`)
  const put = db.prepare<unknown, Record<string, string | number | Uint8Array>>(`
    INSERT OR REPLACE INTO vectors (document_id, embedder, fingerprint, scale, row) VALUES (@documentId, @embedder, @fingerprint, @scale, @row)`)
  const remove = db.prepare('DELETE FROM vectors WHERE document_id = @documentId')
  const finish = db.prepare('DELETE FROM unembedded WHERE document_id = @documentId AND mark = @mark')
  const enlist = db.prepare(`
    INSERT OR IGNORE INTO unembedded (document_id, mark)
    SELECT id, random() & 0x7fffffff FROM documents WHERE id < @below AND id >= @from`)
  const newest = db.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM documents')
  // Deleting a document deletes its vector; a database that was repaired by hand may still contain orphans.
  const gone = 'document_id NOT IN (SELECT id FROM documents)'
  const past = db.prepare<RowsAndBytes, SqlParams>(
    `SELECT count(*) AS rows, coalesce(sum(octet_length(row)), 0) AS bytes FROM vectors WHERE ${gone}`,
  )
  const purge = db.prepare(`DELETE FROM vectors WHERE ${gone}`)
  const counts = db.prepare<{ vectors: number; waiting: number }, SqlParams>(`
    SELECT (SELECT count(*) FROM vectors) AS vectors, (SELECT count(*) FROM unembedded) AS waiting`)
  const any = db.prepare('SELECT 1 FROM vectors LIMIT 1')
  const countOf = db.prepare<{ count: number }, SqlParams>('SELECT count(*) AS count FROM vectors WHERE embedder = @embedder')
  const after = db.prepare<VectorRow & { project: string }, SqlParams>(`
    SELECT v.seq, v.scale, v.row, d.project FROM vectors v JOIN documents d ON d.id = v.document_id
    WHERE v.seq > @seq AND v.embedder = @embedder ORDER BY v.seq LIMIT @limit`)
  const bySeq = db.prepare<VectorRow, SqlParams>(`
    SELECT v.seq, v.scale, v.row FROM json_each(@seqs) wanted CROSS JOIN vectors v ON v.seq = wanted.value`)
  const documentsOf = db.prepare<VectorDocument, SqlParams>(`
    SELECT v.seq, d.id AS documentId, d.kind, d.ref, d.project FROM json_each(@seqs) wanted
      CROSS JOIN vectors v ON v.seq = wanted.value CROSS JOIN documents d ON d.id = v.document_id`)

  return {
    waiting: async (limit: number): Promise<UnembeddedDocument[]> => waiting.all({ limit }),
    put: async ({ documentId, mark }: UnembeddedDocument, embedder: string, fingerprint: string, vector: Omit<StoredVector, 'seq'>) => {
      const row = new Uint8Array(vector.row.buffer, vector.row.byteOffset, vector.row.length)
      put.run({ documentId, embedder, fingerprint, scale: vector.scale, row })
      finish.run({ documentId, mark })
    },
    /** Marks a document as done without a new vector: the old one is still right, or the document has no text (`forget`). */
    skip: async ({ documentId, mark }: UnembeddedDocument, { forget }: { forget: boolean }) => {
      if (forget) remove.run({ documentId })
      finish.run({ documentId, mark })
    },
    /** Puts a batch of documents below this id back on the waiting list. Returns where the next batch starts; 0 after the last one. */
    enlistBelow: async (below: number): Promise<number> => {
      const from = Math.max(0, below - ENLIST_BATCH_DOCUMENTS)
      enlist.run({ below, from })
      return from
    },
    newestDocument: async (): Promise<number> => newest.get()?.id ?? 0,
    /** Vectors without a document. */
    countPurgeable: async (): Promise<RowsAndBytes> => past.get({}) ?? NO_ROWS,
    purge: async (): Promise<number> => purge.run().changes,
    counts: async (): Promise<{ vectors: number; waiting: number }> => counts.get({}) ?? { vectors: 0, waiting: 0 },
    hasAny: async (): Promise<boolean> => any.get() !== null,
    /** How many vectors are from this embedder. */
    countOf: async (embedder: string): Promise<number> => countOf.get({ embedder })?.count ?? 0,
    /** An embedder's vectors after `seq`, in the order in which they were made. */
    after: async (seq: number, embedder: string, limit: number): Promise<(StoredVector & { project: ProjectKey })[]> =>
      after.all({ seq, embedder, limit }).map((row) => ({ ...toStoredVector(row), project: asProjectKey(row.project) })),
    /** The vectors among these that still exist. */
    bySeq: async (seqs: number[]): Promise<StoredVector[]> => bySeq.all({ seqs: JSON.stringify(seqs) }).map(toStoredVector),
    /** The documents of these vectors; without those of vectors that no longer exist. */
    documentsOf: async (seqs: number[]): Promise<VectorDocument[]> => documentsOf.all({ seqs: JSON.stringify(seqs) }),
  }
}

function toStoredVector({ seq, scale, row }: VectorRow): StoredVector {
  // A copy: asking a short array for its buffer moves it out of the garbage collector's heap, which takes longer.
  return { seq, scale, row: new Int8Array(row) }
}
