import { describe, expect, test } from 'bun:test'
import { addObservations, observation, openSession, temporaryStore } from '../../test/support/builders.ts'
import type { Hit } from '../core/hit.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Store } from '../store/store.ts'
import { isCloseAnswer, withSomethingInCommon } from './closeness.ts'
import { makeHit } from './hits.ts'
import { parseQuery } from './query-parser.ts'
import { resolveQuery } from './resolve.ts'

const NOW = Date.UTC(2026, 10, 15, 12)

/** A store with this many memories, and a session in a project whose name is no ordinary word. */
async function storeOf(memories: number) {
  const t = await temporaryStore()
  await addObservations(
    t.store,
    Array.from({ length: memories }, (_, n) => observation({ title: `The heron of pier ${n}`, at: NOW })),
  )
  await openSession(t.store, 'elsewhere', NOW, asProjectKey('host.example/team/tide-pool'))
  return t
}

const hit = (given: Partial<Hit>): Hit => ({
  ...makeHit(
    { documentId: 1, kind: 'observation', ref: '1', sessionId: 1, turn: 1, project: asProjectKey('app'), at: NOW },
    { type: 'change', title: 'The heron', body: '' },
    [],
    { score: 1, signals: {} },
  ),
  ...given,
})

async function isClose(store: Store, text: string, ...hits: Partial<Hit>[]): Promise<boolean> {
  const query = await resolveQuery(store, parseQuery(text, NOW), { project: null, limit: 10, offset: 0 })
  if (query.kind !== 'resolved') throw new Error('the query names an unknown project')
  return isCloseAnswer(store, query, hits.map(hit))
}

describe('an answer is close', () => {
  test('in a store with few memories by one word, in a larger one only by a good part of the query', async () => {
    const oneWord = { matched: 1, coverage: 0.1 }
    using young = await storeOf(20)
    expect(await isClose(young.store, 'why was the heron late', oneWord)).toBe(true)
    expect(await isClose(young.store, 'why was the heron late', { matched: 0, coverage: 0 })).toBe(false)
    using grown = await storeOf(120)
    expect(await isClose(grown.store, 'why was the heron late', oneWord)).toBe(false)
    expect(await isClose(grown.store, 'why was the heron late', { matched: 2, coverage: 0.9 })).toBe(true)
  })

  test('by more of the words if the search by meaning found something too: then both must add up', async () => {
    using t = await storeOf(120)
    const half = { matched: 2, coverage: 0.5 }
    expect(await isClose(t.store, 'why was the heron late', half)).toBe(true)
    expect(await isClose(t.store, 'why was the heron late', half, { cosine: 0.1 })).toBe(false)
    expect(await isClose(t.store, 'why was the heron late', { ...half, cosine: 0.3 })).toBe(true)
  })

  test('by the project if the query asks for nothing else, and only with work of that project', async () => {
    using t = await storeOf(120)
    const inProject = { signals: { project: 1 } }
    expect(await isClose(t.store, 'tide-pool', inProject)).toBe(true)
    expect(await isClose(t.store, 'tide-pool', { signals: {} })).toBe(false)
    expect(await isClose(t.store, 'the crash of the ledger in tide-pool', inProject)).toBe(false)
  })
})

test('without a close answer, only hits with a word or a similar meaning are worth showing', async () => {
  const hits = [hit({ id: '1', matched: 1 }), hit({ id: '2', cosine: 0.5 }), hit({ id: '3', cosine: 0.25 }), hit({ id: '4' })]
  const ids = async (store: Store) => (await withSomethingInCommon(store, hits)).map(({ id }) => id)
  using grown = await storeOf(120)
  expect(await ids(grown.store)).toEqual(['1', '2'])
  // Among few memories, a slight similarity is no chance.
  using young = await storeOf(20)
  expect(await ids(young.store)).toEqual(['1', '2', '3'])
})
