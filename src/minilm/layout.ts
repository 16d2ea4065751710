import { FEED_FORWARD_WIDTH, HIDDEN_WIDTH } from './kernel.ts'

const LAYER_COUNT = 6
/**
 * The model reads this many pieces of a text, including the two that mark its start and end. It was trained with this length; it accepts twice
 * as many, in more than twice the time.
 */
export const MAX_MODEL_PIECES = 128
const VOCABULARY_PIECES = 30_522

/** A matrix of bytes, with a scale and a bias for each column. */
export type Matrix = { from: number; to: number; weights: number; scales: number; bias: number }
export type Norm = { weight: number; bias: number }

/**
 * Byte offsets in the weights file: matrices first, then floats, then the vectors of word pieces. Everything before the piece vectors is copied
 * into the kernel's memory unchanged, at the same offsets.
 */
export const LAYOUT = layout()

function layout() {
  let at = 0
  const reserve = (bytes: number) => {
    const here = at
    at += bytes
    return here
  }
  const weights = (from: number, to: number) => ({ from, to, weights: reserve(from * to) })
  const matrices = Array.from({ length: LAYER_COUNT }, () => ({
    queryKeyValue: weights(HIDDEN_WIDTH, HIDDEN_WIDTH * 3),
    attentionOutput: weights(HIDDEN_WIDTH, HIDDEN_WIDTH),
    up: weights(HIDDEN_WIDTH, FEED_FORWARD_WIDTH),
    down: weights(FEED_FORWARD_WIDTH, HIDDEN_WIDTH),
  }))
  const withScalesAndBias = (matrix: ReturnType<typeof weights>): Matrix => ({
    ...matrix,
    scales: reserve(matrix.to * 4),
    bias: reserve(matrix.to * 4),
  })
  const norm = (): Norm => ({ weight: reserve(HIDDEN_WIDTH * 4), bias: reserve(HIDDEN_WIDTH * 4) })
  const layers = matrices.map(({ queryKeyValue, attentionOutput, up, down }) => ({
    queryKeyValue: withScalesAndBias(queryKeyValue),
    attentionOutput: withScalesAndBias(attentionOutput),
    attentionNorm: norm(),
    up: withScalesAndBias(up),
    down: withScalesAndBias(down),
    outputNorm: norm(),
  }))
  const embeddingNorm = norm()
  const positions = reserve(MAX_MODEL_PIECES * HIDDEN_WIDTH * 4)
  const pieceScale = reserve(4)
  const pieceZero = reserve(4)
  const pieces = at
  return { layers, embeddingNorm, positions, pieceScale, pieceZero, pieces, end: pieces + VOCABULARY_PIECES * HIDDEN_WIDTH }
}
