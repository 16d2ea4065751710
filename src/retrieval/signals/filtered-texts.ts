import type { DocumentMatch } from '../../store/store.ts'
import { documentText, queryCoverage } from '../hits.ts'
import { MAX_CANDIDATES_IN_LARGE_STORE, type RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'
import { MIN_CANDIDATES } from '../word-weights.ts'

/**
 * Reads the newest documents that the filters leave, if the words found few. In a large store common words are searched only in the newest
 * documents, and a filter may leave none of those.
 */
export const filteredTexts: RankingSignal = async ({ store, scores, words, scope, fewCandidates }) => {
  if (!fewCandidates || scores.size() >= MIN_CANDIDATES) return
  const matches: DocumentMatch[] = []
  // A word that no memory contains may be part of a name, and the texts are read anyway.
  const wanted = words.map((word) => ({ ...word, documents: Math.max(1, word.documents) }))
  for (const location of await store.documents.newestOf(fewCandidates, { ...scope, limit: MAX_CANDIDATES_IN_LARGE_STORE })) {
    const text = scores.has(location.documentId) ? null : await documentText(store, location)
    const { coverage, matched } = text ? queryCoverage(`${text.title}\n${text.body}`, wanted) : { coverage: 0, matched: 0 }
    if (matched > 0) matches.push({ ...location, score: coverage })
  }
  scores.giveMatches(matches, 'words', WEIGHTS.words * Math.max(0, ...matches.map((match) => match.score)))
}
