import type { ProjectKey } from '../core/ids.ts'
import type { NoteId, NoteScope, NoteSource, NoteState, NoteType } from '../core/note.ts'

/** A proposed note that is not saved yet. Its id is derived from its content, so proposing it again changes nothing. */
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
  state?: NoteState
  /** The places of a statement in its conversation. */
  said?: string[]
  /** Part of the body is missing, because the prompt was too long to store in full. */
  isCut?: boolean
}

const DAY_MS = 24 * 60 * 60_000

/**
 * The time to use in an id that must be the same whether an event comes from a hook or from the transcript: their clocks differ by
 * milliseconds, and the hashed content makes the id unique anyway.
 */
export const startOfDay = (at: number) => Math.floor(at / DAY_MS) * DAY_MS
