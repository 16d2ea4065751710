/**
 * Finding by meaning in a history of 10,000, 100,000 and 1,000,000 documents: what a question costs, what the first one waits for, and how
 * many of the true ten nearest are found. The documents are passages of real text from folders on this machine, by default what npm
 * installed here, and the vectors are those of the table that comes along. For other widths than the table's they are widened: mixed at
 * random and blurred, until signs say as much of them as of MiniLM's (docs/decisions/0010). Other sizes, widths and folders:
 * `bench/vectors.ts --sizes 5000 --widths 256 --texts /usr/share/doc,/usr/lib`.
 */
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shippedTable } from '../eval/meaning.ts'
import { given } from '../scripts/given.ts'
import { asProjectKey } from '../src/core/ids.ts'
import { toUnitLength } from '../src/core/unit-vector.ts'
import type { Embedder } from '../src/providers/embedder.ts'
import { quantizeVector } from '../src/retrieval/embed.ts'
import { type NearDocument, openVectorIndex } from '../src/retrieval/vectors.ts'
import { openStore } from '../src/store/store.ts'
import { percentiles } from './filled.ts'
import { textsIn } from './texts.ts'

const options = {
  sizes: { type: 'string', default: '10000,100000,1000000' },
  widths: { type: 'string', default: '256,384' },
  texts: { type: 'string', default: join(import.meta.dir, '..', 'node_modules') },
} as const
const { values } = given('bench/vectors.ts [--sizes 5000,…] [--widths 256,…] [--texts folder,…]', options)
const sizes = values.sizes.split(',').map(Number)
const QUESTIONS = 100
/** How much of a widened vector has nothing to do with the table's: a sentence model says other things of a text than its words do. */
const BLUR = 0.6
/** How many numbers of the table's vector each number of a widened one is mixed of. */
const MIXED = 8
const GOALS = new Map([
  [100_000, { ms: 4, recall: 0.976 }],
  [1_000_000, { ms: 18, recall: 0.976 }],
])

const opened = await shippedTable()
if (opened.kind === 'absent') throw new Error(opened.reason)
const table = opened.embedder
const { passages, questions, files, step } = textsIn(values.texts.split(','), Math.max(...sizes), QUESTIONS)
const told = rowsOf(passages, Math.max(...sizes), table)
console.log(
  `${told.scales.length.toLocaleString('en')} passages of ${files.toLocaleString('en')} files, one every ${step} letters; ${questions.length} lines of other files as questions`,
)
for (const width of values.widths.split(',').map(Number)) {
  for (const size of sizes) await measure(size, width)
}

async function measure(wanted: number, width: number): Promise<void> {
  const size = Math.min(wanted, told.scales.length)
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
    const asked = questions.map((text) => widen(table.embedNow?.(text) ?? new Float32Array(0)))
    const answers: NearDocument[][] = []
    for (const question of asked) {
      const before = performance.now()
      answers.push(await index.nearest(question, { project: null, limit: 10 }))
      times.all.push(performance.now() - before)
      const again = performance.now()
      await index.nearest(question, { project: asProjectKey('p3'), limit: 10 })
      times.project.push(performance.now() - again)
    }
    // Looking at every one takes the memory's caches from who asks: not in between.
    const tenths = asked.map((question) => tenthOf(rows, width, question))
    const found = answers.map((near, nth) => near.filter(({ cosine }) => cosine >= (tenths[nth] as number) - 1e-6).length)
    const { p50, p95 } = percentiles(times.all)
    const recall = found.reduce((sum, count) => sum + count) / questions.length / 10
    const goal = GOALS.get(wanted)
    const isMet = goal && p50 <= goal.ms && recall >= goal.recall
    console.log(
      `${size.toLocaleString('en').padStart(9)} x ${width}: p50 ${ms(p50)}, p95 ${ms(p95)}; in one project of ten p50 ` +
        `${ms(percentiles(times.project).p50)}; first question waits ${ms(warm)}; recall@10 ${recall.toFixed(3)}; ` +
        `${Math.round(index.bytes() / 1e6)} MB held${goal ? `  goal <= ${goal.ms} ms, >= ${goal.recall}: ${isMet ? 'met' : 'MISSED'}` : ''}`,
    )
  } finally {
    store.close()
    rmSync(folder, { recursive: true })
  }
}

type Rows = { rows: Int8Array; scales: Float32Array }

/** The vectors of texts as the database keeps them; a text of which the table knows no word has none. */
function rowsOf(texts: Iterable<string>, most: number, { dimensions, embedNow }: Embedder): Rows {
  const all = { rows: new Int8Array(most * dimensions), scales: new Float32Array(most) }
  let made = 0
  for (const text of texts) {
    if (made === most) break
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

/** Widens vectors, the same in every run. */
function wideningTo(width: number): (vector: Float32Array) => Float32Array {
  let state = 7
  const bits = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  // Of twelve evenly spread numbers, each between nothing and one, the sum varies by one around six.
  const bell = Float32Array.from({ length: 65_536 }, () =>
    Array.from({ length: 12 }, bits).reduce((sum, value) => sum + value / 2 ** 32, -6),
  )
  const from = Uint16Array.from({ length: width * MIXED }, () => bits() % table.dimensions)
  const signs = Int8Array.from(from, () => (bits() & 1) * 2 - 1)
  return (vector) => {
    const wide = new Float32Array(width)
    for (let at = 0; at < from.length; at++) {
      const d = Math.floor(at / MIXED)
      wide[d] = (wide[d] as number) + (vector[from[at] as number] as number) * (signs[at] as number)
    }
    return toUnitLength(toUnitLength(wide).map((value) => value + ((bell[bits() >>> 16] as number) * BLUR) / Math.sqrt(width)))
  }
}

/** Writes documents and vectors straight into the tables: a million memories by the front door would take an hour. */
function fill(path: string, size: number, width: number, widen: (vector: Float32Array) => Float32Array): Rows {
  const all = { rows: new Int8Array(size * width), scales: new Float32Array(size) }
  const db = new Database(path)
  db.run('PRAGMA synchronous = OFF')
  db.run('DROP TRIGGER documents_new')
  const addDocument = db.prepare("INSERT INTO documents (id, kind, ref, project, at) VALUES (?, 'prompt', ?, ?, ?)")
  const addVector = db.prepare("INSERT INTO vectors (document_id, embedder, fingerprint, scale, row) VALUES (?, 'bench', '', ?, ?)")
  db.transaction(() => {
    for (let id = 0; id < size; id++) {
      const known = told.rows.subarray(id * table.dimensions, (id + 1) * table.dimensions)
      put(all, id, widen(Float32Array.from(known, (value) => value * (told.scales[id] as number))))
      addDocument.run(id, String(id), `p${id % 10}`, id)
      addVector.run(id, all.scales[id] as number, new Uint8Array(all.rows.buffer, id * width, width))
    }
  })()
  db.close()
  return all
}

/** How near the true tenth is, by looking at every one. What is as near as that counts as found: some texts say the same. */
function tenthOf({ rows, scales }: Rows, width: number, question: Float32Array): number {
  const best: number[] = Array(10).fill(-1)
  for (let id = 0; id < scales.length; id++) {
    const from = id * width
    let dot = 0
    for (let d = 0; d < width; d++) dot += (rows[from + d] as number) * (question[d] as number)
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
