import { fingerprint } from '../core/hash.ts'
import { asNoteId, type NoteText } from '../core/note.ts'
import { ulidOf } from '../core/ulid.ts'
import { parseNote, writeNote } from '../notes/notes.ts'

/** What two versions of a file become: the file itself, and what stands beside it when both had to be kept. */
export type Merged<T> = { text: T; beside: { name: string; text: T } | null }

/** When each side last committed the file, in milliseconds: all that tells when it was changed by hand. */
export type CommitTimes = { ours: number; theirs: number }
const UNKNOWN_COMMIT_TIMES: CommitTimes = { ours: 0, theirs: 0 }

/** The same of the bytes of files. One that is not UTF-8 is never taken apart, and comes out as it went in. */
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
    return `\0${Buffer.from(bytes).toString('latin1')}` // no note begins like this
  }
}

/**
 * Merges two versions of one file that both changed since `base`; null stands for a file that was not there. Symmetric: two
 * machines that merge the same pair, each with its own version first, make the same bytes.
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
  // No notes, or not the same one: a text that cannot be understood is not taken apart. The one that is a note keeps the name.
  const oursStays = mine.kind === other.kind ? fingerprint(ours) > fingerprint(theirs) : mine.kind === 'note'
  const [stays, goes] = oursStays ? [ours, theirs] : [theirs, ours]
  return { text: stays, beside: { name: `${name.replace(/\.md$/, '')}.${fingerprint(goes, 8)}.md`, text: goes } }
}

/**
 * Merges two versions of a note by its fields: the side that changed a field wins, and where both did, the newer version. Two
 * bodies that both changed are not merged: the newer is the note, and the other is kept as a note of its own that says whose
 * version it is.
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
    model: field('model'),
    confidence: field('confidence'),
    supersedes: mergeSets(base?.supersedes ?? null, newer.supersedes, older.supersedes),
    conflictOf: field('conflictOf'),
    pinned: field('pinned'),
    expiresAt: field('expiresAt'),
    deletedAt: deletedAt(base, newer, older),
    body,
    unknown: mergeUnknown(base?.unknown ?? null, newer.unknown, older.unknown),
  }
  const isTorn = newer.body !== older.body && base?.body !== newer.body && base?.body !== older.body
  return { note, kept: isTorn ? versionOf(older) : null }
}

/** An edit by hand leaves `updated` as it was; then the commit that brought it says when it was. */
function withEditTime(base: NoteText | null, note: NoteText, committedAt: number): NoteText {
  const isByHand = base !== null && note.updatedAt === base.updatedAt && !same(base, note)
  return isByHand ? { ...note, updatedAt: Math.max(note.updatedAt, committedAt) } : note
}

/** Of two versions with the same time one must still come first, the same one on every machine. */
function isNewer(a: NoteText, b: NoteText): boolean {
  return a.updatedAt === b.updatedAt ? fingerprint(writeNote(a)) > fingerprint(writeNote(b)) : a.updatedAt > b.updatedAt
}

/** What only one side changed is as that side has it; else as the newer has it. A null base is a field that neither had. */
function threeWay<T>(base: T | null, newer: T, older: T): T {
  return same(base, newer) ? older : newer
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** A version that lost, as a note of its own. The same body of the same note is the same note everywhere, however often it is met. */
function versionOf(note: NoteText): NoteText {
  return { ...note, id: asNoteId(ulidOf(`${note.id}\n${note.body}`, note.createdAt)), conflictOf: note.id, supersedes: [] }
}

/** Whoever rewrote a note did not know that it was being deleted: then it stays. */
function deletedAt(base: NoteText | null, newer: NoteText, older: NoteText): number | null {
  const isRewritten = (note: NoteText) => note.deletedAt === null && base !== null && note.body !== base.body
  if (base?.deletedAt === null && (isRewritten(newer) || isRewritten(older))) return null
  return threeWay(base ? base.deletedAt : null, newer.deletedAt, older.deletedAt)
}

/** What either side added is in, what either side took out is out. */
function mergeSets<T extends string>(base: T[] | null, newer: T[], older: T[]): T[] {
  const before = base ?? []
  if (same(newer, older) || same(before, older)) return newer
  if (same(before, newer)) return older
  const all = [...new Set([...before, ...[...newer, ...older].sort()])]
  return all.filter((one) => (before.includes(one) ? newer.includes(one) && older.includes(one) : true))
}

/** Fields that are not ours, each with the lines that belong to it. */
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

/** Comments go with the field below them. */
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
