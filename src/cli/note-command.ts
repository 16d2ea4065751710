import { shortMemoryId } from '../core/memory-kinds.ts'
import { type NoteId, parseNoteId } from '../core/note.ts'
import { shorten } from '../core/text.ts'
import { parseTimeFromNow } from '../core/time-format.ts'
import type { NoteReceipt } from '../wire/contract/notes.ts'
import { type CliError, dim, invalidInput, print } from './print.ts'

export function printReceipt(receipt: NoteReceipt): undefined {
  const { note } = receipt
  const name = `${shortMemoryId('note', note.id)} ${dim(shorten(note.title, 80))}`
  switch (receipt.kind) {
    case 'same':
      return print(`Already saved as ${name}`)
    case 'restated':
      return print(`Saved as ${name}\nIt replaces ${namesOf(receipt.superseded)}. To undo that: recollect restore <id>`)
    case 'updated':
      return print(`Changed ${name}`)
    case 'added':
      return print(`Saved as ${name}\n${dim(note.path)}`)
  }
}

const namesOf = (ids: string[]) => ids.map((id) => shortMemoryId('note', id)).join(', ')

/** The text that a person passed as arguments, or piped in. */
export async function textFromWordsOrStdin(words: string[]): Promise<string> {
  if (words.length > 0 && words.join(' ') !== '-') return words.join(' ')
  return process.stdin.isTTY ? '' : Bun.stdin.text()
}

export const notAMemoryId = (word: string): CliError =>
  invalidInput(`"${word}" is not a memory id (they look like #12, S4, P7 or N7F3KQ2BD); 'recollect search' shows ids`)

/** Accepts the id of a note with N, without, or as a URN. */
export function requireNoteId(text: string | undefined): NoteId {
  if (text === undefined) throw invalidInput("which note? Pass its id, for example N7F3KQ2BD; 'recollect notes' shows ids")
  const id = parseNoteId(text.replace(/^N(?=[0-7][0-9A-HJKMNP-TV-Z]{25}$)/i, ''))
  // The ids of other memories would pass as note ids.
  if (!id || /^[#SP]?\d{1,15}$/i.test(text))
    throw invalidInput(`"${text}" is not the id of a note (they look like N7F3KQ2BD); 'recollect notes' shows ids`)
  return id
}

/** The time at which a note expires: a time from now (30m, 12h, 30d, 2w) or a date. */
export function parseExpiry(text: string, now: number): number {
  const at = parseTimeFromNow(text, now)
  if (at === null) throw invalidInput(`--ttl cannot be "${text}"; use a time such as 12h, 30d or 2w, or a date such as 2026-12-31`)
  return at
}
