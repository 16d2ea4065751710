/** The thread in which the model runs, so that nobody who asks for anything else has to wait for it. `minilm.ts` speaks to it. */

import { readVocabulary } from '../vocabulary.ts'
import { openWordPieceTokenizer, splitIdentifiers } from '../word-pieces.ts'
import { openModel } from './model.ts'
import { installWeights, readWeights } from './weights.ts'

/** What the thread is told, one thing after the other; each is answered once. */
export type MinilmThreadRequest =
  | { kind: 'open'; folder: string }
  | { kind: 'embed'; text: string }
  | { kind: 'install'; tarball: string; folder: string }
export type MinilmThreadReply = { kind: 'done' } | { kind: 'vector'; vector: Float32Array } | { kind: 'refused'; reason: string }

const UNKNOWN_PIECE = 100

declare const self: { onmessage: (event: MessageEvent<MinilmThreadRequest>) => void; postMessage(answer: MinilmThreadReply): void }

let embed: ((text: string) => Float32Array) | null = null

async function handleRequest(told: MinilmThreadRequest): Promise<MinilmThreadReply> {
  switch (told.kind) {
    case 'open': {
      const weights = readWeights(told.folder)
      if (weights.kind === 'absent') return { kind: 'refused', reason: weights.reason }
      const model = openModel(weights.bytes)
      const pieces = openWordPieceTokenizer(readVocabulary(), UNKNOWN_PIECE)
      embed = (text) => model(pieces(splitIdentifiers(text)))
      return { kind: 'done' }
    }
    case 'embed':
      return embed ? { kind: 'vector', vector: embed(told.text) } : { kind: 'refused', reason: 'the model is not open' }
    case 'install': {
      const installed = await installWeights(told.tarball, told.folder)
      return installed.kind === 'installed' ? { kind: 'done' } : installed
    }
  }
}

self.onmessage = async ({ data }) => {
  try {
    self.postMessage(await handleRequest(data))
  } catch (cause) {
    const { message, cause: deeper } = cause as Error
    self.postMessage({ kind: 'refused', reason: deeper instanceof Error ? `${message}: ${deeper.message}` : message })
  }
}
