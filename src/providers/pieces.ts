/** Text longer than this says nothing new to a sum of pieces. */
const MOST_PIECES = 512

/** A word longer than this is a hash or a blob, not a word. */
const LONGEST_WORD = 100

/**
 * Cuts text into the word pieces of BERT uncased: accents and case off, punctuation and CJK characters stand alone, then the longest
 * known piece first. A word that cannot be spelt with the pieces is left out, or stands as `unknown` where that is given. `vocabulary` lists
 * the pieces; a piece is its place in it.
 */
export function openPieces(vocabulary: string[], unknown?: number): (text: string) => number[] {
  const places = new Map(vocabulary.map((piece, place) => [piece, place]))
  const nothing = unknown === undefined ? [] : [unknown]
  const longest = vocabulary.reduce((most, piece) => Math.max(most, piece.length), 0)

  function spell(word: string): number[] {
    const pieces: number[] = []
    for (let from = 0; from < word.length; ) {
      let to = Math.min(word.length, from + longest)
      let place: number | undefined
      for (; to > from; to--) {
        place = places.get(from === 0 ? word.slice(0, to) : `##${word.slice(from, to)}`)
        if (place !== undefined) break
      }
      if (place === undefined) return nothing
      pieces.push(place)
      from = to
    }
    return pieces
  }

  return (text) => {
    const pieces: number[] = []
    for (const [word] of plain(text).matchAll(WORDS)) {
      pieces.push(...(word.length <= LONGEST_WORD ? spell(word) : nothing))
      if (pieces.length >= MOST_PIECES) break
    }
    return pieces.slice(0, MOST_PIECES)
  }
}

/** `getUserName` as `get User Name`: its words have vectors, while the syllables it would be cut into mean little. */
export function wordsApart(text: string): string {
  return text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
}

/** Control and format characters vanish inside a word instead of splitting it; tabs and line ends are spaces. */
function plain(text: string): string {
  return text
    .replace(/[\t\n\r]/g, ' ')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\p{Mn}\p{Cc}\p{Cf}\ufffd]/gu, '')
}

const ALONE = '\\p{P}$+<=>^`|~\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}'
const WORDS = new RegExp(`[${ALONE}]|[^\\s${ALONE}]+`, 'gu')
