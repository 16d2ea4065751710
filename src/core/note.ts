import type { ProjectKey } from './ids.ts'

declare const kind: unique symbol
export type NoteId = string & { readonly [kind]: 'note' }
export const asNoteId = (text: string) => text as NoteId

export const NOTE_TYPES = ['procedural', 'semantic', 'episodic'] as const
export type NoteType = (typeof NOTE_TYPES)[number]

/** Who may see a note: one project, every project, or this machine alone. The folder of its file decides. */
export const NOTE_SCOPES = ['project', 'global', 'local'] as const
export type NoteScope = (typeof NOTE_SCOPES)[number]

/** How a note came to be. `session-end` also covers what is written before a compaction. */
export const NOTE_SOURCES = ['human', 'session-end', 'reflection', 'import', 'merge'] as const
export type NoteSource = (typeof NOTE_SOURCES)[number]

/** A word that can stand in a path and in an address. */
export const isNamespace = (text: string) => /^[a-z0-9][a-z0-9-]{0,39}$/.test(text)

/** What the file of a note says. Its scope and project are not in it: the folder says those. */
export type NoteText = {
  id: NoteId
  type: NoteType
  title: string
  namespace: string
  tags: string[]
  createdAt: number
  updatedAt: number
  /** The machine that wrote it last; empty when nobody said. */
  machine: string
  source: NoteSource
  /** The agent's session it came from. */
  session: string | null
  /** The model that wrote it; null when no model did. */
  model: string | null
  /** Between 0 and 1: how sure whoever wrote it was. */
  confidence: number
  supersedes: NoteId[]
  /** The note of which this is another machine's version, as long as nobody has chosen between them. */
  conflictOf: NoteId | null
  pinned: boolean
  expiresAt: number | null
  deletedAt: number | null
  body: string
  /** Lines of the front matter that we do not know, as they stand; others may. */
  unknown: string[]
}

export type Note = NoteText & {
  scope: NoteScope
  /** The global project when the scope is global. */
  project: ProjectKey
  /** Relative to the home: `memory/…` or `local/…`. */
  path: string
}

/** Where a note may be asked for: `recollect://<scope>/<namespace>/<id>`. */
export const noteUrn = (note: Pick<Note, 'scope' | 'namespace' | 'id'>) => `recollect://${note.scope}/${note.namespace}/${note.id}`

/** The id in an address, or the id itself. Null when the text is neither. */
export function parseNoteId(text: string): NoteId | null {
  const id = /^(?:recollect:\/\/[^/]+\/[^/]+\/)?([\w.-]{1,80})$/.exec(text.trim())?.[1]
  return id ? asNoteId(id) : null
}

/** Whether a note is to be had when nobody asks for hidden ones. That another supersedes it is for the store to know. */
export function isDeletedOrExpired(note: Pick<NoteText, 'deletedAt' | 'expiresAt'>, now: number): boolean {
  return note.deletedAt !== null || (note.expiresAt !== null && note.expiresAt <= now)
}
