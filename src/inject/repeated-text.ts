/** Whether a text adds nothing to a known one: nearly all its words are there, or its beginning is. */
export function repeatsText(known: string, text: string): boolean {
  const [knownWords, words] = [wordsOf(known), wordsOf(text)]
  const repeated = words.filter((word) => knownWords.includes(word)).length
  return repeated >= 0.8 * words.length || (words.length > 5 && knownWords.join(' ').includes(words.slice(0, 5).join(' ')))
}

/** A path counts by its file name only: the line shows the folder anyway. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[\w.@-]+\//g, '')
    .match(/[\p{L}\p{N}]+/gu) ?? []
