/**
 * Finds memories by meaning. The database stores the vectors (`store.vectors`); `openVectorIndex` keeps their sign bits in memory and finds the
 * nearest; `embedBatch` computes the missing ones, a batch at a time.
 */
import type { ProjectKey } from '../core/ids.ts'
import type { Embedder } from '../providers/embedder.ts'
import type { DocumentKind, Store } from '../store/store.ts'
import { type CodeList, type CodeMatch, openCodeIndex, signBits } from './bit-codes.ts'

export { embedBatch } from './embed.ts'

/** A document and its cosine similarity. */
export type NearDocument = { documentId: number; kind: DocumentKind; ref: string; cosine: number }

export type VectorIndex = ReturnType<typeof openVectorIndex>

/** A few milliseconds of reading, so that other requests hardly wait. */
const VECTORS_PER_READ = 1000

/**
 * Opens an index over the vectors of one embedder. It reads the database at the first query, or on `warm`, and before each later query what was
 * added since. It notices a deleted document when it would have found it.
 */
export function openVectorIndex(store: Store, embedder: Embedder, stopping: AbortSignal = new AbortController().signal) {
  const codes = openCodeIndex(embedder.dimensions)
  const lists = new Map<ProjectKey, CodeList>()
  let lastSeq = 0
  let reading: Promise<void> | null = null
  let isRead = false

  function warm(): Promise<void> {
    reading ??= readNew().finally(() => {
      reading = null
    })
    return reading
  }

  async function readNew(): Promise<void> {
    for (;;) {
      const page = await store.vectors.after(lastSeq, embedder.name, VECTORS_PER_READ)
      for (const { seq, row, project } of page) {
        listOf(project).add(seq, signBits(row))
        lastSeq = seq
      }
      if (page.length < VECTORS_PER_READ) break
      await Bun.sleep(0) // lets other work run: a large history takes seconds
      if (stopping.aborted) return
    }
    isRead = true
  }

  function listOf(project: ProjectKey): CodeList {
    const list = lists.get(project) ?? codes.newList()
    lists.set(project, list)
    return list
  }

  const listsOf = (project: ProjectKey | null) => (project === null ? [...lists.values()] : [lists.get(project) ?? []].flat())
  const sizeOf = (some: CodeList[]) => some.reduce((sum, list) => sum + list.ids.length, 0)

  /** The documents nearest to a text or a vector, nearest first. Project null searches all projects. */
  async function nearest(
    query: string | Float32Array,
    within: { project: ProjectKey | null; limit: number },
    signal: AbortSignal = new AbortController().signal,
  ): Promise<NearDocument[]> {
    await warm()
    const searched = listsOf(within.project)
    if (sizeOf(searched) === 0) return []
    const vector = typeof query === 'string' ? await vectorOf(query, signal) : query
    // The embedder knows no word of the text.
    if (vector.every((value) => value === 0)) return []
    const size = sizeOf(searched)
    const candidates = codes.nearest(searched, vector, {
      alike: Math.max(codesToCompare(size), within.limit * 16),
      wanted: Math.max(vectorsToRead(size), within.limit * 4),
    })
    const rows = await store.vectors.bySeq(candidates.map(({ id }) => id))
    if (rows.length < candidates.length) forget(candidates, new Set(rows.map((row) => row.seq)))
    const best = rows
      .map(({ seq, row, scale }) => ({ seq, cosine: dot(vector, row) * scale }))
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, within.limit)
    const documents = new Map((await store.vectors.documentsOf(best.map(({ seq }) => seq))).map((document) => [document.seq, document]))
    return best.flatMap(({ seq, cosine }) => {
      const document = documents.get(seq)
      if (!document || (within.project !== null && document.project !== within.project)) return []
      return [{ documentId: document.documentId, kind: document.kind, ref: document.ref, cosine }]
    })
  }

  async function vectorOf(text: string, signal: AbortSignal): Promise<Float32Array> {
    const [vector] = embedder.embedNow ? [embedder.embedNow(text)] : await embedder.embed([text], signal)
    if (!vector) throw new Error(`the embedder ${embedder.name} returned no vector for a query`)
    return vector
  }

  /**
   * Removes vectors that are no longer in the database. Goes from the end, because removing one moves the last one into its place. Another
   * query may have removed it meanwhile, so its id is checked.
   */
  function forget(candidates: CodeMatch[], existing: Set<number>): void {
    for (const { list, place, id } of candidates.toReversed()) if (!existing.has(id) && list.ids[place] === id) list.removeAt(place)
  }

  return {
    nearest,
    warm,
    /** Whether everything was read once. Until then a query waits for it. */
    isWarm: () => isRead,
    /** How many vectors have been read so far, of one project or of all. */
    size: (project: ProjectKey | null = null) => sizeOf(listsOf(project)),
    /** Memory in use. A list takes eight bytes for each id. */
    bytes: () => codes.bytes() + sizeOf(listsOf(null)) * 8,
  }
}

function dot(a: Float32Array, b: Int8Array): number {
  let sum = 0
  for (let d = 0; d < a.length; d++) sum += (a[d] ?? 0) * (b[d] ?? 0)
  return sum
}

/** How many codes are compared more exactly. Sign bits alone misjudge, and more so in a larger index. */
function codesToCompare(size: number): number {
  return Math.min(8000, 1000 + Math.round(size / 100))
}

/** How many vectors are read in full. One costs as much as comparing dozens of codes, but with too few the nearest are missed. */
function vectorsToRead(size: number): number {
  return Math.min(600, 250 + Math.round(size / 1500))
}
