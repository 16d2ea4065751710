/** The words inside an identifier: `getUserName` and `user_name` and `src/user/name.ts` can all be found by `user name`. */
export function wordsInIdentifier(identifier: string): string[] {
  return (identifier.match(PART) ?? []).map((part) => part.toLowerCase())
}

/** Capitals before a capitalized word (`HTTP` of `HTTPServer`, `IDs`), words, numbers, and letters without case. */
const PART = /[\p{Lu}\p{Lt}]{2,}s?(?!\p{Ll})|[\p{Lu}\p{Lt}]?[\p{Ll}\p{M}]+|[\p{Lu}\p{Lt}]+|\p{N}+|[\p{Lo}\p{Lm}\p{M}]+/gu

/** The different words of a text that look like code: camelCase, snake_case, dotted and slashed names. At most `max`. */
export function identifiersIn(text: string, max = 200): string[] {
  const found = new Set<string>()
  for (const identifier of eachIdentifier(text)) {
    if (found.size >= max) break
    found.add(identifier)
  }
  return [...found]
}

/** Every occurrence of a word that looks like code. */
export function* eachIdentifier(text: string): Generator<string> {
  for (const [word] of text.matchAll(/[\p{L}\p{N}_$][\p{L}\p{N}_$./\\-]{0,199}/gu)) {
    if (/[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}|[\p{L}\p{N}][_./-][\p{L}\p{N}]/u.test(word)) yield word
  }
}

/** Chinese, Japanese and Korean have no spaces between words; pairs of characters are indexed instead of words. */
export function characterPairsIn(text: string, max = 4000): string[] {
  const pairs: string[] = []
  for (const [run] of text.matchAll(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu)) {
    const characters = [...run]
    for (let i = 0; i < characters.length && pairs.length < max; i++) pairs.push(characters.slice(i, i + 2).join(''))
  }
  return pairs
}

/** A text followed by the words inside its identifiers, for a word index. */
export function withIdentifierWords(text: string): string {
  const parts = identifiersIn(text).map((identifier) => wordsInIdentifier(identifier).join(' '))
  const pairs = characterPairsIn(text)
  return parts.length + pairs.length === 0 ? text : [text, ...parts, ...pairs].join(' ')
}
