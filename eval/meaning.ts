import { openEmbedder } from '../src/providers/embedder.ts'
import { embedSome, openVectorIndex } from '../src/retrieval/vectors.ts'
import { meaningBy } from '../src/worker/meaning.ts'
import { minilmOrNull } from '../test/support/minilm.ts'
import type { Prepare } from './sets.ts'

/** Embeds a filled store with an embedder of this machine, and searches it as the worker does. */
export function byEmbedder(provider: 'static' | 'minilm'): Prepare {
  return async (store) => {
    const signal = new AbortController().signal
    const models = provider === 'minilm' ? ((await minilmOrNull())?.models ?? '') : ''
    const opened = await openEmbedder({ provider, name: '', base_url: '', api_key: '' }, models, signal)
    if (opened.kind === 'absent') throw new Error(opened.reason)
    while (await embedSome(store, opened.embedder, signal));
    const index = openVectorIndex(store, opened.embedder)
    await index.warm()
    return meaningBy({
      indexes: async () => [index],
      noting: () => (trouble) => {
        if (trouble) throw trouble
      },
    })
  }
}

export const byShippedTable = byEmbedder('static')
