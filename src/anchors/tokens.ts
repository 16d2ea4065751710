import type { ScanRule } from './scans.ts'

/** The kinds of token. A directive is one logical line of a preprocessor. */
export const WORD = 1
const NUMBER = 2
export const STRING = 3
export const PUNCTUATION = 4
export const DIRECTIVE = 5
/** Like punctuation, but not a bracket: it is in a branch of `#else` that repeats the brackets of the first branch. */
export const REPEATED_BRACKET = 6

/** A source text as tokens, without comments and layout. Each list has one entry per token. */
export type Tokens = {
  text: string
  kinds: number[]
  starts: number[]
  ends: number[]
  /** The column of a token that begins a line, otherwise -1. Tabs count to the next multiple of eight. */
  columns: number[]
}

/** The state of a scan, as far as scan rules need it. */
export type ScanState = {
  tokens: Tokens
  /** Texts that begin after the end of the current line. */
  heredocs: { word: string; mayBeIndented: boolean }[]
  /** A search that found nothing is not repeated before this position. */
  fruitlessUntil: number
  noHeredocs: boolean
}

/** The rules of a language by the first character of what they read. */
export type ScanRules = Map<number, ScanRule[]>

const NEWLINE = 10
const SPACE = 32
const TAB = 9
const BACKSLASH = 92

/** Splits a text into tokens in one pass. Anything that is not understood is a token of one character. */
export function tokenize(text: string, rules: ScanRules, from = 0): Tokens {
  const tokens: Tokens = { text, kinds: [], starts: [], ends: [], columns: [] }
  const state: ScanState = { tokens, heredocs: [], fruitlessUntil: 0, noHeredocs: false }
  let at = from
  let column = 0
  let isLineStart = true
  const push = (kind: number, end: number) => {
    tokens.kinds.push(kind)
    tokens.starts.push(at)
    tokens.ends.push(end)
    tokens.columns.push(isLineStart ? column : -1)
    isLineStart = false
    at = end
  }
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === NEWLINE) {
      at++
      column = 0
      isLineStart = true
      for (const end of heredocEnds(state, at)) {
        push(STRING, end)
        isLineStart = true
      }
    } else if (code <= SPACE || code === 0xa0 || code === 0xfeff) {
      column = code === TAB ? column + 8 - (column % 8) : column + 1
      at++
    } else if (code === BACKSLASH && text.charCodeAt(at + 1) === NEWLINE) at += 2
    else {
      const scanned = scanWith(rules.get(code), state, at)
      if (scanned && scanned.kind === 0) {
        if (text.slice(at, scanned.end).includes('\n')) isLineStart = true
        at = scanned.end
      } else if (scanned) push(scanned.kind, scanned.end)
      else if (isWordCode(code)) push(code >= 48 && code <= 57 ? NUMBER : WORD, wordEnd(text, at))
      else push(PUNCTUATION, at + 1)
    }
  }
  return tokens
}

function scanWith(rules: ScanRule[] | undefined, state: ScanState, at: number): { kind: number; end: number } | null {
  for (const rule of rules ?? []) {
    const end = rule.scan(state.tokens.text, at, state)
    if (end > at) return { kind: rule.kind, end }
  }
  return null
}

/** The ends of the texts that begin here, when the line before announced some. */
function heredocEnds(state: ScanState, at: number): number[] {
  if (state.heredocs.length === 0) return []
  const { text } = state.tokens
  const ends: number[] = []
  let from = at
  for (const { word, mayBeIndented } of state.heredocs.splice(0)) {
    const end = heredocEnd(text, from, word, mayBeIndented)
    // The rest of the text was searched in vain: later ones are not looked for, so that the work stays linear.
    if (end < 0) state.noHeredocs = true
    else {
      ends.push(end)
      from = end
    }
  }
  return ends
}

function heredocEnd(text: string, from: number, word: string, mayBeIndented: boolean): number {
  for (let line = from; line < text.length; ) {
    const next = text.indexOf('\n', line)
    const end = next < 0 ? text.length : next
    const content = text.slice(line, Math.min(end, line + 400))
    const shown = mayBeIndented ? content.trimStart() : content
    if (shown.startsWith(word) && /^\W*$/.test(shown.slice(word.length, word.length + 3).slice(0, 1))) return end
    line = end + 1
  }
  return -1
}

/** Letters, digits, `_`, `$` and everything beyond ASCII. */
export function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 36 || code > 127
}

export function wordEnd(text: string, at: number): number {
  let end = at + 1
  while (end < text.length && isWordCode(text.charCodeAt(end))) end++
  return end
}

/** The text of a token; empty past the end. */
export const tokenText = ({ text, starts, ends }: Tokens, index: number): string => text.slice(starts[index] ?? 0, ends[index] ?? 0)

/** Whether a token is this punctuation. */
export const isMark = ({ text, kinds, starts }: Tokens, index: number, mark: string): boolean =>
  kinds[index] === PUNCTUATION && text[starts[index] ?? -1] === mark

/** For each opening bracket the index of its closing one; a bracket that is never closed ends with the text. */
export function matchBrackets(tokens: Tokens): Int32Array {
  const { text, kinds, starts } = tokens
  const matches = new Int32Array(kinds.length).fill(-1)
  const open: number[] = []
  for (let index = 0; index < kinds.length; index++) {
    if (kinds[index] !== PUNCTUATION) continue
    const mark = text[starts[index] ?? 0] ?? ''
    if (mark === '{' || mark === '(' || mark === '[') open.push(index)
    else if (mark === '}' || mark === ')' || mark === ']') closeBracket(tokens, matches, open, index, OPENING[mark])
  }
  for (const index of open) matches[index] = kinds.length
  return matches
}

const OPENING = { '}': '{', ')': '(', ']': '[' }

/** Closes the nearest bracket of that kind. A brace also ends what was left open in it; other closing brackets are then ignored. */
function closeBracket(tokens: Tokens, matches: Int32Array, open: number[], index: number, opening: string): void {
  let depth = open.length - 1
  while (depth >= 0 && !isMark(tokens, open[depth] ?? 0, opening)) {
    if (opening !== '{' && isMark(tokens, open[depth] ?? 0, '{')) return
    depth--
  }
  if (depth < 0) return
  for (const left of open.splice(depth)) matches[left] = index
}
