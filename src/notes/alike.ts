/** A text without what does not change its meaning: case, punctuation, breaks. */
export function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Fewer words than this are too few to tell a restatement from another fact. */
const FEWEST = 8
/** How much of their pairs of words two texts share when one restates the other. */
const NEAR = 0.6

/** Whether two texts say nearly the same, in nearly the same words and order. Short ones are never near: one word is the fact. */
export function isNearSame(a: string, b: string): boolean {
  return areNear(shingles(a), shingles(b))
}

/** The same of their pairs of words, for whoever compares one text with many. */
export function areNear(one: Set<string>, other: Set<string>): boolean {
  return one.size >= FEWEST - 1 && other.size >= FEWEST - 1 && likeness(one, other) >= NEAR
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
export function tellingWords(text: string): string[] {
  const words = new Set(
    normalised(text)
      .split(' ')
      .filter((word) => word.length > 3),
  )
  return [...words].sort((a, b) => b.length - a.length).slice(0, 12)
}
