import type { DocumentMatch } from '../../store/store.ts'
import { bestMatches, type RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'

/** Documents with words of the query right before or after them: a question and its answer are often two turns. */
export const context: RankingSignal = async ({ store, scores, wordSearches, options }) => {
  const found: DocumentMatch[][] = []
  for (const { scope, words, matches } of wordSearches) {
    const alwaysWeighed = matches.map(({ documentId }) => documentId)
    found.push(await store.documents.matchContext(words, { ...scope, alwaysWeighed }))
  }
  // The prompt before an unanswered one would match only because the question itself is its context.
  const hasOwnMatch = ({ documentId }: DocumentMatch) => scores.has(documentId) || !options.unansweredPrompts?.preceding.has(documentId)
  scores.giveMatches(bestMatches(found).filter(hasOwnMatch), 'context', WEIGHTS.context)
}
