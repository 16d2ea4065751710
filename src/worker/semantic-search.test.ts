import { expect, test } from 'bun:test'
import { asProjectKey } from '../core/ids.ts'
import type { Embedder } from '../providers/embedder.ts'
import type { VectorIndex } from '../retrieval/vectors.ts'
import type { EmbeddingState } from './embedding.ts'
import { openQuickSemanticSearch, openSemanticSearch } from './semantic-search.ts'

const near = [0.8, 0.5, 0.2].map((cosine, i) => ({ documentId: i + 1, kind: 'prompt' as const, ref: String(i + 1), cosine }))

test('scores are scaled from the last document found to the first, and the raw cosine is returned too', async () => {
  expect(await openSemanticSearch(embedding({}))('q', asProjectKey('app'), 3)).toEqual([
    { documentId: 1, score: 1, cosine: 0.8 },
    { documentId: 2, score: expect.closeTo(0.5), cosine: 0.5 },
    { documentId: 3, score: 0, cosine: 0.2 },
  ])
})

test('the only memory of a project is the nearest one', async () => {
  const only = near.slice(0, 1)
  expect(await openSemanticSearch(embedding({}, only))('q', asProjectKey('app'), 3)).toEqual([{ documentId: 1, score: 1, cosine: 0.8 }])
  expect(await openSemanticSearch(embedding({}, []))('q', asProjectKey('app'), 3)).toEqual([])
})

test('a hook does not use an embedder that needs the network', async () => {
  expect(await openQuickSemanticSearch(embedding({ embedNow: undefined }))('q', null, 3)).toEqual([])
  expect(await openQuickSemanticSearch(embedding({}))('q', null, 3)).toHaveLength(3)
})

test('a hook finds nothing when the embedder is slow or fails', async () => {
  const never = { state: () => new Promise<EmbeddingState>(() => {}) }
  expect(await openQuickSemanticSearch(never, 5)('q', null, 3)).toEqual([])
  const broken = { state: () => Promise.reject(new Error('no table')) }
  expect(await openQuickSemanticSearch(broken, 5)('q', null, 3)).toEqual([])
})

function embedding(given: { embedNow?: Embedder['embedNow'] | undefined }, found = near) {
  const embedder = { name: 'test', dimensions: 2, embedNow: () => new Float32Array(2), ...given } as unknown as Embedder
  const index = { isWarm: () => true, nearest: async () => found, warm: async () => {}, size: () => found.length } as unknown as VectorIndex
  return {
    state: async (): Promise<EmbeddingState> => ({ kind: 'ready', embedder, index }),
    indexes: async () => [index],
    outcomeRecorder: () => () => {},
  }
}
