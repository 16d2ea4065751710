import { sentencesOf } from '../core/prose.ts'
import { isEverydayWord } from '../core/small-talk.ts'

/** The telling words of a text, by their stems, and its literal values. Names of files and code are neither. */
export function tellingParts(text: string): Set<string> {
  const parts = new Set<string>()
  for (const [word] of text.toLowerCase().replace(NAMES, ' ').matchAll(PART))
    if (/^[-\d]/.test(word)) parts.add(word)
    else if (!isEverydayWord(word)) parts.add(word.slice(0, STEM_CHARACTERS))
  return parts
}

/** Paths, addresses, file names, calls, names with capitals or underscores inside, and ids of memories, issues and commits. */
const NAMES = /\S*\w\/\S*|[\w-]+\.[a-z]\w*(?:\(\))?|\w+\(\)|[a-z0-9]+_\w+|#\d+|\b[pscn]\d+\b|\b(?=[a-z]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b/g
const PART = /--[a-z][\w-]+|\d+(?:\.\d+)+|\d{2,}|\p{L}{4,}/gu
/** Roughly what the forms of a word have in common. */
const STEM_CHARACTERS = 6

/** The telling parts of each passage that a session said or wrote, to compare lines with. */
export type LaterPassages = Set<string>[]

/** A passage is about as long as a paragraph: in a longer text, words meet by chance. */
export const laterPassages = (texts: string[]): LaterPassages =>
  texts
    .flatMap((text) => text.slice(0, MAX_TEXT_CHARACTERS).match(PASSAGE) ?? [])
    .map((passage) => tellingParts(withoutSymbols(passage)))
    .filter((parts) => parts.size > 1)

/** A longer text is a file or a log. */
const MAX_TEXT_CHARACTERS = 20_000
const PASSAGE = /[\s\S]{1,400}(?:\s|$)/g

/** `parseUrl` and `HTTPServer`: must go before the text is in lower case. */
const withoutSymbols = (text: string) => text.replace(/\b\w*[a-z0-9][A-Z]\w*\b|\b[A-Z]{2,}[a-z]\w*\b/g, ' ')

/**
 * The lines of a shown text, each as its statements. Frames and headings are not lines; each item of a list is one. What only describes a memory
 * (its id, age and length, and what had been asked) is left out.
 */
export function shownLines(text: string): Set<string>[][] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !FRAME.test(line))
    .flatMap((line) => itemsOf(line))
    .map((item) => sentencesOf(item.replace(DESCRIPTION, ' ')).map((one) => tellingParts(withoutSymbols(one))))
}

/** The lines of a shown text as it was written, and whether each recurs; null for frames and headings. A list recurs if one of its items does. */
export function markRecurring(
  text: string,
  later: LaterPassages,
  weightOf: (part: string) => number,
): { text: string; isUsed: boolean | null }[] {
  return text.split('\n').map((line) => {
    const items = shownLines(line)
    return { text: line, isUsed: items.length > 0 ? items.some((item) => recurs(item, later, weightOf)) : null }
  })
}

const FRAME = /^<\/?recollect-context|check before relying on it\.|^In full: |:$/
const DESCRIPTION =
  /^P\d+ · [^·]+ · (?:.{0,75} — )?|^[#SCN]\w+ · [^·]+ · |\(P\d+: “[^”]*”\)|\b\d+ (?:minute|hour|day|week|month|year)s?(?: ago)?|\b\d{4}-\d\d-\d\d\b| · ~\d+t$/g

/** The items of a line that lists titles; any other line is one. */
function itemsOf(line: string): string[] {
  const list = /^(?:- Also there|Also done): (.+)$/.exec(line)?.[1]
  return list ? list.split(' · ').map((item) => item.replace(/^[#P]\d+ (?:\S+ (?=\S))?/, '')) : [line]
}

/**
 * Whether a line recurs: one passage has at least two parts of one of its statements, and they weigh a fifth of it and as much as two words that
 * one in five sessions has.
 */
export function recurs(line: Set<string>[], later: LaterPassages, weightOf: (part: string) => number): boolean {
  const weigh = (parts: string[]) => parts.reduce((sum, part) => sum + weightOf(part), 0)
  return line.some((statement) => {
    const enough = Math.max(MIN_RECURRING_WEIGHT, RECURRING_SHARE * weigh([...statement]))
    return later.some((passage) => {
      const shared = [...statement].filter((part) => passage.has(part))
      return shared.length > 1 && weigh(shared) >= enough
    })
  })
}

const MIN_RECURRING_WEIGHT = 3
const RECURRING_SHARE = 0.2

/** The weight of each part: the logarithm of how few sessions have it. What every session says weighs nothing. */
export function partWeights(sessions: LaterPassages[]): (part: string) => number {
  const counts = new Map<string, number>()
  for (const passages of sessions) for (const part of partsOf(passages)) counts.set(part, (counts.get(part) ?? 0) + 1)
  return (part) => Math.log((sessions.length + 1) / (counts.get(part) ?? 1))
}

export const partsOf = (passages: LaterPassages): Set<string> => new Set(passages.flatMap((parts) => [...parts]))
