/** The thread in which the model runs, so that nobody who asks for anything else has to wait for it. `minilm.ts` speaks to it. */
import { openPieces, wordsApart } from '../pieces.ts'
import { readVocabulary } from '../vocabulary.ts'
import { openModel } from './model.ts'
import { installWeights, readWeights } from './weights.ts'

/** What the thread is told, one thing after the other; each is answered once. */
export type Told = { kind: 'open'; folder: string } | { kind: 'embed'; text: string } | { kind: 'install'; tarball: string; folder: string }
export type Answered = { kind: 'done' } | { kind: 'vector'; vector: Float32Array } | { kind: 'refused'; reason: string }

const UNKNOWN = 100

declare const self: { onmessage: (event: MessageEvent<Told>) => void; postMessage(answer: Answered): void }

let embed: ((text: string) => Float32Array) | null = null

async function answer(told: Told): Promise<Answered> {
  switch (told.kind) {
    case 'open': {
      const weights = readWeights(told.folder)
      if (weights.kind === 'absent') return { kind: 'refused', reason: weights.reason }
      const model = openModel(weights.bytes)
      const pieces = openPieces(readVocabulary(), UNKNOWN)
      embed = (text) => model(pieces(wordsApart(text)))
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
    self.postMessage(await answer(data))
  } catch (cause) {
    const { message, cause: deeper } = cause as Error
    self.postMessage({ kind: 'refused', reason: deeper instanceof Error ? `${message}: ${deeper.message}` : message })
  }
}
