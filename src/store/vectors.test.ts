import { expect, test } from 'bun:test'
import { addObservations, observation, temporaryStore } from '../../test/support/builders.ts'
import type { Store, UnembeddedDocument } from './store.ts'

const vector = (...row: number[]) => ({ scale: 0.5, row: new Int8Array(row) })
const embed = async (store: Store, document: UnembeddedDocument | undefined, ...row: number[]) => {
  if (document) await store.vectors.put(document, 'table', `print ${document.documentId}`, vector(...row))
}

async function storeWith(...titles: string[]) {
  const t = await temporaryStore()
  await addObservations(
    t.store,
    titles.map((title) => observation({ title })),
  )
  return t
}

test('new documents wait for their vector, the newest first', async () => {
  using t = await storeWith('one', 'two')
  const waiting = await t.store.vectors.waiting(9)
  expect(waiting.map(({ ref, embedder, fingerprint }) => [ref, embedder, fingerprint])).toEqual([
    ['2', null, null],
    ['1', null, null],
  ])
  expect(await t.store.vectors.waiting(1)).toHaveLength(1)
  expect([await t.store.vectors.counts(), await t.store.vectors.hasAny()]).toEqual([{ vectors: 0, waiting: 2 }, false])
})

test('a vector is read as it was written, in the order of writing, and leads to its document', async () => {
  using t = await storeWith('one', 'two')
  const [second, first] = await t.store.vectors.waiting(9)
  await embed(t.store, first, 127, -127, 0)
  await embed(t.store, second, 1, 2, 3)
  const [one, two] = await t.store.vectors.after(0, 'table', 9)
  expect([[...(one?.row ?? [])], one?.scale, one?.project, [...(two?.row ?? [])]]).toEqual([
    [127, -127, 0],
    0.5,
    observation().project,
    [1, 2, 3],
  ])
  expect((await t.store.vectors.after(one?.seq ?? 0, 'table', 9)).map(({ seq }) => seq)).toEqual([two?.seq as number])
  expect([
    await t.store.vectors.after(0, 'other', 9),
    await t.store.vectors.countOf('table'),
    await t.store.vectors.countOf('other'),
  ]).toEqual([[], 2, 0])
  expect((await t.store.vectors.bySeq([two?.seq ?? 0, 99])).map(({ seq }) => seq)).toEqual([two?.seq as number])
  expect(await t.store.vectors.documentsOf([one?.seq ?? 0, 99])).toMatchObject([{ kind: 'observation', ref: '1' }])
  expect(await t.store.vectors.counts()).toEqual({ vectors: 2, waiting: 0 })
})

test('a document that changed while its vector was made still waits', async () => {
  using t = await storeWith('one')
  const [document] = await t.store.vectors.waiting(9)
  if (!document) throw new Error('no document waits')
  await embed(t.store, { ...document, mark: document.mark + 1 }, 1)
  expect(await t.store.vectors.waiting(9)).toMatchObject([{ ref: '1', embedder: 'table', fingerprint: `print ${document.documentId}` }])
  await t.store.vectors.skip(document, { forget: false })
  expect(await t.store.vectors.counts()).toEqual({ vectors: 1, waiting: 0 })
})

test('a document without a text loses its vector, and with another embedder all wait again', async () => {
  using t = await storeWith('one', 'two')
  for (const document of await t.store.vectors.waiting(9)) await embed(t.store, document, 1)
  const newest = await t.store.vectors.newestDocument()
  expect(await t.store.vectors.enlistBelow(newest + 1)).toBe(0)
  const [document] = await t.store.vectors.waiting(9)
  if (document) await t.store.vectors.skip(document, { forget: true })
  expect(await t.store.vectors.counts()).toEqual({ vectors: 1, waiting: 1 })
  expect([await t.store.vectors.countPurgeable(), await t.store.vectors.purge()]).toEqual([{ rows: 0, bytes: 0 }, 0])
})
