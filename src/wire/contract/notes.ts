import { z } from 'zod'
import { NOTE_SCOPES, NOTE_TYPES, type Note } from '../../core/note.ts'
import { flag, projectName, route, wholeNumber } from './route.ts'

/** A note and its address, `recollect://<scope>/<namespace>/<id>`. */
export type NoteWithUrn = Note & { urn: string }
/** A note and the ids of the notes that replaced it. */
export type FullNote = NoteWithUrn & { supersededBy: string[] }
export type NoteList = { notes: NoteWithUrn[]; counts: { all: number; hidden: number; conflicted: number } }
/** `same`: an existing note says this already. `restated`: it replaces the notes in `superseded`, which are now hidden. */
export type NoteReceipt =
  | { kind: 'added' | 'same' | 'updated'; note: NoteWithUrn }
  | { kind: 'restated'; note: NoteWithUrn; superseded: string[] }
export type NoteVersions = {
  versions: { title: string; body: string; at: number }[]
  /** Notes that this one replaced. */
  older: { id: string; title: string; body: string; at: number }[]
}

type RefusedNote =
  | 'the text is empty, too long or wholly private'
  | '`project` is missing although `scope` is project'
  | '`expiresAt` is in the past'
  | 'a note in `supersedes` does not exist'

const fields = () => ({
  title: z.string().max(500),
  body: z.string().max(200_000),
  type: z.enum(NOTE_TYPES),
  namespace: z.string().max(40),
  scope: z.enum(NOTE_SCOPES),
  tags: z.array(z.string().min(1).max(200)).max(100),
  pinned: z.boolean(),
  confidence: z.number().min(0).max(1),
  expiresAt: z.number().nullable().describe('milliseconds since 1970; null for never'),
  supersedes: z.array(z.string().min(1).max(80)).max(100).describe('ids of notes that this one replaces'),
  project: z.string().max(500),
})
const noteId = () => z.string().regex(/^[\w.-]{1,80}$/)

/** @internal */
export const notes = {
  /** List notes, newest first. */
  'GET /api/notes': route({
    request: () =>
      z.object({
        project: projectName(),
        type: z.enum(NOTE_TYPES).optional(),
        namespace: z.string().optional(),
        hidden: flag(false).describe('list the hidden notes instead'),
        limit: wholeNumber(50, 1000),
        offset: wholeNumber(0, 1_000_000),
      }),
    readOnly: true,
  }).returns<NoteList>(),
  /** Save a note. Only `body` is required. */
  'POST /api/notes': route({
    request: () =>
      z
        .object({
          ...fields(),
          session: z.string().max(200),
          apart: z.boolean().describe('save it even if an existing note says the same'),
        })
        .partial()
        .required({ body: true }),
  }).returns<NoteReceipt, { 400: RefusedNote }>(),
  /** Get a note. */
  'GET /api/notes/:id': route({ request: () => z.object({ id: noteId() }), readOnly: true }).returns<
    FullNote,
    { 400: 'no note has this id' }
  >(),
  /** Change a note. With `bodyWas`, the change is refused with 409 if the note has another text by now. */
  'PATCH /api/notes/:id': route({
    request: () =>
      z
        .object({ ...fields(), bodyWas: z.string() })
        .partial()
        .extend({ id: noteId() }),
  }).returns<
    NoteReceipt,
    {
      400: 'no note has this id' | RefusedNote
      409: 'the note has another text than `bodyWas`'
    }
  >(),
  /** Hide a note; with `hard` delete it for good. */
  'DELETE /api/notes/:id': route({ request: () => z.object({ id: noteId(), hard: flag(false) }) }).returns<
    NoteReceipt | { kind: 'purged'; id: string },
    { 400: 'no note has this id' }
  >(),
  /** Restore a hidden note. */
  'POST /api/notes/:id/restore': route({ request: () => z.object({ id: noteId() }) }).returns<
    NoteReceipt,
    { 400: 'no note has this id' }
  >(),
  /** List earlier versions of a note, and the notes it replaced. */
  'GET /api/notes/:id/history': route({ request: () => z.object({ id: noteId() }), readOnly: true }).returns<
    NoteVersions,
    { 400: 'no note has this id' }
  >(),
}
