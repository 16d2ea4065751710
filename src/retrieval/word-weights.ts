import { characterPairsIn, identifiersIn, wordsInIdentifier } from '../core/identifiers.ts'
import type { DocumentRange, LargeStoreScan, SearchScope, Store } from '../store/store.ts'
import { isFile, isForeignLanguage, queryWords, wordSequence } from './query-words.ts'

/** In a store of up to this many documents, every word is searched. */
export const SMALL_STORE_MAX_DOCUMENTS = 8000
/** In a larger store: how many occurrences a search may read. The rarest words come first: common ones cost most and say least. */
const MAX_WORD_OCCURRENCES = 2500
/** An occurrence in another project costs less. */
const OTHER_PROJECT_COST = 0.15
/** In a project with a larger share of all documents, other projects are excluded only from the best matches. */
const LARGE_PROJECT_SHARE = 0.1
/** If the rare words promise fewer, common words are searched too, in recent documents. */
export const MIN_CANDIDATES = 50
const MIN_RECENT_SEARCH_WORDS = 4
const MAX_RECENT_SEARCH_OCCURRENCES = 1500
/** How many times more is read if filters leave few documents: other documents are skipped before anything is looked up. */
export const FILTERED_SEARCH_FACTOR = 8
/** Of a long text only the most distinctive words are searched: every row is compared with every word. */
export const MAX_SEARCHED_WORDS = 20

/** A word of a query, and how distinctive it is. */
export type WeightedWord = { word: string; stem: string; weight: number; documents: number }

/** The words of a query, the most distinctive first. */
export async function weighWords(store: Store, query: string): Promise<WeightedWord[]> {
  const identifiers = identifiersIn(query, 20)
  const wordsInNames = identifiers.flatMap((identifier) => wordsInIdentifier(identifier))
  // The 01 of `step01` would match every date.
  const parts = wordsInNames.filter((part) => part.length > (/^\p{N}/u.test(part) ? 2 : 1))
  const words = [...new Set([...queryWords(query), ...parts, ...characterPairsIn(query, 40)])].slice(0, 60)
  const total = Math.max(1, await store.documents.count(null))
  // In another language most words occur in no memory, which says nothing about the query. Identifiers are the same in all languages.
  const isForeign = isForeignLanguage(query)
  const names = new Set(parts)
  const known = await store.documents.frequencies(words)
  const extensions = uninformativeExtensions(identifiers.filter(isFile), known)
  return known
    .filter(({ word, documents }) => (!isForeign || documents > 0 || names.has(word)) && !extensions.has(word))
    .map((known) => ({ ...known, weight: Math.log(1 + (total - known.documents + 0.5) / (known.documents + 0.5)) }))
    .sort((a, b) => b.weight - a.weight)
}

/** Extensions of files whose name is otherwise unknown: `ts` does not help to find `gitcloner.ts`. */
function uninformativeExtensions(files: string[], known: { word: string; documents: number }[]): Set<string> {
  const documents = new Map(known.map((one) => [one.word, one.documents]))
  const named = files.map((file) => wordsInIdentifier(file)).map((parts) => ({ extension: parts.at(-1) ?? '', rest: parts.slice(0, -1) }))
  const isUnknown = (rest: string[]) => rest.some((part) => documents.has(part)) && !rest.some((part) => documents.get(part))
  return new Set(named.filter(({ rest }) => isUnknown(rest)).map(({ extension }) => extension))
}

/**
 * Chooses the words to search: the rarest first, as many as the cost limit allows. If those would find next to nothing, because all words are
 * common or the project is small, common words are searched too, but only in the newest documents.
 */
export async function chooseSearchWords(
  store: Store,
  weighted: WeightedWord[],
  query: string,
  { project, since, before, candidates }: SearchScope,
): Promise<{ words: string[]; phrases: string[]; scan: LargeStoreScan | null }> {
  const total = Math.max(1, await store.documents.count(null))
  const inProject = await store.documents.count(project)
  const known = weighted.filter((word) => word.documents > 0).slice(0, MAX_SEARCHED_WORDS)
  const words = withoutCommonNames(known, query, inProject)
  if (total <= SMALL_STORE_MAX_DOCUMENTS) return { words: wordTexts(words), phrases: phrasesIn(query, wordTexts(words)), scan: null }
  const span =
    candidates?.completeFrom === 0
      ? { after: (candidates.ids.at(-1) ?? 1) - 1, upTo: candidates.ids[0] ?? 0 }
      : await store.documents.idRange(since, before)
  const newestIds = await store.documents.newestIds(since, before, span)
  if (candidates?.completeFrom === 0) {
    // These are weighed by length: counting every occurrence of a common word would take longest.
    const spans = spansOf(candidates.ids)
    const affordable = takeWithinBudget(words, (MAX_WORD_OCCURRENCES * FILTERED_SEARCH_FACTOR * total) / sum(spans.map(lengthOf)))
    return {
      words: wordTexts(affordable),
      phrases: [],
      scan: { ranges: spans, commonWordRanges: spans, isProjectOnly: false, newestIds },
    }
  }
  const share = Math.min(1, inProject / total)
  const isProjectOnly = share < LARGE_PROJECT_SHARE
  const budgetFactor = candidates ? FILTERED_SEARCH_FACTOR / 2 : 1
  const rare = takeWithinBudget(
    words,
    (isProjectOnly ? MAX_WORD_OCCURRENCES / (OTHER_PROJECT_COST + (1 - OTHER_PROJECT_COST) * share) : MAX_WORD_OCCURRENCES) * budgetFactor,
  )
  if (rare.length === words.length || countOccurrences(rare) * share >= MIN_CANDIDATES) {
    return {
      words: wordTexts(rare),
      phrases: [],
      scan: { ranges: [span], commonWordRanges: null, isProjectOnly, newestIds },
    }
  }
  const searchedShare = ((isProjectOnly ? share : 1) * lengthOf(span)) / total
  const recentWords = words.slice(
    0,
    Math.max(takeWithinBudget(words, MAX_RECENT_SEARCH_OCCURRENCES / searchedShare).length, MIN_RECENT_SEARCH_WORDS),
  )
  const reachedShare = Math.min(1, MAX_RECENT_SEARCH_OCCURRENCES / (countOccurrences(recentWords) * searchedShare))
  const after = Math.floor(span.upTo - lengthOf(span) * reachedShare)
  const recentRanges = [{ after, upTo: span.upTo }, ...spansOf(newestIds.filter((id) => id <= after))]
  return {
    words: wordTexts(recentWords),
    phrases: [],
    scan: { ranges: [span], commonWordRanges: recentRanges, isProjectOnly, newestIds },
  }
}

