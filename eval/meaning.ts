import { resolve } from 'node:path'
import { type OpenedEmbedder, openEmbedder } from '../src/providers/embedder.ts'
import { openStaticEmbedder } from '../src/providers/static/static.ts'
import type { SemanticSearch } from '../src/retrieval/search.ts'
import { embedBatch, openVectorIndex, type VectorIndex } from '../src/retrieval/vectors.ts'
import type { Store } from '../src/store/store.ts'
import { openSemanticSearch } from '../src/worker/semantic-search.ts'
import { minilmOrNull } from '../test/support/minilm.ts'

/** An embedder of this machine, not opened yet. */
export type Open = () => Promise<OpenedEmbedder>

const signal = new AbortController().signal
const settings = { name: '', base_url: '', api_key: '' }

export const shippedTable: Open = () => openEmbedder({ provider: 'static', ...settings }, '', signal)
export const sentenceModel: Open = async () =>
  openEmbedder({ provider: 'minilm', ...settings }, (await minilmOrNull())?.models ?? '', signal)
/** Another table, in a folder like `assets/embedder`. */
export const tableIn =
  (folder: string): Open =>
  () =>
    openStaticEmbedder(resolve(folder))

/** Finds in a store by meaning, as the worker does. */
export async function meaningIn(store: Store, open: Open): Promise<SemanticSearch> {
  return meaningOf(await vectorsIn(store, open))
}

/** The same with vectors that have been read. */
export function meaningOf(index: VectorIndex): SemanticSearch {
  return openSemanticSearch({
    indexes: async () => [index],
    noting: () => (trouble) => {
      if (trouble) throw trouble
    },
  })
}

/** Embeds what of a store has no vector yet, and reads all of them. */
export async function vectorsIn(store: Store, open: Open): Promise<VectorIndex> {
  const opened = await open()
  if (opened.kind === 'absent') throw new Error(opened.reason)
  while (await embedBatch(store, opened.embedder, signal));
  const index = openVectorIndex(store, opened.embedder)
  await index.warm()
  return index
}
