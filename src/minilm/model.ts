import { toUnitLength } from '../core/unit-vector.ts'
import { FEED_FORWARD_WIDTH, HEADS, HIDDEN_WIDTH, openKernel, ROWS_PER_STEP } from './kernel.ts'
import { LAYOUT, MAX_MODEL_PIECES, type Matrix, type Norm } from './layout.ts'

const [START, END] = [101, 102]
const WASM_PAGE_BYTES = 65_536
/** Rows multiplied at a time. With more, their output no longer fits into the L1 cache. */
const TILE_ROWS = 32

/** The model: word pieces in, a vector of length one out. `file` is the mapped weights file; piece vectors are read from it only when used. */
export function openModel(file: Uint8Array): (pieces: number[]) => Float32Array {
  let end = Math.ceil(LAYOUT.pieces / 16) * 16
  const allocate = (bytes: number) => {
    const here = end
    end += bytes
    return here
  }
  const rows = allocate(MAX_MODEL_PIECES * HIDDEN_WIDTH * 4)
  const change = allocate(MAX_MODEL_PIECES * HIDDEN_WIDTH * 4)
  const queryKeyValue = allocate(MAX_MODEL_PIECES * HIDDEN_WIDTH * 3 * 4)
  const inner = allocate(MAX_MODEL_PIECES * FEED_FORWARD_WIDTH * 4)
  const rounded = allocate(MAX_MODEL_PIECES * FEED_FORWARD_WIDTH * 2)
  const scales = allocate(MAX_MODEL_PIECES * 4)
  const keys = allocate(MAX_MODEL_PIECES * (HIDDEN_WIDTH / HEADS) * 4)
  const values = allocate(MAX_MODEL_PIECES * (HIDDEN_WIDTH / HEADS) * 4)
  const attention = allocate(MAX_MODEL_PIECES * ROWS_PER_STEP * 4)
  const memory = new WebAssembly.Memory({ initial: Math.ceil(end / WASM_PAGE_BYTES) })
  const kernel = openKernel(memory)
  new Uint8Array(memory.buffer).set(file.subarray(0, LAYOUT.pieces))
  const floats = new Float32Array(memory.buffer)
  const [pieceScale, pieceZero] = [floats[LAYOUT.pieceScale / 4] as number, floats[LAYOUT.pieceZero / 4] as number]

  function multiply(from: number, count: number, matrix: Matrix, to: number): void {
    kernel.round(from, count, matrix.from, rounded, scales)
    const multiply = matrix.from === HIDDEN_WIDTH ? kernel.multiply384 : kernel.multiply1536
    for (let row = 0; row < count; row += TILE_ROWS) {
      const [x, scale, out] = [rounded + row * matrix.from * 2, scales + row * 4, to + row * matrix.to * 4]
      multiply(x, scale, Math.min(TILE_ROWS, count - row), matrix.weights, matrix.scales, matrix.bias, out, matrix.to)
    }
  }
  const norm = (added: number, count: number, { weight, bias }: Norm) => kernel.norm(rows, added, count, weight, bias)

  function lookUp(pieces: number[]): void {
    for (const [row, piece] of pieces.entries()) {
      const from = LAYOUT.pieces + piece * HIDDEN_WIDTH
      const to = rows / 4 + row * HIDDEN_WIDTH
      for (let d = 0; d < HIDDEN_WIDTH; d++) floats[to + d] = ((file[from + d] as number) - pieceZero) * pieceScale
    }
  }

  return (text) => {
    const pieces = [START, ...text.slice(0, MAX_MODEL_PIECES - 2), END]
    const count = Math.ceil(pieces.length / ROWS_PER_STEP) * ROWS_PER_STEP
    floats.fill(0, rows / 4, rows / 4 + count * HIDDEN_WIDTH)
    lookUp(pieces)
    norm(LAYOUT.positions, count, LAYOUT.embeddingNorm)
    for (const layer of LAYOUT.layers) {
      multiply(rows, count, layer.queryKeyValue, queryKeyValue)
      kernel.attend(queryKeyValue, count, pieces.length, keys, values, attention, inner)
      multiply(inner, count, layer.attentionOutput, change)
      norm(change, count, layer.attentionNorm)
      multiply(rows, count, layer.up, inner)
      kernel.gelu(inner, count * FEED_FORWARD_WIDTH * 4)
      multiply(inner, count, layer.down, change)
      norm(change, count, layer.outputNorm)
    }
    const mean = new Float32Array(HIDDEN_WIDTH)
    for (let row = 0; row < pieces.length; row++) {
      const from = rows / 4 + row * HIDDEN_WIDTH
      for (let d = 0; d < HIDDEN_WIDTH; d++) mean[d] = (mean[d] as number) + (floats[from + d] as number)
    }
    return toUnitLength(mean)
  }
}
