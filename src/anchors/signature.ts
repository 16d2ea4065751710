import { DIRECTIVE, isMark, STRING, type Tokens } from './tokens.ts'

/** The identity of a definition's code: equal when only comments and layout differ. The sketch estimates how much two have in common. */
export type Signature = { hash: string; sketch: Uint8Array }

const SKETCH_BYTES = 64

/** The signature of a range of tokens. */
export function signatureOf(tokens: Tokens, from: number, to: number): Signature {
  return signatureOfHashes(tokenHashes(tokens, from, to))
}

/** The signature of prose or of lines: their words. A comment runs from its mark to the end of the line. */
export function signatureOfText(text: string, commentMark: string | null): Signature {
  const hashes: number[] = []
  for (const line of text.split('\n')) {
    const note = commentMark === null ? -1 : line.search(COMMENT_IN_LINE)
    for (const word of (note < 0 ? line : line.slice(0, note)).split(/\s+/)) if (word !== '') hashes.push(hashOf(word, 0, word.length))
  }
  return signatureOfHashes(hashes)
}

const COMMENT_IN_LINE = /(?:^|\s)#/

/** How much two definitions have in common, between 0 and 1: the share of their runs of three tokens that both have. */
export function similarity(a: Uint8Array, b: Uint8Array): number {
  let common = 0
  let used = 0
  for (let bucket = 0; bucket < SKETCH_BYTES; bucket++) {
    if (a[bucket] === 0 && b[bucket] === 0) continue
    used++
    if (a[bucket] === b[bucket]) common++
  }
  const jaccard = used === 0 ? 1 : common / used
  return (2 * jaccard) / (1 + jaccard)
}

/** A hash for each token that counts: not `;`, which may be left out, nor the comma before a closing bracket, which formatters add. */
function tokenHashes(tokens: Tokens, from: number, to: number): number[] {
  const { text, kinds, starts, ends } = tokens
  const hashes: number[] = []
  for (let index = from; index < to; index++) {
    const start = starts[index] ?? 0
    const end = ends[index] ?? start
    if (isMark(tokens, index, ';')) continue
    if (isMark(tokens, index, ',') && (index + 1 >= to || [')', ']', '}', '>'].some((mark) => isMark(tokens, index + 1, mark)))) continue
    if (kinds[index] === STRING) hashes.push(hashOfString(text.slice(start, end)))
    else if (kinds[index] === DIRECTIVE)
      hashes.push(
        hashWhole(
          text
            .slice(start, end)
            .replace(/\\?\s+/g, ' ')
            .trim(),
        ),
      )
    else hashes.push(hashOf(text, start, end))
  }
  return hashes
}

const hashWhole = (text: string) => hashOf(text, 0, text.length)

/** Without its quotes, which formatters exchange, and with the layout of its lines evened out. */
function hashOfString(text: string): number {
  const inner = /^(['"])[\s\S]*\1$/.test(text) ? text.slice(1, -1) : text
  return hashWhole(`"${(inner.includes('\n') ? inner.replace(/\s+/g, ' ') : inner).replaceAll('\\"', '"').replaceAll("\\'", "'")}`)
}

/** FNV-1a. */
function hashOf(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

function signatureOfHashes(hashes: number[]): Signature {
  let low = 0x9e3779b9
  let high = 0x85ebca6b
  const least = new Uint32Array(SKETCH_BYTES).fill(0xffffffff)
  const sketch = new Uint8Array(SKETCH_BYTES)
  for (let index = 0; index < hashes.length; index++) {
    const hash = hashes[index] ?? 0
    low = Math.imul(low ^ hash, 0x01000193)
    high = Math.imul(high ^ mixed(hash), 0x5bd1e995)
    const run = mixed(mixed(mixed(hash) + (hashes[index + 1] ?? 1)) + (hashes[index + 2] ?? 2))
    const bucket = run & (SKETCH_BYTES - 1)
    const value = run >>> 6
    if (value >= (least[bucket] ?? 0)) continue
    least[bucket] = value
    sketch[bucket] = 1 + (value % 255)
  }
  return { hash: hex(mixed(low)) + hex(mixed(high)), sketch }
}

const hex = (value: number) => (value >>> 0).toString(16).padStart(8, '0')

/** Spreads the bits of a number (the finaliser of MurmurHash3). */
function mixed(value: number): number {
  let hash = value >>> 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** A short hash of a text, for comparing only. */
export const fingerprintOf = (text: string): string => hex(mixed(hashWhole(text)))
