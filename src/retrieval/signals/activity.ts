import type { DocumentMatch } from '../../store/store.ts'
import { bestMatches, type Ranking, type RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'
import { isUnknownWord, MAX_SEARCHED_WORDS, unknownWordShare, type WeightedWord, wordTexts } from '../word-weights.ts'

/** Turns whose tools changed or ran something with words of the query. Words that occur only there count extra. */
export const activity: RankingSignal = async (ranking) => {
  if (ranking.options.skipsActivity) return
  const words = ranking.words.slice(0, MAX_SEARCHED_WORDS)
  const unknownWeight = WEIGHTS.unknownWordActivity * unknownWordShare(words)
  ranking.scores.giveMatches(await matchesOf(ranking, words), 'activity', WEIGHTS.activity)
  ranking.scores.giveMatches(await matchesOf(ranking, words.filter(isUnknownWord)), 'activity', unknownWeight)
}

async function matchesOf({ store, wordSearches }: Ranking, words: WeightedWord[]): Promise<DocumentMatch[]> {
  if (words.length === 0) return []
  const found: DocumentMatch[][] = []
  for (const { scope } of wordSearches) found.push(await store.documents.matchActivity(wordTexts(words), scope))
  return bestMatches(found)
}
