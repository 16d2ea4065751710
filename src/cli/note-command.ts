import type { Note, NoteId } from '../core/note.ts'
import { parseNoteId } from '../core/note.ts'
import { shorten } from '../core/text.ts'
import { parseTimeFromNow as momentIn } from '../core/time-format.ts'
import { CliError, dim, EXIT, say } from './print.ts'

/** What the worker says became of a note. */
export type CliNoteReceipt = {
  kind: 'added' | 'same' | 'restated' | 'updated' | 'purged'
  note: Note & { urn: string }
  superseded?: NoteId[]
}

export function sayReceipt({ kind, note, superseded = [] }: CliNoteReceipt): undefined {
  const name = `N${note.id} ${dim(shorten(note.title, 80))}`
  switch (kind) {
    case 'same':
      return say(`Already known as ${name}`)
    case 'restated':
      return say(
        `Kept as ${name}\nIt takes the place of ${superseded.map((id) => `N${id}`).join(', ')}, which stay in 'recollect notes --hidden'.`,
      )
    case 'updated':
      return say(`Changed ${name}`)
    default:
      return say(`Kept as ${name}\n${dim(note.path)}`)
  }
}

/** The text a person gave as words, or through a pipe. */
export async function textFromWordsOrStdin(words: string[]): Promise<string> {
  if (words.length > 0 && words.join(' ') !== '-') return words.join(' ')
  return process.stdin.isTTY ? '' : Bun.stdin.text()
}

/** The id of a note as people write it: with N, without, or as an address. */
export function requireNoteId(text: string | undefined): NoteId {
  if (/^[#SP]?\d{1,15}$/i.test(text ?? '')) throw new CliError(`${text} is no note; the ids of notes begin with N`, EXIT.invalid)
  const id = parseNoteId((text ?? '').replace(/^N(?=[0-7][0-9A-HJKMNP-TV-Z]{25}$)/i, ''))
  if (!id) throw new CliError('which note? ids are as search and notes show them, for instance N01K…', EXIT.invalid)
  return id
}

/** A note or an observation, by its id; the others stay as long as their session does. `path` is where the worker has it. */
export function parseForgettable(word: string): { kind: 'note' | 'observation'; id: string; shown: string; path: string } {
  const number = /^#?(\d{1,15})$/.exec(word)?.[1]
  if (number) return { kind: 'observation', id: number, shown: `#${number}`, path: `/api/observations/${number}` }
  if (/^[SP]\d+$/i.test(word))
    throw new CliError(
      `${word} goes when its session goes, which the viewer can remove ('recollect view sessions'); notes and observations can be forgotten`,
      EXIT.invalid,
    )
  const id = requireNoteId(word)
  return { kind: 'note', id, shown: `N${id}`, path: `/api/notes/${id}` }
}

/** When a time from now is over (30m, 12h, 30d, 2w), or the day that was named. */
export function parseExpiry(text: string, now: number): number {
  const at = momentIn(text, now)
  if (at === null) throw new CliError(`"${text}" is no time: say 12h, 30d, 2w or a date such as 2026-12-31`, EXIT.invalid)
  return at
}
