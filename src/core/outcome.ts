import type { Prompt } from './memory.ts'
import { readProse, sentencesOf } from './prose.ts'
import { shorten } from './text.ts'

/** Whether an answer says that something is now decided, as a recap or a final rule does, or that it was fixed. */
export const isSettling = (text: string): boolean => sentences(text).some((sentence) => SETTLING.test(sentence))

/** Whether an answer says that something is now decided. "Fixed" is only what the agent reports. */
export const isDecision = (text: string): boolean => sentences(text).some((sentence) => DECIDED.test(sentence))

/** Labels an answer as a decision, or as the agent's report of its own work, which may be wrong. */
export const labelOfAnswer = (answer: string): 'Settled' | 'Reported' => (isDecision(answer) ? 'Settled' : 'Reported')

/** An answer without a first word that its label repeats: "Settled: Settled: …". */
export const withoutLabel = (text: string): string => text.replace(/^(?:settled|decided|agreed): (?=\S)/i, '')

/**
 * The sentence in which the person doubted a result afterwards ("it still fails", "are you sure?"), if no later answer concluded anything; null if
 * they did not. `turns` are those of the thread.
 */
export function doubtAbout(outcome: Prompt, turns: Prompt[]): string | null {
  const later = turns.filter(({ number }) => number > outcome.number)
  const [doubt] = later.flatMap(doubtIn)
  return doubt === undefined || later.some(({ answer }) => answer !== null && isConclusive(answer)) ? null : doubt
}

const doubtIn = ({ origin, text }: Prompt): string[] =>
  origin === 'person' && text.length <= MAX_DOUBT_CHARACTERS ? sentencesOf(text).filter((sentence) => DOUBT.test(sentence)) : []

/** A longer prompt goes on to other work. */
const MAX_DOUBT_CHARACTERS = 600
const DOUBT = new RegExp(
  [
    '\\bstill (?:fail|broken|not |does ?n|is ?n|see(?:ing)?\\b|get(?:ting)?\\b|happen|wrong|crash|the same|there\\b)',
    "\\b(?:does|did|is|was|are|has)(?: ?n['’]?t| not) (?:work|fix|right|correct|true|help|what (?:i|we)\\b|solve|been fixed)",
    "\\bnot (?:fixed|working|right|correct|true|solved)\\b|\\bare you (?:really )?sure\\b|\\b(?:that|this|it)(?:['’]?s| is) (?:wrong|incorrect|not (?:it|what|how|the))\\b",
    "\\byou (?:missed|forgot|broke)\\b|\\bsame (?:error|problem|issue|failure)\\b|\\bi (?:don['’]?t|do not) (?:think|believe) (?:so|that|this|it)\\b",
  ].join('|'),
  'i',
)

/** Whether a turn changes something that was decided before: "amended rule", "superseding keep-latest", "we changed our mind". */
export const isAmendingTurn = ({ origin, text, answer }: Prompt): boolean =>
  (origin === 'person' && text.length <= MAX_TYPED_CHARACTERS && AMENDING.test(text)) ||
  (answer !== null && isSettling(answer) && AMENDING.test(answer))

/** A longer prompt was pasted, and its words are not the person's. */
const MAX_TYPED_CHARACTERS = 3000

/** Whether an answer states a result. Questions, offers, a bare "Committed." and reports of what was committed or filed do not. */
export function isConclusive(answer: string): boolean {
  const stated = sentences(answer).filter((sentence) => !isOpen(sentence) && !FILLER.test(sentence))
  const described = stated.filter((sentence) => !isReport(sentence) && (stated.length > MAX_DELIVERY_SENTENCES || !isDelivery(sentence)))
  return !isBareRemark(stated.join(' ')) && !isBareRemark(described.join(' '))
}

/** The sentences of an answer about unfinished business, such as uncommitted changes or a branch that is not pushed. Empty if there are none. */
export function leftoverIn(answer: string, maxCharacters: number): string {
  const left = sentences(answer)
    .flatMap((sentence) => sentencesOf(sentence))
    .filter((sentence) => LEFTOVER.test(sentence) && !isOpen(sentence))
  return left.length === 0 ? '' : chooseSentences(left, [], maxCharacters)
}

