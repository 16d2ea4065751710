import type { Prompt } from './memory.ts'
import { readProse } from './prose.ts'
import { shorten } from './text.ts'

/** Whether an answer says that something is now decided, as a recap or a final rule does. */
export const isSettling = (text: string): boolean => sentences(text).some((sentence) => SETTLING.test(sentence))

/** Whether a turn changes something that was decided before: "amended rule", "superseding keep-latest", "we changed our mind". */
export const isAmendingTurn = ({ origin, text, answer }: Prompt): boolean =>
  (origin === 'person' && text.length <= MAX_TYPED_CHARACTERS && AMENDING.test(text)) ||
  (answer !== null && isSettling(answer) && AMENDING.test(answer))

/** A longer prompt was pasted, and its words are not the person's. */
const MAX_TYPED_CHARACTERS = 3000

/** Whether an answer states a result. Questions, offers and a bare "Committed." do not. */
export function isConclusive(answer: string): boolean {
  const stated = sentences(answer).filter((sentence) => !isOpen(sentence) && !FILLER.test(sentence) && !isDelivery(sentence))
  return !isBareRemark(stated.join(' '))
}

/** Reports a commit, a push or passing tests, in a sentence that says nothing about the work: "Filed as ENT-263." */
const isDelivery = (sentence: string): boolean =>
  sentence.length < MAX_DELIVERY_CHARACTERS && (DELIVERED.test(sentence) || REPORTED.test(sentence))
const REPORTED =
  /^(?:filed|saved|posted|created|opened|tracked|recorded) (?:as|to|in|on|under) \S+[.!]?$|^(?:all|both|every) (?:of )?(?:\d+ )?(?:the )?(?:\w+ ){0,2}(?:tests?|checks?|threads?|comments?|findings|hooks?)\b[^.;:]{0,60}\b(?:pass(?:es|ed)?|green|addressed|resolved|clean|done|replied)\b[^.;:]{0,40}[.!]?$|^(?:lint|tests?|typecheck|types|ci)\b[^.;:]{0,50}\b(?:pass(?:es|ed)?|clean|green)\b[^.;:]{0,20}[.!]?$/i

/** Says very little, or only reports a commit. */
export const isBareRemark = (text: string): boolean =>
  text.length < MIN_CONCLUSION_CHARACTERS || (text.length < MAX_DELIVERY_CHARACTERS && DELIVERED.test(text))

/** The first sentence of an answer that states something; null if there is none. */
export const firstStatement = (answer: string): string | null =>
  sentences(answer).find((sentence) => !isOpen(sentence) && !FILLER.test(sentence) && /\p{L}{3}/u.test(sentence)) ?? null

/**
 * The conclusion of an answer, in its own words and at most this long. A short answer stays whole. Of a long one the sentences remain that settle
 * something or contain the wanted words (by their stems), in their order; questions and offers go first.
 */
export function conclusionOf(answer: string, wantedStems: readonly string[], maxCharacters: number): string {
  const all = sentences(answer)
  const stated = all.filter((sentence) => !isOpen(sentence) && !FILLER.test(sentence))
  return chooseSentences(stated.length > 0 ? stated : all, wantedStems, maxCharacters)
}

/**
 * The rulings of a person in replies to an agent, in their own words: corrections, refusals and conditions ("No — only the leading-zero strings").
 * Empty if they ruled nothing.
 */
export function rulingsIn(replies: string[], wantedStems: readonly string[], maxCharacters: number): string {
  const ruled = replies
    .flatMap(sentences)
    .filter((sentence) => RULING.test(sentence) && !isOpen(sentence) && countStems(sentence, wantedStems) >= MIN_RULING_STEMS)
  return ruled.length === 0 ? '' : chooseSentences(ruled, wantedStems, maxCharacters)
}

/** Whether a person's reply rules something. */
export const isRuling = (reply: string): boolean => sentences(reply).some((sentence) => RULING.test(sentence))

/** A chat has side remarks too; a ruling on its subject has some of its words. */
const MIN_RULING_STEMS = 2

const countStems = (sentence: string, stems: readonly string[]): number => {
  const lower = sentence.toLowerCase()
  return stems.filter((stem) => lower.includes(stem)).length
}

