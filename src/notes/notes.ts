/**
 * Notes are lasting memories, one markdown file each, such as a person could write. The files are the source of truth; the database rows are
 * derived from them. Only this room writes note files, and it always removes secrets and private parts first.
 *
 * This room announces nothing; it returns what changed.
 */
import { join } from 'node:path'
import type { Anchor } from '../core/anchor.ts'
import { fingerprint } from '../core/hash.ts'
import { GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { MAX_NOTE_BYTES } from '../core/limits.ts'
import type { Change } from '../core/memory.ts'
import {
  asNoteId,
  isNamespace,
  isStatement,
  type Note,
  type NoteId,
  type NoteScope,
  type NoteSource,
  type NoteState,
  type NoteType,
} from '../core/note.ts'
import { firstLine } from '../core/text.ts'
import { ulid } from '../core/ulid.ts'
import { ensurePrivateFolder, statIfThere, writeFileAtomically } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import type { Store, Verification } from '../store/store.ts'
import { hasLinkInPath, LOCAL_FOLDER, pathOf, SYNCED_FOLDER } from './folders.ts'
import { writeNote } from './format.ts'
import { cleanFields, cleanList, contentFingerprint, indexNote } from './note-rows.ts'
import { noteOnDisk } from './reindex.ts'
import type { RelatedNotes } from './related-statements.ts'

export { LOCAL_FOLDER, noteLocation, pathOf, SYNCED_FOLDER } from './folders.ts'
export { parseNote, writeNote } from './format.ts'
export { indexNote } from './note-rows.ts'
export { isLeftover, noteOnDisk, reindex } from './reindex.ts'
export { areNear, likeness, normalised, shingles } from './similarity.ts'

/** Readers of other programs' notes, loaded with the first import. */
export const loadForeignNotes = () => import('./foreign-notes.ts')

/** What writing notes needs. */
export type Notebook = {
  store: Store
  /** The home; note paths are relative to it. */
  folder: string
  /** This machine, as other machines of the same person know it. */
  machine: string
  /** Removes private parts and secrets from a text. */
  clean(text: string): string
}

/** A note to be saved. Omitted fields get defaults. */
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
  state?: NoteState
  /** The places of a statement in its conversation. */
  said?: string[]
  /** Never treat it as a duplicate or restatement of another note; for notes that are addressed by name. */
  apart?: boolean
  /** The machine that wrote it, for an import; otherwise it is this one. */
  machine?: string
  /** Set for imports that may be repeated: the same source always gets the same id. */
  id?: NoteId
  createdAt?: number
  updatedAt?: number
}

/** What happened to a draft. Every draft gets a receipt. */
export type NoteSaveReceipt =
  | { kind: 'added'; note: Note }
  /** An existing note already says the same. */
  | { kind: 'same'; note: Note }
  /** It restates or replaces older notes, which are marked as replaced and can be restored. */
  | { kind: 'restated'; note: Note; superseded: NoteId[] }
  /** The existing note with this id was changed. */
  | { kind: 'updated'; note: Note }
  /** `isOutdated`: the change was based on an older version of the note. */
  | { kind: 'refused'; reason: string; isOutdated?: true }

export type NoteSaveResult = { receipt: NoteSaveReceipt; changes: Change[] }

/**
 * Saves a draft as a note, unless an existing note says the same. It supersedes older notes that it restates, and those about the same
 * subject that it contradicts; if one of these is newer, it is superseded itself. A statement that was said before counts one more place.
 */
export async function saveNote(book: Notebook, draft: NoteDraft, now: number): Promise<NoteSaveResult> {
  const wanted = noteOf(book, draft, now)
  if (typeof wanted === 'string') return { receipt: { kind: 'refused', reason: wanted }, changes: [] }
  return book.store.transaction(async () => {
    // Imported before. If a person has edited or forgotten it since, it stays that way.
    const known = draft.id ? await book.store.notes.get(draft.id) : null
    if (known) return saidAgain(book, known, wanted, now)
    if (draft.id && (await book.store.tombstones.hasNote(draft.id, wanted.createdAt))) return DELETED_FOR_GOOD
    const same = draft.apart ? null : await sameNote(book, wanted, now)
    if (same) return saidAgain(book, same, wanted, now)
    const { rejectedStatement, relatedNotes } = await loadRelated()
    if (await rejectedStatement(book.store, wanted)) return { receipt: { kind: 'refused', reason: 'it was rejected before' }, changes: [] }
    const related = draft.apart ? NOTHING_RELATED : await relatedNotes(book.store, wanted, now)
    if (related.same) return saidAgain(book, related.same, wanted, now)
    await record(book, 'capture', wanted, now)
    return putReplacing(book, wanted, related)
  })
}

