import type { Store } from '../store/store.ts'
import { documentText } from './hits.ts'
import type { QueryProblem } from './query-parser.ts'
import { isForeignLanguage, queryWords } from './query-words.ts'
import type { ResolvedQuery } from './resolve.ts'

/**
 * A question with the words that nobody ever wrote read as what memories have: names written without what sets their parts apart, and words that
 * are one slip away from a known one, a letter too many, missing or wrong, or two swapped. Where one word is all there is, nothing beside it tells
 * that a short one was meant as another (lunch, launch): what is not surely a slip is a guess. `rest` is the text without names of branches and
 * projects, `asked` the whole question, filters and all.
 */
export async function respellQuery(
  store: Store,
  { parsed: { input, text, identifiers }, rejectedWords: rejected, textWithoutReferences: rest }: ResolvedQuery,
): Promise<{ text: string; problems: QueryProblem[]; isGuess: boolean }> {
  const words = queryWords(rest)
  const problems: QueryProblem[] = []
  const plain =
    words.length > MAX_RESPELT_QUERY_WORDS || isForeignLanguage(text)
      ? []
      : words.filter((word) => WORD.test(word) && !rejected.includes(word))
  if (plain.length === 0) return { text, problems, isGuess: false }
  const known = new Set(await store.documents.knownWords(plain))
  const unknown = plain.filter((word) => !known.has(word)).slice(0, MAX_RESPELT_WORDS)
  // Where less than half of it is unknown the rest finds it, and a word that nobody wrote is often just that. Names are as they are.
  const names = identifiers.join(' ').toLowerCase()
  const maySlip = (word: string) => unknown.length * 2 >= words.length && !names.includes(word)
  let respelt = text
  let isGuess = false
  for (const word of unknown) {
    const meant = (await splitCompound(store, word)) ?? (maySlip(word) ? await likeliestSpelling(store, word) : null)
    // What was written in code, or is a piece of a name, is no slip. Asked last: in a large store that takes longest.
    if (meant === null || (await store.documents.occursInActivityOrNames(word))) continue
    problems.push({ word, at: input.toLowerCase().indexOf(word), message: `no memory has it; read as ${meant}` })
    respelt = respelt.replace(new RegExp(`\\b${word}\\b`, 'gi'), meant)
    isGuess = words.length === 1 && rest === text && word.length < LONG_WORD_LETTERS && (spellingCandidates(word).get(meant) ?? 0) > 0
  }
  return { text: respelt, problems, isGuess }
}

/** Only the letters of English are tried, and shorter words are one slip away from too many others. */
const WORD = /^[a-z]{5,20}$/
/** A longer text is no question that somebody typed in a hurry. */
const MAX_RESPELT_QUERY_WORDS = 12
/** Each costs some milliseconds. */
const MAX_RESPELT_WORDS = 4

/** A word as two or three that stand side by side somewhere: `gitcloner` as `git-cloner`, as names of files have it. */
async function splitCompound(store: Store, word: string): Promise<string | null> {
  const pieces = new Set(await store.documents.knownWords(piecesOf(word)))
  const splits = splitsOf(word, 3).filter((parts) => parts.length > 1 && parts.every((part) => pieces.has(part)))
  const counted = await store.documents.frequencies([...new Set(splits.flat())])
  const places = new Map(counted.map((one) => [one.word, one.documents]))
  // To find out that two common words never stand side by side would take long.
  const isQuick = (parts: string[]) => parts.some((part) => (places.get(part) ?? 0) <= RARE_WORD_MAX_DOCUMENTS)
  const [found] = await store.documents.knownWords(splits.filter(isQuick).map((parts) => parts.join(' ')))
  return found?.replaceAll(' ', '-') ?? null
}

const RARE_WORD_MAX_DOCUMENTS = 1000

/** All ways to set a word apart, the fewest parts first, none of them a single letter. */
function splitsOf(word: string, most: number): string[][] {
  const ends = most > 1 ? Array.from({ length: Math.max(0, word.length - 3) }, (_, i) => i + 2) : []
  const split = ends.flatMap((end) => splitsOf(word.slice(end), most - 1).map((rest) => [word.slice(0, end), ...rest]))
  return [[word], ...split].sort((a, b) => a.length - b.length)
}

const piecesOf = (word: string): string[] => [...new Set(splitsOf(word, 3).flat())]

/** The likeliest slip first, then the word that most memories have. */
export async function likeliestSpelling(store: Store, word: string): Promise<string | null> {
  const slips = spellingCandidates(word)
  const known = await store.documents.frequencies(await store.documents.knownWords([...slips.keys()]))
  const likely = known.toSorted((a, b) => (slips.get(a.word) ?? 0) - (slips.get(b.word) ?? 0) || b.documents - a.documents)
  for (const { word: meant } of likely.slice(0, MAX_SPELLINGS_TRIED)) if (await isWordInDocuments(store, meant)) return meant
  return null
}

const MAX_SPELLINGS_TRIED = 8

/** The index knows stems: `addness` is known where somebody adds. */
export async function isWordInDocuments(store: Store, word: string): Promise<boolean> {
  const written = new RegExp(`\\b${word}\\b`, 'i')
  for (const place of await store.documents.newestWith(word, MAX_DOCUMENTS_CHECKED)) {
    const text = await documentText(store, place)
    if (text && written.test(`${text.title}\n${text.body}`)) return true
  }
  return false
}

const MAX_DOCUMENTS_CHECKED = 5

/**
 * What may have been meant, by how unlikely the slip is: a letter doubled or not, or two swapped, comes before one that is missing or too
 * many, and that before a wrong one, which makes a short word another. Whoever misspells a word still begins it rightly.
 */
export function spellingCandidates(word: string): Map<string, number> {
  const slips = new Map<string, number>()
  const add = (meant: string, unlikely: number) => {
    if (meant !== word && unlikely < (slips.get(meant) ?? Number.POSITIVE_INFINITY)) slips.set(meant, unlikely)
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
  return slips
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const LONG_WORD_LETTERS = 7