const RULING =
  /\b(?:no|not|don['’]?t|do not|doesn['’]?t|can['’]?t|cannot|never|only|must|has to|have to|instead|rather|unless|except|because|always|both conditions|exactly)\b/i

/** The sentences that fit, the most telling first, in their own order. */
function chooseSentences(all: string[], wantedStems: readonly string[], maxCharacters: number): string {
  const whole = all.join(' ')
  if (whole.length <= maxCharacters) return whole
  const weights = all.map((sentence) => sentenceWeight(sentence, wantedStems))
  const byWeight = all.map((_, place) => place).sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b)
  const chosen = new Set<number>()
  let room = maxCharacters
  for (const place of byWeight) {
    const cost = (all[place]?.length ?? 0) + GAP.length
    if (cost > room && chosen.size > 0) continue
    chosen.add(place)
    room -= cost
  }
  const parts = [...chosen]
    .sort((a, b) => a - b)
    .map((place, i, places) => (i > 0 && place !== (places[i - 1] ?? 0) + 1 ? `… ${all[place]}` : all[place]))
  return shorten(parts.join(' '), maxCharacters)
}

/** "Got it.", "Excellent!", "All done." */
const FILLER = /^\w{1,20}(?:[,’' ]{1,2}\w{1,20}){0,2}[.!]{1,3}$/

/** An answer that ends the work rather than describing it: a commit, a push. A longer one also describes the work. */
const MAX_DELIVERY_CHARACTERS = 200
const DELIVERED = /^(?:(?:all )?done[.!,:–—\s-]*)?(?:committed|pushed|merged|(?:the )?(?:new )?(?:commit|push|pr|pull request)\b)/i
/** A shorter answer does not describe a result. */
export const MIN_CONCLUSION_CHARACTERS = 40
const GAP = ' … '

/** The sentences and points of a text. What introduces a list ("a session is active if:") is joined with the first point: neither says much alone. */
function sentences(text: string): string[] {
  const joined: string[] = []
  for (const item of readProse(text)) {
    if (item.kind === 'heading') continue
    const before = joined.at(-1)
    if (before?.endsWith(':') && !OPEN.test(before)) joined[joined.length - 1] = `${before} ${item.text}`
    else joined.push(item.text)
  }
  return joined
}

/** A question, an offer, or an announcement of work: nothing is settled by it. */
const isOpen = (sentence: string): boolean => /[?？:：]["”')]*$/.test(sentence) || OPEN.test(sentence)

const OPEN =
  /^(?:(?:ok(?:ay)?|so|and|good|great|perfect|now|first|next|then|alright|right)[,.!—–-]* )*(?:let me\b|let['’]s\b|want me to|would you like|shall i|should i|do you want|i can also|feel free|i need to|i['’]m going to|i['’]ll (?:be sure|make sure|ensure|remember|keep (?:that|this|it) in mind|start|begin|look|check|take a look|read|explore|run|now|also (?:check|look))|looking at\b|simulating\b|here['’]s (?:the|what|a)\b[^.]{0,60}$)/i

const SETTLING = new RegExp(
  [
    '^(?:settled|agreed|final|decided|decision|recap|confirmed|amended|amending|summary|to summari[sz]e|in summary)\\b(?!\\?)',
    '\\b(?:final|full|complete|amended|agreed|updated) (?:rule|policy|recap|shape|behaviou?r|design|decision|version|answer)\\b',
    '^(?:full )?recap\\b|\\bso the (?:rule|policy|answer|decision|map|set|key|order) (?:is|becomes|stays)\\b',
    '^(?:understood|got it|right|ok(?:ay)?|noted)\\b[\\s,:;–—-]+(?!what|how|which|should|do|does|is|are|then what)\\S',
    '\\b(?:root cause|the fix|the culprit) (?:was|is)\\b|^(?:fixed|resolved)\\b|\\bgoing forward\\b',
  ].join('|'),
  'i',
)

const AMENDING = new RegExp(
  [
    '\\bamend(?:s|ed|ing|ment)?\\b|\\bsupersed(?:es|ed|ing)\\b|\\boverrul(?:es|ed|ing)\\b|\\brevis(?:es|ed|ing|ion of) the (?:rule|policy|decision)\\b',
    "\\b(?:we|i)(?:['’]ve| have)? changed (?:my|our) minds?\\b|\\bno longer (?:the (?:rule|case|plan)|want|use|do|need)\\b|\\breplac(?:es|ed|ing) the (?:old|earlier|previous|original)\\b",
    '\\b(?:instead of|not) (?:what|the (?:rule|way|decision|policy)) (?:that )?we (?:decided|agreed|settled|said|had)\\b',
  ].join('|'),
  'i',
)

/** Settled statements and values matter most, then rules and the words of the question. That tests pass is said elsewhere. */
function sentenceWeight(sentence: string, stems: readonly string[]): number {
  const values = Math.min(3, (sentence.match(/\d+(?:\.\d+)?|`[^`]+`|["'“][^"'”]{1,40}["'”]/g) ?? []).length)
  const settled = SETTLING.test(sentence) ? 4 : 0
  const rule = RULING.test(sentence) ? 2 : 0
  const routine = ROUTINE.test(sentence) ? -4 : 0
  return settled + rule + routine + 2 * Math.min(4, countStems(sentence, stems)) + values
}

const ROUTINE =
  /\b(?:tests?|lint|suite|build|types?|format(?:ting)?|ci)\b[^.]{0,40}\b(?:pass(?:es|ed)?|green|clean|succeed(?:s|ed)?)\b|\b(?:committed|pushed)\b/i
