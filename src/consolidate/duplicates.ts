import type { Note } from '../core/note.ts'
import { areNear, normalised, shingles } from '../notes/notes.ts'
import type { PlanGroup } from './plan.ts'

/** Notes that say the same, and which of each stays. Nothing is lost by it: whatever goes is said by the one that stays. */
export async function findDuplicates(notes: Note[]): Promise<PlanGroup[]> {
  const able = notes.filter((note) => note.type !== 'episodic' && note.conflictOf === null)
  const byPlace = Map.groupBy(able, (note) => `${note.scope} ${note.project}`)
  const groups: PlanGroup[] = []
  for (const there of byPlace.values()) {
    const same = sameGroups(there)
    const gone = new Set(same.flatMap(({ others }) => others.map((note) => note.id)))
    const left = there.filter((note) => !gone.has(note.id))
    const near: DuplicateSet[] = []
    for (const alike of Map.groupBy(left, (note) => note.namespace).values()) near.push(...(await nearGroups(alike)))
    groups.push(...joinGroups(same, near))
  }
  return groups
}

type DuplicateSet = { how: 'same' | 'near'; keep: Note; others: Note[] }

/** Pinned before others, then the surer, then the newer. */
const byWorth = (a: Note, b: Note) =>
  Number(b.pinned) - Number(a.pinned) || b.confidence - a.confidence || b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1)

function sameGroups(notes: Note[]): DuplicateSet[] {
  const byText = Map.groupBy(notes, (note) => normalised(note.body))
  byText.delete('') // nothing but signs: two of them need not mean the same
  return [...byText.values()].flatMap((alike) => {
    const [keep, ...rest] = alike.sort(byWorth)
    const others = rest.filter((note) => !note.pinned)
    return keep && others.length > 0 ? [{ how: 'same' as const, keep, others }] : []
  })
}

/** A pair of words that stands in more notes than this tells little about which belong together. */
const MAX_NOTES_SHARING_PAIR = 50
/** After so many notes others may speak: hooks wait for nobody. */
const NOTES_BETWEEN_YIELDS = 50

type ComparedNote = { note: Note; parts: Set<string>; facts: NoteFacts }

/** Every note that goes is near the one that stays, not only near another that goes: likeness does not travel. */
async function nearGroups(notes: Note[]): Promise<DuplicateSet[]> {
  const said: ComparedNote[] = []
  for (const [index, note] of notes.sort(byWorth).entries()) {
    said.push({ note, parts: shingles(note.body), facts: factsIn(note) })
    if (index % NOTES_BETWEEN_YIELDS === 0) await Bun.sleep(0)
  }
  const candidatesFor = indexCandidates(said)
  const taken = new Set<number>()
  const found: DuplicateSet[] = []
  for (const [index, one] of said.entries()) {
    if (index % NOTES_BETWEEN_YIELDS === 0) await Bun.sleep(0)
    if (taken.has(index)) continue
    const others = candidatesFor(one).filter((at) => {
      const other = said[at]
      if (!other || at === index || taken.has(at) || other.note.pinned) return false
      return areNear(one.parts, other.parts) && saysAll(one.facts, other.facts)
    })
    if (others.length === 0) continue
    for (const at of [index, ...others]) taken.add(at)
    found.push({ how: 'near', keep: one.note, others: others.sort((a, b) => a - b).flatMap((at) => said[at]?.note ?? []) })
  }
  return found
}

/**
 * Which notes are worth comparing with one: those that share a third of its telling pairs of words. Comparing all with all would take
 * minutes for thousands of notes.
 */
function indexCandidates(said: ComparedNote[]): (one: ComparedNote) => number[] {
  const holders = new Map<string, number[]>()
  for (const [index, { parts }] of said.entries()) {
    for (const part of parts) {
      const list = holders.get(part)
      if (!list) holders.set(part, [index])
      else if (list.length <= MAX_NOTES_SHARING_PAIR) list.push(index)
    }
  }
  return ({ parts }) => {
    const lists = [...parts].map((part) => holders.get(part) ?? [])
    const telling = lists.filter((list) => list.length <= MAX_NOTES_SHARING_PAIR)
    const counts = new Map<number, number>()
    for (const at of (telling.length > 0 ? telling : lists).flat()) counts.set(at, (counts.get(at) ?? 0) + 1)
    return [...counts].filter(([, shared]) => shared * 3 >= telling.length).map(([at]) => at)
  }
}

type NoteFacts = { beginnings: Set<string>; exact: Set<string>; denials: number }

/** What a text would lose if another stood in its place: words by their beginnings, whatever has a digit as it stands, and denials. */
function factsIn({ title, body }: Note): NoteFacts {
  const words = normalised(`${title} ${body}`).split(' ').filter(Boolean)
  const isExact = (word: string) => /\p{N}/u.test(word)
  return {
    beginnings: new Set(words.filter((word) => word.length > 2 && !isExact(word)).map((word) => word.slice(0, 5))),
    exact: new Set(words.filter(isExact)),
    denials: words.filter((word) => NEGATION_WORDS.has(word)).length,
  }
}

const NEGATION_WORDS = new Set(
  'no not never none without cannot don doesn didn isn aren wasn won shouldn mustn avoid stop nicht kein keine nie ohne'.split(' '),
)

const saysAll = (one: NoteFacts, other: NoteFacts) =>
  other.beginnings.isSubsetOf(one.beginnings) && other.exact.isSubsetOf(one.exact) && other.denials === one.denials

/** A note that stays for its twins and is itself near another belongs to one group with them. */
function joinGroups(same: DuplicateSet[], near: DuplicateSet[]): PlanGroup[] {
  const twins = new Map(same.map((found) => [found.keep.id, found]))
  const groups = near.map(({ keep, others }) => {
    const all = [keep, ...others]
    const behind = all.flatMap((note) => {
      const own = twins.get(note.id)
      twins.delete(note.id)
      return own?.others ?? []
    })
    return toPlanGroup({ how: 'near', keep, others: [...others, ...behind] })
  })
  return [...[...twins.values()].map(toPlanGroup), ...groups]
}

function toPlanGroup({ how, keep, others }: DuplicateSet): PlanGroup {
  const all = [keep, ...others]
  const why = keep.pinned
    ? 'it is pinned'
    : others.some((note) => note.confidence < keep.confidence)
      ? 'it is the surest'
      : 'it is the newest'
  return {
    how,
    project: keep.project,
    sources: all.map(({ id, title }) => ({ id, title })),
    reason:
      how === 'same'
        ? `the same words; one stays because ${why}`
        : 'nearly the same words; the one that stays says all that the others say',
    change: {
      kind: 'keep-one',
      keep: keep.id,
      tags: [...new Set(all.flatMap((note) => note.tags))],
      supersedes: others.map((note) => note.id),
    },
    refused: null,
  }
}
