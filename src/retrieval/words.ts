/** The words of a question that can find something: lower case, without the ones every text has, each once, a bounded number. */
export function wordsOf(question: string): string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  const telling = words.filter((word) => word.length > 1 && !COMMON.has(word))
  return [...new Set(telling.length > 0 ? telling : words)].slice(0, MAX_WORDS)
}

/** A pasted log is not a question; past this many words the rest adds cost and no sense. */
const MAX_WORDS = 40

const COMMON = new Set(
  `a about after all also am an and any are as at be because been before being but by can could did do does doing done for from
  get got had has have he her here him his how i if in into is it its just let like make me more most my no not now of off on
  once only or other our out over own please same she should so some such than that the their them then there these they this
  those to too up us use very was we were what when where which who why will with would you your`.split(/\s+/),
)
