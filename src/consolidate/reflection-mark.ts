import { fingerprint } from '../core/hash.ts'
import type { Note } from '../core/note.ts'

/** The tag of a session's note after reflection has turned its lasting content into other notes. */
const REFLECTED_TAG = 'reflected'
/** The front matter line with a fingerprint of the text that was reflected on. It reveals when a session continued later. */
const MARK_LINE = /^reflected: ([0-9a-f]{8})$/

/** Whether a session's note was never reflected on, or has changed since. A tag that a person set by hand counts for good. */
export function awaitsReflection(note: Note): boolean {
  const mark = readMark(note)
  return !note.tags.includes(REFLECTED_TAG) || (mark !== null && mark !== markOfBody(note.body))
}

/** The fields of a note that change once it has been reflected on. */
export function markReflected(note: Note): Pick<Note, 'tags' | 'unknown'> {
  return { tags: [...new Set([...note.tags, REFLECTED_TAG])], unknown: withMark(note, markOfBody(note.body)) }
}

export const readMark = (note: Pick<Note, 'unknown'>): string | null =>
  note.unknown.flatMap((line) => MARK_LINE.exec(line)?.[1] ?? [])[0] ?? null

/** The unknown front matter lines, with this mark in place of any earlier one. */
export const withMark = (note: Pick<Note, 'unknown'>, mark: string | null): string[] => [
  ...note.unknown.filter((line) => !MARK_LINE.test(line)),
  ...(mark === null ? [] : [`reflected: ${mark}`]),
]

const markOfBody = (body: string) => fingerprint(body, 8)
