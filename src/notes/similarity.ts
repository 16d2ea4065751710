/** A text without what does not change its meaning: case, punctuation, breaks. */
export function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Fewer words than this are too few to tell a restatement from another fact. */
const MIN_COMPARED_WORDS = 8
/** How much of their pairs of words two texts share when one restates the other. */
const MIN_SIMILARITY = 0.6

/**
 * Whether a text says all that an older one says, in nearly the same words and order, so that it may take its place. One word is often
 * the fact: where the older one has a word, a number or a denial that the newer lacks, or the newer denies more, they are two facts.
 */
export function restates(newer: string, older: string): boolean {
  const [now, then] = [wordsOf(newer), wordsOf(older)]
  if (![...then].every((word) => now.has(word) || FILLER_WORDS.has(word))) return false
  if ([...now].some((word) => NEGATION_WORDS.has(word) && !then.has(word))) return false
  return areNear(shingles(newer), shingles(older))
}

const wordsOf = (text: string) => new Set(normalised(text).split(' '))
/** Words that come and go without changing what is said. */
const FILLER_WORDS = new Set('a an the of in on at to is are was were be for and that this it its with by as we our so then'.split(' '))
const NEGATION_WORDS = new Set(
  'not no never none nor t without cannot dont doesnt isnt wont stop avoid instead except unless nicht kein keine nie pas jamais sin'.split(
    ' ',
  ),
)

/** Whether two texts, by their pairs of words, say nearly the same. Short ones are never near. */
export function areNear(one: Set<string>, other: Set<string>): boolean {
  return one.size >= MIN_COMPARED_WORDS - 1 && other.size >= MIN_COMPARED_WORDS - 1 && likeness(one, other) >= MIN_SIMILARITY
}

/** The share of what two sets have together that they have in common. */
export function likeness(one: Set<string>, other: Set<string>): number {
  let shared = 0
  for (const part of one) if (other.has(part)) shared++
  const together = one.size + other.size - shared
  return together === 0 ? 0 : shared / together
}

/** Every two words that follow each other. Scripts without spaces are taken letter by letter. */
export function shingles(text: string): Set<string> {
  const words = normalised(text).match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[^\s\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+/gu) ?? []
  return new Set(words.slice(1).map((word, index) => `${words[index]} ${word}`))
}

/** The longer words of a text, a dozen at most: enough to find what is like it. */
export function distinctiveWords(text: string): string[] {
  const words = new Set(
    normalised(text)
      .split(' ')
      .filter((word) => word.length > 3),
  )
  return [...words].sort((a, b) => b.length - a.length).slice(0, 12)
}
