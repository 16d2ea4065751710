import { fingerprint } from '../core/hash.ts'
import { asNoteId, type NoteText } from '../core/note.ts'
import { ulidOf } from '../core/ulid.ts'
import { parseNote, writeNote } from '../notes/notes.ts'

/** The result of merging two versions of a file. `beside` is a second file for the other version, if both had to be kept. */
export type Merged<T> = { text: T; beside: { name: string; text: T } | null }

/** When each side last committed the file, in milliseconds. For edits by hand, no other time is known. */
export type CommitTimes = { ours: number; theirs: number }
const UNKNOWN_COMMIT_TIMES: CommitTimes = { ours: 0, theirs: 0 }

/** Like `mergeFiles`, for bytes. Files that are not UTF-8 are kept unchanged. */
export function mergeBytes(
  name: string,
  base: Uint8Array | null,
  ours: Uint8Array,
  theirs: Uint8Array,
  committed: CommitTimes = UNKNOWN_COMMIT_TIMES,
): Merged<Uint8Array> {
  const [mine, other] = [textOf(ours), textOf(theirs)]
  const { text, beside } = mergeFiles(name, base && textOf(base), mine, other, committed)
  const bytes = (text: string) => (text === mine ? ours : text === other ? theirs : new TextEncoder().encode(text))
  return { text: bytes(text), beside: beside && { name: beside.name, text: bytes(beside.text) } }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return `\0${Buffer.from(bytes).toString('latin1')}` // no note starts like this
  }
}

/**
 * Merges two versions of a file that both changed since `base`, which is null if the file did not exist. Symmetric: two machines that merge
 * the same pair, each with its own version first, get the same bytes.
 */
export function mergeFiles(
  name: string,
  base: string | null,
  ours: string,
  theirs: string,
  committed: CommitTimes = UNKNOWN_COMMIT_TIMES,
): Merged<string> {
  const [mine, other] = [parseNote(ours), parseNote(theirs)]
  if (mine.kind === 'note' && other.kind === 'note' && mine.note.id === other.note.id) {
    const before = base === null ? null : parseNote(base)
    const from = before?.kind === 'note' && before.note.id === mine.note.id ? before.note : null
    const { note, kept } = mergeNotes(from, mine.note, other.note, committed)
    return { text: writeNote(note), beside: kept && { name: `${kept.id}.md`, text: writeNote(kept) } }
  }
  if (ours === theirs) return { text: ours, beside: null }
  if (base === ours) return { text: theirs, beside: null }
  if (base === theirs) return { text: ours, beside: null }
  // Not notes, or not the same note: keep both files unchanged. If one is a note, it keeps the file name.
  const oursStays = mine.kind === other.kind ? fingerprint(ours) > fingerprint(theirs) : mine.kind === 'note'
  const [stays, goes] = oursStays ? [ours, theirs] : [theirs, ours]
  return { text: stays, beside: { name: `${name.replace(/\.md$/, '')}.${fingerprint(goes, 8)}.md`, text: goes } }
}

/**
 * Merges two versions of a note field by field: the side that changed a field wins, and if both did, the newer version. If both changed the
 * body, the newer body becomes the note, and the other version is saved as a separate note that refers to it.
 */
export function mergeNotes(
  base: NoteText | null,
  ours: NoteText,
  theirs: NoteText,
  committed: CommitTimes = UNKNOWN_COMMIT_TIMES,
): { note: NoteText; kept: NoteText | null } {
  const [mine, other] = [withEditTime(base, ours, committed.ours), withEditTime(base, theirs, committed.theirs)]
  const [newer, older] = isNewer(mine, other) ? [mine, other] : [other, mine]
  const field = <K extends keyof NoteText>(name: K): NoteText[K] => threeWay(base ? base[name] : null, newer[name], older[name])
  const body = field('body')
  const note: NoteText = {
    id: newer.id,
    type: field('type'),
    title: field('title'),
    namespace: field('namespace'),
    tags: mergeSets(base?.tags ?? null, newer.tags, older.tags),
    createdAt: Math.min(newer.createdAt, older.createdAt),
    updatedAt: newer.updatedAt,
    machine: newer.machine,
    source: field('source'),
    session: field('session'),
    author: field('author'),
    model: field('model'),
    confidence: field('confidence'),
    supersedes: mergeSets(base?.supersedes ?? null, newer.supersedes, older.supersedes),
    conflictOf: field('conflictOf'),
    state: field('state'),
    said: mergeSets(base?.said ?? null, newer.said, older.said).sort(),
    pinned: field('pinned'),
    expiresAt: field('expiresAt'),
    deletedAt: deletedAt(base, newer, older),
    body,
    unknown: mergeUnknown(base?.unknown ?? null, newer.unknown, older.unknown),
  }
  const isConflict = newer.body !== older.body && base?.body !== newer.body && base?.body !== older.body
  return { note, kept: isConflict ? versionOf(older) : null }
}

