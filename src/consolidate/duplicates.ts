import type { Note } from '../core/note.ts'
import { areNear, normalised, shingles } from '../notes/notes.ts'
import type { Group } from './plan.ts'

/** Notes that say the same, and which of each stays. Nothing is lost by it: whatever goes is said by the one that stays. */
export function duplicatesAmong(notes: Note[]): Group[] {
  const able = notes.filter((note) => note.type !== 'episodic' && note.conflictOf === null)
  const byPlace = Map.groupBy(able, (note) => `${note.scope} ${note.project}`)
  return [...byPlace.values()].flatMap((there) => {
    const same = sameGroups(there)
    const gone = new Set(same.flatMap(({ others }) => others.map((note) => note.id)))
    const left = there.filter((note) => !gone.has(note.id))
    const near = [...Map.groupBy(left, (note) => note.namespace).values()].flatMap(nearGroups)
    return joined(same, near)
  })
}

type Found = { how: 'same' | 'near'; keep: Note; others: Note[] }

/** Pinned before others, then the surer, then the newer. */
const byWorth = (a: Note, b: Note) =>
  Number(b.pinned) - Number(a.pinned) || b.confidence - a.confidence || b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1)

function sameGroups(notes: Note[]): Found[] {
  const byText = Map.groupBy(notes, (note) => normalised(note.body))
  byText.delete('') // nothing but signs: two of them need not mean the same
  return [...byText.values()].flatMap((alike) => {
    const [keep, ...rest] = alike.sort(byWorth)
    const others = rest.filter((note) => !note.pinned)
    return keep && others.length > 0 ? [{ how: 'same' as const, keep, others }] : []
  })
}

/** A pair of words that stands in more notes than this tells nothing about which belong together. */
const COMMON = 50

/** Every note that goes is near the one that stays, not only near another that goes: likeness does not travel. */
function nearGroups(notes: Note[]): Found[] {
  const said = notes.sort(byWorth).map((note) => ({ note, parts: shingles(note.body), facts: factsIn(note) }))
  const holders = new Map<string, number[]>()
  for (const [index, { parts }] of said.entries()) {
    for (const part of parts) {
      const list = holders.get(part) ?? []
      if (list.length <= COMMON) list.push(index)
      holders.set(part, list)
    }
  }
  const taken = new Set<number>()
  const found: Found[] = []
  for (const [index, one] of said.entries()) {
    if (taken.has(index)) continue
    const met = new Set([...one.parts].flatMap((part) => holders.get(part) ?? []))
    const others = [...met].filter((at) => {
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

type Facts = { beginnings: Set<string>; exact: Set<string>; denials: number }

/** What a text would lose if another stood in its place: words by their beginnings, whatever has a digit as it stands, and denials. */
function factsIn({ title, body }: Note): Facts {
  const words = normalised(`${title} ${body}`).split(' ').filter(Boolean)
  const isExact = (word: string) => /\p{N}/u.test(word)
  return {
    beginnings: new Set(words.filter((word) => word.length > 2 && !isExact(word)).map((word) => word.slice(0, 5))),
    exact: new Set(words.filter(isExact)),
    denials: words.filter((word) => DENIALS.has(word)).length,
  }
}

const DENIALS = new Set(
  'no not never none without cannot don doesn didn isn aren wasn won shouldn mustn avoid stop nicht kein keine nie ohne'.split(' '),
)

const saysAll = (one: Facts, other: Facts) =>
  other.beginnings.isSubsetOf(one.beginnings) && other.exact.isSubsetOf(one.exact) && other.denials === one.denials

/** A note that stays for its twins and is itself near another belongs to one group with them. */
function joined(same: Found[], near: Found[]): Group[] {
  const twins = new Map(same.map((found) => [found.keep.id, found]))
  const groups = near.map(({ keep, others }) => {
    const all = [keep, ...others]
    const behind = all.flatMap((note) => {
      const own = twins.get(note.id)
      twins.delete(note.id)
      return own?.others ?? []
    })
    return groupOf({ how: 'near', keep, others: [...others, ...behind] })
  })
  return [...[...twins.values()].map(groupOf), ...groups]
}

function groupOf({ how, keep, others }: Found): Group {
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
