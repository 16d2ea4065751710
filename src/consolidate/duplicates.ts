import type { Note } from '../core/note.ts'
import { areNear, normalised, shingles } from '../notes/notes.ts'
import type { PlanGroup } from './plan.ts'

/** Groups of duplicate notes, and which note of each group stays. Nothing is lost: the note that stays says everything the others say. */
export async function findDuplicates(notes: Note[]): Promise<PlanGroup[]> {
  const foldable = notes.filter((note) => note.type !== 'episodic' && note.conflictOf === null)
  const byProject = Map.groupBy(foldable, (note) => `${note.scope} ${note.project}`)
  const groups: PlanGroup[] = []
  for (const ofProject of byProject.values()) {
    const same = sameGroups(ofProject)
    const folded = new Set(same.flatMap(({ others }) => others.map((note) => note.id)))
    const remaining = ofProject.filter((note) => !folded.has(note.id))
    const near: DuplicateSet[] = []
    for (const ofNamespace of Map.groupBy(remaining, (note) => note.namespace).values()) near.push(...(await nearGroups(ofNamespace)))
    groups.push(...joinGroups(same, near))
  }
  return groups
}

type DuplicateSet = { how: 'same' | 'near'; keep: Note; others: Note[] }

/** Pinned notes first, then by confidence, then newest first. */
const byPriority = (a: Note, b: Note) =>
  Number(b.pinned) - Number(a.pinned) || b.confidence - a.confidence || b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1)

function sameGroups(notes: Note[]): DuplicateSet[] {
  const byText = Map.groupBy(notes, (note) => normalised(note.body))
  byText.delete('') // punctuation only: two such notes may mean different things
  return [...byText.values()].flatMap((alike) => {
    const [keep, ...rest] = alike.sort(byPriority)
    const others = rest.filter((note) => !note.pinned)
    return keep && others.length > 0 ? [{ how: 'same' as const, keep, others }] : []
  })
}

/** A word pair that occurs in more notes than this says little about which notes are similar. */
const MAX_NOTES_SHARING_PAIR = 50
/** Yield to the event loop after this many notes, so that hooks do not wait. */
const NOTES_BETWEEN_YIELDS = 50

type ComparedNote = { note: Note; parts: Set<string>; facts: NoteFacts }

/** Every folded note must be near the note that stays; being near another folded note is not enough. */
async function nearGroups(notes: Note[]): Promise<DuplicateSet[]> {
  const compared: ComparedNote[] = []
  for (const [index, note] of notes.sort(byPriority).entries()) {
    compared.push({ note, parts: shingles(note.body), facts: factsIn(note) })
    if (index % NOTES_BETWEEN_YIELDS === 0) await Bun.sleep(0)
  }
  const candidatesFor = indexCandidates(compared)
  const taken = new Set<number>()
  const found: DuplicateSet[] = []
  for (const [index, one] of compared.entries()) {
    if (index % NOTES_BETWEEN_YIELDS === 0) await Bun.sleep(0)
    if (taken.has(index)) continue
    const others = candidatesFor(one).filter((at) => {
      const other = compared[at]
      if (!other || at === index || taken.has(at) || other.note.pinned) return false
      return areNear(one.parts, other.parts) && containsFacts(one.facts, other.facts)
    })
    if (others.length === 0) continue
    for (const at of [index, ...others]) taken.add(at)
    found.push({ how: 'near', keep: one.note, others: others.sort((a, b) => a - b).flatMap((at) => compared[at]?.note ?? []) })
  }
  return found
}

/**
 * The notes worth comparing with a note: those that share a third of its rare word pairs. Comparing every note with every other would take
 * minutes for thousands of notes.
 */
function indexCandidates(compared: ComparedNote[]): (one: ComparedNote) => number[] {
  const holders = new Map<string, number[]>()
  for (const [index, { parts }] of compared.entries()) {
    for (const part of parts) {
      const list = holders.get(part)
      if (!list) holders.set(part, [index])
      else if (list.length <= MAX_NOTES_SHARING_PAIR) list.push(index)
    }
  }
  return ({ parts }) => {
    const lists = [...parts].map((part) => holders.get(part) ?? [])
    const rare = lists.filter((list) => list.length <= MAX_NOTES_SHARING_PAIR)
    const counts = new Map<number, number>()
    for (const at of (rare.length > 0 ? rare : lists).flat()) counts.set(at, (counts.get(at) ?? 0) + 1)
    return [...counts].filter(([, shared]) => shared * 3 >= rare.length).map(([at]) => at)
  }
}

type NoteFacts = { stems: Set<string>; exact: Set<string>; negations: number }

/** What another text must contain to replace this one: the first letters of its words, every word with a digit, and as many negations. */
function factsIn({ title, body }: Note): NoteFacts {
  const words = normalised(`${title} ${body}`).split(' ').filter(Boolean)
  const isExact = (word: string) => /\p{N}/u.test(word)
  return {
    stems: new Set(words.filter((word) => word.length > 2 && !isExact(word)).map((word) => word.slice(0, 5))),
    exact: new Set(words.filter(isExact)),
    negations: words.filter((word) => NEGATION_WORDS.has(word)).length,
  }
}

const NEGATION_WORDS = new Set(
  'no not never none without cannot don doesn didn isn aren wasn won shouldn mustn avoid stop nicht kein keine nie ohne'.split(' '),
)

const containsFacts = (one: NoteFacts, other: NoteFacts) =>
  other.stems.isSubsetOf(one.stems) && other.exact.isSubsetOf(one.exact) && other.negations === one.negations

/** If a note that has exact copies is also near another note, all of them form one group. */
function joinGroups(same: DuplicateSet[], near: DuplicateSet[]): PlanGroup[] {
  const copies = new Map(same.map((found) => [found.keep.id, found]))
  const groups = near.map(({ keep, others }) => {
    const all = [keep, ...others]
    const copiesOfAll = all.flatMap((note) => {
      const own = copies.get(note.id)
      copies.delete(note.id)
      return own?.others ?? []
    })
    return toPlanGroup({ how: 'near', keep, others: [...others, ...copiesOfAll] })
  })
  return [...[...copies.values()].map(toPlanGroup), ...groups]
}

function toPlanGroup({ how, keep, others }: DuplicateSet): PlanGroup {
  const all = [keep, ...others]
  const why = keep.pinned
    ? 'it is pinned'
    : others.some((note) => note.confidence < keep.confidence)
      ? 'it has the highest confidence'
      : 'it is the newest'
  return {
    how,
    project: keep.project,
    sources: all.map(({ id, title }) => ({ id, title })),
    reason:
      how === 'same'
        ? `the same words; one note stays because ${why}`
        : 'nearly the same words; the note that stays says everything the others say',
    change: {
      kind: 'keep-one',
      keep: keep.id,
      tags: [...new Set(all.flatMap((note) => note.tags))],
      supersedes: others.map((note) => note.id),
    },
    refused: null,
  }
}