const isDelivery = (sentence: string): boolean =>
  DELIVERED.test(sentence) || REPORTS_DELIVERY.test(sentence) || LEFTOVER.test(sentence) || ROUTINE.test(sentence)

/** An answer with more sentences also describes the work. */
const MAX_DELIVERY_SENTENCES = 6
const REPORTS_DELIVERY = new RegExp(
  [
    '\\b(?:has|have|was|were|is|are)(?: been| now)? (?:successfully )?(?:committed|pushed|merged|filed|marked as|in (?:a|one) (?:single )?commit)\\b',
    '^(?:filed|tracked|opened|created|updated) (?:it |this )?(?:as |in |the )?(?:(?:pr|pull request|issue|ticket)\\b|[A-Z]{2,}-\\d|#\\d)',
    '^(?:all|both|the)\\b[^.]{0,40}\\b(?:threads?|comments?|findings?)\\b[^.]{0,30}\\b(?:addressed|resolved|answered|replied)\\b',
    '\\b(?:branch|working tree|repo(?:sitory)?) (?:is|looks) (?:clean|up to date|ready)\\b|\\bready (?:to|for) (?:commit|merge|review|your pr)\\b',
    '\\b(?:staged|pre-commit hook)\\b|`/clear`',
  ].join('|'),
  'i',
)
/** Names what was not committed or pushed. "Left alone" is about the working tree only next to such words. */
const LEFTOVER = new RegExp(
  [
    '^(?!.*\\b(?:if|when|unless)\\b).{0,200}\\b(?:(?:remains?|left|stays?|still|are|is) (?:unstaged|uncommitted|untracked)|not (?:yet )?(?:pushed|committed|merged)|left out of (?:the|this) commit)\\b',
    '^(?!.*\\b(?:if|when|unless)\\b)(?=.*\\b(?:staged|commit(?:ted)?|working tree|repo|pushed)\\b).{0,200}\\bleft (?:alone|untouched|as[- ]is)\\b',
  ].join('|'),
  'i',
)

/** Reports a commit, a push or passing tests, in a sentence that says nothing about the work: "Filed as ENT-263." */
const isReport = (sentence: string): boolean =>
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
  return chooseSentences(statedIn(answer), wantedStems, maxCharacters)
}

/** The gist of an answer to someone who has no question: like its conclusion, but its first sentences weigh more and what was committed less. */
export function gistOf(answer: string, wantedStems: readonly string[], maxCharacters: number): string {
  const stated = statedIn(answer, BEFORE_THE_WORK)
  const described = stated.filter((sentence) => !isDelivery(sentence) && !REPLIES.test(sentence))
  return chooseSentences(described.length > 0 ? described : stated, wantedStems, maxCharacters, LEAD_WEIGHTS)
}

/** Replies to what was asked: without the question it says nothing. */
const REPLIES = /^(?:yes|no|nope|right|exactly|correct|good|great)\s?[,.!:;–—]/i
/** How much more the first sentences of an answer weigh. */
const LEAD_WEIGHTS = [8, 5, 3, 2]

/** A heading above a description of how things were. */
const BEFORE_THE_WORK = /^(?:the )?(?:\S+ )?(?:problem|issue|bug|before|was wrong|what was wrong|previously)\b/

/** The statements of an answer. Those under the headings `notUnder` are left out unless there are no others. */
function statedIn(answer: string, notUnder: RegExp | null = null): string[] {
  const rest = notUnder && sentences(answer, notUnder)
  const all = rest && rest.length > 0 ? rest : sentences(answer)
  const stated = all.filter((sentence) => !isOpen(sentence) && !FILLER.test(sentence))
  return stated.length > 0 ? stated : all
}

/**
 * The rulings of a person in replies to an agent, in their own words: corrections, refusals and conditions ("No — only the leading-zero strings").
 * Empty if they ruled nothing.
 */
export function rulingsIn(replies: string[], wantedStems: readonly string[], maxCharacters: number): string {
  const ruled = replies
    .flatMap((reply) => sentences(reply))
    .filter((sentence) => RULING.test(sentence) && !isOpen(sentence) && countStems(sentence, wantedStems) >= MIN_RULING_STEMS)
  return ruled.length === 0 ? '' : chooseSentences(ruled, wantedStems, maxCharacters)
}

