/**
 * The embedder turns text into a vector, for search by meaning. There are three: the shipped table of word vectors (`static`), a sentence model
 * on this machine whose weights are downloaded on request (`minilm`), and any endpoint with OpenAI's embeddings API (`http`). This room never
 * uses the database. Without an embedder, search uses words alone.
 */
import { join } from 'node:path'
import { openStaticEmbedder } from './static/static.ts'

export { EmbedderError } from './embedder-error.ts'

export type Embedder = {
  /** Stored with every vector. When the name changes, all vectors are computed again. */
  readonly name: string
  readonly dimensions: number
  /** One vector of length one for each text, in their order. Throws an `EmbedderError`, or the signal's reason. */
  embed(texts: string[], signal: AbortSignal): Promise<Float32Array[]>
  /** Embeds one text synchronously; only embedders that are fast enough have it. */
  readonly embedNow?: (text: string) => Float32Array
  /** How many texts a background job should submit at once. Set for slow embedders, because other jobs wait meanwhile. */
  readonly batchSize?: number
  /** Releases memory and threads. A later call of `embed` acquires them again. */
  close?(): void
}

export type EmbedderSettings = { provider: 'static' | 'minilm' | 'http' | 'none'; name: string; base_url: string; api_key: string }

/** `absent` is a normal state; `reason` is shown to the person. */
export type OpenedEmbedder = { kind: 'ready'; embedder: Embedder } | { kind: 'absent'; reason: string }

/**
 * Opens the embedder that the settings name; `models` is the folder for weights. Opening `http` sends one request to learn the number of
 * dimensions.
 */
export async function openEmbedder(settings: EmbedderSettings, models: string, signal: AbortSignal): Promise<OpenedEmbedder> {
  switch (settings.provider) {
    case 'none':
      return { kind: 'absent', reason: 'switched off (embedder.provider = "none")' }
    case 'static':
      return openStaticEmbedder()
    // Loaded on demand: most workers use neither.
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
