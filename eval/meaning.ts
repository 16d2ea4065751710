import { resolve } from 'node:path'
import { type OpenedEmbedder, openEmbedder } from '../src/providers/embedder.ts'
import { openStaticEmbedder } from '../src/providers/static/static.ts'
import type { SemanticSearch } from '../src/retrieval/search.ts'
import { embedBatch, openVectorIndex, type VectorIndex } from '../src/retrieval/vectors.ts'
import type { Store } from '../src/store/store.ts'
import { openSemanticSearch } from '../src/worker/semantic-search.ts'
import { minilmOrNull } from '../test/support/minilm.ts'

/** Opens a local embedder. */
export type OpenEmbedder = () => Promise<OpenedEmbedder>

const signal = new AbortController().signal
const settings = { name: '', base_url: '', api_key: '' }

export const shippedTable: OpenEmbedder = () => openEmbedder({ provider: 'static', ...settings }, '', signal)
export const sentenceModel: OpenEmbedder = async () =>
  openEmbedder({ provider: 'minilm', ...settings }, (await minilmOrNull())?.models ?? '', signal)
/** Another table of word vectors, in a folder with the layout of `assets/embedder`. */
export const tableIn =
  (folder: string): OpenEmbedder =>
  () =>
    openStaticEmbedder(resolve(folder))

/** Search by meaning in a store, as in the worker. */
export async function meaningIn(store: Store, open: OpenEmbedder): Promise<SemanticSearch> {
  return meaningOf(await vectorsIn(store, open))
}

/** Search by meaning with an index that is already loaded. */
export function meaningOf(index: VectorIndex): SemanticSearch {
  return openSemanticSearch({
    indexes: async () => [index],
    outcomeRecorder: () => (error) => {
      if (error) throw error
    },
  })
}

/** Embeds all documents of a store that have no vector yet, and loads the index. */
export async function vectorsIn(store: Store, open: OpenEmbedder): Promise<VectorIndex> {
  const opened = await open()
  if (opened.kind === 'absent') throw new Error(opened.reason)
  while (await embedBatch(store, opened.embedder, signal));
  const index = openVectorIndex(store, opened.embedder)
  await index.warm()
  return index
}
