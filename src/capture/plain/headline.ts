import { type ProseItem, sentencesOf } from '../../core/prose.ts'
import { shorten } from '../../core/text.ts'
import {
  asStandaloneSentence,
  capitalizeSentence,
  isCause,
  isExplanation,
  isFiller,
  isNextStep,
  isOpenQuestion,
  isStatus,
  joinSentences,
  needsList,
  withoutOpener,
} from './phrases.ts'

/** A sentence that works as a title. */
type Headline = { text: string; score: number }

/** A sentence with a lower score says too little for a title. */
const MIN_HEADLINE_SCORE = 3
/** From this score on, a sentence makes a better title than the request. */
export const STRONG_HEADLINE_SCORE = 4

/** The sentence of an answer that best says what happened or what was found; null if none is good enough. */
export function headlineOf(items: ProseItem[], mentions: string[]): Headline | null {
  let best: Headline | null = null
  let position = 0
  for (const [n, s] of items.slice(0, 60).entries()) {
    if (s.kind === 'row') continue
    const alone = withoutLabel(withoutOpener(s.kind === 'point' ? (sentencesOf(s.text)[0] ?? s.text) : s.text))
    const text = s.kind === 'sentence' && /[:：]$/.test(alone) ? completeWithList(alone, items.slice(n + 1, n + 5)) : alone
    // An opening sentence that introduces a list summarizes it.
    const sumsUp = position === 0 && text !== alone ? 2 : 0
    const score = scoreAsTitle({ ...s, text }, position, mentions) + sumsUp
    if (score >= MIN_HEADLINE_SCORE && score > (best?.score ?? 0)) best = { text, score }
    if (isContent(s) && !isStatus(s.text)) position++
  }
  return best
}

/** The sentences of an answer, up to `max` characters. */
export function narrativeOf(items: ProseItem[], max: number): string {
  const content = items.filter((s) => isContent(s) && !isStatus(s.text))
  // If the sentences explain nothing, include list items that name causes.
  const explains = content.some((s) => s.kind === 'sentence' && isExplanation(s.text))
  const cause = explains ? -1 : content.findIndex((s) => s.kind === 'point' && isCause(s.text))
  const reasons = cause < 0 ? [] : listAround(content, cause)
  const kept: string[] = []
  let length = 0
  for (const s of content) {
    // Skip a sentence that introduces a list, unless it is complete without the list.
    const sentence = s.kind === 'sentence' ? asStandaloneSentence(withoutOpener(s.text)) : reasons.includes(s) ? s.text : null
    if (sentence === null) continue
    if (length + sentence.length > max && kept.length > 0) break
    kept.push(sentence)
    length += sentence.length + 1
  }
  return shorten(joinSentences(kept), max)
}

/** A list item and its neighbours, three at most: one item alone would lose most of what the list says. */
export function listAround(content: ProseItem[], item: number): ProseItem[] {
  let start = item
  while (start > item - 2 && content[start - 1]?.kind === 'point') start--
  const list = content.slice(start, start + 3)
  const end = list.findIndex((s) => s.kind !== 'point')
  return end < 0 ? list : list.slice(0, end)
}

/** The best list items of an answer, in their original order. Items that name things or causes are preferred. */
export function pointsOf(items: ProseItem[], mentions: string[], max: number): string[] {
  const points = items.filter(
    (s) => s.kind !== 'sentence' && isContent(s) && !isStatus(s.text) && s.text.length >= 15 && !/[:：]$/.test(s.text),
  )
  const scored = points.map(({ text }, position) => {
    const score =
      Number(namesAny(text, mentions)) * 2 +
      Number(text.includes('`')) * 2 +
      Number(isExplanation(text)) +
      Number(text.length > 40) -
      position / 20
    return { text, position, score }
  })
  const chosen = scored.sort((a, b) => b.score - a.score).slice(0, max)
  return chosen.sort((a, b) => a.position - b.position).map((p) => shorten(p.text, 240))
}

/** About the work itself: no filler, no question back, no next step. */
export function isContent(item: ProseItem): boolean {
  return item.kind !== 'heading' && !isFiller(item.text) && !isOpenQuestion(item.text) && !isNextStep(item)
}

/** How many characters of content an answer has. */
export function contentLength(items: ProseItem[]): number {
  return items.filter(isContent).reduce((sum, s) => sum + s.text.length, 0)
}

/** How good a title a sentence makes; 0 if it cannot be one. `position` counts the content sentences before it. */
function scoreAsTitle(item: ProseItem, position: number, mentions: string[]): number {
  const { text, kind } = item
  if (text.length < 12 || isFiller(text) || isOpenQuestion(text) || isNextStep(item)) return 0
  const namesMention = namesAny(text, mentions)
  const isConcrete = namesMention || text.includes('`')
  if (kind === 'heading' && !isTellingHeading(text, isConcrete)) return 0
  const candidate = { text, kind, position, namesMention, isConcrete }
  return TITLE_RULES.reduce((score, { points, when }) => (when(candidate) ? score + points : score), 1)
}

function isTellingHeading(text: string, isConcrete: boolean): boolean {
  return !GENERIC_HEADING.test(text) && text.split(' ').length >= 3 && (isConcrete || SAYS_SOMETHING.test(text))
}

