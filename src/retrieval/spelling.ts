import type { Store } from '../store/store.ts'
import { documentText } from './hits.ts'
import type { QueryProblem } from './query-parser.ts'
import { queryWords } from './query-words.ts'
import type { ResolvedQuery } from './resolve.ts'

/**
 * Replaces words of a query that no memory contains: names written without their separators, and words one typo away from a known one (a
 * letter too many, missing or wrong, or two swapped). If a short word is the whole query, nothing confirms that another was meant (lunch,
 * launch), so the replacement is a guess.
 */
export async function respellQuery(
  store: Store,
  { parsed: { input, text, identifiers }, textWithoutReferences }: ResolvedQuery,
  unknown: string[],
): Promise<{ text: string; problems: QueryProblem[]; isGuess: boolean }> {
  const words = queryWords(textWithoutReferences)
  const problems: QueryProblem[] = []
  // If less than half of the words are unknown, the others find the memory. Identifiers are never typos.
  const names = identifiers.join(' ').toLowerCase()
  const mayBeTypo = (word: string) => unknown.length * 2 >= words.length && !names.includes(word)
  let respelled = text
  let isGuess = false
  for (const word of unknown) {
    const meant = (await splitCompound(store, word)) ?? (mayBeTypo(word) ? await likeliestSpelling(store, word) : null)
    // A word in activity, or a part of a name, is no typo. Checked last, because it takes longest in a large store.
    if (meant === null || (await store.documents.occursInActivityOrNames(word))) continue
    problems.push({ word, at: input.toLowerCase().indexOf(word), message: `no memory contains it; searched for ${meant} instead` })
    respelled = respelled.replace(new RegExp(`\\b${word}\\b`, 'gi'), meant)
    isGuess =
      words.length === 1 &&
      textWithoutReferences === text &&
      word.length < LONG_WORD_LETTERS &&
      (spellingCandidates(word).get(meant) ?? 0) > 0
  }
  return { text: respelled, problems, isGuess }
}

/** A word as two or three consecutive words of a memory: `gitcloner` as `git-cloner`, as in file names. */
async function splitCompound(store: Store, word: string): Promise<string | null> {
  const pieces = new Set(await store.documents.knownWords(piecesOf(word)))
  const splits = splitsOf(word, 3).filter((parts) => parts.length > 1 && parts.every((part) => pieces.has(part)))
  const counted = await store.documents.frequencies([...new Set(splits.flat())])
  const locations = new Map(counted.map((one) => [one.word, one.documents]))
  // It would take long to find out that two common words are never consecutive.
  const isQuick = (parts: string[]) => parts.some((part) => (locations.get(part) ?? 0) <= RARE_WORD_MAX_DOCUMENTS)
  const [found] = await store.documents.knownWords(splits.filter(isQuick).map((parts) => parts.join(' ')))
  return found?.replaceAll(' ', '-') ?? null
}

const RARE_WORD_MAX_DOCUMENTS = 1000

/** All ways to split a word, the fewest parts first, each part at least two letters. */
function splitsOf(word: string, maxParts: number): string[][] {
  const ends = maxParts > 1 ? Array.from({ length: Math.max(0, word.length - 3) }, (_, i) => i + 2) : []
  const split = ends.flatMap((end) => splitsOf(word.slice(end), maxParts - 1).map((rest) => [word.slice(0, end), ...rest]))
  return [[word], ...split].sort((a, b) => a.length - b.length)
}

const piecesOf = (word: string): string[] => [...new Set(splitsOf(word, 3).flat())]

/** The known word that was most probably meant: the likeliest typo, then the most frequent word. */
export async function likeliestSpelling(store: Store, word: string): Promise<string | null> {
  const candidates = spellingCandidates(word)
  const known = await store.documents.frequencies(await store.documents.knownWords([...candidates.keys()]))
  const likely = known.toSorted((a, b) => (candidates.get(a.word) ?? 0) - (candidates.get(b.word) ?? 0) || b.documents - a.documents)
  for (const { word: meant } of likely.slice(0, MAX_SPELLINGS_TRIED)) if (await isWordInDocuments(store, meant)) return meant
  return null
}

const MAX_SPELLINGS_TRIED = 8

/** Checks the texts themselves: the index stores stems, so it would know `addness` from “add”. */
export async function isWordInDocuments(store: Store, word: string): Promise<boolean> {
  const written = new RegExp(`\\b${word}\\b`, 'i')
  for (const location of await store.documents.newestWith(word, MAX_DOCUMENTS_CHECKED)) {
    const text = await documentText(store, location)
    if (text && written.test(`${text.title}\n${text.body}`)) return true
  }
  return false
}

const MAX_DOCUMENTS_CHECKED = 5

/**
 * The words one typo away, each with how unlikely that typo is: 0 for a doubled or single letter and for two swapped ones, 1 for a missing or
 * extra letter, 2 for a wrong one, which is tried only in long words. The first letter is never wrong.
 */
export function spellingCandidates(word: string): Map<string, number> {
  const candidates = new Map<string, number>()
  const add = (meant: string, unlikely: number) => {
    if (meant !== word && unlikely < (candidates.get(meant) ?? Number.POSITIVE_INFINITY)) candidates.set(meant, unlikely)
  }
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    if (at === 0) continue
    if (after.length > 1) add(before + after[1] + after[0] + after.slice(2), 0)
    for (const letter of LETTERS) add(before + letter + after, before.endsWith(letter) ? 0 : 1)
    if (after === '') continue
    add(before + after.slice(1), before.endsWith(after[0] ?? '') ? 0 : 1)
    if (word.length >= LONG_WORD_LETTERS) for (const letter of LETTERS) add(before + letter + after.slice(1), 2)
  }
  return candidates
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const LONG_WORD_LETTERS = 7
