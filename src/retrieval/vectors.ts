/**
 * Vectors: finding memories by what they mean. The database holds them (`store.vectors`, the truth); `openVectorIndex` holds their
 * signs in memory and finds the nearest; `embedSome` makes the ones that are missing, a bite at a time.
 */
import type { ProjectKey } from '../core/ids.ts'
import type { Embedder } from '../providers/embedder.ts'
import type { DocumentKind, Store } from '../store/store.ts'
import { type CodeList, type CodeMatch, openCodeIndex, signBits } from './bit-codes.ts'

export { embedBatch } from './embed.ts'

/** A document and how near it is, from -1 to 1. */
export type NearDocument = { documentId: number; kind: DocumentKind; ref: string; cosine: number }

export type VectorIndex = ReturnType<typeof openVectorIndex>

/** A few milliseconds of reading, so that whoever asks meanwhile hardly waits. */
const VECTORS_PER_READ = 1000

/**
 * The index over what this embedder has made so far. It reads the database on the first question (or on `warm`), and before each later
 * one what has been added since; what is gone from the database is noticed when it would have been found.
 */
export function openVectorIndex(store: Store, embedder: Embedder, stopping: AbortSignal = new AbortController().signal) {
  const codes = openCodeIndex(embedder.dimensions)
  const lists = new Map<ProjectKey, CodeList>()
  let seen = 0
  let reading: Promise<void> | null = null
  let isRead = false

  function warm(): Promise<void> {
    reading ??= readOn().finally(() => {
      reading = null
    })
    return reading
  }

  async function readOn(): Promise<void> {
    for (;;) {
      const page = await store.vectors.after(seen, embedder.name, VECTORS_PER_READ)
      for (const { seq, row, project } of page) {
        listOf(project).add(seq, signBits(row))
        seen = seq
      }
      if (page.length < VECTORS_PER_READ) break
      await Bun.sleep(0) // others may speak in between: a large history takes seconds
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

  /** The nearest documents to a text or a vector, nearest first. A project that is null means all of them. */
  async function nearest(
    question: string | Float32Array,
    within: { project: ProjectKey | null; limit: number },
    signal: AbortSignal = new AbortController().signal,
  ): Promise<NearDocument[]> {
    await warm()
    const mine = listsOf(within.project)
    if (sizeOf(mine) === 0) return []
    const vector = typeof question === 'string' ? await vectorOf(question, signal) : question
    const size = sizeOf(mine)
    const candidates = codes.nearest(mine, vector, {
      alike: Math.max(codesToCompare(size), within.limit * 16),
      wanted: Math.max(vectorsToRead(size), within.limit * 4),
    })
    const rows = await store.vectors.bySeq(candidates.map(({ id }) => id))
    if (rows.length < candidates.length) forget(candidates, new Set(rows.map((row) => row.seq)))
    const best = rows
      .map(({ seq, row, scale }) => ({ seq, cosine: dot(vector, row) * scale }))
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, within.limit)
    const near: NearDocument[] = []
    for (const { seq, cosine } of best) {
      const of = await store.vectors.documentOf(seq)
      if (of && (within.project === null || of.project === within.project))
        near.push({ documentId: of.documentId, kind: of.kind, ref: of.ref, cosine })
    }
    return near
  }

  async function vectorOf(text: string, signal: AbortSignal): Promise<Float32Array> {
    const [vector] = embedder.embedNow ? [embedder.embedNow(text)] : await embedder.embed([text], signal)
    if (!vector) throw new Error(`${embedder.name} made no vector of a question`)
    return vector
  }

  /**
   * Takes what is no longer in the database out of the lists; from the end, because the last takes the place of what goes. Another
   * question may have done it while this one waited: then something else stands there.
   */
  function forget(candidates: CodeMatch[], there: Set<number>): void {
    for (const { list, place, id } of candidates.toReversed()) if (!there.has(id) && list.ids[place] === id) list.removeAt(place)
  }

  return {
    nearest,
    warm,
    /** Whether all that was there has been read once; before that a question waits for it. */
    isWarm: () => isRead,
    /** How many vectors have been read so far: of a project, or of all. */
    size: (project: ProjectKey | null = null) => sizeOf(listsOf(project)),
    /** What is held in memory; a list takes eight for each of its numbers. */
    bytes: () => codes.bytes() + sizeOf(listsOf(null)) * 8,
  }
}

function dot(a: Float32Array, b: Int8Array): number {
  let sum = 0
  for (let d = 0; d < a.length; d++) sum += (a[d] ?? 0) * (b[d] ?? 0)
  return sum
}

/** How many are told apart by the question's own numbers. Signs alone misjudge, and the more there are the more stand between. */
function codesToCompare(size: number): number {
  return Math.min(8000, 1000 + Math.round(size / 100))
}

/** How many rows are read and looked at properly. A row costs as much as telling dozens apart; with too few, the nearest are missed. */
function vectorsToRead(size: number): number {
  return Math.min(600, 250 + Math.round(size / 1500))
}