/** Loaded by the first note that is saved, because a worker answers hooks before. */
const loadRelated = () => import('./related-statements.ts')

const NOTHING_RELATED: RelatedNotes = { older: [], newer: [] }

/** A known statement was said in places that are not counted yet. Said after what replaced it, it holds again. */
async function saidAgain(book: Notebook, known: Note, wanted: Note, now: number): Promise<NoteSaveResult> {
  if (wanted.said.length === 0) return { receipt: { kind: 'same', note: known }, changes: [] }
  const { mergePlaces, relatedNotes } = await loadRelated()
  const said = mergePlaces(known.said, wanted.said)
  // It went with the turns in which it was said, and is said again.
  if (known.deletedAt !== null && known.said.length === 0 && isStatement(known) && wanted.createdAt > known.deletedAt)
    return putReplacing(book, { ...known, ...saidFields(wanted), deletedAt: null }, await relatedNotes(book.store, wanted, now))
  if (said.join() === known.said.join() || known.deletedAt !== null) return { receipt: { kind: 'same', note: known }, changes: [] }
  const latest = Math.max(known.updatedAt, wanted.updatedAt)
  const note: Note = { ...known, said, createdAt: Math.min(known.createdAt, wanted.createdAt), updatedAt: latest, machine: book.machine }
  if (latest === known.updatedAt) return { receipt: { kind: 'updated', note }, changes: await putNote(book, note) }
  return putReplacing(book, note, await relatedNotes(book.store, note, now))
}

const saidFields = ({ said, createdAt, updatedAt, machine, session }: Note) => ({ said, createdAt, updatedAt, machine, session })

/** Writes a note that supersedes the older ones and is superseded by the newer ones. */
async function putReplacing(book: Notebook, wanted: Note, { older, newer }: RelatedNotes): Promise<NoteSaveResult> {
  const superseded = older.map((one) => one.id)
  const note: Note = { ...wanted, supersedes: [...new Set([...wanted.supersedes, ...superseded])] }
  const changes = await putNote(book, note)
  // Two notes that supersede each other would both be hidden.
  for (const one of older.filter(({ supersedes }) => supersedes.includes(note.id)))
    changes.push(...(await putNote(book, { ...one, supersedes: one.supersedes.filter((id) => id !== note.id) })))
  for (const one of newer) changes.push(...(await putNote(book, { ...one, supersedes: [...new Set([...one.supersedes, note.id])] })))
  return { receipt: superseded.length > 0 ? { kind: 'restated', note, superseded } : { kind: 'added', note }, changes }
}

/**
 * Saves a draft under its own id, or updates the note with that id. A person's changes stay: a title or body that differs from what we wrote
 * is left alone, and a forgotten note stays forgotten.
 */
export async function saveNoteUnderId(book: Notebook, draft: NoteDraft & { id: NoteId }, now: number): Promise<NoteSaveResult> {
  const wanted = noteOf(book, draft, now)
  if (typeof wanted === 'string') return { receipt: { kind: 'refused', reason: wanted }, changes: [] }
  return book.store.transaction(async () => {
    const known = await noteOnDisk(book, draft.id)
    if (!known && (await book.store.tombstones.hasNote(draft.id))) return DELETED_FOR_GOOD
    if (!known) {
      const note = withWrittenLine(wanted, fingerprintsOf(wanted))
      await record(book, 'capture', note, now)
      return { receipt: { kind: 'added', note }, changes: await putNote(book, note) }
    }
    const says = (note: Note) => JSON.stringify([note.title, note.body, note.type, note.namespace, note.tags])
    const merged = keepHandEdits(known, { ...known, ...sourceFields(wanted), tags: [...new Set([...known.tags, ...wanted.tags])] })
    if (known.deletedAt !== null || says(merged) === says(known)) return { receipt: { kind: 'same', note: known }, changes: [] }
    const note = { ...merged, updatedAt: draft.updatedAt ?? now, machine: draft.machine ?? book.machine }
    return { receipt: { kind: 'updated', note }, changes: await putNote(book, note) }
  })
}

