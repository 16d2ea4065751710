import { expect, test } from 'bun:test'
import { note, temporaryStore } from '../../test/support/builders.ts'
import { asProjectKey } from '../core/ids.ts'
import { asNoteId } from '../core/note.ts'
import type { Store } from '../store/store.ts'
import { resolveProject } from './request-params.ts'

const SHOP = asProjectKey('github.com/acme/shop')
const addNote = (store: Store, id: string, project: string) =>
  store.transaction(() => store.notes.put(note({ id: asNoteId(id), project: asProjectKey(project), path: `memory/${id}.md` }), id))

test('a project that has only notes so far is found by its short name', async () => {
  using t = await temporaryStore()
  await addNote(t.store, 'a', SHOP)
  expect(await resolveProject(t, 'shop')).toBe(SHOP)
  expect(await resolveProject(t, 'Shop')).toBe(SHOP)
  expect(await resolveProject(t, 'shops')).toBe(asProjectKey('shops'))
})

test('a project that a hub offers is found by its short name, and no longer when the right is gone', async () => {
  using t = await temporaryStore()
  const team = await t.store.team()
  const offered = {
    key: SHOP,
    project: SHOP,
    title: 'Shop',
    policy: 'off',
    review: false,
    pulled: 0,
    reading: 1,
    finished: 0,
    head: 0,
  } as const
  await t.store.transaction(() => team.putProject({ ...offered, may: 'write' }))
  expect(await resolveProject(t, 'shop')).toBe(SHOP)
  await t.store.transaction(() => team.putProject({ ...offered, may: null }))
  expect(await resolveProject(t, 'shop')).toBe(asProjectKey('shop'))
})

test('the key of a project goes before the short name of another', async () => {
  using t = await temporaryStore()
  await addNote(t.store, 'a', SHOP)
  await addNote(t.store, 'b', 'shop')
  expect(await resolveProject(t, 'shop')).toBe(asProjectKey('shop'))
})

test('a short name of two projects is refused with both', async () => {
  using t = await temporaryStore()
  await addNote(t.store, 'a', SHOP)
  await addNote(t.store, 'b', 'github.com/other/shop')
  await expect(resolveProject(t, 'shop')).rejects.toThrow('shop could be github.com/acme/shop or github.com/other/shop')
})
