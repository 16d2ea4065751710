import { entitiesIn } from '../core/entities.ts'
import type { Note } from '../core/note.ts'
import { countTokens } from '../core/tokens.ts'
import { likeness, shingles } from '../notes/notes.ts'

/** Groups stay small so that every sentence of the merged note can be checked against its sources. */
const MAX_GROUP_NOTES = 6
const MAX_GROUP_TOKENS = 2500
/** A name that occurs in more notes than this belongs to the project as a whole and does not relate two notes. */
const MAX_NOTES_SHARING_NAME = 8

const MIN_WORD_SIMILARITY = 0.25

/**
 * Groups of notes of one project, scope and namespace that are about the same things: they share names or words, or are nearest to each other in
 * meaning. Every member is related to the first. Pinned notes are left out because a person wants to keep them unchanged.
 */
export async function groupRelatedNotes(notes: Note[], nearest: (note: Note) => Promise<Set<string>>): Promise<Note[][]> {
  const mergeable = notes.filter((note) => note.type !== 'episodic' && !note.pinned && note.conflictOf === null)
  const groups: Note[][] = []
  for (const ofNamespace of Map.groupBy(mergeable, (note) => `${note.scope} ${note.project} ${note.namespace}`).values()) {
    groups.push(...(await groupsIn(ofNamespace, nearest)))
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
  const noteCounts = new Map<string, number>()
  for (const { names } of known) for (const name of names) noteCounts.set(name, (noteCounts.get(name) ?? 0) + 1)
  const isRare = (name: string) => (noteCounts.get(name) ?? 0) <= MAX_NOTES_SHARING_NAME
  const taken = new Set<string>()
  const groups: Note[][] = []
  for (const first of known) {
    if (taken.has(first.note.id)) continue
    const ranked = known
      .filter((other) => other !== first && !taken.has(other.note.id))
      .map((other) => ({ other, strength: relationStrength(first, other, isRare) }))
      .filter(({ strength }) => strength > 0)
      .sort((a, b) => b.strength - a.strength)
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

/** How strongly two notes are related; 0 if they are not. */
function relationStrength(a: NoteFeatures, b: NoteFeatures, isRare: (name: string) => boolean): number {
  let shared = 0
  for (const name of a.names) if (b.names.has(name) && isRare(name)) shared++
  const alike = likeness(a.parts, b.parts)
  const isNear = a.near.has(b.note.id) && b.near.has(a.note.id)
  const isRelated = shared >= 2 || alike >= MIN_WORD_SIMILARITY || (isNear && shared >= 1)
  return isRelated ? shared + alike * 4 + Number(isNear) : 0
}