/** Saves a note from another home with all its fields. If the note exists already, the newer version wins. */
export async function importNote(book: Notebook, imported: Omit<Note, 'path'>): Promise<NoteSaveResult> {
  const body = cleanBody(book, imported.body)
  const project = imported.scope === 'global' ? GLOBAL_PROJECT : imported.project
  const wanted: Note = {
    ...cleanFields(imported, book.clean),
    body,
    title: titleOf(book, imported.title, body),
    tags: cleanTags(book, imported.tags),
    project,
    path: pathOf({ ...imported, project }),
  }
  const reason = body.trim() === '' ? 'nothing is in it' : whyUnusable(wanted)
  if (reason) return { receipt: { kind: 'refused', reason }, changes: [] }
  return book.store.transaction(async () => {
    const known = await book.store.notes.get(wanted.id)
    if (!known && (await book.store.tombstones.hasNote(wanted.id))) return DELETED_FOR_GOOD
    if (known && known.updatedAt >= wanted.updatedAt) return { receipt: { kind: 'same', note: known }, changes: [] }
    const stays = known && known.scope === wanted.scope && known.project === wanted.project
    const note = {
      ...(wanted.author === null ? wanted : withWrittenLine(wanted, fingerprintsOf(wanted))),
      ...(stays ? { path: known.path } : {}),
    }
    const changes = await putNote(book, note)
    if (known && known.path !== note.path) await dropFile(book, known.path)
    return { receipt: { kind: known ? 'updated' : 'added', note }, changes }
  })
}

/** The front matter line with fingerprints of the title and body as we last wrote them. It shows whether a person edited them since. */
const WRITTEN_LINE = /^written: ([0-9a-f]{8})-([0-9a-f]{8})$/
type WrittenFingerprints = { title: string; body: string }

const fingerprintsOf = (note: Note): WrittenFingerprints => ({ title: fingerprint(note.title, 8), body: fingerprint(note.body, 8) })
const withWrittenLine = (note: Note, { title, body }: WrittenFingerprints): Note => ({
  ...note,
  unknown: [...note.unknown.filter((line) => !WRITTEN_LINE.test(line)), `written: ${title}-${body}`],
})

/** The note as the source wants it, except for a title or body that a person has edited since the last import. */
function keepHandEdits(known: Note, wanted: Note): Note {
  const line = known.unknown.flatMap((one) => WRITTEN_LINE.exec(one) ?? [])
  const [, title, body] = line
  const [written, current, next] = [title && body ? { title, body } : null, fingerprintsOf(known), fingerprintsOf(wanted)]
  const isEdited = (part: 'title' | 'body') => written !== null && written[part] !== current[part]
  const kept = { title: isEdited('title') ? known.title : wanted.title, body: isEdited('body') ? known.body : wanted.body }
  return withWrittenLine(
    { ...wanted, ...kept },
    {
      title: isEdited('title') ? (written?.title ?? '') : next.title,
      body: isEdited('body') ? (written?.body ?? '') : next.body,
    },
  )
}

/** Whether a person has changed the title or body since Recollect wrote them. */
export function isEditedByHand(note: Note): boolean {
  const written = note.unknown.find((line) => WRITTEN_LINE.test(line))
  const { title, body } = fingerprintsOf(note)
  return written !== undefined && written !== `written: ${title}-${body}`
}

/** Replaces the title and body of a note that Recollect wrote, without a trace of the earlier ones. */
export async function rewriteNote(book: Notebook, id: NoteId, draft: NoteDraft, now: number): Promise<Change[]> {
  const wanted = noteOf(book, draft, now)
  if (typeof wanted === 'string') return purgeNote(book, id, now)
  return book.store.transaction(async () => {
    const known = await noteOnDisk(book, id)
    if (!known) return []
    const note = { ...known, title: wanted.title, body: wanted.body, updatedAt: now, machine: book.machine }
    const changes = await putNote(book, withWrittenLine(note, fingerprintsOf(note)))
    await book.store.notes.dropVersions(id)
    return changes
  })
}

/** The fields that a repeated import may change. */
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
  Pick<
    Note,
    'title' | 'body' | 'type' | 'namespace' | 'tags' | 'pinned' | 'confidence' | 'expiresAt' | 'supersedes' | 'conflictOf' | 'state'
  >
> & { scope?: NoteScope; project?: ProjectKey /** Who wrote it, if not this machine now. */; machine?: string }

