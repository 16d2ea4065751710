import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { addObservations, observation, temporaryStore } from '../../test/support/builders.ts'
import type { SearchScope } from './store.ts'

const everywhere: SearchScope = {
  project: null,
  kinds: ['observation'],
  since: 0,
  before: Number.MAX_SAFE_INTEGER,
  limit: 10,
}

test('a search inside a transaction finds what the transaction has written', async () => {
  using t = await temporaryStore()
  await t.store.transaction(async () => {
    await addObservations(t.store, [observation({ title: 'lighthouse keeper' })])
    expect(await t.store.documents.match(['lighthouse'], everywhere)).toHaveLength(1)
    expect(await t.store.documents.matchNames('house', everywhere)).toHaveLength(1)
  })
})

test('the words of a failed transaction are in no index, not even after the next one', async () => {
  using t = await temporaryStore()
  const failing = t.store.transaction(async () => {
    await addObservations(t.store, [observation({ title: 'lighthouse keeper' })], 'lost')
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await t.store.transaction(() => addObservations(t.store, [observation({ title: 'harbour wall' })], 'kept'))
  expect(indexed(t.path, 'lighthouse')).toBe(0)
  expect(indexed(t.path, 'harbour')).toBe(1)
})

test('a memory that is removed in the transaction that added it leaves no words', async () => {
  using t = await temporaryStore()
  await t.store.transaction(async () => {
    await addObservations(t.store, [observation({ title: 'lighthouse keeper' })])
    await addObservations(t.store, [])
  })
  expect(indexed(t.path, 'lighthouse')).toBe(0)
})

test('a transaction of a thousand documents indexes all of them', async () => {
  using t = await temporaryStore()
  const many = Array.from({ length: 1000 }, (_, i) => observation({ title: `lighthouse number ${i}` }))
  await t.store.transaction(() => addObservations(t.store, many))
  expect(indexed(t.path, 'lighthouse')).toBe(1000)
})

function indexed(path: string, word: string): number {
  using db = new Database(path, { readonly: true })
  return (db.query('SELECT count(*) AS n FROM fulltext WHERE fulltext MATCH ?').get(word) as { n: number }).n
}
