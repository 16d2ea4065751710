import { MEMORY_KINDS } from '../core/memory-kinds.ts'
import type { SearchScope, Store } from '../store/store.ts'
import {
  DEFAULT_LIMIT,
  isFiltered,
  MAX_CANDIDATES,
  MAX_CANDIDATES_IN_LARGE_STORE,
  type Ranking,
  type RankingSignal,
  type WordSearch,
} from './ranking.ts'
import { newScores, type ScoredDocument } from './scores.ts'
import type { RetrievalOptions, SemanticSearch } from './search-options.ts'
import { activity } from './signals/activity.ts'
import { author } from './signals/author.ts'
import { context } from './signals/context.ts'
import { filteredTexts } from './signals/filtered-texts.ts'
import { latest } from './signals/latest.ts'
import { links } from './signals/links.ts'
import { meaning } from './signals/meaning.ts'
import { names } from './signals/names.ts'
import { recency } from './signals/recency.ts'
import { references } from './signals/references.ts'
import { replaced } from './signals/replaced.ts'
import { session } from './signals/session.ts'
import { time } from './signals/time.ts'
import { use } from './signals/use.ts'
import { variety } from './signals/variety.ts'
import { words } from './signals/words.ts'
import type { TimeWindow } from './time-phrases.ts'
import { chooseSearchWords, SMALL_STORE_MAX_DOCUMENTS, type WeightedWord } from './word-weights.ts'

/** Loaded by the first typed query: recall leaves out such questions anyway. */
const repeatedQuestion: RankingSignal = async (ranking) => {
  if (ranking.options.isTyped) await (await import('./signals/repeated-question.ts')).repeatedQuestion(ranking)
}

/** First those that find documents, then those that only weigh what was found. */
const SIGNALS: RankingSignal[] = [
  words,
  context,
  filteredTexts,
  activity,
  meaning,
  names,
  time,
  references,
  links,
  session,
  recency,
  use,
  latest,
  variety,
  author,
  repeatedQuestion,
  replaced,
]

/** A query text and its words, weighed. */
export type SearchTerms = { text: string; words: WeightedWord[] }

/** Every document that may answer, best first, and the similarity by meaning of some of them. */
export async function rankDocuments(
  store: Store,
  terms: SearchTerms,
  options: RetrievalOptions,
  semanticSearch: SemanticSearch | null,
): Promise<{ ranked: ScoredDocument[]; cosines: Map<number, number> }> {
  const bounds = boundsOf(options)
  const scope = await withCandidates(store, bounds)
  const { candidates } = scope
  if (candidates?.completeFrom === 0 && candidates.ids.length === 0) return { ranked: [], cosines: new Map() }
  const { timeWindow, boosts } = options
  const boostedScopes = boosts?.scopes.map(({ signal, within }) => ({ signal, scope: { ...bounds, ...within } })) ?? []
  const wordSearches = [await searchWords(store, terms, scope, options)]
  for (const part of [...(timeWindow ? [intersectWindow(bounds, timeWindow)] : []), ...boostedScopes.map((boosted) => boosted.scope)])
    wordSearches.push(await searchWords(store, terms, await withCandidates(store, part), options))
  const ranking: Ranking = {
    store,
    ...terms,
    options,
    semanticSearch,
    scope,
    fewCandidates: candidates && (await store.documents.count(null)) > SMALL_STORE_MAX_DOCUMENTS ? candidates : null,
    boostedScopes,
    wordSearches,
    scores: newScores(options.unansweredPrompts?.running),
    cosines: new Map(),
  }
  for (const signal of SIGNALS) await signal(ranking)
  return { ranked: ranking.scores.ranked(), cosines: ranking.cosines }
}

function boundsOf({ project = null, kinds = [...MEMORY_KINDS], since = 0, before = Number.MAX_SAFE_INTEGER, filter }: RetrievalOptions) {
  return { project, kinds, since, before, limit: MAX_CANDIDATES, ...(filter ? { filter } : {}) }
}

/** Adds the ids of the documents that the filters and the time leave, if they leave few. */
async function withCandidates(store: Store, bounds: SearchScope): Promise<SearchScope> {
  const candidates = await store.documents.candidates(bounds)
  return isFiltered(bounds) || candidates.completeFrom === 0 ? { ...bounds, candidates } : bounds
}

async function searchWords(
  store: Store,
  terms: SearchTerms,
  bounds: SearchScope,
  { limit = DEFAULT_LIMIT, offset = 0 }: RetrievalOptions,
): Promise<WordSearch> {
  const { words, phrases, scan } = await chooseSearchWords(store, terms.words, terms.text, bounds)
  const scope = { ...bounds, scan, limit: scan ? Math.max(MAX_CANDIDATES_IN_LARGE_STORE, 2 * (offset + limit)) : MAX_CANDIDATES }
  return { scope, words, matches: await store.documents.match([...words, ...phrases], scope) }
}

function intersectWindow(scope: SearchScope, { since, before }: TimeWindow): SearchScope {
  return { ...scope, since: Math.max(scope.since, since ?? 0), before: Math.min(scope.before, before ?? Number.MAX_SAFE_INTEGER) }
}