/**
 * Changes fields of a note. Null if there is no such note. `bodyWas` is the text that the change was based on; the change is refused if the
 * note no longer has it. The text is compared rather than the time, because editing a file by hand does not update the time in it.
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
    const reason = known.author !== null && patch.state === 'accepted' ? OTHERS_NOTE : whyUnusable({ ...known, ...patch })
    if (reason) return { receipt: { kind: 'refused', reason }, changes: [] }
    const scope = patch.scope ?? known.scope
    const project = scope === 'global' ? GLOBAL_PROJECT : (patch.project ?? known.project)
    const body = patch.body === undefined ? known.body : cleanBody(book, patch.body)
    if (patch.body?.trim() && body === '') return { receipt: { kind: 'refused', reason: NOTHING_LEFT }, changes: [] }
    const note: Note = {
      ...known,
      ...patch,
      // A title that was derived from the body is derived again.
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
      machine: patch.machine ?? book.machine,
      // A note that is not moved keeps its file name, even one that a person chose.
      path: scope === known.scope && project === known.project ? known.path : pathOf({ id, scope, project }),
    }
    const changes = await putNote(book, note)
    if (note.path !== known.path) await dropFile(book, known.path)
    // With its old time it says no more than before.
    if (now !== known.updatedAt) await record(book, 'edit', note, now)
    return { receipt: { kind: 'updated', note }, changes }
  })
}

/** Ties a note to code, and records a confirmation. Its time of change stays: its text is the same. Null if there is no such note. */
export async function setNoteAnchors(
  book: Notebook,
  id: NoteId,
  anchors: Anchor[],
  verified: Verification | null = null,
): Promise<Change[] | null> {
  const { withAnchors, withVerification } = await import('./note-anchors.ts')
  // A name may contain what looks like a secret.
  const safe = anchors.filter(({ path, name }) => book.clean(`${path} ${name ?? ''}`) === `${path} ${name ?? ''}`)
  return book.store.transaction(async () => {
    const known = await noteOnDisk(book, id)
    if (!known) return null
    const anchored = withAnchors(known, safe)
    return putNote(book, verified ? withVerification(anchored, verified) : anchored)
  })
}

/** An import is one entry of its own, however many notes it brings. */
async function record({ store }: Notebook, action: 'capture' | 'edit', { id, source }: Note, at: number): Promise<void> {
  if (source !== 'import') await store.audit.add({ at, action, subject: `N${id}`, details: { source } })
}

/** Hides a note. It can be restored until it is purged. */
export function forgetNote(book: Notebook, id: NoteId, now: number): Promise<NoteSaveResult | null> {
  return setDeleted(book, id, now, now)
}

