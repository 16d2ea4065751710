/**
 * Finding by meaning in a history of 10,000, 100,000 and 1,000,000 documents, 256 and 384 wide: what a question costs, what the first one
 * waits for, and how many of the true ten nearest are found. The vectors are made up: clusters of unlike sizes, so that there is
 * something to find. Other sizes and widths: `bench/vectors.ts --sizes 5000 --widths 64,128`.
 */
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { asProjectKey } from '../src/core/ids.ts'
import type { Embedder } from '../src/providers/embedder.ts'
import { openVectorIndex } from '../src/retrieval/vectors.ts'
import { openStore } from '../src/store/store.ts'
import { median } from './measure.ts'

const options = { sizes: { type: 'string', default: '10000,100000,1000000' }, widths: { type: 'string', default: '256,384' } } as const
const { values } = parseArgs({ options })
const QUESTIONS = 100
const EXACT_QUESTIONS = 20
const GOALS = new Map([
  [100_000, 4],
  [1_000_000, 18],
])

for (const width of values.widths.split(',').map(Number)) {
  for (const size of values.sizes.split(',').map(Number)) await measure(size, width)
}

async function measure(size: number, width: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-bench-'))
  const path = join(folder, 'recollect.db')
  const store = await openStore(path)
  try {
    const draw = vectorsOf(width)
    const began = performance.now()
    const rows = fill(path, size, width, draw)
    const filling = (performance.now() - began) / 1000
    const embedder: Embedder = { name: 'bench', dimensions: width, embed: async () => [] }
    const index = openVectorIndex(store, embedder)
    const started = performance.now()
    await index.warm()
    const warm = performance.now() - started
    const times = { all: [] as number[], project: [] as number[] }
    let found = 0
    for (let n = 0; n < QUESTIONS; n++) {
      const question = draw()
      const before = performance.now()
      const near = await index.nearest(question, { project: null, limit: 10 })
      times.all.push(performance.now() - before)
      const again = performance.now()
      await index.nearest(question, { project: asProjectKey('p3'), limit: 10 })
      times.project.push(performance.now() - again)
      if (n < EXACT_QUESTIONS) found += overlap(near, exact(rows, width, question))
    }
    const goal = GOALS.get(size)
    const verdict = goal === undefined ? '' : `  goal <= ${goal} ms: ${median(times.all) <= goal ? 'met' : 'MISSED'}`
    console.log(
      `${size.toLocaleString('en').padStart(9)} x ${width}: p50 ${ms(median(times.all))}, p95 ${ms(p95(times.all))}; in one project of ten p50 ` +
        `${ms(median(times.project))}; first question waits ${ms(warm)}; recall@10 ${(found / EXACT_QUESTIONS / 10).toFixed(3)}; ` +
        `${Math.round(index.bytes() / 1e6)} MB held (filled in ${filling.toFixed(0)} s)${verdict}`,
    )
  } finally {
    store.close()
    rmSync(folder, { recursive: true })
  }
}

/** Vectors around a few hundred centres, each of length one, the same in every run. */
function vectorsOf(width: number): () => Float32Array {
  let state = 7
  const bits = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const even = () => bits() / 2 ** 32 - 0.5
  // Three evenly spread numbers together are near enough to a bell curve. Drawn once: a million vectors need hundreds of millions.
  const bell = Float32Array.from({ length: 65_536 }, () => even() + even() + even())
  const around = (centre: Float32Array | null) => {
    const vector = new Float32Array(width)
    for (let d = 0; d < width; d++) vector[d] = (centre?.[d] ?? 0) * Math.sqrt(width) * 0.6 + (bell[bits() >>> 16] as number)
    return unit(vector)
  }
  const centres = Array.from({ length: 500 }, () => around(null))
  return () => around(centres[Math.floor((even() + 0.5) ** 2 * centres.length)] ?? null)
}

function unit(vector: Float32Array): Float32Array {
  const length = lengthOf(vector)
  for (let d = 0; d < vector.length; d++) vector[d] = (vector[d] as number) / length
  return vector
}

function lengthOf(vector: Float32Array | Int8Array): number {
  let square = 0
  for (let d = 0; d < vector.length; d++) square += (vector[d] as number) ** 2
  return Math.sqrt(square)
}

type Filled = { rows: Int8Array; scales: Float32Array }

/** Writes documents and vectors straight into the tables: a million memories by the front door would take an hour. */
function fill(path: string, size: number, width: number, draw: () => Float32Array): Filled {
  const all = { rows: new Int8Array(size * width), scales: new Float32Array(size) }
  const db = new Database(path)
  db.run('PRAGMA synchronous = OFF')
  db.run('DROP TRIGGER documents_new')
  const addDocument = db.prepare("INSERT INTO documents (id, kind, ref, project, at) VALUES (?, 'prompt', ?, ?, ?)")
  const addVector = db.prepare("INSERT INTO vectors (document_id, embedder, fingerprint, scale, row) VALUES (?, 'bench', '', ?, ?)")
  db.transaction(() => {
    for (let id = 0; id < size; id++) {
      const vector = draw()
      const row = all.rows.subarray(id * width, (id + 1) * width)
      for (let d = 0; d < width; d++) row[d] = Math.max(-127, Math.min(127, Math.round((vector[d] as number) * 300)))
      addDocument.run(id, String(id), `p${id % 10}`, id)
      all.scales[id] = 1 / lengthOf(row)
      addVector.run(id, all.scales[id] as number, new Uint8Array(row.buffer, row.byteOffset, width))
    }
  })()
  db.close()
  return all
}

/** The true ten nearest, by looking at every one. */
function exact({ rows, scales }: Filled, width: number, question: Float32Array): number[] {
  const best: { id: number; cosine: number }[] = []
  for (let id = 0; id < scales.length; id++) {
    const from = id * width
    let dot = 0
    for (let d = 0; d < width; d++) dot += (rows[from + d] as number) * (question[d] as number)
    const cosine = dot * (scales[id] as number)
    if (best.length === 10 && cosine <= (best[9]?.cosine ?? 0)) continue
    best.push({ id, cosine })
    best.sort((a, b) => b.cosine - a.cosine)
    best.length = Math.min(best.length, 10)
  }
  return best.map(({ id }) => id)
}

function overlap(near: { documentId: number }[], truth: number[]): number {
  return near.filter((one) => truth.includes(one.documentId)).length
}

function p95(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`
}
