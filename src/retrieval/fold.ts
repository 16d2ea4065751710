import type { Hit } from '../core/hit.ts'
import { eachIdentifier } from '../core/identifiers.ts'

/** A hit and the whole of its text, which the hit itself only shows a part of. */
export type HitWithText = { hit: Hit; text: string }

/**
 * Hits that tell the same become one, best first. Of those that fit nearly as well as the best the newest is shown, and it names the
 * others in `also`. Two projects never fold: where something happened is part of it.
 */
export function foldHits(read: HitWithText[]): Hit[] {
  const groups: FoldCandidate[][] = []
  for (const told of read.toSorted((a, b) => b.hit.score - a.hit.score).map(foldCandidateOf)) {
    const same = groups.find(([best]) => best && areDuplicates(best, told))
    if (same) same.push(told)
    else groups.push([told])
  }
  return groups.map(newestOfGroup).sort((a, b) => b.score - a.score)
}

type FoldCandidate = { hit: Hit; length: number; words: string[]; distinctWords: Set<string>; names: () => string; key: string }

/** What a text tells: its words, and apart from them the names and numbers in it, which make one memory another, each time and in order. */
function foldCandidateOf({ hit, text }: HitWithText): FoldCandidate {
  const start = text.slice(0, MAX_COMPARED_CHARACTERS)
  const words = wordsOf(start)
  // Asked for only where the words are nearly the same, which is seldom.
  const names = () => [...eachIdentifier(start), ...words.filter((word) => /\p{N}/u.test(word))].join(' ').toLowerCase()
  // An observation is its title. A prompt or the summary of one is not: "go on" is said again and again, and each leads somewhere else.
  const told = hit.kind === 'observation' ? wordsOf(hit.title) : words
  return { hit, length: text.length, words, distinctWords: new Set(words), names, key: told.join(' ') }
}

function areDuplicates(a: FoldCandidate, b: FoldCandidate): boolean {
  if (a.hit.project !== b.hit.project) return false
  if (a.hit.sessionId === b.hit.sessionId && a.key === b.key && a.hit.kind === b.hit.kind) return true
  if (isNoteOf(a.hit, b.hit) || isNoteOf(b.hit, a.hit)) return true
  const [shorter, longer] = a.distinctWords.size < b.distinctWords.size ? [a, b] : [b, a]
  if (shorter.distinctWords.size < MIN_COMPARED_WORDS || shorter.distinctWords.size < NEAR_DUPLICATE_RATIO * longer.distinctWords.size)
    return false
  if (Math.min(a.length, b.length) < NEAR_DUPLICATE_RATIO * Math.max(a.length, b.length)) return false
  return (
    overlapRatio(a.distinctWords, b.distinctWords) >= NEAR_DUPLICATE_RATIO && a.names() === b.names() && haveSameWordOrder(a.words, b.words)
  )
}

/** The note of a session is called as the turn that it began with, or by the beginning of that, and tells no more of it. */
const isNoteOf = ({ kind, type, title }: Hit, turn: Hit) =>
  kind === 'note' && type === 'sessions' && turn.kind !== 'note' && turn.title.startsWith(title.replace(/…$/, ''))

/** The newest of those that fit nearly as well as the first. */
function newestOfGroup(group: FoldCandidate[]): Hit {
  const hits = group.map(({ hit }) => hit)
  const best = hits[0]?.score ?? 0
  const hit = hits
    .filter(({ score }) => score >= NEAR_BEST_SCORE_RATIO * best)
    .reduce((newest, other) => (other.at > newest.at ? other : newest))
  return { ...hit, also: [...hit.also, ...hits.filter((other) => other !== hit).flatMap((other) => [hitKey(other), ...other.also])] }
}

/** How a hit is named where others fold into it. */
export const hitKey = ({ kind, id }: Pick<Hit, 'kind' | 'id'>) => `${kind}:${id}`

/** What two sets have in common, of all that they have. */
function overlapRatio(a: Set<string>, b: Set<string>): number {
  const both = a.intersection(b).size
  return both / (a.size + b.size - both)
}

/** Who told whom is in the order of the words alone. Those that one text says more often are left out: a "the" more shifts nothing. */
function haveSameWordOrder(a: string[], b: string[]): boolean {
  const [ofA, ofB] = [countsOf(a), countsOf(b)]
  const isInBoth = (word: string) => ofA.get(word) === ofB.get(word)
  return a.filter(isInBoth).join(' ') === b.filter(isInBoth).join(' ')
}

function countsOf(words: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []

/** How much of a text is compared. Past that only its length: two texts that begin so alike and end elsewhere are rare. */
const MAX_COMPARED_CHARACTERS = 2000
/** The share of words that must be the same. */
const NEAR_DUPLICATE_RATIO = 0.85
/** With fewer words than this, being alike is chance. */
const MIN_COMPARED_WORDS = 10
const NEAR_BEST_SCORE_RATIO = 0.9
