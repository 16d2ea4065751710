/**
 * Copies of other people's notes. A copy is recalled like a note but belongs to its author: it stays on this machine and replaces nothing. A door of
 * its own, because a worker answers hooks before it copies anything.
 */
import type { Change } from '../core/memory.ts'
import type { Note, NoteId } from '../core/note.ts'
import { dropFile, importNote, isEditedByHand, type Notebook, type NoteSaveResult } from './notes.ts'
import { noteOnDisk } from './reindex.ts'

/** A copy always names its author. */
export type NoteCopy = Omit<Note, 'path' | 'scope' | 'author'> & { author: string }

/** Saves a copy, or updates it when its author has changed it. A copy that the person has edited or forgotten stays as it is. */
export async function saveCopy(book: Notebook, copy: NoteCopy): Promise<NoteSaveResult> {
  const known = await book.store.transaction(() => noteOnDisk(book, copy.id))
  if (known && (known.author === null || known.deletedAt !== null || isEditedByHand(known)))
    return { receipt: { kind: 'same', note: known }, changes: [] }
  return importNote(book, { ...copy, scope: 'local' })
}

/** Removes the copy of a note that its author has deleted. Unlike a deletion by the person, this leaves no tombstone: the author may bring it back. */
export async function removeCopy(book: Notebook, id: NoteId): Promise<Change[]> {
  return book.store.transaction(async () => {
    const known = await noteOnDisk(book, id)
    if (!known || known.author === null || isEditedByHand(known)) return []
    for (const { path } of await book.store.notes.filesOf(id)) await dropFile(book, path)
    await book.store.notes.remove(id)
    return [{ kind: 'note-removed', id }]
  })
}
