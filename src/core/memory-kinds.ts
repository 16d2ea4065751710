import { OBSERVATION_TYPES, type ObservationType } from './memory.ts'
import { parseNoteId, shortNoteId } from './note.ts'

/** The kinds of memories that can be found and shown. Each kind numbers its own ids, so an id is shown with the letter of its kind. */
export const MEMORY_KINDS = ['observation', 'summary', 'prompt', 'note', 'commit'] as const
export type MemoryKind = (typeof MEMORY_KINDS)[number]

const ID_LETTERS: Record<MemoryKind, string> = { observation: '#', summary: 'S', prompt: 'P', note: 'N', commit: 'C' }

/** A memory's id as search shows it: #12, S3, P7, N7F3KQ2BD, C5. */
export const memoryId = (kind: MemoryKind, id: string | number): string => `${ID_LETTERS[kind]}${id}`

/**
 * The id as lists show it, short enough to type. The first ten letters of a note's id are a time, or zeros; the eight after them are enough to
 * tell notes apart. Ids that other programs made are shown whole.
 */
export const shortMemoryId = (kind: MemoryKind, id: string | number): string =>
  memoryId(kind, kind === 'note' ? shortNoteId(String(id)) : id)

/** One icon for each kind and each type of observation. Every icon takes two columns in a terminal. */
const ICONS: Record<ObservationType | Exclude<MemoryKind, 'observation'>, string> = {
  bugfix: '🐛',
  feature: '✨',
  refactor: '🔧',
  change: '📝',
  discovery: '🔍',
  decision: '🎯',
  summary: '📋',
  prompt: '💬',
  note: '📌',
  commit: '📦',
}

/** The icon of a memory. An observation type defined by the person's own mode has the icon of a change. */
export function iconOf(kind: MemoryKind, type: string): string {
  if (kind !== 'observation') return ICONS[kind]
  return ICONS[OBSERVATION_TYPES.find((known) => known === type) ?? 'change']
}

/**
 * Parses an id: #12 or 12 is an observation, S3 a summary, P7 a prompt, C5 a commit, also by its hash (C1a2b3c4); N with a note's id, or a
 * note's address, is a note. Null for anything else.
 */
export function parseMemoryId(id: string): { kind: MemoryKind; ref: string } | null {
  const [, letter, number] = /^([#SPC]?)(\d{1,15})$/i.exec(id) ?? []
  if (number) return { kind: MEMORY_KINDS.find((kind) => ID_LETTERS[kind] === letter?.toUpperCase()) ?? 'observation', ref: number }
  const [, hash] = COMMIT_HASH.exec(id) ?? []
  if (hash) return { kind: 'commit', ref: hash.toLowerCase() }
  const note = isMemoryId(id) || /^N[\w.-]{1,80}$/i.test(id) ? parseNoteId(id.replace(/^N/i, '')) : null
  return note && { kind: 'note', ref: note }
}

const COMMIT_HASH = /^C([0-9a-f]{7,64})$/i

/** Whether a word is very probably an id. A note counts by its address, its 26-character id, or its short id in capitals. */
export function isMemoryId(word: string): boolean {
  return (
    /^N[0-9A-HJKMNP-TV-Z]{8}$/.test(word) ||
    /^(?:[#SPC]?\d{1,15}|C(?=[a-f]*\d)[0-9a-f]{7,64}|N?[0-7][0-9A-HJKMNP-TV-Z]{25}|recollect:\/\/\S{1,200})$/i.test(word)
  )
}