type TitleCandidate = Pick<ProseItem, 'text' | 'kind'> & { position: number; namesMention: boolean; isConcrete: boolean }

/** Each rule is a reason to prefer or avoid a sentence. The points were tuned by reading the titles they chose in real sessions. */
const TITLE_RULES: { points: number; when(candidate: TitleCandidate): boolean }[] = [
  // For scripts without word lists, the first sentences are the best guess.
  { points: 2, when: ({ text }) => UNKNOWN_WORDS.test(text) },
  { points: 2, when: ({ namesMention }) => namesMention },
  { points: 1, when: ({ text }) => text.includes('`') },
  { points: 1, when: ({ text }) => isExplanation(text) },
  { points: 1, when: ({ text }) => SAYS_SOMETHING.test(text) },
  { points: 1, when: ({ text }) => REPORTS_CHANGE.test(text) },
  { points: 2, when: ({ text }) => NAMES_INSIGHT.test(text) && text.length > 45 },
  // Answers open with the answer.
  { points: 1, when: ({ position }) => position < 3 },
  { points: 2, when: ({ position, text }) => position === 0 && text.length >= 45 },
  { points: -1, when: ({ kind }) => kind === 'point' },
  { points: -4, when: ({ text }) => isStatus(text) },
  // "This ensures …" and "It also …" depend on a sentence that the title will not include.
  { points: -2, when: ({ text }) => STARTS_WITH_PRONOUN.test(text) },
  { points: -2, when: ({ text }) => STARTS_DEPENDENT.test(text) },
  { points: -1, when: ({ text }) => /[:：]$/.test(text) },
  { points: -1, when: ({ text }) => text.length > 220 },
  { points: -1, when: ({ text, isConcrete }) => text.length < 40 && !isConcrete },
]

const REPORTS_CHANGE =
  /^(?:added|fixed|changed|removed|replaced|updated|created|moved|renamed|restored|implemented|refactored|deleted|the (?:bug|issue|problem|fix|root cause|cause) (?:was|is|were|now|occurr|happen|change|remove|use))/i
const NAMES_INSIGHT = /\b(?:key insight|root cause|turns out|the real|verdict)\b/i
const STARTS_WITH_PRONOUN = /^(?:this|that|it|these|those|they)(?:['’]\w+)?\s/i
const STARTS_DEPENDENT =
  /^(?:this|that|it|these|those|they|you|your|also|so|but|and|then|however|note|for example|if|when|which|with|i'd|my take|based on)\b/i
const UNKNOWN_WORDS = /[\p{Lo}\p{Script=Cyrillic}\p{Script=Greek}]{4}/u
const SAYS_SOMETHING =
  /\b(?:now|no longer|added|fix(?:e[sd])?|changed|removed|replaced|updated|created|moved|renamed|rewrote|restored|supports?|uses?|missing|wrong|broken|because|was|were|is|are|has|have|needs?|[a-z]{3,}ed)\b/i
const GENERIC_HEADING =
  /^(?:summary|what|changes?|files?|features?|how|why|next|overview|details|notes?|test|usage|results?|key|actions?|navigation|implementation|review|options?|analysis|code|step|current|where|critical|important|verified|removed|added|modified|updated)\b(?!.*`)|:$/i

/**
 * Completes `It is active if either:` with the list items that follow, and `There were two bugs:` with their labels. Other sentences stay
 * as they are, without the colon if they are complete.
 */
function completeWithList(lead: string, next: ProseItem[]): string {
  const end = next.findIndex((s) => s.kind !== 'point')
  const items = (end < 0 ? next : next.slice(0, end)).map((s) => s.text)
  if (needsList(lead) && items.length > 0) return `${lead} ${items.slice(0, 3).join('; ')}`
  const labels = items.map((item) => /^(`[^`]{2,40}`|[^:`]{3,40})(?:: | [—–-] )/.exec(item)?.[1] ?? '')
  if (COUNTS.test(lead) && labels.length > 0 && labels.every(Boolean))
    return capitalizeSentence(`${lead} ${labels.slice(0, 3).join('; ')}`.replace(/^there (?:were|are|was|is) /i, ''))
  return asStandaloneSentence(lead) ?? lead
}

const COUNTS = /\b(?:two|three|four|five|six|several|\d+)(?: [\w-]+){0,4} [\w-]+s\s*[:：]$/i

function namesAny(text: string, mentions: string[]): boolean {
  return mentions.some((mention) => text.includes(mention))
}

/** Removes labels such as `Root cause: …`, `Fix 1 — …` and `2. …`. A label that is code stays. */
function withoutLabel(text: string): string {
  return text
    .replace(/^\d{1,2}[.)]\s+|^based on [^,]{1,80},\s+/i, '')
    .replace(
      /^(?:(?:the )?(?:root cause|cause|fix(?:es|ed)?|problem|issue|solution|summary|result|changes? made|change[sd]?|answer|overall|verdict|key insight|new|updated?|resolution|what changed|what happened|before|after|symptom)(?: \d+)?(?: of the \w+)?)\s*(?::|[—–]\s)\s*/i,
      '',
    )
}
