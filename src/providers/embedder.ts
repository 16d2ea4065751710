/**
 * The embedder: turns text into a vector, so that a memory can be found by what it means. Three homes today: a table of word pieces that
 * comes along (`static`), a sentence model on this machine whose weights are fetched when asked for (`minilm`), and any endpoint that
 * speaks OpenAI's embeddings protocol (`http`). Nothing here touches the database. Having no embedder is ordinary: search then goes by
 * words alone.
 */
import { join } from 'node:path'
import { bytesOf } from '../platform/files.ts'
import { removeOurs } from '../platform/folder.ts'
import { openHttpEmbedder } from './http/http.ts'
import { installMinilm, MINILM, openMinilmEmbedder } from './minilm/minilm.ts'
import { SOURCE, WEIGHTS_BYTES, WEIGHTS_FILE } from './minilm/weights.ts'
import { openStaticEmbedder, STATIC_FILES } from './static/static.ts'
import { shippedEmbedder } from './vocabulary.ts'

export { EmbedderTrouble } from './trouble.ts'

export type Embedder = {
  /** Stored beside every vector; a different name means the vectors must be made again. */
  readonly name: string
  readonly dimensions: number
  /** One vector of length one for each text, in their order. Throws `EmbedderTrouble`, or the signal's reason. */
  embed(texts: string[], signal: AbortSignal): Promise<Float32Array[]>
  /** The same for one text at once, where nothing has to be waited for. */
  readonly embedNow?: (text: string) => Float32Array
  /** How many texts a background job should hand it at once, where it is slow: other jobs wait meanwhile. */
  readonly bite?: number
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
    case 'minilm':
      return openMinilmEmbedder(minilmFolder(models))
    case 'http':
      return openHttpEmbedder({ baseUrl: settings.base_url, model: settings.name, apiKey: settings.api_key }, signal)
  }
}

const minilmFolder = (models: string) => join(models, 'minilm')

/** What a person can choose from. `bytes` is what it takes on disk, or null when it takes nothing here. */
export type KnownEmbedder = {
  provider: 'static' | 'minilm' | 'http'
  about: string
  dimensions: number | null
  bytes: number | null
  /** Where its weights come from, how much is fetched and how much kept; null when it needs none. */
  source: { package: string; bytes: number; onDisk: number } | null
  /** True when its weights have yet to be fetched. */
  missing: boolean
}

/** The embedders there are. A file of the wrong length counts as not there, so that it is fetched again. */
export async function knownEmbedders(models: string): Promise<KnownEmbedder[]> {
  const table = await openStaticEmbedder()
  const onDisk = bytesOf(join(minilmFolder(models), WEIGHTS_FILE))
  return [
    {
      provider: 'static',
      about: 'a table of word vectors that comes along; at once, by words and their neighbours',
      dimensions: table.kind === 'ready' ? table.embedder.dimensions : null,
      bytes: STATIC_FILES.reduce((sum, name) => sum + bytesOf(join(shippedEmbedder(), name)), 0),
      source: null,
      missing: false,
    },
    {
      provider: 'minilm',
      about: 'all-MiniLM-L6-v2 on this machine; reads sentences, some twenty texts a second in the background',
      dimensions: MINILM.dimensions,
      bytes: onDisk === 0 ? null : onDisk,
      source: { package: SOURCE.package, bytes: SOURCE.bytes, onDisk: WEIGHTS_BYTES },
      missing: onDisk !== WEIGHTS_BYTES,
    },
    {
      provider: 'http',
      about: 'an endpoint that speaks the OpenAI embeddings protocol, Ollama among them',
      dimensions: null,
      bytes: null,
      source: null,
      missing: false,
    },
  ]
}

/** Puts the weights of `minilm` into place, from a tarball of the package they come in. Returns why not, or null when they are there. */
export function installWeights(models: string, tarball: string): Promise<string | null> {
  return installMinilm(tarball, minilmFolder(models))
}

/** Deletes the weights of `minilm`. */
export function removeWeights(models: string): void {
  removeOurs(minilmFolder(models), [WEIGHTS_FILE])
}
