/**
 * The embedder: turns text into a vector, so that a memory can be found by what it means. Three homes today: a table of word pieces that
 * comes along (`static`), a sentence model on this machine whose weights are fetched when asked for (`minilm`), and any endpoint that
 * speaks OpenAI's embeddings protocol (`http`). Nothing here touches the database. Having no embedder is ordinary: search then goes by
 * words alone.
 */
import { join } from 'node:path'
import { openStaticEmbedder } from './static/static.ts'

export { EmbedderError } from './embedder-error.ts'

export type Embedder = {
  /** Stored beside every vector; a different name means the vectors must be made again. */
  readonly name: string
  readonly dimensions: number
  /** One vector of length one for each text, in their order. Throws `EmbedderTrouble`, or the signal's reason. */
  embed(texts: string[], signal: AbortSignal): Promise<Float32Array[]>
  /** The same for one text at once, where nothing has to be waited for. */
  readonly embedNow?: (text: string) => Float32Array
  /** How many texts a background job should hand it at once, where it is slow: other jobs wait meanwhile. */
  readonly batchSize?: number
  /** Gives back what it holds. It may still be asked; that takes it up again. */
  close?(): void
}

export type EmbedderSettings = { provider: 'static' | 'minilm' | 'http' | 'none'; name: string; base_url: string; api_key: string }

/** `absent` is a legal state, with a reason in words for the person. */
export type OpenedEmbedder = { kind: 'ready'; embedder: Embedder } | { kind: 'absent'; reason: string }

/**
 * Opens the embedder that the settings name; `models` is the folder for weights. Opening `http` asks the endpoint once, for the width of
 * its vectors.
 */
export async function openEmbedder(settings: EmbedderSettings, models: string, signal: AbortSignal): Promise<OpenedEmbedder> {
  switch (settings.provider) {
    case 'none':
      return { kind: 'absent', reason: 'switched off (embedder.provider = "none")' }
    case 'static':
      return openStaticEmbedder()
    // Loaded where they are chosen: most workers have neither.
    case 'minilm': {
      const { openMinilmEmbedder } = await import('./minilm.ts')
      return openMinilmEmbedder(minilmFolder(models))
    }
    case 'http': {
      const { openHttpEmbedder } = await import('./http/http.ts')
      return openHttpEmbedder({ baseUrl: settings.base_url, model: settings.name, apiKey: settings.api_key }, signal)
    }
  }
}

export const minilmFolder = (models: string) => join(models, 'minilm')
