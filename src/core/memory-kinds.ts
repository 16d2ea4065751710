import { OBSERVATION_TYPES, type ObservationType } from './memory.ts'
import { parseNoteId } from './note.ts'

/** The kinds of memories that can be found and shown. Each counts its own ids, so an id is told with the letter of its kind. */
export const MEMORY_KINDS = ['observation', 'summary', 'prompt', 'note'] as const
export type MemoryKind = (typeof MEMORY_KINDS)[number]

const ID_LETTERS: Record<MemoryKind, string> = { observation: '#', summary: 'S', prompt: 'P', note: 'N' }

/** A memory as search shows it: #12, S3, P7, N01K…. */
export const memoryId = (kind: MemoryKind, id: string | number): string => `${ID_LETTERS[kind]}${id}`

/** One sign for each kind and each type of observation. All of them take two columns, wherever they are shown at all. */
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
}

/** The sign of a memory. Observations of a type that somebody's own mode brought are changes to the eye. */
export function iconOf(kind: MemoryKind, type: string): string {
  if (kind !== 'observation') return ICONS[kind]
  return ICONS[OBSERVATION_TYPES.find((known) => known === type) ?? 'change']
}

/** What an id means: #12 (or 12) an observation, S3 a summary, P7 a prompt, N and a note's id, or its address, a note. Null when it is none. */
export function parseMemoryId(id: string): { kind: MemoryKind; ref: string } | null {
  const [, letter, number] = /^([#SP]?)(\d{1,15})$/i.exec(id) ?? []
  if (number) return { kind: MEMORY_KINDS.find((kind) => ID_LETTERS[kind] === letter?.toUpperCase()) ?? 'observation', ref: number }
  const note = isMemoryId(id) || /^N[\w.-]{1,80}$/i.test(id) ? parseNoteId(id.replace(/^N/i, '')) : null
  return note && { kind: 'note', ref: note }
}

/** Whether a word is an id, and hardly anything else: notes only by the 26 signs that theirs have, or by their address. */
export function isMemoryId(word: string): boolean {
  return /^(?:[#SP]?\d{1,15}|N?[0-7][0-9A-HJKMNP-TV-Z]{25}|recollect:\/\/\S{1,200})$/i.test(word)
}
