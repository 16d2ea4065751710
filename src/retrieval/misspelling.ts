/** For a query without a close hit: is that only because of rejected filter values or a misspelled word? */
import type { Hit } from '../core/hit.ts'
import { OBSERVATION_TYPES } from '../core/memory.ts'
import type { Store } from '../store/store.ts'
import { likeliestSpelling, spellingCandidates } from './spelling.ts'
import { isUnknownWord, totalWeight, type WeightedWord, weighWords } from './word-weights.ts'

/** Whether a hit contains this share of the query without its rejected filter values, or also without its one misspelled word. */
export async function anyHitCoversRest(store: Store, text: string, rejectedWords: string[], hits: Hit[], share: number): Promise<boolean> {
  const words = await weighWords(store, text)
  // A hit states only its share, so the total weight of the query follows from that.
  const isEnoughWithout = (ignored: WeightedWord[]) =>
    ignored.length > 0 &&
    hits.some(({ coverage, unlikely }) => coverage > 0 && unlikely >= share * (unlikely / coverage - totalWeight(ignored)))
  const rejected = words.filter(({ word }) => rejectedWords.includes(word))
  if (isEnoughWithout(rejected)) return true
  // With several unknown words, the query is about something else.
  const [unknown, ...more] = words.filter((one) => isUnknownWord(one) && !rejected.includes(one))
  if (!unknown || more.length > 0 || !WORD.test(unknown.word) || !isEnoughWithout([...rejected, unknown])) return false
  return isMisspelled(store, unknown.word)
}

/** Whether a known word or a type of observation is one typo away. */
async function isMisspelled(store: Store, word: string): Promise<boolean> {
  return (
    OBSERVATION_TYPES.some((type) => type === word || spellingCandidates(word).has(type)) || (await likeliestSpelling(store, word)) !== null
  )
}

/** Shorter words are one letter away from anything, and identifiers are not misspelled. */
const WORD = /^[a-z]{5,20}$/
