/**
 * Notes: durable memory, one markdown file each, that a person could have written. The files are the truth; the rows in the
 * database are derived and follow them. The only room that writes note files, and never one without its secrets taken out.
 *
 * It announces nothing; it returns what changed.
 */
import { join } from 'node:path'
import { fingerprint } from '../core/hash.ts'
import { GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import type { Change } from '../core/memory.ts'
import { asNoteId, isNamespace, type Note, type NoteId, type NoteScope, type NoteSource, type NoteType } from '../core/note.ts'
import { firstLine } from '../core/text.ts'
import { ulid } from '../core/ulid.ts'
import { ensurePrivateFolder, statIfThere, writeFileAtomically } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import type { Store } from '../store/store.ts'
import { hasLinkInPath, LOCAL_FOLDER, pathOf, SYNCED_FOLDER } from './folders.ts'
import { MAX_NOTE_BYTES, writeNote } from './format.ts'
import { contentFingerprint, indexNote } from './note-rows.ts'
import { noteOnDisk } from './reindex.ts'
import { distinctiveWords, restates } from './similarity.ts'

export { LOCAL_FOLDER, noteLocation, pathOf, SYNCED_FOLDER } from './folders.ts'
export { readAnamnesis, readMarkdown } from './foreign-notes.ts'
export { parseNote, writeNote } from './format.ts'
export { indexNote } from './note-rows.ts'
export { noteOnDisk, reindex } from './reindex.ts'
export { areNear, likeness, normalised, shingles } from './similarity.ts'

/** What writing notes needs to know. */
export type Notebook = {
  store: Store
  /** The home; note paths are relative to it. */
  folder: string
  /** This machine, as other machines of the same person know it. */
  machine: string
  /** Takes private parts and secrets out of a text. */
  clean(text: string): string
}

/** A note as somebody wants it kept; whatever is left out has a sensible default. */
export type NoteDraft = {
  body: string
  project: ProjectKey
  source: NoteSource
  title?: string
  type?: NoteType
  namespace?: string
  scope?: NoteScope
  tags?: string[]
  session?: string | null
  model?: string | null
  confidence?: number
  supersedes?: NoteId[]
  pinned?: boolean
  expiresAt?: number | null
  /** A note of its own, however much it resembles another: what is addressed by its name must not become another one. */
  apart?: boolean
  /** For what may be brought in again: the same thing has the same id everywhere. */
  id?: NoteId
  createdAt?: number
  updatedAt?: number
}

/** What became of a draft. Nothing is dropped without a word. */
export type NoteSaveReceipt =
  | { kind: 'added'; note: Note }
  /** It said the same as a note that is there already. */
  | { kind: 'same'; note: Note }
  /** It says anew what older notes said; they are hidden, not lost. */
  | { kind: 'restated'; note: Note; superseded: NoteId[] }
  /** The note with this id said something else, and says this now. */
  | { kind: 'updated'; note: Note }
  /** Outdated when the change was made from what the note no longer says. */
  | { kind: 'refused'; reason: string; isOutdated?: true }

export type NoteSaveResult = { receipt: NoteSaveReceipt; changes: Change[] }

/** Keeps a draft as a note, unless it is there already; a restatement takes the place of what it restates. */
export async function saveNote(book: Notebook, draft: NoteDraft, now: number): Promise<NoteSaveResult> {
  const wanted = noteOf(book, draft, now)
  if (typeof wanted === 'string') return { receipt: { kind: 'refused', reason: wanted }, changes: [] }
  return book.store.transaction(async () => {
    // Brought before, whatever became of it since: a note that a person forgot or wrote anew stays so.
    const known = draft.id ? await book.store.notes.get(draft.id) : null
    if (known) return { receipt: { kind: 'same', note: known }, changes: [] }
    const same = draft.apart ? null : await sameNote(book, wanted, now)
    if (same) return { receipt: { kind: 'same', note: same }, changes: [] }
    const restated = draft.apart ? [] : await restatedBy(book, wanted, now)
    const note: Note = { ...wanted, supersedes: [...new Set([...wanted.supersedes, ...restated])] }
    const changes = await putNote(book, note)
    return { receipt: restated.length > 0 ? { kind: 'restated', note, superseded: restated } : { kind: 'added', note }, changes }
  })
}

/**
 * Keeps a draft under its own id: the same thing, brought again, is updated where it changed. What a person did to it since stays:
 * a title or body that is no longer what we wrote is theirs, and a note that they forgot stays forgotten.
 */
export async function saveNoteUnderId(book: Notebook, draft: NoteDraft & { id: NoteId }, now: number): Promise<NoteSaveResult> {
  const wanted = noteOf(book, draft, now)
  if (typeof wanted === 'string') return { receipt: { kind: 'refused', reason: wanted }, changes: [] }
  return book.store.transaction(async () => {
    const known = await noteOnDisk(book, draft.id)
    if (!known) {
      const note = withWrittenLine(wanted, fingerprintsOf(wanted))
      return { receipt: { kind: 'added', note }, changes: await putNote(book, note) }
    }
    const says = (note: Note) => JSON.stringify([note.title, note.body, note.type, note.namespace, note.tags])
    const merged = keepHandEdits(known, { ...known, ...sourceFields(wanted), tags: [...new Set([...known.tags, ...wanted.tags])] })
    if (known.deletedAt !== null || says(merged) === says(known)) return { receipt: { kind: 'same', note: known }, changes: [] }
    const note = { ...merged, updatedAt: draft.updatedAt ?? now, machine: book.machine }
    return { receipt: { kind: 'updated', note }, changes: await putNote(book, note) }
  })
}

/** Keeps a note as another home had it, with all it knows of itself. Of two versions the newer stands. */
export async function importNote(book: Notebook, brought: Omit<Note, 'path'>): Promise<NoteSaveResult> {
  const body = cleanBody(book, brought.body)
  const project = brought.scope === 'global' ? GLOBAL_PROJECT : brought.project
  const wanted: Note = {
    ...brought,
    body,
    title: titleOf(book, brought.title, body),
    tags: cleanTags(book, brought.tags),
    project,
    path: pathOf({ ...brought, project }),
  }
  const reason = body.trim() === '' ? 'nothing is in it' : whyUnusable(wanted)
  if (reason) return { receipt: { kind: 'refused', reason }, changes: [] }
  return book.store.transaction(async () => {
    const known = await book.store.notes.get(wanted.id)
    if (known && known.updatedAt >= wanted.updatedAt) return { receipt: { kind: 'same', note: known }, changes: [] }
    const note = known && known.scope === wanted.scope && known.project === wanted.project ? { ...wanted, path: known.path } : wanted
    const changes = await putNote(book, note)
    if (known && known.path !== note.path) await dropFile(book, known.path)
    return { receipt: { kind: known ? 'updated' : 'added', note }, changes }
  })
}

/** A line of the front matter that says what we wrote: the print of the title and that of the body. */
const WRITTEN_LINE = /^written: ([0-9a-f]{8})-([0-9a-f]{8})$/
type WrittenFingerprints = { title: string; body: string }

const fingerprintsOf = (note: Note): WrittenFingerprints => ({ title: fingerprint(note.title, 8), body: fingerprint(note.body, 8) })
const withWrittenLine = (note: Note, { title, body }: WrittenFingerprints): Note => ({
  ...note,
  unknown: [...note.unknown.filter((line) => !WRITTEN_LINE.test(line)), `written: ${title}-${body}`],
})

/** What a source wants of a note, without what a person wrote into it since the source's last time. */
function keepHandEdits(known: Note, wanted: Note): Note {
  const line = known.unknown.flatMap((one) => WRITTEN_LINE.exec(one) ?? [])
  const [, title, body] = line
  const [was, is, next] = [title && body ? { title, body } : null, fingerprintsOf(known), fingerprintsOf(wanted)]
  const isTheirs = (part: 'title' | 'body') => was !== null && was[part] !== is[part]
  const kept = { title: isTheirs('title') ? known.title : wanted.title, body: isTheirs('body') ? known.body : wanted.body }
  return withWrittenLine(
    { ...wanted, ...kept },
    {
      title: isTheirs('title') ? (was?.title ?? '') : next.title,
      body: isTheirs('body') ? (was?.body ?? '') : next.body,
    },
  )
}

/** What a source may change of a note that it brought before. */
const sourceFields = ({ title, body, type, namespace, source, session, model, confidence }: Note) => ({
  title,
  body,
  type,
  namespace,
  source,
  session,
  model,
  confidence,
})

export type NotePatch = Partial<
  Pick<Note, 'title' | 'body' | 'type' | 'namespace' | 'tags' | 'pinned' | 'confidence' | 'expiresAt' | 'supersedes' | 'conflictOf'>
> & { scope?: NoteScope; project?: ProjectKey }

/**
 * Changes what a person or a model wants changed. Null when there is no such note. Whoever made the change from a text says which: the text
 * and not its time, because a person who edits the file leaves the time as it was.
 */
export async function changeNote(
  book: Notebook,
  id: NoteId,
  patch: NotePatch,
  now: number,
  bodyWas?: string,
): Promise<NoteSaveResult | null> {
  return book.store.transaction(async () => {
    const known = await noteOnDisk(book, id)
    if (!known) return null
    if (bodyWas !== undefined && (known.body !== bodyWas || known.deletedAt !== null))
      return { receipt: { kind: 'refused', reason: `note ${id} was changed meanwhile; read it again`, isOutdated: true }, changes: [] }
    const reason = whyUnusable({ ...known, ...patch })
    if (reason) return { receipt: { kind: 'refused', reason }, changes: [] }
    const scope = patch.scope ?? known.scope
    const project = scope === 'global' ? GLOBAL_PROJECT : (patch.project ?? known.project)
    const body = patch.body === undefined ? known.body : cleanBody(book, patch.body)
    if (patch.body?.trim() && body === '') return { receipt: { kind: 'refused', reason: NOTHING_LEFT }, changes: [] }
    const note: Note = {
      ...known,
      ...patch,
      // A title that was made from the body follows it.
      title: titleOf(
        book,
        patch.title ?? (patch.body !== undefined && known.title === titleOf(book, '', known.body) ? '' : known.title),
        body,
      ),
      body,
      tags: patch.tags === undefined ? known.tags : cleanTags(book, patch.tags),
      scope,
      project,
      updatedAt: now,
      machine: book.machine,
      // A note that stays where it is keeps its file, whatever a person called it.
      path: scope === known.scope && project === known.project ? known.path : pathOf({ id, scope, project }),
    }
    const changes = await putNote(book, note)
    if (note.path !== known.path) await dropFile(book, known.path)
    return { receipt: { kind: 'updated', note }, changes }
  })
}

/** Hides a note for good reason; it can be restored until it is purged. */
export function forgetNote(book: Notebook, id: NoteId, now: number): Promise<NoteSaveResult | null> {
  return setDeleted(book, id, now, now)
}

export function restoreNote(book: Notebook, id: NoteId, now: number): Promise<NoteSaveResult | null> {
  return setDeleted(book, id, null, now)
}

async function setDeleted(book: Notebook, id: NoteId, deletedAt: number | null, now: number): Promise<NoteSaveResult | null> {
  return book.store.transaction(async () => {
    const known = await noteOnDisk(book, id)
    if (!known) return null
    if ((known.deletedAt === null) === (deletedAt === null)) return { receipt: { kind: 'same', note: known }, changes: [] }
    const note: Note = { ...known, deletedAt, updatedAt: now, machine: book.machine }
    return { receipt: { kind: 'updated', note }, changes: await putNote(book, note) }
  })
}

/** Removes a note and its file for good. The history of a synced folder still has it, until that is cleaned too. */
export async function purgeNote(book: Notebook, id: NoteId): Promise<Change[]> {
  return book.store.transaction(async () => {
    const files = await book.store.notes.filesOf(id)
    for (const file of files) await dropFile(book, file.path)
    await book.store.notes.remove(id)
    return files.length > 0 ? [{ kind: 'note-removed', id }] : []
  })
}

/** Writes the file and its row. The file first: it is the truth, and a row that is missing is made again from it. Inside a transaction. */
export async function putNote(book: Notebook, note: Note): Promise<Change[]> {
  const path = join(book.folder, note.path)
  ensurePrivateFolder(join(book.folder, note.path.startsWith(`${LOCAL_FOLDER}/`) ? LOCAL_FOLDER : SYNCED_FOLDER))
  const folder = path.slice(0, path.lastIndexOf('/'))
  if (hasLinkInPath(book.folder, note.path)) throw new Error(`${folder} is a link; notes are not written through links. Make it a folder.`)
  ensurePrivateFolder(folder)
  writeFileAtomically(path, writeNote(note))
  await indexNote(book, note, statIfThere(path))
  return [{ kind: 'note-changed', note }]
}

async function dropFile(book: Notebook, path: string): Promise<void> {
  removeFile(join(book.folder, path))
  await book.store.notes.removeFile(path)
}

/** A draft as the note it would become; or why it cannot be one, in words. Nothing is written. */
export function noteOf(book: Notebook, draft: NoteDraft, now: number): Note | string {
  const body = cleanBody(book, draft.body)
  if (body.trim() === '') return NOTHING_LEFT
  const scope = draft.scope ?? (draft.project === GLOBAL_PROJECT ? 'global' : 'project')
  const project = scope === 'global' ? GLOBAL_PROJECT : draft.project
  const id = draft.id ?? asNoteId(ulid(now))
  const note: Note = {
    id,
    type: draft.type ?? 'semantic',
    title: titleOf(book, draft.title ?? '', body),
    namespace: draft.namespace ?? 'context',
    tags: cleanTags(book, draft.tags ?? []),
    createdAt: draft.createdAt ?? now,
    updatedAt: draft.updatedAt ?? draft.createdAt ?? now,
    machine: book.machine,
    source: draft.source,
    session: draft.session ?? null,
    model: draft.model ?? null,
    confidence: draft.confidence ?? 1,
    supersedes: draft.supersedes ?? [],
    conflictOf: null,
    pinned: draft.pinned ?? false,
    expiresAt: draft.expiresAt ?? null,
    deletedAt: null,
    body,
    unknown: [],
    scope,
    project,
    path: pathOf({ id, scope, project }),
  }
  return whyUnusable(note) ?? note
}

const NOTHING_LEFT = 'nothing is left to remember once private parts are taken out'

/** What keeps a note from being one, in words for whoever wanted it; null when nothing does. */
function whyUnusable(note: Pick<Note, 'namespace' | 'confidence' | 'body' | 'tags'>): string | null {
  if (!isNamespace(note.namespace)) return `"${note.namespace}" is not a namespace: use small letters, digits and dashes`
  if (!(note.confidence >= 0 && note.confidence <= 1)) return 'a confidence lies between 0 and 1'
  if (note.body.length > MAX_NOTE_BYTES / 2)
    return `a note holds at most ${MAX_NOTE_BYTES / 2048} KB of text; this is ${Math.ceil(note.body.length / 1024)}`
  if (note.tags.some((tag) => tag.length > 200)) return 'a tag has at most 200 letters'
  return null
}

const cleanTags = (book: Notebook, tags: string[]) => [...new Set(tags.map((tag) => book.clean(tag).trim()).filter(Boolean))]

const cleanBody = (book: Notebook, body: string) => book.clean(body.toWellFormed()).replace(/\r\n?/g, '\n').trim()

const titleOf = (book: Notebook, title: string, body: string) =>
  firstLine(book.clean(title.toWellFormed()), 200) || firstLine(body.replace(/^[#>\s*-]+/, ''), 80) || 'Untitled'

async function sameNote(book: Notebook, wanted: Note, now: number): Promise<Note | null> {
  for (const known of await book.store.notes.withFingerprint(contentFingerprint(wanted))) {
    if (await book.store.notes.getVisible(known.id, now)) return known
  }
  return null
}

/** How many notes a new one is compared with: the likeliest by their words. */
const MAX_COMPARED_NOTES = 20

/** Notes of the same kind and place of which it says all that they say. */
async function restatedBy(book: Notebook, wanted: Note, now: number): Promise<NoteId[]> {
  const words = distinctiveWords(wanted.body)
  if (words.length === 0) return []
  const within = { project: wanted.project, kinds: ['note' as const], since: 0, before: Number.MAX_SAFE_INTEGER, limit: MAX_COMPARED_NOTES }
  const restated: NoteId[] = []
  for (const place of await book.store.documents.match(words, within)) {
    const known = await book.store.notes.getVisible(asNoteId(place.ref), now)
    if (!known || known.scope !== wanted.scope || known.project !== wanted.project) continue
    if (known.namespace !== wanted.namespace || known.type === 'episodic' || known.pinned) continue
    if (restates(wanted.body, known.body)) restated.push(known.id)
  }
  return restated
}
