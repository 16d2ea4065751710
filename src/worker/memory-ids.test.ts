import { expect, test } from 'bun:test'
import { note, temporaryStore } from '../../test/support/builders.ts'
import { parseMemoryId } from '../core/memory-kinds.ts'
import { asNoteId } from '../core/note.ts'
import { resolveMemory, resolveNoteId } from './memory-ids.ts'

test('a note whose short id itself begins with N is found by it, with and without the N that lists print', async () => {
  using t = await temporaryStore()
  const id = asNoteId('01KDV0V9B2NJ387YB7Q69G5FAV')
  await t.store.transaction(() => t.store.notes.put(note({ id }), 'print'))
  const listed = parseMemoryId('NNJ387YB7')
  expect(listed && (await resolveMemory(t.store, listed))).toEqual({ kind: 'note', ref: id })
  for (const text of ['NNJ387YB7', 'NJ387YB7', 'nnj387', `N${id}`, id]) expect(await resolveNoteId(t.store, text)).toBe(id)
})

test('a beginning that several notes have is refused, also when only one of them has it without the N', async () => {
  using t = await temporaryStore()
  const ids = ['01KDV0V9B2NJ387YB7Q69G5FAV', '01KDV0V9B2J387YB7QQ69G5FAV'].map(asNoteId)
  for (const [index, id] of ids.entries())
    await t.store.transaction(() => t.store.notes.put(note({ id, path: `memory/app/${index}.md` }), 'print'))
  expect(resolveNoteId(t.store, 'NJ387YB7')).rejects.toThrow('give more letters')
})