const lengthOf = ({ after, upTo }: DocumentRange) => upTo - after

/** The id ranges of some documents, without large gaps between them, such as an import. */
function spansOf(ids: number[]): DocumentRange[] {
  const sorted = ids.toSorted((a, b) => a - b)
  const gaps = sorted.flatMap((id, index) => (index > 0 && id - (sorted[index - 1] ?? 0) > MIN_SPAN_GAP_DOCUMENTS ? [index] : []))
  const gapAt = (index: number) => (sorted[index] ?? 0) - (sorted[index - 1] ?? 0)
  const starts = [
    0,
    ...gaps
      .toSorted((a, b) => gapAt(b) - gapAt(a))
      .slice(0, MAX_SPAN_GAPS)
      .sort((a, b) => a - b),
  ]
  if (sorted.length === 0) return []
  return starts.map((start, i) => ({ after: (sorted[start] ?? 0) - 1, upTo: sorted[(starts[i + 1] ?? sorted.length) - 1] ?? 0 }))
}

/** Searching a word in one more range takes as long as skipping some hundred documents. */
const MIN_SPAN_GAP_DOCUMENTS = 1000
const MAX_SPAN_GAPS = 7

export const wordTexts = (words: WeightedWord[]) => words.map((word) => word.word)
const countOccurrences = (words: WeightedWord[]) => sum(words.map((word) => word.documents))

/** The first words, up to a total number of occurrences. */
function takeWithinBudget(words: WeightedWord[], maxOccurrences: number): WeightedWord[] {
  let rows = 0
  const over = words.findIndex(({ documents }) => {
    rows += documents
    return rows > maxOccurrences
  })
  return over < 0 ? words : words.slice(0, over)
}

/** Without people's names that occur everywhere, if other words remain: the author signal handles names. */
function withoutCommonNames(words: WeightedWord[], query: string, documents: number): WeightedWord[] {
  const names = personNamesIn(query)
  const rest = words.filter((word) => !names.has(word.word) || word.documents < documents * COMMON_NAME_SHARE)
  return rest.length >= 2 ? rest : words
}

const COMMON_NAME_SHARE = 0.2

/** Possible names of people: capitalised whole words, not parts of `getUser`, and not the first word of the query. */
export function personNamesIn(query: string): Set<string> {
  const names = query.trim().matchAll(/(?<!^|[\p{L}\p{N}_])\p{Lu}\p{Ll}+(?![\p{L}\p{N}_])/gu)
  return new Set([...names].map(([name]) => name.toLowerCase()))
}

/**
 * Neighbouring words of the query, which count extra if a document has them as neighbours too. At least one of the two is searched anyway, so a
 * phrase finds no further documents.
 */
function phrasesIn(query: string, words: string[]): string[] {
  const wanted = new Set(words)
  const runs = [wordSequence(query), ...identifiersIn(query, 20).map((identifier) => wordsInIdentifier(identifier))]
  const pairs = runs.flatMap((run) => run.slice(1).map((word, i) => [run[i] ?? '', word]))
  const phrases = pairs.filter((pair) => pair.some((word) => wanted.has(word))).map((pair) => pair.join(' '))
  return [...new Set(phrases)].slice(0, MAX_PHRASES)
}

/** A typed query has few; more means a pasted text. */
const MAX_PHRASES = 12

/** A word that occurs in no text, though perhaps in activity. */
export const isUnknownWord = (word: WeightedWord) => word.documents === 0
export const unknownWordShare = (words: WeightedWord[]) => totalWeight(words.filter(isUnknownWord)) / Math.max(1, totalWeight(words))
export const totalWeight = (words: WeightedWord[]) => sum(words.map((word) => word.weight))

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0)
