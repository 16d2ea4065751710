import { subjectStems } from './subject.ts'

/**
 * Whether a sentence is clear without the conversation around it. "Let's only add replace then, but leave the others" needs what was said
 * before; so does a sentence whose subject is "this".
 */
export const standsAlone = (sentence: string): boolean =>
  !pointsBack(sentence) && (NAMES_SOMETHING.test(sentence) || subjectStems(sentence).size >= MIN_STEMS)

/** Whether a sentence refers to what was said before it. */
export const pointsBack = (sentence: string): boolean => POINTS_BACK.test(sentence.replace(/`[^`]*`/g, 'CODE'))

const POINTS_BACK = new RegExp(
  [
    "^(?:(?:ok(?:ay)?|yes|no|so|and|but|then|also|well|please|let['’]?s|lets|we|i)\\b[\\s,]*)*(?:(?:only|just|rather|instead|also|should|will|want(?: to)?|need(?: to)?)\\s+)*(?:\\w+ )?(?:it|this|that|these|those|them|both|neither)\\b(?! (?:repo(?:sitory)?|project|codebase|package|module|files?|folder|team|branch|issues?|errors?|bugs?|problems?|commands?|functions?|tests?|features?|tickets?)\\b)",
    '\\b(?:the (?:others?|rest|former|latter|first|second|other one)|this one|that one|the same)\\b',
    '\\bthen for now\\b',
  ].join('|'),
  'i',
)
/** Code, a name with capitals inside, an abbreviation, a path. */
const NAMES_SOMETHING = /`[^`]+`|\b[A-Za-z]+[a-z][A-Z]\w*|\b[A-Z]{2,}\b|\b\w+[/_.-]\w+\b/
const MIN_STEMS = 3
