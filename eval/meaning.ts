import { openEmbedder } from '../src/providers/embedder.ts'
import { embedSome, openVectorIndex } from '../src/retrieval/vectors.ts'
import { meaningBy } from '../src/worker/meaning.ts'
import type { Prepare } from './sets.ts'

/** Embeds a filled store with the table that is shipped, and searches it as the worker does. */
export const byShippedTable: Prepare = async (store) => {
  const signal = new AbortController().signal
  const opened = await openEmbedder({ provider: 'static', name: '', base_url: '', api_key: '' }, signal)
  if (opened.kind === 'absent') throw new Error(opened.reason)
  while (await embedSome(store, opened.embedder, signal));
  const state = { ...opened, index: openVectorIndex(store, opened.embedder) }
  await state.index.warm()
  return meaningBy({ state: async () => state })
}
