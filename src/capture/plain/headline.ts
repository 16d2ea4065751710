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
import { type ProseItem, sentencesOf } from './prose.ts'

/** A sentence that can stand alone as a title, and how well it does. */
type Headline = { text: string; score: number }

/** Below this a sentence tells too little; from `STRONG` on it tells more than the request it answers. */
const MIN_HEADLINE_SCORE = 3
export const STRONG_HEADLINE_SCORE = 4

/** The sentence of an answer that says best, by itself, what happened or what is so; null when none can. */
export function headlineOf(said: ProseItem[], mentions: string[]): Headline | null {
  let best: Headline | null = null
  let place = 0
  for (const [n, s] of said.slice(0, 60).entries()) {
    if (s.kind === 'row') continue
    const alone = withoutLabel(withoutOpener(s.kind === 'point' ? (sentencesOf(s.text)[0] ?? s.text) : s.text))
    const text = s.kind === 'sentence' && /[:：]$/.test(alone) ? completeWithList(alone, said.slice(n + 1, n + 5)) : alone
    // The sentence that opens an answer and leads in its list sums the list up.
    const sumsUp = place === 0 && text !== alone ? 2 : 0
    const score = scoreAsTitle({ ...s, text }, place, mentions) + sumsUp
    if (score >= MIN_HEADLINE_SCORE && score > (best?.score ?? 0)) best = { text, score }
    if (isContent(s) && !isStatus(s.text)) place++
  }
  return best
}

/** The running text of an answer, as it stands, up to `max` characters. */
export function narrativeOf(said: ProseItem[], max: number): string {
  const content = said.filter((s) => isContent(s) && !isStatus(s.text))
  // Where the running text only says that it is done, the reasons stand in the list.
  const explains = content.some((s) => s.kind === 'sentence' && isExplanation(s.text))
  const cause = explains ? -1 : content.findIndex((s) => s.kind === 'point' && isCause(s.text))
  const reasons = cause < 0 ? [] : listAround(content, cause)
  const kept: string[] = []
  let length = 0
  for (const s of content) {
    // A lead-in to a list that is not here would hang in the air, unless it is whole without it.
    const sentence = s.kind === 'sentence' ? asStandaloneSentence(withoutOpener(s.text)) : reasons.includes(s) ? s.text : null
    if (sentence === null) continue
    if (length + sentence.length > max && kept.length > 0) break
    kept.push(sentence)
    length += sentence.length + 1
  }
  return shorten(joinSentences(kept), max)
}

/** The item of a list and its neighbours, three at most: one item alone tells a third of what the list says. */
export function listAround(content: ProseItem[], item: number): ProseItem[] {
  let start = item
  while (start > item - 2 && content[start - 1]?.kind === 'point') start--
  const list = content.slice(start, start + 3)
  const end = list.findIndex((s) => s.kind !== 'point')
  return end < 0 ? list : list.slice(0, end)
}

/** The points of an answer that name things or causes, the best of them, in the order they were made. */
export function pointsOf(said: ProseItem[], mentions: string[], max: number): string[] {
  const points = said.filter(
    (s) => s.kind !== 'sentence' && isContent(s) && !isStatus(s.text) && s.text.length >= 15 && !/[:：]$/.test(s.text),
  )
  const scored = points.map(({ text }, place) => {
    const score =
      Number(namesAny(text, mentions)) * 2 +
      Number(text.includes('`')) * 2 +
      Number(isExplanation(text)) +
      Number(text.length > 40) -
      place / 20
    return { text, place, score }
  })
  const chosen = scored.sort((a, b) => b.score - a.score).slice(0, max)
  return chosen.sort((a, b) => a.place - b.place).map((p) => shorten(p.text, 240))
}

/** Something about the work itself, neither courtesy nor outlook. */
export function isContent(said: ProseItem): boolean {
  return said.kind !== 'heading' && !isFiller(said.text) && !isOpenQuestion(said.text) && !isNextStep(said)
}

/** How many characters of content an answer has. */
export function contentLength(said: ProseItem[]): number {
  return said.filter(isContent).reduce((sum, s) => sum + s.text.length, 0)
}

/** How good a title a sentence makes; 0 if it cannot be one. `place` counts the content sentences before it. */
function scoreAsTitle(item: ProseItem, place: number, mentions: string[]): number {
  const { text, kind } = item
  if (text.length < 12 || isFiller(text) || isOpenQuestion(text) || isNextStep(item)) return 0
  const namesMention = namesAny(text, mentions)
  const isConcrete = namesMention || text.includes('`')
  if (kind === 'heading' && !isTellingHeading(text, isConcrete)) return 0
  const candidate = { text, kind, place, namesMention, isConcrete }
  return TITLE_RULES.reduce((score, { points, when }) => (when(candidate) ? score + points : score), 1)
}

function isTellingHeading(text: string, isConcrete: boolean): boolean {
  return !GENERIC_HEADING.test(text) && text.split(' ').length >= 3 && (isConcrete || SAYS_SOMETHING.test(text))
}

type TitleCandidate = Pick<ProseItem, 'text' | 'kind'> & { place: number; namesMention: boolean; isConcrete: boolean }

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
  { points: 1, when: ({ place }) => place < 3 },
  { points: 2, when: ({ place, text }) => place === 0 && text.length >= 45 },
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
 * `It is active if either:` becomes whole with the items it announces, `There were two bugs:` with their labels. One that is whole
 * stands alone, and a mere label over a list stays one.
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

/** `Root cause: …`, `Fix 1 — …`, `2. …`: the label sorts a list, the title starts behind it. A label that is itself code stays. */
function withoutLabel(text: string): string {
  return text
    .replace(/^\d{1,2}[.)]\s+|^based on [^,]{1,80},\s+/i, '')
    .replace(
      /^(?:(?:the )?(?:root cause|cause|fix(?:es|ed)?|problem|issue|solution|summary|result|changes? made|change[sd]?|answer|overall|verdict|key insight|new|updated?|resolution|what changed|what happened|before|after|symptom)(?: \d+)?(?: of the \w+)?)\s*(?::|[—–]\s)\s*/i,
      '',
    )
}
