/** A piece of a text; `isHit` if it matches a word of the query. */
export type HighlightPiece = { text: string; isHit: boolean }

/** The words of a query to highlight. Filters such as `type:bugfix` are left out. */
export function wordsToHighlight(query: string): string[] {
  const words = query
    .replace(/(?:^|\s)-?\w+:(?:"[^"]*"|\S+)/g, ' ')
    .toLowerCase()
    .match(/[\p{L}\p{N}_]{2,}/gu)
  return [...new Set(words ?? [])].slice(0, 12)
}

/** Splits a text at the words to highlight. Compares the beginnings of words, because search compares stems; a short word must be the whole word. */
export function splitAtHighlights(text: string, words: string[]): HighlightPiece[] {
  if (words.length === 0) return [{ text, isHit: false }]
  const stems = words.map((word) => (word.length > 5 ? word.slice(0, -2) : word))
  return text
    .split(/([\p{L}\p{N}_]+)/u)
    .filter((part) => part !== '')
    .map((part) => ({ text: part, isHit: stems.some((stem) => matches(part.toLowerCase(), stem)) }))
}

/** "an" is not a part of "and". */
const matches = (word: string, stem: string) => (stem.length <= 3 ? word === stem : word.startsWith(stem))
