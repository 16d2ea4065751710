import { MINILM, MinilmError, openMinilm } from '../minilm/minilm.ts'
import type { Embedder, OpenedEmbedder } from './embedder.ts'
import { EmbedderError } from './embedder-error.ts'

/** MiniLM as an embedder: the sentence model on this machine. `absent` while its weights are missing or damaged. */
export async function openMinilmEmbedder(folder: string): Promise<OpenedEmbedder> {
  const opened = await openMinilm(folder)
  if (opened.kind === 'absent') return opened
  const { model } = opened
  const embedder: Embedder = {
    ...MINILM,
    batchSize: 8,
    embed: async (texts, signal) => {
      try {
        return await model.embed(texts, signal)
      } catch (cause) {
        throw cause instanceof MinilmError ? new EmbedderError('refused', cause.message, { cause }) : cause
      }
    },
    close: model.close,
  }
  return { kind: 'ready', embedder }
}
