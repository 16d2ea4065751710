/** The thread that runs the model, so that other requests to the worker do not wait for it. `minilm.ts` sends it requests. */

import { HIDDEN_WIDTH } from './kernel.ts'
import { openModel } from './model.ts'
import { readVocabulary } from './vocabulary.ts'
import { installWeightsFromTarball, readWeights } from './weights.ts'
import { openWordPieceTokenizer, splitIdentifiers } from './word-pieces.ts'

/** Requests are handled one at a time; each gets one reply. */
export type MinilmThreadRequest =
  | { kind: 'open'; folder: string }
  | { kind: 'embed'; text: string }
  | { kind: 'install'; tarball: string; folder: string }
export type MinilmThreadReply = { kind: 'done' } | { kind: 'vector'; vector: Float32Array } | { kind: 'refused'; reason: string }

const UNKNOWN_PIECE = 100

declare const self: { onmessage: (event: MessageEvent<MinilmThreadRequest>) => void; postMessage(reply: MinilmThreadReply): void }

let embed: ((text: string) => Float32Array) | null = null

async function handleRequest(request: MinilmThreadRequest): Promise<MinilmThreadReply> {
  switch (request.kind) {
    case 'open': {
      const weights = readWeights(request.folder)
      if (weights.kind === 'absent') return { kind: 'refused', reason: weights.reason }
      const model = openModel(weights.bytes)
      const pieces = openWordPieceTokenizer(readVocabulary(), UNKNOWN_PIECE)
      embed = (text) => vectorOf(pieces(splitIdentifiers(text)), model)
      return { kind: 'done' }
    }
    case 'embed':
      return embed ? { kind: 'vector', vector: embed(request.text) } : { kind: 'refused', reason: 'the model is not open' }
    case 'install': {
      const installed = await installWeightsFromTarball(request.tarball, request.folder)
      return installed.kind === 'installed' ? { kind: 'done' } : installed
    }
  }
}

/** Zeros for a text of which the vocabulary knows less than half of the words: the model would guess from the others. */
function vectorOf(pieces: number[], model: (pieces: number[]) => Float32Array): Float32Array {
  const unknown = pieces.filter((piece) => piece === UNKNOWN_PIECE).length
  return unknown * 2 > pieces.length ? new Float32Array(HIDDEN_WIDTH) : model(pieces)
}

self.onmessage = async ({ data }) => {
  try {
    self.postMessage(await handleRequest(data))
  } catch (cause) {
    const { message, cause: deeper } = cause as Error
    self.postMessage({ kind: 'refused', reason: deeper instanceof Error ? `${message}: ${deeper.message}` : message })
  }
}
