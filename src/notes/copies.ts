/**
 * Copies of other people's notes. A copy is recalled like a note but belongs to its author: it stays on this machine and replaces nothing. A door of
 * its own, because a worker answers hooks before it copies anything.
 */
import type { Change } from '../core/memory.ts'
import type { Note, NoteId } from '../core/note.ts'
import { dropFile, importNote, isEditedByHand, type Notebook, type NoteSaveResult } from './notes.ts'
import { noteOnDisk } from './reindex.ts'

export { canHaveFolder } from './folders.ts'

/** A copy always names its author. */
export type NoteCopy = Omit<Note, 'path' | 'scope' | 'author'> & { author: string }

/** Saves a copy, or updates it when its author has changed it. A copy that the person has edited or forgotten stays as it is. */
export async function saveCopy(book: Notebook, copy: NoteCopy): Promise<NoteSaveResult> {
  const known = await book.store.transaction(() => noteOnDisk(book, copy.id))
  if (known && (known.author === null || known.deletedAt !== null || isEditedByHand(known)))
    return { receipt: { kind: 'same', note: known }, changes: [] }
  return importNote(book, { ...copy, scope: 'local' })
}

/**
 * Removes the copy of a note that its author has deleted. Unlike a deletion by the person, this leaves no tombstone: the author may bring it back. A
 * copy that the person edited stays, unless the person has lost the right to it.
 */
export async function removeCopy(book: Notebook, id: NoteId, evenIfEdited = false): Promise<Change[]> {
  return book.store.transaction(async () => {
    const known = await noteOnDisk(book, id)
    if (!known || known.author === null || (isEditedByHand(known) && !evenIfEdited)) return []
    for (const { path } of await book.store.notes.filesOf(id)) await dropFile(book, path)
    await book.store.notes.remove(id)
    return [{ kind: 'note-removed', id }]
  })
}

/** A text of somebody else without private parts, secrets and invisible characters. Private parts come first: they are recognized as they were written. */
export const cleanCopyText = (book: Notebook, text: string): string => withoutControls(book.clean(text))

/** The same on one line. */
export const cleanCopyLine = (book: Notebook, text: string): string => cleanCopyText(book, text).replace(/\s+/g, ' ').trim()

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g
const withoutControls = (text: string) => text.replace(/\r\n?/g, '\n').replace(CONTROLS, '')
