/** Pieces beyond this many hardly change a sum of piece vectors. */
const MAX_TEXT_PIECES = 512

/** Longer words are hashes or other blobs. */
const MAX_WORD_CHARS = 100

/**
 * Splits text into the word pieces of BERT uncased: removes accents and case, separates punctuation and CJK characters, then takes the longest
 * known piece first. A word that cannot be built from pieces is left out, or becomes `unknown` if given, and so is a word that the vocabulary
 * can only spell letter by letter. `vocabulary` has one piece per line; a piece is identified by its line number.
 */
export function openWordPieceTokenizer(vocabulary: string, unknown?: number): (text: string) => number[] {
  const { longestAt } = indexVocabulary(vocabulary)
  const unknownWord = unknown === undefined ? [] : [unknown]

  function spell(word: string): number[] {
    const pieces: number[] = []
    let spelled = 0
    for (let from = 0; from < word.length; ) {
      const found = longestAt(word, from)
      if (!found) return unknownWord
      pieces.push(found.piece)
      if (found.length === 1) spelled++
      from += found.length
    }
    return spelled * 2 > word.length && OTHER_LETTERS.test(word) ? unknownWord : pieces
  }

  return (text) => {
    const pieces: number[] = []
    let hasWord = unknown !== undefined
    for (const [word] of stripAccentsAndCase(text).matchAll(WORDS)) {
      const found = word.length <= MAX_WORD_CHARS ? spell(word) : unknownWord
      hasWord ||= found.length > 0 && LETTER_OR_DIGIT.test(word)
      pieces.push(...found)
      if (pieces.length >= MAX_TEXT_PIECES) break
    }
    // The marks between unknown words say nothing.
    return hasWord ? pieces.slice(0, MAX_TEXT_PIECES) : []
  }
}

/**
 * The vocabulary has the letters of many scripts, but hardly a word in them. Letters mean nothing: with their vectors, any two Russian sentences
 * would be alike. An English word in letters is an abbreviation.
 */
const OTHER_LETTERS = /[^\P{L}a-z]/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/**
 * A hash table over the vocabulary text. A map of thirty thousand strings would take ten times the memory, and the worker keeps this index as
 * long as it runs.
 */
function indexVocabulary(vocabulary: string) {
  const starts = [0]
  for (let end = vocabulary.indexOf('\n'); end >= 0; end = vocabulary.indexOf('\n', end + 1)) starts.push(end + 1)
  if (!vocabulary.endsWith('\n')) starts.push(vocabulary.length + 1)
  const startOf = Uint32Array.from(starts)
  const lengthOf = (piece: number) => (startOf[piece + 1] as number) - (startOf[piece] as number) - 1
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(startOf.length * 2))).fill(-1)
  let longest = 0
  for (let piece = 0; piece < startOf.length - 1; piece++) {
    let hash = HASH_SEED
    const [start, length] = [startOf[piece] as number, lengthOf(piece)]
    for (let at = start; at < start + length; at++) hash = mixHash(hash, vocabulary.charCodeAt(at))
    let slot = hash & (slots.length - 1)
    while (slots[slot] !== -1) slot = (slot + 1) & (slots.length - 1)
    slots[slot] = piece
    longest = Math.max(longest, length)
  }
  const hashes = new Int32Array(longest)

  /** The longest piece at this position of the word. Pieces inside a word have the prefix ## in the vocabulary. */
  function longestAt(word: string, from: number): { piece: number; length: number } | null {
    const prefix = from === 0 ? '' : CONTINUATION_PREFIX
    const maxLength = Math.min(word.length - from, longest - prefix.length)
    let hash = prefix === '' ? HASH_SEED : CONTINUATION_HASH_SEED
    for (let at = 0; at < maxLength; at++) {
      hash = mixHash(hash, word.charCodeAt(from + at))
      hashes[at] = hash
    }
    for (let length = maxLength; length > 0; length--) {
      const piece = findPiece(hashes[length - 1] as number, prefix, word, from, length)
      if (piece >= 0) return { piece, length }
    }
    return null
  }

  function findPiece(hash: number, prefix: string, word: string, from: number, length: number): number {
    for (let slot = hash & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
      const piece = slots[slot] as number
      if (piece < 0) return -1
      if (lengthOf(piece) !== length + prefix.length) continue
      const start = startOf[piece] as number
      if (!vocabulary.startsWith(prefix, start)) continue
      let same = 0
      while (same < length && vocabulary.charCodeAt(start + prefix.length + same) === word.charCodeAt(from + same)) same++
      if (same === length) return piece
    }
  }

  return { longestAt }
}

const CONTINUATION_PREFIX = '##'
const HASH_SEED = 0x811c9dc5
const mixHash = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193)
const CONTINUATION_HASH_SEED = mixHash(mixHash(HASH_SEED, CONTINUATION_PREFIX.charCodeAt(0)), CONTINUATION_PREFIX.charCodeAt(1))

/** Turns `getUserName` into `get User Name`. The words have useful vectors; the syllables that the identifier would be split into do not. */
export function splitIdentifiers(text: string): string {
  return text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
}

/** Control and format characters are removed without splitting the word; tabs and line ends become spaces. */
function stripAccentsAndCase(text: string): string {
  return text
    .replace(/[\t\n\r]/g, ' ')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\p{Mn}\p{Cc}\p{Cf}\ufffd]/gu, '')
}

const STANDALONE_CHARS = '\\p{P}$+<=>^`|~\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}'
const WORDS = new RegExp(`[${STANDALONE_CHARS}]|[^\\s${STANDALONE_CHARS}]+`, 'gu')
