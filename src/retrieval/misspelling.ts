/** For a question to which nothing is close: whether that is only because of words that were meant as something else, or misspelt. */
import type { Hit } from '../core/hit.ts'
import { OBSERVATION_TYPES } from '../core/memory.ts'
import type { Store } from '../store/store.ts'
import { likeliestSpelling, spellingCandidates } from './spelling.ts'
import { isUnknownWord, totalWeight, type WeightedWord, weighWords } from './word-weights.ts'

/** Whether one of the hits holds this share of what is left of a question without the values that no filter takes, or without its one misspelt word. */
export async function anyHitCoversRest(store: Store, text: string, rejected: string[], hits: Hit[], share: number): Promise<boolean> {
  const asked = await weighWords(store, text)
  // Of the whole question a hit tells its share only.
  const isEnoughWithout = (words: WeightedWord[]) =>
    words.length > 0 &&
    hits.some(({ coverage, unlikely }) => coverage > 0 && unlikely >= share * (unlikely / coverage - totalWeight(words)))
  const others = asked.filter(({ word }) => rejected.includes(word))
  if (isEnoughWithout(others)) return true
  // Where more are strange, the question is of another world.
  const [strange, ...more] = asked.filter((one) => isUnknownWord(one) && !others.includes(one))
  if (!strange || more.length > 0 || !WORD.test(strange.word) || !isEnoughWithout([...others, strange])) return false
  return isMisspelt(store, strange.word)
}

/** Whether some memory has a word that is one slip away from this one, or it is a type of them. */
async function isMisspelt(store: Store, word: string): Promise<boolean> {
  return (
    OBSERVATION_TYPES.some((type) => type === word || spellingCandidates(word).has(type)) || (await likeliestSpelling(store, word)) !== null
  )
}

/** Shorter ones are one letter from anything, and names of code are spelt as they are. */
const WORD = /^[a-z]{5,20}$/
