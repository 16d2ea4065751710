import { characterPairsIn, identifiersIn, wordsInIdentifier } from '../core/identifiers.ts'
import type { DocumentRange, LargeStoreScan, SearchScope, Store } from '../store/store.ts'
import { isFile, isForeignLanguage, queryWords, wordSequence } from './query-words.ts'

/** Up to this many documents every word is looked for. */
export const SMALL_STORE_MAX_DOCUMENTS = 8000
/** Past that, how many places of words a search may look at. Words are taken from the rarest on: the commonest cost most and tell least. */
const MAX_WORD_OCCURRENCES = 2500
/** A place that turns out to be in another project costs less. */
const OTHER_PROJECT_COST = 0.15
/** A project with a larger share of everything is told apart late. */
const LARGE_PROJECT_SHARE = 0.1
/** If fewer than these are to be expected of the rare words, the common ones are looked for as well, at a glance. */
export const MIN_CANDIDATES = 50
const MIN_RECENT_SEARCH_WORDS = 4
const MAX_RECENT_SEARCH_OCCURRENCES = 1500
/** How many times as much is looked at where filters leave few documents: what is none of them is left out before anything is looked up. */
export const FILTERED_SEARCH_FACTOR = 8
/** Of a long text the most telling words are looked for: each row is held against every word. */
export const MAX_SEARCHED_WORDS = 20

/** A word of a question, and how telling it is. */
export type WeightedWord = { word: string; stem: string; weight: number; documents: number }

/** The words of a question and how telling each is, the most telling first. */
export async function weighWords(store: Store, question: string): Promise<WeightedWord[]> {
  const identifiers = identifiersIn(question, 20)
  const hidden = identifiers.flatMap((identifier) => wordsInIdentifier(identifier))
  // The 01 of `step01` is in every date.
  const parts = hidden.filter((part) => part.length > (/^\p{N}/u.test(part) ? 2 : 1))
  const words = [...new Set([...queryWords(question), ...parts, ...characterPairsIn(question, 40)])].slice(0, 60)
  const total = Math.max(1, await store.documents.count(null))
  // In another language than the memories' most words are in none of them, which says nothing of what is asked; names of code are the same in all.
  const isElsewhere = isForeignLanguage(question)
  const names = new Set(parts)
  const known = await store.documents.frequencies(words)
  const endings = uninformativeExtensions(identifiers.filter(isFile), known)
  return known
    .filter(({ word, documents }) => (!isElsewhere || documents > 0 || names.has(word)) && !endings.has(word))
    .map((known) => ({ ...known, weight: Math.log(1 + (total - known.documents + 0.5) / (known.documents + 0.5)) }))
    .sort((a, b) => b.weight - a.weight)
}

/** The endings of files of whose names nothing else is known: `ts` tells nothing of where `gitcloner.ts` is. */
function uninformativeExtensions(files: string[], known: { word: string; documents: number }[]): Set<string> {
  const documents = new Map(known.map((one) => [one.word, one.documents]))
  const named = files.map((file) => wordsInIdentifier(file)).map((parts) => ({ ending: parts.at(-1) ?? '', rest: parts.slice(0, -1) }))
  const isUnknown = (rest: string[]) => rest.some((part) => documents.has(part)) && !rest.some((part) => documents.get(part))
  return new Set(named.filter(({ rest }) => isUnknown(rest)).map(({ ending }) => ending))
}

/**
 * Which of the words are looked for: as many as the work allows, the rarest first. Where these would find next to nothing, because all
 * are common or the project is small, a glance must do, over as many documents as the work allows, the newest of the time asked for.
 */
