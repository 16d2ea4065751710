import { asNoteId, type NoteId } from '../core/note.ts'
import type { DocumentRef, Store } from '../store/store.ts'
import { BadRequest } from './server.ts'

/** The memory that a person or a model means: a commit may be named by its hash, a note by the beginning of its id. */
export async function resolveMemory(store: Store, memory: DocumentRef): Promise<DocumentRef> {
  if (memory.kind === 'note') return { kind: 'note', ref: await resolveNoteId(store, memory.ref) }
  const commit = memory.kind === 'commit' ? await store.commits.find(memory.ref) : null
  return commit ? { kind: 'commit', ref: String(commit.id) } : memory
}

/**
 * The id of the note that begins with a text, with or without the N that lists print. Throws if several do. If none does, the text is returned
 * as it is, so that the caller can say what is missing.
 */
export async function resolveNoteId(store: Store, text: string): Promise<NoteId> {
  const bare = text.replace(/^N(?=.)/i, '')
  for (const whole of [text, bare]) if (await store.notes.get(asNoteId(whole))) return asNoteId(whole)
  // The short id of one note in 32 itself begins with N, and some callers have already removed the N that lists print.
  const prefixes = new Set([text, bare].filter((prefix) => prefix.length >= MIN_PREFIX_LETTERS).map((prefix) => prefix.toUpperCase()))
  const matches = [...new Set((await Promise.all([...prefixes].map(store.notes.idsBeginning))).flat())]
  if (matches.length > 1)
    throw new BadRequest(
      `${text} could be ${matches.map((id) => `N${id}`).join(', ')}${matches.length > 2 ? ' or others' : ''}; give more letters`,
    )
  return matches[0] ?? asNoteId(text)
}

/** Fewer letters would find a note by accident. */
const MIN_PREFIX_LETTERS = 4
