/**
 * Search by meaning with 10,000, 100,000 and 1,000,000 documents: the time of a query, the time of the first query, and how many of the true ten
 * nearest are found. The documents are passages of real text from folders on this machine, by default `node_modules`, with the vectors of
 * the shipped table. For other widths, vectors are widened by random mixing and noise until their signs carry as much information as
 * those of MiniLM (docs/decisions/0010-vectors.md). Other sizes, widths and folders:
 * `bench/vectors.ts --sizes 5000 --widths 256 --texts /usr/share/doc,/usr/lib`.
 */
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shippedTable } from '../eval/meaning.ts'
import { parseArguments } from '../scripts/arguments.ts'
import { asProjectKey } from '../src/core/ids.ts'
import { toUnitLength } from '../src/core/unit-vector.ts'
import type { Embedder } from '../src/providers/embedder.ts'
import { quantizeVector } from '../src/retrieval/embed.ts'
import { type NearDocument, openVectorIndex } from '../src/retrieval/vectors.ts'
import { openStore } from '../src/store/store.ts'
import { percentiles } from './sample-store.ts'
import { textsIn } from './texts.ts'

const options = {
  sizes: { type: 'string', default: '10000,100000,1000000' },
  widths: { type: 'string', default: '256,384' },
  texts: { type: 'string', default: join(import.meta.dir, '..', 'node_modules') },
} as const
const { values } = parseArguments('bench/vectors.ts [--sizes 5000,…] [--widths 256,…] [--texts folder,…]', options)
const sizes = values.sizes.split(',').map(Number)
const QUERIES = 100
/** The share of noise in a widened vector: a sentence model's vectors are not just a function of the table's. */
const NOISE = 0.6
/** How many numbers of the table's vector are mixed into each number of a widened one. */
const MIXED_NUMBERS = 8
const GOALS = new Map([
  [100_000, { ms: 4, recall: 0.976 }],
  [1_000_000, { ms: 18, recall: 0.976 }],
])

const opened = await shippedTable()
if (opened.kind === 'absent') throw new Error(opened.reason)
const table = opened.embedder
const { passages, queries, files, step } = textsIn(values.texts.split(','), Math.max(...sizes), QUERIES)
const tableRows = rowsOf(passages, Math.max(...sizes), table)
console.log(
  `${tableRows.scales.length.toLocaleString('en')} passages of ${files.toLocaleString('en')} files, one every ${step} characters; ${queries.length} lines of other files as queries`,
)
for (const width of values.widths.split(',').map(Number)) {
  for (const size of sizes) await measure(size, width)
}

async function measure(wanted: number, width: number): Promise<void> {
  const size = Math.min(wanted, tableRows.scales.length)
  const folder = mkdtempSync(join(tmpdir(), 'recollect-bench-'))
  const path = join(folder, 'recollect.db')
  const store = await openStore(path)
  try {
    const widen = width === table.dimensions ? (vector: Float32Array) => vector : wideningTo(width)
    const rows = fill(path, size, width, widen)
    const embedder: Embedder = { name: 'bench', dimensions: width, embed: async () => [] }
    const index = openVectorIndex(store, embedder)
    const started = performance.now()
    await index.warm()
    const warm = performance.now() - started
    const times = { all: [] as number[], project: [] as number[] }
    const queryVectors = queries.map((text) => widen(table.embedNow?.(text) ?? new Float32Array(0)))
    const answers: NearDocument[][] = []
    for (const query of queryVectors) {
      const before = performance.now()
      answers.push(await index.nearest(query, { project: null, limit: 10 }))
      times.all.push(performance.now() - before)
      const beforeProject = performance.now()
      await index.nearest(query, { project: asProjectKey('p3'), limit: 10 })
      times.project.push(performance.now() - beforeProject)
    }
    // Done afterwards, because scanning all vectors would evict the index from the caches.
    const tenths = queryVectors.map((query) => tenthOf(rows, width, query))
    const found = answers.map((near, nth) => near.filter(({ cosine }) => cosine >= (tenths[nth] as number) - 1e-6).length)
    const { p50, p95 } = percentiles(times.all)
    const recall = found.reduce((sum, count) => sum + count) / queries.length / 10
    const goal = GOALS.get(wanted)
    const isMet = goal && p50 <= goal.ms && recall >= goal.recall
    console.log(
      `${size.toLocaleString('en').padStart(9)} x ${width}: p50 ${ms(p50)}, p95 ${ms(p95)}; in one project of ten p50 ` +
        `${ms(percentiles(times.project).p50)}; first query ${ms(warm)}; recall@10 ${recall.toFixed(3)}; ` +
        `${Math.round(index.bytes() / 1e6)} MB in memory${goal ? `  goal <= ${goal.ms} ms, >= ${goal.recall}: ${isMet ? 'met' : 'MISSED'}` : ''}`,
    )
  } finally {
    store.close()
    rmSync(folder, { recursive: true })
  }
}

