import { FEED_FORWARD_WIDTH, HIDDEN_WIDTH } from './kernel.ts'

const LAYER_COUNT = 6
/**
 * What is read of a text, in pieces, with the two that mark its beginning and end. The model was trained with so many; it takes twice as
 * many, at more than twice the time.
 */
export const MAX_MODEL_PIECES = 128
const VOCABULARY_PIECES = 30_522

/** A matrix of bytes with a scale and a bias a column. */
export type Matrix = { from: number; to: number; weights: number; scales: number; bias: number }
export type Norm = { weight: number; bias: number }

/**
 * Where everything lies in the file of weights, in bytes from its beginning. First the matrices, then all that is float, last the vectors
 * of word pieces: so all but those goes into the kernel's memory as it is, at the same places.
 */
export const LAYOUT = layout()

function layout() {
  let at = 0
  const take = (bytes: number) => {
    const here = at
    at += bytes
    return here
  }
  const weights = (from: number, to: number) => ({ from, to, weights: take(from * to) })
  const matrices = Array.from({ length: LAYER_COUNT }, () => ({
    asked: weights(HIDDEN_WIDTH, HIDDEN_WIDTH * 3),
    mixed: weights(HIDDEN_WIDTH, HIDDEN_WIDTH),
    up: weights(HIDDEN_WIDTH, FEED_FORWARD_WIDTH),
    down: weights(FEED_FORWARD_WIDTH, HIDDEN_WIDTH),
  }))
  const whole = (matrix: ReturnType<typeof weights>): Matrix => ({ ...matrix, scales: take(matrix.to * 4), bias: take(matrix.to * 4) })
  const norm = (): Norm => ({ weight: take(HIDDEN_WIDTH * 4), bias: take(HIDDEN_WIDTH * 4) })
  const layers = matrices.map(({ asked, mixed, up, down }) => ({
    asked: whole(asked),
    mixed: whole(mixed),
    afterAttention: norm(),
    up: whole(up),
    down: whole(down),
    afterAll: norm(),
  }))
  const afterPieces = norm()
  const positions = take(MAX_MODEL_PIECES * HIDDEN_WIDTH * 4)
  const pieceScale = take(4)
  const pieceZero = take(4)
  const pieces = at
  return { layers, afterPieces, positions, pieceScale, pieceZero, pieces, end: pieces + VOCABULARY_PIECES * HIDDEN_WIDTH }
}
