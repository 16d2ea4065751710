/**
 * Notes that come from elsewhere with all their fields: from another home of the person, or as copies of other people's notes. A copy is recalled like
 * a note but belongs to its author: it stays on this machine and replaces nothing. A door of its own, because a worker answers hooks before it
 * imports anything.
 */
import { GLOBAL_PROJECT } from '../core/ids.ts'
import type { Change } from '../core/memory.ts'
import type { Note, NoteId } from '../core/note.ts'
import { pathOf } from './folders.ts'
import { cleanFields } from './note-rows.ts'
import {
  cleanBody,
  cleanTags,
  DELETED_FOR_GOOD,
  dropFile,
  fingerprintsOf,
  isEditedByHand,
  type Notebook,
  type NoteSaveResult,
  putNote,
  titleOf,
  whyUnusable,
  withWrittenLine,
} from './notes.ts'
import { noteOnDisk } from './reindex.ts'

/** Saves a note from another home with all its fields. If the note exists already, the newer version wins. */
export async function importNote(book: Notebook, imported: Omit<Note, 'path'>): Promise<NoteSaveResult> {
  const body = cleanBody(book, imported.body)
  const project = imported.scope === 'global' ? GLOBAL_PROJECT : imported.project
  const wanted: Note = {
    ...cleanFields(imported, book.clean),
    body,
    title: titleOf(book, imported.title, body),
    tags: cleanTags(book, imported.tags),
    project,
    path: pathOf({ ...imported, project }),
  }
  const reason = body.trim() === '' ? 'nothing is in it' : whyUnusable(wanted)
  if (reason) return { receipt: { kind: 'refused', reason }, changes: [] }
  return book.store.transaction(async () => {
    const known = await book.store.notes.get(wanted.id)
    if (!known && (await book.store.tombstones.hasNote(wanted.id))) return DELETED_FOR_GOOD
    if (known && known.updatedAt >= wanted.updatedAt) return { receipt: { kind: 'same', note: known }, changes: [] }
    const stays = known && known.scope === wanted.scope && known.project === wanted.project
    const note = {
      ...(wanted.author === null ? wanted : withWrittenLine(wanted, fingerprintsOf(wanted))),
      ...(stays ? { path: known.path } : {}),
    }
    const changes = await putNote(book, note)
    if (known && known.path !== note.path) await dropFile(book, known.path)
    return { receipt: { kind: known ? 'updated' : 'added', note }, changes }
  })
}

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
