import type { Change } from '../core/memory.ts'
import type { Note, NoteId } from '../core/note.ts'
import type { ConflictChoice } from '../core/sync.ts'
import { changeNote, forgetNote, type Notebook } from '../notes/notes.ts'

export type Resolved = { kind: 'resolved'; id: NoteId; changes: Change[] } | { kind: 'refused'; reason: string }

/**
 * Resolves a conflict. `ours` is the version that this machine wrote, or else the current version of the note. The other version is forgotten
 * and can still be restored. With `both`, it becomes an ordinary note.
 */
export async function resolveConflict(book: Notebook, id: NoteId, choice: ConflictChoice, now: number): Promise<Resolved> {
  const conflicts = (await book.store.notes.conflicts()).filter((note) => note.id === id || note.conflictOf === id)
  const [version] = conflicts.filter((note) => note.id === id).concat(conflicts)
  if (!version) return { kind: 'refused', reason: `note N${id} has no conflict; 'recollect sync status' lists the notes that have one` }
  const rivals = conflicts.filter((note) => note.conflictOf === id)
  if (version.id !== id && rivals.length > 1 && choice !== 'both')
    return { kind: 'refused', reason: `${id} has several other versions; choose one of: ${rivals.map((note) => note.id).join(', ')}` }
  if (choice === 'both') return keepBoth(book, version.id === id ? [version] : rivals, now)
  const note = version.conflictOf === null ? null : await book.store.notes.get(version.conflictOf)
  if (!note) return keepBoth(book, [version], now)
  const versionIsOurs = version.machine === book.machine && note.machine !== book.machine
  const takesVersion = versionIsOurs === (choice === 'ours')
  const changed = takesVersion ? await changeNote(book, note.id, { ...contentOf(version), ...NO_CONFLICT }, now) : null
  if (changed?.receipt.kind === 'refused') return { kind: 'refused', reason: changed.receipt.reason }
  const forgotten = await forgetNote(book, version.id, now)
  return { kind: 'resolved', id: note.id, changes: [...(changed?.changes ?? []), ...(forgotten?.changes ?? [])] }
}

/** The fields that are taken over from the chosen version. */
const contentOf = ({ title, body, type, namespace, tags, confidence }: Note) => ({ title, body, type, namespace, tags, confidence })
const NO_CONFLICT = { conflictOf: null }

async function keepBoth(book: Notebook, versions: Note[], now: number): Promise<Resolved> {
  const changes: Change[] = []
  for (const version of versions) changes.push(...((await changeNote(book, version.id, NO_CONFLICT, now))?.changes ?? []))
  return { kind: 'resolved', id: (versions[0] as Note).id, changes }
}
