/**
 * The embedder: turns text into a vector, so that a memory can be found by what it means. Two homes today: a table of word pieces on
 * this machine (`static`), and any endpoint that speaks OpenAI's embeddings protocol (`http`). Nothing here touches the database. Having
 * no embedder is ordinary: search then goes by words alone.
 */
import { openHttpEmbedder } from './http/http.ts'
import { openStaticEmbedder } from './static/static.ts'

export { EmbedderTrouble } from './trouble.ts'

export type Embedder = {
  /** Stored beside every vector; a different name means the vectors must be made again. */
  readonly name: string
  readonly dimensions: number
  /** One vector of length one for each text, in their order. Throws `EmbedderTrouble`, or the signal's reason. */
  embed(texts: string[], signal: AbortSignal): Promise<Float32Array[]>
  /** The same for one text at once, where nothing has to be waited for. */
  readonly embedNow?: (text: string) => Float32Array
}

export type EmbedderSettings = { provider: 'static' | 'http' | 'none'; name: string; base_url: string; api_key: string }

/** `absent` is a legal state, with a reason in words for the person. */
export type OpenedEmbedder = { kind: 'ready'; embedder: Embedder } | { kind: 'absent'; reason: string }

/** Opens the embedder that the settings name. Opening `http` asks the endpoint once, for the width of its vectors. */
export async function openEmbedder(settings: EmbedderSettings, signal: AbortSignal): Promise<OpenedEmbedder> {
  switch (settings.provider) {
    case 'none':
      return { kind: 'absent', reason: 'switched off (embedder.provider = "none")' }
    case 'static':
      return openStaticEmbedder()
    case 'http':
      return openHttpEmbedder({ baseUrl: settings.base_url, model: settings.name, apiKey: settings.api_key }, signal)
  }
}
