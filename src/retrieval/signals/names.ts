import { identifiersIn, wordsInIdentifier } from '../../core/identifiers.ts'
import type { DocumentMatch, Store } from '../../store/store.ts'
import { distinctiveWordsOf } from '../query-words.ts'
import { isFiltered, type Ranking, type RankingSignal } from '../ranking.ts'
import type { ScoredDocument } from '../scores.ts'
import { WEIGHTS } from '../weights.ts'
import { SMALL_STORE_MAX_DOCUMENTS } from '../word-weights.ts'

/** Documents that name a file of the query, or a name of which the query has only a part. */
export const names: RankingSignal = async (ranking) => {
  const { store, scores, scope, text, options } = ranking
  // In a large store the filtered-texts signal has already read what the filters leave.
  const mayBePartial = !(ranking.fewCandidates && isFiltered(scope))
  const spellings = options.isTyped && mayBePartial ? await partialNameSpellings(store, text) : []
  const pieces = mayBePartial && !isFoundByWords(ranking) ? namePieces(text).map((piece) => [piece]) : []
  const files = (options.files ?? []).slice(0, MAX_FILES).filter((file) => !spellings.flat().includes(file))
  for (const file of files) scores.giveMatches(await store.documents.matchNames(file, scope), 'names', WEIGHTS.names)
  for (const alternatives of [...spellings, ...pieces]) {
    const found = await firstFound(alternatives, (name) => store.documents.matchNames(name, scope))
    scores.giveMatches(found, 'names', WEIGHTS.partialNames)
  }
}

const MAX_FILES = 3

/** Meaning always finds something, so it does not count here. */
function isFoundByWords({ scores }: Ranking): boolean {
  const hasWords = ({ signals }: ScoredDocument) =>
    signals.words !== undefined || signals.context !== undefined || signals.activity !== undefined
  return scores.all().filter(hasWords).length >= MIN_WORD_MATCHES
}

/** If words find fewer documents, they may be parts of names. */
const MIN_WORD_MATCHES = 3

/** Words that may be parts of names, the longest first. Stop words are parts of too many. */
function namePieces(text: string): string[] {
  const words = distinctiveWordsOf(text.slice(0, 1000)).filter((word) => word.length >= 3 && word.length <= 64)
  return words.sort((a, b) => b.length - a.length).slice(0, 3)
}

/**
 * Identifiers of the query that no document contains, each in several spellings: it may be the start of a longer one (`manual_commit_g`), or
 * written with another separator.
 */
async function partialNameSpellings(store: Store, text: string): Promise<string[][]> {
  const identifiers = identifiersIn(text, 3).map((name) => ({ name, parts: wordsInIdentifier(name) }))
  if (identifiers.length === 0) return []
  const known = new Set(await store.documents.knownWords(identifiers.map(({ parts }) => parts.join(' '))))
  const unknown = identifiers.filter(({ parts }) => !known.has(parts.join(' ')))
  // In a large store one spelling may take as long as all words together.
  if ((await store.documents.count(null)) > SMALL_STORE_MAX_DOCUMENTS) return unknown.slice(0, 1).map(({ name }) => [name])
  return unknown.map(({ name, parts }) => [name, ...['-', '_', ''].map((separator) => parts.join(separator))])
}

async function firstFound(spellings: string[], find: (name: string) => Promise<DocumentMatch[]>): Promise<DocumentMatch[]> {
  for (const name of new Set(spellings)) {
    const found = await find(name)
    if (found.length > 0) return found
  }
  return []
}