type Rows = { rows: Int8Array; scales: Float32Array }

/** The vectors of texts, as the database stores them. Texts without any word of the table are skipped. */
function rowsOf(texts: Iterable<string>, maxRows: number, { dimensions, embedNow }: Embedder): Rows {
  const all = { rows: new Int8Array(maxRows * dimensions), scales: new Float32Array(maxRows) }
  let made = 0
  for (const text of texts) {
    if (made === maxRows) break
    const vector = embedNow?.(text)
    if (vector?.some((value) => value !== 0)) put(all, made++, vector)
  }
  return { ...all, scales: all.scales.subarray(0, made) }
}

function put({ rows, scales }: Rows, id: number, vector: Float32Array): void {
  const { row, scale } = quantizeVector(vector)
  rows.set(row, id * vector.length)
  scales[id] = scale
}

/** Returns a function that widens vectors, in the same way in every run. */
function wideningTo(width: number): (vector: Float32Array) => Float32Array {
  let state = 7
  const bits = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  // The sum of twelve uniform numbers between 0 and 1 has mean 6 and deviation 1: nearly a normal distribution.
  const normal = Float32Array.from({ length: 65_536 }, () =>
    Array.from({ length: 12 }, bits).reduce((sum, value) => sum + value / 2 ** 32, -6),
  )
  const from = Uint16Array.from({ length: width * MIXED_NUMBERS }, () => bits() % table.dimensions)
  const signs = Int8Array.from(from, () => (bits() & 1) * 2 - 1)
  return (vector) => {
    const wide = new Float32Array(width)
    for (let at = 0; at < from.length; at++) {
      const d = Math.floor(at / MIXED_NUMBERS)
      wide[d] = (wide[d] as number) + (vector[from[at] as number] as number) * (signs[at] as number)
    }
    return toUnitLength(toUnitLength(wide).map((value) => value + ((normal[bits() >>> 16] as number) * NOISE) / Math.sqrt(width)))
  }
}

/** Writes documents and vectors directly into the tables: adding a million memories through the store would take an hour. */
function fill(path: string, size: number, width: number, widen: (vector: Float32Array) => Float32Array): Rows {
  const all = { rows: new Int8Array(size * width), scales: new Float32Array(size) }
  const db = new Database(path)
  db.run('PRAGMA synchronous = OFF')
  db.run('DROP TRIGGER documents_new')
  const addDocument = db.prepare("INSERT INTO documents (id, kind, ref, project, at) VALUES (?, 'prompt', ?, ?, ?)")
  const addVector = db.prepare("INSERT INTO vectors (document_id, embedder, fingerprint, scale, row) VALUES (?, 'bench', '', ?, ?)")
  db.transaction(() => {
    for (let id = 0; id < size; id++) {
      const known = tableRows.rows.subarray(id * table.dimensions, (id + 1) * table.dimensions)
      put(all, id, widen(Float32Array.from(known, (value) => value * (tableRows.scales[id] as number))))
      addDocument.run(id, String(id), `p${id % 10}`, id)
      addVector.run(id, all.scales[id] as number, new Uint8Array(all.rows.buffer, id * width, width))
    }
  })()
  db.close()
  return all
}

/** The cosine of the true tenth nearest vector, by comparing with all. Hits at least as near count as found, because some texts are equal. */
function tenthOf({ rows, scales }: Rows, width: number, query: Float32Array): number {
  const best: number[] = Array(10).fill(-1)
  for (let id = 0; id < scales.length; id++) {
    const from = id * width
    let dot = 0
    for (let d = 0; d < width; d++) dot += (rows[from + d] as number) * (query[d] as number)
    const cosine = dot * (scales[id] as number)
    if (cosine <= (best[9] as number)) continue
    best[9] = cosine
    best.sort((a, b) => b - a)
  }
  return best[9] as number
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`
}
