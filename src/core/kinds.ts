import { OBSERVATION_TYPES, type ObservationType } from './memory.ts'
import { noteIdIn } from './note.ts'

/** The kinds of memories that can be found and shown. Each counts its own ids, so an id is told with the letter of its kind. */
export const KINDS = ['observation', 'summary', 'prompt', 'note'] as const
export type Kind = (typeof KINDS)[number]

const LETTERS: Record<Kind, string> = { observation: '#', summary: 'S', prompt: 'P', note: 'N' }

/** A memory as search shows it: #12, S3, P7, N01K…. */
export const memoryId = (kind: Kind, id: string | number): string => `${LETTERS[kind]}${id}`

/** One sign for each kind and each type of observation. All of them take two columns, wherever they are shown at all. */
const SIGNS: Record<ObservationType | Exclude<Kind, 'observation'>, string> = {
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
export function signOf(kind: Kind, type: string): string {
  if (kind !== 'observation') return SIGNS[kind]
  return SIGNS[OBSERVATION_TYPES.find((known) => known === type) ?? 'change']
}

/** What an id means: #12 (or 12) an observation, S3 a summary, P7 a prompt, N and a note's id, or its address, a note. Null when it is none. */
export function memoryNamed(id: string): { kind: Kind; ref: string } | null {
  const [, letter, number] = /^([#SP]?)(\d{1,15})$/i.exec(id) ?? []
  if (number) return { kind: KINDS.find((kind) => LETTERS[kind] === letter?.toUpperCase()) ?? 'observation', ref: number }
  const note = isMemoryId(id) || /^N[\w.-]{1,80}$/i.test(id) ? noteIdIn(id.replace(/^N/i, '')) : null
  return note && { kind: 'note', ref: note }
}

/** Whether a word is an id, and hardly anything else: notes only by the 26 signs that theirs have, or by their address. */
export function isMemoryId(word: string): boolean {
  return /^(?:[#SP]?\d{1,15}|N?[0-7][0-9A-HJKMNP-TV-Z]{25}|recollect:\/\/\S{1,200})$/i.test(word)
}
