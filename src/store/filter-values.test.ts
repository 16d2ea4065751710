import { expect, test } from 'bun:test'
import { note, temporaryStore } from '../../test/support/builders.ts'
import { asNoteId } from '../core/note.ts'

test('the values of a filter are those that memories have, and go with the last of these', async () => {
  using t = await temporaryStore()
  const put = (id: string, namespace: string, tags: string[]) =>
    t.store.transaction(() =>
      t.store.notes.put(note({ id: asNoteId(id), path: `memory/app/${id}.md`, namespace, tags, source: 'human' }), id),
    )
  expect([await t.store.documents.filterValues('tag'), await t.store.documents.filterValues('ns')]).toEqual([[], []])
  await put('a', 'decisions', ['Harbour', 'été', 'a'])
  await put('b', 'patterns', ['harbour', 'ab'])
  expect(await t.store.documents.filterValues('tag')).toEqual(['a', 'ab', 'harbour', 'été'])
  expect(await t.store.documents.filterValues('ns')).toEqual(['decisions', 'patterns'])
  expect(await t.store.documents.filterValues('source')).toEqual(['git', 'human', 'machine', 'person'])
  await t.store.transaction(() => t.store.notes.remove(asNoteId('b')))
  expect(await t.store.documents.filterValues('tag')).toEqual(['a', 'harbour', 'été'])
  expect(await t.store.documents.filterValues('ns')).toEqual(['decisions'])
})
