import { type Language, languageOf, READERS } from './languages.ts'
import { ignoreRepeatedBrackets } from './read-c.ts'
import { type Signature, signatureOf, signatureOfText } from './signature.ts'
import { asSource, type DefinitionKind } from './source.ts'
import { tokenize } from './tokens.ts'

/** A longer file is not read: it is generated, or data. */
export const MAX_SOURCE_CHARACTERS = 512 * 1024

/** A definition in a file: its place, and what is asked of it later. */
export type Definition = {
  /** With the containers it is in: `Reader.next`. */
  name: string
  kind: DefinitionKind
  /** The place of its text; comments and attributes before it are not part of it. */
  start: number
  end: number
  signature: () => Signature
}

/** The definitions of a source text, in order; an outer one comes before its inner ones. Empty if the language is not known. */
export function readDefinitions(path: string, text: string): Definition[] {
  const language = languageOf(path)
  return language === null || text.length > MAX_SOURCE_CHARACTERS ? [] : definitionsIn(language, text)
}

/** A definition and its lines, counted from 1. */
type DefinedLines = { name: string; firstLine: number; lastLine: number }

/** The definitions of a source text with their lines, in order. */
export function definedLines(path: string, text: string): DefinedLines[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  const lineOf = (at: number) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    return low + 1
  }
  return readDefinitions(path, text).map(({ name, start, end }) => ({
    name,
    firstLine: lineOf(start),
    lastLine: lineOf(Math.max(start, end - 1)),
  }))
}

function definitionsIn(language: Language, text: string): Definition[] {
  const reader = READERS[language]
  if ('sections' in reader)
    return reader.sections(text).map(({ name, kind, start, end }) => ({
      name,
      kind,
      start,
      end,
      signature: () => signatureOfText(text.slice(start, end), reader.commentMark),
    }))
  const tokens = tokenize(text, reader.rules, reader.start?.(text) ?? 0)
  if (reader.hasDirectives) ignoreRepeatedBrackets(tokens)
  return reader.read(asSource(tokens)).map(({ name, kind, from, to }) => ({
    name,
    kind,
    start: tokens.starts[from] ?? 0,
    end: tokens.ends[to - 1] ?? text.length,
    signature: () => signatureOf(tokens, from, to),
  }))
}

/** The innermost definition that contains a range of the text; null if none does. */
export function enclosing(definitions: Definition[], start: number, end = start): Definition | null {
  let innermost: Definition | null = null
  for (const one of definitions) {
    if (one.start > start || one.end <= start || one.end < end) continue
    if (!innermost || one.end - one.start <= innermost.end - innermost.start) innermost = one
  }
  return innermost
}
