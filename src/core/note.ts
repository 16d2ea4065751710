import type { ProjectKey } from './ids.ts'

declare const kind: unique symbol
export type NoteId = string & { readonly [kind]: 'note' }
export const asNoteId = (text: string) => text as NoteId

export const NOTE_TYPES = ['procedural', 'semantic', 'episodic'] as const
export type NoteType = (typeof NOTE_TYPES)[number]

/** Who may see a note: one project, every project, or this machine alone. The folder of its file decides. */
export const NOTE_SCOPES = ['project', 'global', 'local'] as const
export type NoteScope = (typeof NOTE_SCOPES)[number]

/** How a note was made. `session-end` includes notes written before a compaction. */
export const NOTE_SOURCES = ['human', 'session-end', 'reflection', 'import', 'merge'] as const
export type NoteSource = (typeof NOTE_SOURCES)[number]

/** A note taken from a conversation is proposed until a person accepts it. It is used, but leaves the person's own machines only when accepted. */
export const NOTE_STATES = ['accepted', 'proposed'] as const
export type NoteState = (typeof NOTE_STATES)[number]

/** A word that is valid in a path and in an address. */
export const isNamespace = (text: string) => /^[a-z0-9][a-z0-9-]{0,39}$/.test(text)

/** How an id begins that contains no time. */
const NO_TIME = '0'.repeat(10)

/** Whether a note was taken from the sentences of a conversation. Its id depends on its words only, so that saying it again is the same note. */
export const isStatement = ({ id, session, type }: Pick<Note, 'id' | 'session' | 'type'>): boolean =>
  session !== null && type !== 'episodic' && id.startsWith(NO_TIME)

/** The session and the turn of a place such as `2026-01-31 <session>:<turn>`. */
export function parsePlace(place: string): { session: string; turn: number } {
  const end = place.lastIndexOf(':')
  return { session: place.slice(place.indexOf(' ') + 1, end), turn: Number(place.slice(end + 1)) }
}

/** The contents of a note's file. Its scope and project follow from its folder. */
export type NoteText = {
  id: NoteId
  type: NoteType
  title: string
  namespace: string
  tags: string[]
  createdAt: number
  updatedAt: number
  /** The machine that wrote it last; empty when unknown. */
  machine: string
  source: NoteSource
  /** Whose note this is a copy of. Null for the person's own notes. A copy is recalled, but never counts as something the person said. */
  author: string | null
  /** The agent's session it came from. */
  session: string | null
  /** The model that wrote it; null when no model did. */
  model: string | null
  /** The author's certainty, between 0 and 1. */
  confidence: number
  supersedes: NoteId[]
  /** Set on another machine's version of a note: the id of that note, until the conflict is resolved. */
  conflictOf: NoteId | null
  state: NoteState
  /** For a note taken from conversations: each place where it was said, as `2026-01-31 <session>:<turn>`, oldest first. */
  said: string[]
  pinned: boolean
  expiresAt: number | null
  deletedAt: number | null
  body: string
  /** Unknown lines of the front matter, unchanged: other programs may use them. */
  unknown: string[]
}

export type Note = NoteText & {
  scope: NoteScope
  /** The global project when the scope is global. */
  project: ProjectKey
  /** Relative to the home: `memory/…` or `local/…`. */
  path: string
}

/** The address of a note: `recollect://<scope>/<namespace>/<id>`. */
export const noteUrn = (note: Pick<Note, 'scope' | 'namespace' | 'id'>) => `recollect://${note.scope}/${note.namespace}/${note.id}`

/** The id in an address, or the id itself. Null when the text is neither. */
export function parseNoteId(text: string): NoteId | null {
  const id = /^(?:recollect:\/\/[^/]+\/[^/]+\/)?([\w.-]{1,80})$/.exec(text.trim())?.[1]
  return id ? asNoteId(id) : null
}

/** See `shortMemoryId`. */
export const shortNoteId = (id: string): string => (ULID.test(id) ? id.slice(NO_TIME.length, NO_TIME.length + SHORT_ID_LETTERS) : id)

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
const SHORT_ID_LETTERS = 8

/** Whether a note is hidden by deletion or expiry. The store also hides notes that another one supersedes. */
export function isDeletedOrExpired(note: Pick<NoteText, 'deletedAt' | 'expiresAt'>, now: number): boolean {
  return note.deletedAt !== null || (note.expiresAt !== null && note.expiresAt <= now)
}
