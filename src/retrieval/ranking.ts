import { MEMORY_KINDS } from '../core/memory-kinds.ts'
import type { CandidateIds, DocumentMatch, SearchScope, Store } from '../store/store.ts'
import type { Scores } from './scores.ts'
import type { RetrievalOptions, SemanticSearch } from './search-options.ts'
import type { WeightedWord } from './word-weights.ts'

/**
 * A ranking signal adds to the scores of documents, and may find further ones. Every file in `signals/` is one signal: a function of a
 * `Ranking`, run in the order of `SIGNALS` (`rank.ts`), with its weight in `weights.ts`. A later signal sees the scores of the earlier ones.
 */
export type RankingSignal = (ranking: Ranking) => void | Promise<void>

/** One query on its way through the signals. */
export type Ranking = {
  store: Store
  text: string
  /** Its words, the most distinctive first. */
  words: WeightedWord[]
  options: RetrievalOptions
  semanticSearch: SemanticSearch | null
  /** The documents that the filters allow. */
  scope: SearchScope
  /** In a large store, where filters leave few documents: which ones. */
  fewCandidates: CandidateIds | null
  /** The branches and the project that the query refers to. */
  boostedScopes: { signal: 'branch' | 'project'; scope: SearchScope }[]
  /** Searches by words: in the whole scope, then in the mentioned time and each boosted scope, whose best may not be among the best of all. */
  wordSearches: WordSearch[]
  scores: Scores
  /** Similarity by meaning, by document. The meaning signal fills it. */
  cosines: Map<number, number>
}

export type WordSearch = { scope: SearchScope; words: string[]; matches: DocumentMatch[] }

/** How many hits a search returns when the caller does not say. */
export const DEFAULT_LIMIT = 20

/** How many candidates each signal may add. A large store gets fewer: each candidate costs a page or two to read. */
export const MAX_CANDIDATES = 300
export const MAX_CANDIDATES_IN_LARGE_STORE = 150

export const isFiltered = ({ filter, kinds }: SearchScope) => filter !== undefined || kinds.length < MEMORY_KINDS.length

/** Each document once, with its best score in any of the lists. */
export function bestMatches(lists: DocumentMatch[][]): DocumentMatch[] {
  if (lists.length === 1) return lists[0] ?? []
  const best = new Map<number, DocumentMatch>()
  for (const match of lists.flat())
    if (match.score > (best.get(match.documentId)?.score ?? Number.NEGATIVE_INFINITY)) best.set(match.documentId, match)
  return [...best.values()]
}
