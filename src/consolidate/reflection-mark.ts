import { fingerprint } from '../core/hash.ts'
import type { Note } from '../core/note.ts'

/** The tag of a session's note whose lasting part stands in other notes. */
const REFLECTED_TAG = 'reflected'
/** A line of the front matter that says what was reflected on: a session may go on later. */
const MARK_LINE = /^reflected: ([0-9a-f]{8})$/

/** Whether nobody has reflected on a session's note yet, or it has gone on since. A tag that a person set by hand counts for good. */
export function awaitsReflection(note: Note): boolean {
  const mark = readMark(note)
  return !note.tags.includes(REFLECTED_TAG) || (mark !== null && mark !== markOfBody(note.body))
}

/** The note, reflected on. */
export function markReflected(note: Note): Pick<Note, 'tags' | 'unknown'> {
  return { tags: [...new Set([...note.tags, REFLECTED_TAG])], unknown: withMark(note, markOfBody(note.body)) }
}

export const readMark = (note: Pick<Note, 'unknown'>): string | null =>
  note.unknown.flatMap((line) => MARK_LINE.exec(line)?.[1] ?? [])[0] ?? null

/** The lines that are not ours, with this mark or with none. */
export const withMark = (note: Pick<Note, 'unknown'>, mark: string | null): string[] => [
  ...note.unknown.filter((line) => !MARK_LINE.test(line)),
  ...(mark === null ? [] : [`reflected: ${mark}`]),
]

const markOfBody = (body: string) => fingerprint(body, 8)
