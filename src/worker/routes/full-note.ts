import { type Note, type NoteId, noteUrn } from '../../core/note.ts'
import type { Store } from '../../store/store.ts'
import type { FullNote, NoteWithUrn } from '../../wire/contract/notes.ts'

export const withUrn = (note: Note): NoteWithUrn => ({ ...note, urn: noteUrn(note) })

/** Null when there is no such note. */
export async function fullNote(store: Store, id: NoteId): Promise<FullNote | null> {
  const note = await store.notes.get(id)
  return note ? { ...withUrn(note), supersededBy: await store.notes.supersededBy(id) } : null
}