/** Whether a person's reply rules something. A question does not: "why not the table itself?". */
export const isRuling = (reply: string): boolean => sentences(reply).some((sentence) => RULING.test(sentence) && !/\?\s*$/.test(sentence))

/** A chat has side remarks too; a ruling on its subject has some of its words. */
const MIN_RULING_STEMS = 2

const countStems = (sentence: string, stems: readonly string[]): number => {
  const lower = sentence.toLowerCase()
  return stems.filter((stem) => lower.includes(stem)).length
}

const RULING =
  /\b(?:no|not|don['’]?t|do not|doesn['’]?t|can['’]?t|cannot|never|only|must|has to|have to|instead|rather|unless|except|because|always|both conditions|exactly)\b/i

/** The sentences that fit, the most telling first, in their own order. */
function chooseSentences(all: string[], wantedStems: readonly string[], maxCharacters: number, leadWeights: number[] = []): string {
  const whole = all.length > 0 ? joinSentences(all) : ''
  if (whole.length <= maxCharacters) return whole
  const weights = all.map((sentence, place) => sentenceWeight(sentence, wantedStems) + (leadWeights[place] ?? 0))
  const byWeight = all.map((_, place) => place).sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b)
  const chosen = new Set<number>()
  let room = maxCharacters
  for (const place of byWeight) {
    const cost = (all[place]?.length ?? 0) + GAP.length
    if (cost > room && chosen.size > 0) continue
    chosen.add(place)
    room -= cost
  }
  const places = [...chosen].sort((a, b) => a - b)
  const isNext = (i: number) => places[i] === (places[i - 1] ?? 0) + 1
  const parts = places.map((place, i) => (i === 0 || isNext(i) ? (all[place] ?? '') : `… ${all[place]}`))
  return shorten(joinSentences(parts), maxCharacters)
}

/** Points of a list have no full stop: joined by spaces alone they would read as one sentence. */
const joinSentences = (parts: string[]): string =>
  parts.reduce((text, part) => (/[.!?:;,…。！？]["”')\]`]*$/.test(text) || part.startsWith('…') ? `${text} ${part}` : `${text}; ${part}`))

/** "Got it.", "Excellent!", "All done." */
const FILLER = /^\w{1,20}(?:[,’' ]{1,2}\w{1,20}){0,2}[.!]{1,3}$/

/** An answer that ends the work rather than describing it: a commit, a push. A longer one also describes the work. */
const MAX_DELIVERY_CHARACTERS = 200
const DELIVERED = /^(?:(?:all )?done[.!,:–—\s-]*)?(?:committed|pushed|merged|(?:the )?(?:new )?(?:commit|push|pr|pull request)\b)/i
/** A shorter answer does not describe a result. */
export const MIN_CONCLUSION_CHARACTERS = 40
const GAP = ' … '

/** The sentences and points of a text. What introduces a list ("a session is active if:") is joined with the first point: neither says much alone. */
function sentences(text: string, notUnder: RegExp | null = null): string[] {
  const joined: string[] = []
  for (const item of readProse(text)) {
    if (item.kind === 'heading' || notUnder?.test(item.under)) continue
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

const DECIDED = new RegExp(
  [
    '^(?:settled|agreed|final|decided|decision|recap|confirmed|amended|amending)\\b(?!\\?)',
    '\\b(?:final|full|complete|amended|agreed|updated) (?:rule|policy|recap|shape|behaviou?r|design|decision|version|answer)\\b',
    '^(?:full )?recap\\b|\\bso the (?:rule|policy|answer|decision|map|set|key|order) (?:is|becomes|stays)\\b',
    '^(?:understood|got it|right|ok(?:ay)?|noted)\\b[\\s,:;–—-]+(?!what|how|which|should|do|does|is|are|then what)\\S',
    '\\bgoing forward\\b',
  ].join('|'),
  'i',
)
const SETTLING = new RegExp(
  `${DECIDED.source}|\\b(?:root cause|the fix|the culprit) (?:was|is)\\b|^(?:fixed|resolved|summary|to summari[sz]e|in summary)\\b(?!\\?)`,
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
