import { expect, test } from 'bun:test'
import { note, temporaryStore } from '../../test/support/builders.ts'
import { asProjectKey } from '../core/ids.ts'
import { asNoteId } from '../core/note.ts'
import type { Store } from './store.ts'

const app = asProjectKey('app')
const [A, B, C] = ['A', 'B', 'C'].map((letter) => asNoteId(`01ARZ3NDEKTSV4RRFFQ69G5FA${letter}`)) as [
  ReturnType<typeof asNoteId>,
  ReturnType<typeof asNoteId>,
  ReturnType<typeof asNoteId>,
]
const put = (store: Store, given: Parameters<typeof note>[0], print = 'print') =>
  store.transaction(() => store.notes.put(note({ path: `memory/app/${given?.id}.md`, ...given }), print))
const found = async (store: Store, word: string) =>
  (await store.documents.match([word], { project: null, kinds: ['note'], since: 0, before: 1e15, limit: 9 })).map(({ ref }) => ref)

test('a superseded note is hidden from lists, still found by its words, and shown again when the newer one is removed', async () => {
  using t = await temporaryStore()
  await put(t.store, { id: A, body: 'ferries leave hourly' })
  await put(t.store, { id: B, body: 'ferries leave half-hourly', supersedes: [A] })
  const listed = async () => (await t.store.notes.list({ project: app, now: 2000, limit: 9 })).map(({ id }) => id)
  expect(await listed()).toEqual([B])
  expect(await t.store.notes.getVisible(A, 2000)).toBeNull()
  expect((await found(t.store, 'ferries')).sort()).toEqual([A, B])
  await t.store.transaction(() => t.store.notes.remove(B))
  expect(await listed()).toEqual([A])
  expect(await found(t.store, 'ferries')).toEqual([A])
})

test('a deleted note is not found, and one that expired is not visible', async () => {
  using t = await temporaryStore()
  await put(t.store, { id: A, body: 'moorings', deletedAt: 1500 })
  await put(t.store, { id: B, body: 'moorings', expiresAt: 1500 })
  expect(await found(t.store, 'moorings')).toEqual([B])
  expect([(await t.store.notes.getVisible(B, 1400))?.id, await t.store.notes.getVisible(B, 1600)]).toEqual([B, null])
  expect(await t.store.notes.counts(1600)).toMatchObject({ hidden: 2 })
})

test('notes that are indexed together are found by their last text, and a failure leaves none waiting', async () => {
  using t = await temporaryStore()
  const together = (...given: Parameters<typeof note>[0][]) =>
    t.store.transaction(() =>
      t.store.notes.indexTogether(async () => {
        for (const one of given) await t.store.notes.put(note({ path: `memory/app/${one?.id}.md`, ...one }), 'print')
        if (given.length === 0) throw new Error('the disk is full')
      }),
    )
  await together({ id: A, body: 'anchors' }, { id: B, body: 'anchors' }, { id: B, body: 'buoys' }, { id: C, body: 'anchors', deletedAt: 1 })
  expect([await found(t.store, 'anchors'), await found(t.store, 'buoys')]).toEqual([[A], [B]])
  await expect(together()).rejects.toThrow('the disk is full')
  await put(t.store, { id: C, body: 'capstans' })
  expect(await found(t.store, 'capstans')).toEqual([C])
})

test('earlier versions of a note are kept, latest first, and go with it', async () => {
  using t = await temporaryStore()
  for (const [i, body] of ['one', 'two', 'three'].entries()) await put(t.store, { id: A, body, updatedAt: 1000 + i })
  await put(t.store, { id: A, body: 'three', tags: ['x'], updatedAt: 2000 })
  expect((await t.store.notes.versions(A)).map(({ body }) => body)).toEqual(['two', 'one'])
  await t.store.transaction(() => t.store.notes.remove(A))
  expect(await t.store.notes.versions(A)).toEqual([])
})

test('an id is found by its beginning, and an ambiguous beginning by all that have it', async () => {
  using t = await temporaryStore()
  for (const id of [A, B, C]) await put(t.store, { id })
  expect(await t.store.notes.idsBeginning(A)).toEqual([A])
  expect((await t.store.notes.idsBeginning('01ARZ3')).sort()).toEqual([A, B, C])
  expect(await t.store.notes.idsBeginning('0%')).toEqual([])
})
