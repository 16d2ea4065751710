/** Whether an answer is about its query. Loaded by the first search: recall at a prompt has a threshold of its own. */
import type { Hit } from '../core/hit.ts'
import type { Store } from '../store/store.ts'
import { queryWords } from './query-words.ts'
import type { ResolvedQuery } from './resolve.ts'
import { YOUNG_STORE_DOCUMENTS } from './search.ts'
import { isUnknownWord, totalWeight, type WeightedWord, weighWords } from './word-weights.ts'

/** Whether one of the first hits is about the query, or would be but for a misspelled word. */
export async function isCloseAnswer(store: Store, query: ResolvedQuery, first: Hit[]): Promise<boolean> {
  if (query.asksForOtherProject) return false
  const evidence = await evidenceFor(store, query, first)
  if (first.some((hit) => isHitAboutQuery(hit, evidence))) return true
  if (query.parsed.isPasted || first.length === 0) return false
  const { anyHitCoversRest } = await import('./misspelling.ts')
  return anyHitCoversRest(store, query.parsed.text, query.rejectedWords, first, MIN_REST_COVERAGE)
}

/** What counts as evidence that a hit is about a query, besides its words and its meaning. */
type AnswerEvidence = {
  /** How much of the query a hit must contain, by words and meaning together. */
  enough: number
  /** The share of the query whose words occur in no text, but in what tools changed or ran. */
  inActivity: number
  /** A name is all that the query asks for, or it is written like one. Part of a name says nothing about a whole question. */
  isForName: boolean
  isForProject: boolean
  isYoung: boolean
}

async function evidenceFor(store: Store, { parsed, boosts, textWithoutReferences }: ResolvedQuery, hits: Hit[]): Promise<AnswerEvidence> {
  return {
    enough: hits.some(({ cosine }) => cosine !== null) ? MIN_ANSWER_SHARE : MIN_ANSWER_COVERAGE,
    inActivity: hits.some(({ signals }) => signals.activity !== undefined) ? await shareInActivity(store, parsed.text) : 0,
    isForName: parsed.identifiers.length > 0 || queryWords(textWithoutReferences).length === 1,
    isForProject: boosts?.isWholeQuery ?? false,
    isYoung: await isYoungStore(store),
  }
}

/** The share of a query's words that occur in activity and in no text. */
async function shareInActivity(store: Store, text: string): Promise<number> {
  const words = await weighWords(store, text)
  const found: WeightedWord[] = []
  for (const word of words.filter(isUnknownWord)) if (await store.documents.occursInActivity(word.word)) found.push(word)
  return totalWeight(found) / Math.max(1, totalWeight(words))
}

/**
 * Whether a hit has enough in common with the query: its words and its meaning together, part of a name, the branch it refers to, or the
 * project if it asks for nothing else. In a young store one word is enough: most memories contain every known word, so words weigh nothing.
 */
const isHitAboutQuery = (hit: Hit, evidence: AnswerEvidence) =>
  (evidence.isYoung && hit.matched > 0) ||
  sharesEnough(hit, evidence) ||
  (evidence.isForName && (hit.signals.names ?? 0) > 0) ||
  (hit.signals.branch ?? 0) > 0 ||
  (evidence.isForProject && (hit.signals.project ?? 0) > 0)

/** One word of several is chance, however rare it is: "bake" occurs in "the baked-in key". */
function sharesEnough({ coverage, matched, cosine, signals }: Hit, { enough, inActivity }: AnswerEvidence): boolean {
  const words = coverage + ((signals.activity ?? 0) > MIN_ANSWER_ACTIVITY ? inActivity : 0)
  const meaning = Math.max(0, cosine ?? 0)
  return words + meaning >= enough && (matched > 1 || words >= MIN_SINGLE_WORD_SHARE || meaning >= MIN_SINGLE_WORD_COSINE)
}

/** Measured on questions about other topics (docs/evaluation.md). */
const MIN_ANSWER_SHARE = 0.65
/** Without a search by meaning. */
const MIN_ANSWER_COVERAGE = 0.35
const MIN_ANSWER_ACTIVITY = 0.5
const MIN_SINGLE_WORD_SHARE = 0.6
const MIN_SINGLE_WORD_COSINE = 0.4
/** Of a query without its misspelled word. */
const MIN_REST_COVERAGE = 0.5

/** The hits that are near enough to be shown although none is about the query. */
export async function withSomethingInCommon(store: Store, hits: Hit[]): Promise<Hit[]> {
  const minCosine = (await isYoungStore(store)) ? MIN_SIMILAR_COSINE_IN_YOUNG_STORE : MIN_SIMILAR_COSINE
  return hits.filter(({ matched, cosine }) => matched > 0 || (cosine ?? 0) >= minCosine)
}

/** Anything is a little similar to anything: of 14,600 pairs of unrelated texts, the nearest had 0.35. */
const MIN_SIMILAR_COSINE = 0.35
/** One such pair in a hundred is nearer than this. Among few memories that is no chance, and the right one is often not nearer. */
const MIN_SIMILAR_COSINE_IN_YOUNG_STORE = 0.2

const isYoungStore = async (store: Store) => (await store.documents.count(null)) < YOUNG_STORE_DOCUMENTS
