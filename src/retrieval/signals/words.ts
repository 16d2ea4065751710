import { bestMatches, type RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'

/** Documents that contain words of the query; rare words and words in titles count more. */
export const words: RankingSignal = ({ scores, wordSearches }) => {
  scores.giveMatches(bestMatches(wordSearches.map(({ matches }) => matches)), 'words', WEIGHTS.words)
}
