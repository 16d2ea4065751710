import type { ProjectKey } from '../core/ids.ts'
import type { Change } from '../core/memory.ts'
import { asNoteId, type NoteId } from '../core/note.ts'
import { ulidOf } from '../core/ulid.ts'
import { cleanCopyLine, cleanCopyText, type NoteCopy, removeCopy, saveCopy } from '../notes/copies.ts'
import type { Notebook } from '../notes/notes.ts'
import { type MirrorRecord, newestRecords } from './mirror-records.ts'
import { type MirrorRepository, mirroredNamespaces, readLines, textOf } from './mirror-repository.ts'

/** A record with its place. */
export type PlacedRecord = MirrorRecord & { namespace: string }

/** Whoever can push to the repository can add records. More copies than this are not made, the newest come first. */
const MAX_COPIES_PER_PROJECT = 2000
/** Lets hooks go first. */
const COPIES_PER_PAUSE = 20

/** The newest record for each id in all namespaces. A note that moved to another namespace was deleted in the old one and lives in the new one. */
export async function recordsIn(repository: MirrorRepository, now: number): Promise<PlacedRecord[]> {
  const newest = new Map<string, PlacedRecord>()
  for (const namespace of await mirroredNamespaces(repository)) {
    const lines = await readLines(repository, namespace)
    for (const record of newestRecords(lines.map(textOf), now).values()) {
      const known = newest.get(record.id)
      const wins =
        !known || (known.content === null) === (record.content === null) ? record.updated > (known?.updated ?? -1) : record.content !== null
      if (wins) newest.set(record.id, { ...record, namespace })
    }
  }
  return [...newest.values()].sort((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1))
}

/** Copies the notes of others that the mirror contains. Notes that the person has or had are left alone, whatever a record says about them. */
export async function copyNotes(
  book: Notebook,
  repository: MirrorRepository,
  project: ProjectKey,
  records: PlacedRecord[],
): Promise<Change[]> {
  const changes: Change[] = []
  const others: PlacedRecord[] = []
  for (const record of records) if (!(await isOwn(book, asNoteId(record.id)))) others.push(record)
  for (const [n, record] of others.slice(0, MAX_COPIES_PER_PROJECT).entries()) {
    const id = copyId(repository, record.id)
    if (record.content === null) changes.push(...(await removeCopy(book, id)))
    else changes.push(...(await saveCopy(book, copyOf(book, repository, project, record, record.content))).changes)
    if (n % COPIES_PER_PAUSE === 0) await Bun.sleep(0)
  }
  return changes
}

/** Whether this home has the note itself, or had it and the person deleted it. */
export async function isOwn({ store }: Notebook, id: NoteId): Promise<boolean> {
  const known = await store.notes.get(id)
  return known ? known.author === null : store.tombstones.hasNote(id)
}

/**
 * Depends on the repository and on the record's id, and never equals either: otherwise a record could pass for a note of the person, because the ids
 * of their rules and decisions follow from the words.
 */
export const copyId = ({ root }: MirrorRepository, id: string): NoteId => asNoteId(ulidOf(`git notes\n${root}\n${id}`, 0))

function copyOf(
  book: Notebook,
  repository: MirrorRepository,
  project: ProjectKey,
  record: PlacedRecord,
  content: NonNullable<MirrorRecord['content']>,
): NoteCopy {
  const cleaned = (text: string) => cleanCopyText(book, text)
  const oneLine = (text: string) => cleanCopyLine(book, text)
  return {
    id: copyId(repository, record.id),
    type: content.type,
    title: oneLine(content.title),
    namespace: record.namespace,
    tags: cleaned(content.tags.join('\n')).split('\n').filter(Boolean),
    createdAt: Math.min(content.created, record.updated),
    updatedAt: record.updated,
    machine: oneLine(record.machine),
    source: 'import',
    author: oneLine(record.author) || oneLine(record.machine) || 'unknown',
    session: null,
    model: null,
    confidence: content.confidence,
    // Only copies of this repository can be replaced by one of its copies.
    supersedes: content.supersedes.map((older) => copyId(repository, older)),
    conflictOf: null,
    state: 'accepted',
    said: [],
    pinned: false,
    expiresAt: null,
    deletedAt: null,
    body: cleaned(content.body),
    unknown: [],
    project,
  }
}