/** Shows a forgotten note again, and one that another note replaced: the other stays, but no longer replaces it. */
export async function restoreNote(book: Notebook, id: NoteId, now: number): Promise<NoteSaveResult | null> {
  const restored = await setDeleted(book, id, null, now)
  if (!restored || restored.receipt.kind === 'refused') return restored
  const changes = await book.store.transaction(async () => {
    const changes: Change[] = []
    for (const newer of await book.store.notes.supersededBy(id)) {
      const note = await noteOnDisk(book, newer)
      if (note) changes.push(...(await putNote(book, { ...note, supersedes: note.supersedes.filter((one) => one !== id), updatedAt: now })))
    }
    return changes
  })
  const kind = changes.length > 0 ? 'updated' : restored.receipt.kind
  return { receipt: { ...restored.receipt, kind } as NoteSaveReceipt, changes: [...restored.changes, ...changes] }
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

/** Takes away places in which a statement was said, because their turns were deleted. One that was said nowhere else is hidden. */
export async function removePlaces(book: Notebook, id: NoteId, places: string[], now: number): Promise<Change[]> {
  return book.store.transaction(async () => {
    const known = await noteOnDisk(book, id)
    if (!known?.said.some((place) => places.includes(place))) return []
    const said = known.said.filter((place) => !places.includes(place))
    const isGone = said.length === 0 && known.deletedAt === null && isStatement(known)
    return putNote(book, { ...known, said, ...(isGone ? { deletedAt: now, updatedAt: now, machine: book.machine } : {}) })
  })
}

/** Gives a statement its places back. It is shown again if it went with its turns, but not if a person rejected it: then it has kept others. */
export async function restorePlaces(book: Notebook, id: NoteId, places: string[], now: number): Promise<Change[]> {
  const { mergePlaces } = await loadRelated()
  return book.store.transaction(async () => {
    const known = await noteOnDisk(book, id)
    if (!known) return []
    const isBack = known.said.length === 0 && known.deletedAt !== null && isStatement(known)
    const said = mergePlaces(known.said, places)
    return putNote(book, { ...known, said, ...(isBack ? { deletedAt: null, updatedAt: now, machine: book.machine } : {}) })
  })
}

/** Deletes a note and its file, so that no import and no sync brings it back. The git history of a synced folder still contains it. */
export async function purgeNote(book: Notebook, id: NoteId, now: number): Promise<Change[]> {
  return book.store.transaction(async () => {
    const files = await book.store.notes.filesOf(id)
    for (const file of files) await dropFile(book, file.path)
    await book.store.notes.remove(id)
    await book.store.tombstones.addNote(id, now)
    return files.length > 0 ? [{ kind: 'note-removed', id }] : []
  })
}

const DELETED_FOR_GOOD: NoteSaveResult = { receipt: { kind: 'refused', reason: 'it was deleted for good' }, changes: [] }

/** Writes the file, then its row; a missing row can be rebuilt from the file. Must run inside a transaction. */
export async function putNote(book: Notebook, note: Note): Promise<Change[]> {
  const path = join(book.folder, note.path)
  ensurePrivateFolder(join(book.folder, note.path.startsWith(`${LOCAL_FOLDER}/`) ? LOCAL_FOLDER : SYNCED_FOLDER))
  const folder = path.slice(0, path.lastIndexOf('/'))
  if (hasLinkInPath(book.folder, note.path))
    throw new Error(`${folder} is a symbolic link, and notes are not written through links. Replace it with a folder.`)
  ensurePrivateFolder(folder)
  writeFileAtomically(path, writeNote(note))
  await indexNote(book, note, statIfThere(path))
  return [{ kind: 'note-changed', note }]
}

export async function dropFile(book: Notebook, path: string): Promise<void> {
  removeFile(join(book.folder, path))
  await book.store.notes.removeFile(path)
}

/** The note that a draft would become, or why it is not valid. Nothing is written. */
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
    machine: draft.machine ? book.clean(draft.machine).slice(0, 200) : book.machine,
    source: draft.source,
    author: null,
    session: draft.session ?? null,
    model: draft.model ?? null,
    confidence: draft.confidence ?? 1,
    supersedes: draft.supersedes ?? [],
    conflictOf: null,
    state: draft.state ?? 'accepted',
    said: draft.said ?? [],
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

const OTHERS_NOTE = "it is a copy of another person's note; save it in your own words instead: recollect capture <text>"
const NOTHING_LEFT = 'nothing is left to remember after private parts were removed'

/** Why a note is not valid, as a message for the person; null if it is. */
function whyUnusable(note: Pick<Note, 'namespace' | 'confidence' | 'body' | 'tags'>): string | null {
  if (!isNamespace(note.namespace)) return `"${note.namespace}" is not a valid namespace; use lower-case letters, digits and dashes`
  if (!(note.confidence >= 0 && note.confidence <= 1)) return 'confidence must be between 0 and 1'
  if (note.body.length > MAX_NOTE_BYTES / 2)
    return `a note may have at most ${MAX_NOTE_BYTES / 2048} KB of text; this one has ${Math.ceil(note.body.length / 1024)} KB`
  if (note.tags.some((tag) => tag.length > 200)) return 'a tag may have at most 200 characters'
  return null
}

/** Tags are one text: a private part may begin in one and end in another. */
const cleanTags = (book: Notebook, tags: string[]) => [
  ...new Set(
    cleanList(tags, book.clean)
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]

const cleanBody = (book: Notebook, body: string) => book.clean(body.toWellFormed()).replace(/\r\n?/g, '\n').trim()

const titleOf = (book: Notebook, title: string, body: string) =>
  firstLine(book.clean(title.toWellFormed()), 200) || firstLine(body.replace(/^[#>\s*-]+/, ''), 80) || 'Untitled'

async function sameNote(book: Notebook, wanted: Note, now: number): Promise<Note | null> {
  for (const known of await book.store.notes.withFingerprint(contentFingerprint(wanted))) {
    if (await book.store.notes.getVisible(known.id, now)) return known
  }
  return null
}
