import { isEverydayWord } from './small-talk.ts'

/** The words that say what a text is about, by their stems: without everyday words, short words and numbers. */
export function subjectStems(text: string): Set<string> {
  const words = text.slice(0, MAX_SUBJECT_CHARACTERS).toLowerCase().match(WORD) ?? []
  return new Set(words.filter((word) => !isEverydayWord(word)).map((word) => word.slice(0, STEM_CHARACTERS)))
}

/** Enough to see what a long text is about. */
const MAX_SUBJECT_CHARACTERS = 8000
const WORD = /[\p{L}_]{4,}/gu
/** Roughly what the forms of a word have in common. */
const STEM_CHARACTERS = 6