/** An edit by hand does not change `updated`, so the time of its commit is used instead. */
function withEditTime(base: NoteText | null, note: NoteText, committedAt: number): NoteText {
  const isByHand = base !== null && note.updatedAt === base.updatedAt && !same(base, note)
  return isByHand ? { ...note, updatedAt: Math.max(note.updatedAt, committedAt) } : note
}

/** If both have the same time, the fingerprint decides, in the same way on every machine. */
function isNewer(a: NoteText, b: NoteText): boolean {
  return a.updatedAt === b.updatedAt ? fingerprint(writeNote(a)) > fingerprint(writeNote(b)) : a.updatedAt > b.updatedAt
}

/** The value of the side that changed it; the newer value if both did. A null base means that neither side had it before. */
function threeWay<T>(base: T | null, newer: T, older: T): T {
  return same(base, newer) ? older : newer
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The losing version as a separate note. Its id is derived from note and body, so every machine creates the same one. */
function versionOf(note: NoteText): NoteText {
  return { ...note, id: asNoteId(ulidOf(`${note.id}\n${note.body}`, note.createdAt)), conflictOf: note.id, supersedes: [] }
}

/** If one side deleted the note and the other rewrote its body, the note stays. */
function deletedAt(base: NoteText | null, newer: NoteText, older: NoteText): number | null {
  const isRewritten = (note: NoteText) => note.deletedAt === null && base !== null && note.body !== base.body
  if (base?.deletedAt === null && (isRewritten(newer) || isRewritten(older))) return null
  return threeWay(base ? base.deletedAt : null, newer.deletedAt, older.deletedAt)
}

/** Items that either side added are included; items that either side removed are not. */
function mergeSets<T extends string>(base: T[] | null, newer: T[], older: T[]): T[] {
  const before = base ?? []
  if (same(newer, older) || same(before, older)) return newer
  if (same(before, newer)) return older
  const all = [...new Set([...before, ...[...newer, ...older].sort()])]
  return all.filter((one) => (before.includes(one) ? newer.includes(one) && older.includes(one) : true))
}

/** Merges unknown fields, each with its lines. */
function mergeUnknown(base: string[] | null, newer: string[], older: string[]): string[] {
  if (same(newer, older) || same(base ?? [], older)) return newer
  if (same(base ?? [], newer)) return older
  const [before, first, second] = [blocks(base ?? []), blocks(newer), blocks(older)]
  return [...new Set([...first.keys(), ...second.keys()])].flatMap((key) => {
    const was = before.get(key)
    const [a, b] = [first.get(key), second.get(key)]
    if (was === undefined) return a ?? b ?? []
    return threeWay(was as string[] | undefined, a, b) ?? []
  })
}

/** Groups lines by field. Comments belong to the field below them. */
function blocks(lines: string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  let waiting: string[] = []
  let key = ''
  for (const line of lines) {
    const name = /^["']?([^\s#'":][^:'"]*)["']?[ \t]*:/.exec(line)?.[1]
    if (line.startsWith('#')) waiting.push(line)
    else if (name !== undefined) {
      key = name
      found.set(key, [...waiting, line])
      waiting = []
    } else {
      found.set(key, [...(found.get(key) ?? []), ...waiting, line])
      waiting = []
    }
  }
  if (waiting.length > 0) found.set('#', waiting)
  return found
}