export async function chooseSearchWords(
  store: Store,
  asked: WeightedWord[],
  question: string,
  { project, since, before, candidates: lead }: SearchScope,
): Promise<{ words: string[]; phrases: string[]; scan: LargeStoreScan | null }> {
  const total = Math.max(1, await store.documents.count(null))
  const inProject = await store.documents.count(project)
  const known = asked.filter((word) => word.documents > 0).slice(0, MAX_SEARCHED_WORDS)
  const words = withoutCommonNames(known, question, inProject)
  if (total <= SMALL_STORE_MAX_DOCUMENTS) return { words: wordTexts(words), phrases: phrasesIn(question, wordTexts(words)), scan: null }
  const span =
    lead?.completeFrom === 0 ? { after: (lead.ids.at(-1) ?? 1) - 1, upTo: lead.ids[0] ?? 0 } : await store.documents.idRange(since, before)
  const recent = await store.documents.newestIds(since, before, span)
  if (lead?.completeFrom === 0) {
    // They are weighed by their length: counting every place of a common word would take longer than all else.
    const spans = spansOf(lead.ids)
    const affordable = takeWithinBudget(words, (MAX_WORD_OCCURRENCES * FILTERED_SEARCH_FACTOR * total) / sum(spans.map(lengthOf)))
    return {
      words: wordTexts(affordable),
      phrases: [],
      scan: { ranges: spans, commonWordRanges: spans, isProjectOnly: false, newestIds: recent },
    }
  }
  const share = Math.min(1, inProject / total)
  const scoped = share < LARGE_PROJECT_SHARE
  const room = lead ? FILTERED_SEARCH_FACTOR / 2 : 1
  const rare = takeWithinBudget(
    words,
    (scoped ? MAX_WORD_OCCURRENCES / (OTHER_PROJECT_COST + (1 - OTHER_PROJECT_COST) * share) : MAX_WORD_OCCURRENCES) * room,
  )
  if (rare.length === words.length || countOccurrences(rare) * share >= MIN_CANDIDATES) {
    return {
      words: wordTexts(rare),
      phrases: [],
      scan: { ranges: [span], commonWordRanges: null, isProjectOnly: scoped, newestIds: recent },
    }
  }
  const part = ((scoped ? share : 1) * lengthOf(span)) / total
  const seen = words.slice(0, Math.max(takeWithinBudget(words, MAX_RECENT_SEARCH_OCCURRENCES / part).length, MIN_RECENT_SEARCH_WORDS))
  const reach = Math.min(1, MAX_RECENT_SEARCH_OCCURRENCES / (countOccurrences(seen) * part))
  const after = Math.floor(span.upTo - lengthOf(span) * reach)
  const lately = [{ after, upTo: span.upTo }, ...spansOf(recent.filter((id) => id <= after))]
  return {
    words: wordTexts(seen),
    phrases: [],
    scan: { ranges: [span], commonWordRanges: lately, isProjectOnly: scoped, newestIds: recent },
  }
}

const lengthOf = ({ after, upTo }: DocumentRange) => upTo - after

/** Where some documents are, by number: what was imported in between is left out where it is much. */
function spansOf(ids: number[]): DocumentRange[] {
  const sorted = ids.toSorted((a, b) => a - b)
  const gaps = sorted.flatMap((id, place) => (place > 0 && id - (sorted[place - 1] ?? 0) > MIN_SPAN_GAP_DOCUMENTS ? [place] : []))
  const gapAt = (place: number) => (sorted[place] ?? 0) - (sorted[place - 1] ?? 0)
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

/** To look for a word once more takes as long as to pass by some hundred documents. */
const MIN_SPAN_GAP_DOCUMENTS = 1000
const MAX_SPAN_GAPS = 7

export const wordTexts = (words: WeightedWord[]) => words.map((word) => word.word)
const countOccurrences = (words: WeightedWord[]) => sum(words.map((word) => word.documents))

/** The first words, as long as they stand in no more places than these altogether. */
function takeWithinBudget(words: WeightedWord[], most: number): WeightedWord[] {
  let rows = 0
  const over = words.findIndex(({ documents }) => {
    rows += documents
    return rows > most
  })
  return over < 0 ? words : words.slice(0, over)
}

/** Without people's names that stand everywhere, as long as other words are left: who is meant is the author's business. */
function withoutCommonNames(asked: WeightedWord[], question: string, documents: number): WeightedWord[] {
  const names = personNamesIn(question)
  const rest = asked.filter((word) => !names.has(word.word) || word.documents < documents * COMMON_NAME_SHARE)
  return rest.length >= 2 ? rest : asked
}

const COMMON_NAME_SHARE = 0.2

/** What may be people's names: whole words with a capital, not the humps of `getUser`, and not the first: whatever begins may have one. */
export function personNamesIn(question: string): Set<string> {
  const names = question.trim().matchAll(/(?<!^|[\p{L}\p{N}_])\p{Lu}\p{Ll}+(?![\p{L}\p{N}_])/gu)
  return new Set([...names].map(([name]) => name.toLowerCase()))
}

/**
 * Two words side by side in the question count once more where they are side by side in a document. One of them is looked for anyway,
 * so a phrase brings no document that the words do not bring.
 */
function phrasesIn(question: string, words: string[]): string[] {
  const wanted = new Set(words)
  const runs = [wordSequence(question), ...identifiersIn(question, 20).map((identifier) => wordsInIdentifier(identifier))]
  const pairs = runs.flatMap((run) => run.slice(1).map((word, i) => [run[i] ?? '', word]))
  const phrases = pairs.filter((pair) => pair.some((word) => wanted.has(word))).map((pair) => pair.join(' '))
  return [...new Set(phrases)].slice(0, MAX_PHRASES)
}

/** A question has a few; more would be a pasted text. */
const MAX_PHRASES = 12

/** Words that nobody has said are found among deeds only, so what they find counts more, by the share of the question that they are. */
export const isUnknownWord = (word: WeightedWord) => word.documents === 0
export const unknownWordShare = (asked: WeightedWord[]) => totalWeight(asked.filter(isUnknownWord)) / Math.max(1, totalWeight(asked))
export const totalWeight = (words: WeightedWord[]) => sum(words.map((word) => word.weight))

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0)
