import { entitiesIn } from '../core/entities.ts'
import type { Note } from '../core/note.ts'
import { countTokens } from '../core/tokens.ts'
import { likeness, shingles } from '../notes/notes.ts'

/** A group is small enough that every sentence of what comes of it can be held against its sources. */
const MAX_GROUP_NOTES = 6
const MAX_GROUP_TOKENS = 2500
/** What more notes than this name is what the project is about, not what ties two of them together. */
const MAX_NOTES_SHARING_NAME = 8
/** How alike in words two notes are that are worth a look together. */
const MIN_WORD_SIMILARITY = 0.25

/**
 * Notes of one place and namespace that speak about the same things: they share names, or words, or are each other's nearest in meaning.
 * Every member is tied to the first. Pinned notes are left out: a person wants those as they are.
 */
export async function groupRelatedNotes(notes: Note[], nearest: (note: Note) => Promise<Set<string>>): Promise<Note[][]> {
  const able = notes.filter((note) => note.type !== 'episodic' && !note.pinned && note.conflictOf === null)
  const groups: Note[][] = []
  for (const there of Map.groupBy(able, (note) => `${note.scope} ${note.project} ${note.namespace}`).values()) {
    groups.push(...(await groupsIn(there, nearest)))
  }
  return groups
}

type NoteFeatures = { note: Note; names: Set<string>; parts: Set<string>; tokens: number; near: Set<string> }

async function groupsIn(notes: Note[], nearest: (note: Note) => Promise<Set<string>>): Promise<Note[][]> {
  if (notes.length < 2) return []
  const known: NoteFeatures[] = []
  for (const note of notes.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))) {
    const text = `${note.title}\n${note.body}`
    const names = new Set(entitiesIn(text).map(({ kind, name }) => `${kind} ${name}`))
    known.push({ note, names, parts: shingles(text), tokens: countTokens(text), near: await nearest(note) })
  }
  const naming = new Map<string, number>()
  for (const { names } of known) for (const name of names) naming.set(name, (naming.get(name) ?? 0) + 1)
  const isTelling = (name: string) => (naming.get(name) ?? 0) <= MAX_NOTES_SHARING_NAME
  const taken = new Set<string>()
  const groups: Note[][] = []
  for (const first of known) {
    if (taken.has(first.note.id)) continue
    const ranked = known
      .filter((other) => other !== first && !taken.has(other.note.id))
      .map((other) => ({ other, tie: tieStrength(first, other, isTelling) }))
      .filter(({ tie }) => tie > 0)
      .sort((a, b) => b.tie - a.tie)
    const group = [first]
    let tokens = first.tokens
    for (const { other } of ranked) {
      if (group.length === MAX_GROUP_NOTES || tokens + other.tokens > MAX_GROUP_TOKENS) continue
      group.push(other)
      tokens += other.tokens
    }
    if (group.length < 2) continue
    for (const { note } of group) taken.add(note.id)
    groups.push(group.map(({ note }) => note))
  }
  return groups
}

/** How much ties two notes; 0 when they only stand beside each other. */
function tieStrength(a: NoteFeatures, b: NoteFeatures, isTelling: (name: string) => boolean): number {
  let shared = 0
  for (const name of a.names) if (b.names.has(name) && isTelling(name)) shared++
  const alike = likeness(a.parts, b.parts)
  const isNear = a.near.has(b.note.id) && b.near.has(a.note.id)
  const enough = shared >= 2 || alike >= MIN_WORD_SIMILARITY || (isNear && shared >= 1)
  return enough ? shared + alike * 4 + Number(isNear) : 0
}
