import type { ProjectKey } from '../core/ids.ts'
import type { NoteId, NoteScope, NoteSource, NoteType } from '../core/note.ts'

/** What should become a note, said before anybody keeps it. The id comes from what it was made of, so saying it again changes nothing. */
export type CapturedNoteDraft = {
  id: NoteId
  title?: string
  body: string
  type: NoteType
  namespace: string
  scope: NoteScope
  project: ProjectKey
  source: NoteSource
  session: string
  confidence: number
  tags: string[]
  createdAt: number
  updatedAt?: number
  /** A part of the body is missing, because what it was said in was too long to be kept whole. */
  isCut?: boolean
}

const DAY_MS = 24 * 60 * 60_000

/**
 * A moment for an id that must come out the same from a hook and from the transcript: their clocks differ by some milliseconds,
 * and what is hashed into the id tells it apart anyway.
 */
export const startOfDay = (at: number) => Math.floor(at / DAY_MS) * DAY_MS
