import { shortHash } from '../core/commit.ts'
import type { Hit } from '../core/hit.ts'
import { eachIdentifier } from '../core/identifiers.ts'

/** A hit and its full text; the hit itself has only a snippet. A commit also has its hash. */
export type HitWithText = { hit: Hit; text: string; hash?: string | undefined }

/**
 * Merges hits that say the same. Of those that score nearly as well as the best, the newest is kept, with the others in its `also`. Hits of
 * different projects are never merged.
 */
export function foldHits(read: HitWithText[]): Hit[] {
  const groups: FoldCandidate[][] = []
  for (const candidate of read.toSorted((a, b) => b.hit.score - a.hit.score).map(foldCandidateOf)) {
    const same = groups.find(([best]) => best && areDuplicates(best, candidate))
    if (same) same.push(candidate)
    else groups.push([candidate])
  }
  return groups.map(newestOfGroup).sort((a, b) => b.score - a.score)
}

type FoldCandidate = {
  hit: Hit
  text: string
  hash: string | undefined
  length: number
  words: string[]
  distinctWords: Set<string>
  names: () => string
  key: string
}

/** The words of a text and, in order, its names and numbers: two memories with different names or numbers are different. */
function foldCandidateOf({ hit, text, hash }: HitWithText): FoldCandidate {
  const start = text.slice(0, MAX_COMPARED_CHARACTERS)
  const words = wordsOf(start)
  // Computed only if the words are nearly the same, which is rare.
  const names = () => [...eachIdentifier(start), ...words.filter((word) => /\p{N}/u.test(word))].join(' ').toLowerCase()
  // The title identifies an observation, but not a prompt or its summary: many turns start with "go on".
  const keyWords = hit.kind === 'observation' ? wordsOf(hit.title) : words
  return { hit, text, hash, length: text.length, words, distinctWords: new Set(words), names, key: keyWords.join(' ') }
}

function areDuplicates(a: FoldCandidate, b: FoldCandidate): boolean {
  if (a.hit.project !== b.hit.project) return false
  if (a.hit.sessionId === b.hit.sessionId && a.key === b.key && a.hit.kind === b.hit.kind) return true
  if (isNoteOf(a.hit, b.hit) || isNoteOf(b.hit, a.hit) || isCommitBy(a, b) || isCommitBy(b, a)) return true
  const [shorter, longer] = a.distinctWords.size < b.distinctWords.size ? [a, b] : [b, a]
  if (shorter.distinctWords.size < MIN_COMPARED_WORDS || shorter.distinctWords.size < NEAR_DUPLICATE_RATIO * longer.distinctWords.size)
    return false
  if (Math.min(a.length, b.length) < NEAR_DUPLICATE_RATIO * Math.max(a.length, b.length)) return false
  return (
    overlapRatio(a.distinctWords, b.distinctWords) >= NEAR_DUPLICATE_RATIO && a.names() === b.names() && haveSameWordOrder(a.words, b.words)
  )
}

/** The note of a session has the title of its first turn, or the start of that, and says no more about it. */
const isNoteOf = ({ kind, type, title }: Hit, turn: Hit) =>
  kind === 'note' && type === 'sessions' && turn.kind !== 'note' && turn.title.startsWith(title.replace(/…$/, ''))

/** Whether a session made the commit: an observation or a summary of its turn gives the hash with the word commit, or with the subject. */
function isCommitBy({ hit: { title }, hash }: FoldCandidate, turn: FoldCandidate): boolean {
  if (!hash || (turn.hit.kind !== 'observation' && turn.hit.kind !== 'summary')) return false
  const subject = title.replace(/^\[[^\]]*\] /, '')
  const names = [`commit ${shortHash(hash)}`, `${shortHash(hash)} ${subject.slice(0, 40)}`]
  return names.some((name) => turn.text.includes(name)) || turn.hit.title === subject
}

/** The newest of those that score nearly as well as the first. */
function newestOfGroup(group: FoldCandidate[]): Hit {
  const hits = group.map(({ hit }) => hit)
  const best = hits[0]?.score ?? 0
  const hit = hits
    .filter(({ score }) => score >= NEAR_BEST_SCORE_RATIO * best)
    .reduce((newest, other) => (other.at > newest.at ? other : newest))
  return { ...hit, also: [...hit.also, ...hits.filter((other) => other !== hit).flatMap((other) => [hitKey(other), ...other.also])] }
}

/** The name of a hit in the `also` of another. */
export const hitKey = ({ kind, id }: Pick<Hit, 'kind' | 'id'>) => `${kind}:${id}`

/** The Jaccard index of two sets. */
function overlapRatio(a: Set<string>, b: Set<string>): number {
  const both = a.intersection(b).size
  return both / (a.size + b.size - both)
}

/** Only word order tells who did what to whom. Words that occur more often in one text are ignored: an extra "the" changes nothing. */
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

/** Beyond this only the lengths are compared: texts that start so alike and end differently are rare. */
const MAX_COMPARED_CHARACTERS = 2000
const NEAR_DUPLICATE_RATIO = 0.85
/** With fewer words, similarity is chance. */
const MIN_COMPARED_WORDS = 10
const NEAR_BEST_SCORE_RATIO = 0.9
