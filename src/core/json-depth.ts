/**
 * Whether JSON text is nested deeper than `maxDepth`. Counts brackets instead of parsing: a parser takes seconds for text nested a hundred
 * thousand deep. For text that is not JSON the answer is arbitrary.
 */
export function isJsonDeeperThan(json: Uint8Array, maxDepth: number): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) at = stringEnd(json, at)
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > maxDepth) return true
    } else if (byte === 0x5d || byte === 0x7d) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The end of the string that opens here. `indexOf` is native, so a long string is cheap. */
function stringEnd(json: Uint8Array, open: number): number {
  for (let at = json.indexOf(QUOTE, open + 1); at >= 0; at = json.indexOf(QUOTE, at + 1)) {
    let slashes = 0
    while (json[at - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at
  }
  return json.length
}
