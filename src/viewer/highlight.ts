/** A piece of a text, and whether it is what was looked for. */
export type HighlightPiece = { text: string; isHit: boolean }

/** The words of a question that a person would expect to see marked; filters are none. */
export function wordsToHighlight(question: string): string[] {
  const words = question
    .replace(/(?:^|\s)-?\w+:(?:"[^"]*"|\S+)/g, ' ')
    .toLowerCase()
    .match(/[\p{L}\p{N}_]{2,}/gu)
  return [...new Set(words ?? [])].slice(0, 12)
}

/** A text in pieces. A word counts as found by its beginning, as the search compares stems. */
export function splitAtHighlights(text: string, words: string[]): HighlightPiece[] {
  if (words.length === 0) return [{ text, isHit: false }]
  const stems = words.map((word) => (word.length > 5 ? word.slice(0, -2) : word))
  return text
    .split(/([\p{L}\p{N}_]+)/u)
    .filter((part) => part !== '')
    .map((part) => ({ text: part, isHit: stems.some((stem) => part.toLowerCase().startsWith(stem)) }))
}
