/** The text without case, punctuation and line breaks. */
export function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** With fewer words, a restatement cannot be distinguished from another fact. */
const MIN_COMPARED_WORDS = 8
/** The share of common word pairs from which one text restates the other. */
const MIN_SIMILARITY = 0.6

/**
 * Whether a text says everything an older one says, in nearly the same words and order, and can replace it. A single word often makes the
 * difference: if the older text has a word, number or negation that the newer lacks, or the newer has an extra negation, they are two facts.
 */
export function restates(newer: string, older: string): boolean {
  const [newerWords, olderWords] = [wordsOf(newer), wordsOf(older)]
  if (![...olderWords].every((word) => newerWords.has(word) || FILLER_WORDS.has(word))) return false
  if ([...newerWords].some((word) => NEGATION_WORDS.has(word) && !olderWords.has(word))) return false
  return areNear(shingles(newer), shingles(older))
}

const wordsOf = (text: string) => new Set(normalised(text).split(' '))
/** Words that do not change the meaning. */
const FILLER_WORDS = new Set('a an the of in on at to is are was were be for and that this it its with by as we our so then'.split(' '))
const NEGATION_WORDS = new Set(
  'not no never none nor t without cannot dont doesnt isnt wont stop avoid instead except unless nicht kein keine nie pas jamais sin'.split(
    ' ',
  ),
)

/** Whether two texts, given as word pairs, say nearly the same. Short texts never do. */
export function areNear(one: Set<string>, other: Set<string>): boolean {
  return one.size >= MIN_COMPARED_WORDS - 1 && other.size >= MIN_COMPARED_WORDS - 1 && likeness(one, other) >= MIN_SIMILARITY
}

/** Jaccard similarity: the size of the intersection divided by the size of the union. */
export function likeness(one: Set<string>, other: Set<string>): number {
  let shared = 0
  for (const part of one) if (other.has(part)) shared++
  const union = one.size + other.size - shared
  return union === 0 ? 0 : shared / union
}

/** All pairs of consecutive words. Scripts without spaces are split into single characters. */
export function shingles(text: string): Set<string> {
  const words = normalised(text).match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[^\s\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+/gu) ?? []
  return new Set(words.slice(1).map((word, index) => `${words[index]} ${word}`))
}

/** The twelve longest words of a text: enough to find similar notes. */
export function distinctiveWords(text: string): string[] {
  const words = new Set(
    normalised(text)
      .split(' ')
      .filter((word) => word.length > 3),
  )
  return [...words].sort((a, b) => b.length - a.length).slice(0, 12)
}
