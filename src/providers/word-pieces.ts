/** Text longer than this says nothing new to a sum of pieces. */
const MAX_TEXT_PIECES = 512

/** A word longer than this is a hash or a blob, not a word. */
const MAX_WORD_CHARS = 100

/**
 * Cuts text into the word pieces of BERT uncased: accents and case off, punctuation and CJK characters stand alone, then the longest
 * known piece first. A word that cannot be spelt with the pieces is left out, or stands as `unknown` where that is given. `vocabulary` has
 * a piece a line; a piece is its place in it.
 */
export function openWordPieceTokenizer(vocabulary: string, unknown?: number): (text: string) => number[] {
  const { longestAt } = indexVocabulary(vocabulary)
  const nothing = unknown === undefined ? [] : [unknown]

  function spell(word: string): number[] {
    const pieces: number[] = []
    for (let from = 0; from < word.length; ) {
      const found = longestAt(word, from)
      if (!found) return nothing
      pieces.push(found.place)
      from += found.length
    }
    return pieces
  }

  return (text) => {
    const pieces: number[] = []
    for (const [word] of stripAccentsAndCase(text).matchAll(WORDS)) {
      pieces.push(...(word.length <= MAX_WORD_CHARS ? spell(word) : nothing))
      if (pieces.length >= MAX_TEXT_PIECES) break
    }
    return pieces.slice(0, MAX_TEXT_PIECES)
  }
}

/**
 * Where each piece stands in the vocabulary, by a table of numbers over the one text: thirty thousand strings in a map would take ten
 * times the memory, and the worker holds this for as long as it lives.
 */
function indexVocabulary(vocabulary: string) {
  const starts = [0]
  for (let end = vocabulary.indexOf('\n'); end >= 0; end = vocabulary.indexOf('\n', end + 1)) starts.push(end + 1)
  if (!vocabulary.endsWith('\n')) starts.push(vocabulary.length + 1)
  const startOf = Uint32Array.from(starts)
  const lengthOf = (place: number) => (startOf[place + 1] as number) - (startOf[place] as number) - 1
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(startOf.length * 2))).fill(-1)
  let longest = 0
  for (let place = 0; place < startOf.length - 1; place++) {
    let hash = HASH_SEED
    const [start, length] = [startOf[place] as number, lengthOf(place)]
    for (let at = start; at < start + length; at++) hash = mixHash(hash, vocabulary.charCodeAt(at))
    let slot = hash & (slots.length - 1)
    while (slots[slot] !== -1) slot = (slot + 1) & (slots.length - 1)
    slots[slot] = place
    longest = Math.max(longest, length)
  }
  const hashes = new Int32Array(longest)

  /** The longest piece that the word goes on with; a piece that does not begin a word is written with ## before it. */
  function longestAt(word: string, from: number): { place: number; length: number } | null {
    const mark = from === 0 ? '' : CONTINUATION_PREFIX
    const most = Math.min(word.length - from, longest - mark.length)
    let hash = mark === '' ? HASH_SEED : CONTINUATION_HASH_SEED
    for (let at = 0; at < most; at++) {
      hash = mixHash(hash, word.charCodeAt(from + at))
      hashes[at] = hash
    }
    for (let length = most; length > 0; length--) {
      const place = placeOf(hashes[length - 1] as number, mark, word, from, length)
      if (place >= 0) return { place, length }
    }
    return null
  }

  function placeOf(hash: number, mark: string, word: string, from: number, length: number): number {
    for (let slot = hash & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
      const place = slots[slot] as number
      if (place < 0) return -1
      if (lengthOf(place) !== length + mark.length) continue
      const start = startOf[place] as number
      if (!vocabulary.startsWith(mark, start)) continue
      let same = 0
      while (same < length && vocabulary.charCodeAt(start + mark.length + same) === word.charCodeAt(from + same)) same++
      if (same === length) return place
    }
  }

  return { longestAt }
}

const CONTINUATION_PREFIX = '##'
const HASH_SEED = 0x811c9dc5
const mixHash = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193)
const CONTINUATION_HASH_SEED = mixHash(mixHash(HASH_SEED, CONTINUATION_PREFIX.charCodeAt(0)), CONTINUATION_PREFIX.charCodeAt(1))

/** `getUserName` as `get User Name`: its words have vectors, while the syllables it would be cut into mean little. */
export function splitIdentifiers(text: string): string {
  return text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
}

/** Control and format characters vanish inside a word instead of splitting it; tabs and line ends are spaces. */
function stripAccentsAndCase(text: string): string {
  return text
    .replace(/[\t\n\r]/g, ' ')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\p{Mn}\p{Cc}\p{Cf}\ufffd]/gu, '')
}

const STANDALONE_CHARS = '\\p{P}$+<=>^`|~\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}'
const WORDS = new RegExp(`[${STANDALONE_CHARS}]|[^\\s${STANDALONE_CHARS}]+`, 'gu')
