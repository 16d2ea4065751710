import { join } from 'node:path'
import { MAX_NOTE_BYTES } from '../core/limits.ts'
import type { Change } from '../core/memory.ts'
import type { Note, NoteId } from '../core/note.ts'
import { readUtf8IfThere, statIfThere } from '../platform/files.ts'
import { filesBelow, removeFile } from '../platform/folder.ts'
import type { NoteFile, Store } from '../store/store.ts'
import { hasLinkInPath, LOCAL_FOLDER, noteLocation, SYNCED_FOLDER } from './folders.ts'
import { parseNote } from './format.ts'
import { indexNote } from './note-rows.ts'

/** Files read in one transaction: few enough that hooks never wait long. */
const FILES_PER_TRANSACTION = 200

type ReindexDeps = { store: Store; folder: string; clean(text: string): string }

/** Updates the rows from the files: from all of them, or only from `only`. One malformed file does not stop the rest. */
export async function reindex(book: ReindexDeps, only?: string[]): Promise<Change[]> {
  const known = new Map((await book.store.notes.files()).map((file) => [file.path, file]))
  const paths = only ?? pathsOnDisk(book.folder)
  const existing = new Set(paths)
  const changed = paths.filter((path) => noteLocation(path) !== null && hasChanged(book.folder, path, known.get(path)))
  const gone = only ? [] : [...known.keys()].filter((path) => !existing.has(path))
  const changes: Change[] = []
  const all = [...gone, ...changed]
  for (let from = 0; from < all.length; from += FILES_PER_TRANSACTION) {
    const batch = all.slice(from, from + FILES_PER_TRANSACTION)
    changes.push(...(await book.store.transaction(() => book.store.notes.indexTogether(() => readAll(book, batch)))))
  }
  return changes
}

/** The note with this id as its file is now, even if the row is not up to date yet. Must run inside a transaction. */
export async function noteOnDisk(book: ReindexDeps, id: NoteId): Promise<Note | null> {
  const known = await book.store.notes.get(id)
  if (!known || !hasChanged(book.folder, known.path, (await book.store.notes.fileAt(known.path)) ?? undefined)) return known
  await readOne(book, known.path)
  return book.store.notes.get(id)
}

function pathsOnDisk(home: string): string[] {
  const found = [SYNCED_FOLDER, LOCAL_FOLDER].flatMap((top) => filesBelow(join(home, top), ['.md', '.tmp']))
  for (const { path, changedAt } of found) if (isLeftover(path, changedAt)) removeFile(path)
  return found.filter(({ name }) => name.endsWith('.md')).map(({ path }) => path.slice(home.length + 1))
}

/**
 * Whether this is the temporary file of a process that was killed while it wrote a note. Only one worker writes at a time, so no running process
 * owns a file that is older than this one. The age counts too, for files of a failed write of our own.
 */
export function isLeftover(path: string, changedAt: number): boolean {
  return TEMP_FILE.test(path) && (changedAt < performance.timeOrigin || Date.now() - changedAt > STALE_TEMP_FILE_MS)
}

const TEMP_FILE = /\.md\.[0-9a-f-]{36}\.tmp$/
const STALE_TEMP_FILE_MS = 60_000

function hasChanged(home: string, path: string, known: NoteFile | undefined): boolean {
  const found = statIfThere(join(home, path))
  return !known || !found || known.bytes !== found.size || known.changedAt !== found.mtimeMs
}

async function readAll(book: ReindexDeps, paths: string[]): Promise<Change[]> {
  const changes: Change[] = []
  for (const path of paths) changes.push(...(await readOne(book, path)))
  return changes
}

async function readOne(book: ReindexDeps, path: string): Promise<Change[]> {
  const { store } = book
  const before = await noteAt(store, path)
  const read = readFile(book.folder, path)
  if (read.kind === 'gone') {
    await store.notes.removeFile(path)
    return before ? removeRow(book, before) : []
  }
  const file = { path, bytes: read.bytes, changedAt: read.changedAt }
  if (read.kind === 'malformed') {
    await store.notes.putFile({ ...file, id: null, problem: read.reason })
    return before ? removeRow(book, before) : []
  }
  if (await store.tombstones.hasNote(read.note.id, read.note.createdAt)) {
    // Another machine still had it, or somebody copied the file back.
    removeFile(join(book.folder, path))
    await store.notes.removeFile(path)
    return before ? removeRow(book, before) : []
  }
  const changes = before && before.id !== read.note.id ? await removeRow(book, before) : []
  const rival = await store.notes.get(read.note.id)
  if (rival && rival.path !== path && statIfThere(join(book.folder, rival.path)) && isBefore(read.note, rival)) {
    await store.notes.putFile({ ...file, id: read.note.id, problem: `it has the same id as ${rival.path}, which is newer` })
    return changes
  }
  if (rival && rival.path !== path) {
    const [other] = (await store.notes.filesOf(rival.id)).filter((one) => one.path === rival.path)
    if (other) await store.notes.putFile({ ...other, problem: `it has the same id as ${path}, which is newer` })
  }
  await indexNote(book, read.note, { size: read.bytes, mtimeMs: read.changedAt })
  return [...changes, { kind: 'note-changed', note: read.note }]
}

/** Of two files with one id the newer wins. If both have the same time, the path decides, in the same way on every machine. */
const isBefore = (a: Note, b: Note) => a.updatedAt < b.updatedAt || (a.updatedAt === b.updatedAt && a.path > b.path)

async function noteAt(store: Store, path: string): Promise<Note | null> {
  const id = (await store.notes.fileAt(path))?.id
  const note = id ? await store.notes.get(id) : null
  return note?.path === path ? note : null
}

/** Removes the row of a note whose file is gone or contains another note now. If another file has the same id, its note replaces it. */
async function removeRow(book: ReindexDeps, note: Note): Promise<Change[]> {
  await book.store.notes.remove(note.id)
  for (const file of await book.store.notes.filesOf(note.id)) {
    if (file.path !== note.path) return readOne(book, file.path)
  }
  return [{ kind: 'note-removed', id: note.id }]
}

type NoteFileResult =
  | { kind: 'gone' }
  | { kind: 'malformed'; reason: string; bytes: number; changedAt: number }
  | { kind: 'note'; note: Note; bytes: number; changedAt: number }

function readFile(home: string, path: string): NoteFileResult {
  const full = join(home, path)
  const found = statIfThere(full)
  const location = noteLocation(path)
  if (!found?.isFile() || !location || hasLinkInPath(home, path)) return { kind: 'gone' }
  const file = { bytes: found.size, changedAt: found.mtimeMs }
  if (found.size > MAX_NOTE_BYTES) return { kind: 'malformed', reason: `it is larger than ${MAX_NOTE_BYTES / 1024} KB`, ...file }
  let text: string | null
  try {
    text = readUtf8IfThere(full)
  } catch (cause) {
    return { kind: 'malformed', reason: ((cause as Error).cause as Error | undefined)?.message ?? (cause as Error).message, ...file }
  }
  if (text === null) return { kind: 'gone' }
  const parsed = parseNote(text)
  return parsed.kind === 'note' ? { kind: 'note', note: { ...parsed.note, ...location, path }, ...file } : { ...parsed, ...file }
}
