import { pointsBack } from '../../core/standalone.ts'
import { subjectStems } from '../../core/subject.ts'
import { shorten } from '../../core/text.ts'
import { capitalizeSentence, withoutOpener } from './phrases.ts'
import type { ParsedPrompt } from './prompt.ts'

/** Turns a sentence into a title: no markup, no final stop, no leading "I", and cut at the end of a clause if it is too long. */
export function asTitle(text: string, max = 100): string {
  const sentence = withoutOpener(text).trim()
  const flat = sentence
    .replaceAll('`', '')
    .replace(
      /^(?:i've|i have|i|we've|we have|we)\s+(?:also |now |successfully |just )*(?!want|get|must|might|not\b|let|meant|felt|thought)(?=[a-z]+(?:ed|t|ade|ote|an)\b)/i,
      '',
    )
    .replace(/\s+/g, ' ')
    .trim()
    .replace(TRAILING_MARKS, '$1')
  // Code at the start keeps its spelling.
  const whole = sentence[0] === '`' ? flat : capitalizeSentence(flat)
  if (whole.length <= max) return /[:：]$/.test(sentence) ? withoutLooseEnd(whole) : whole
  return cutAtClause(whole, max, CLAUSE_ENDS)
}

/** Cuts at the last clause end that leaves enough to understand, never inside a parenthesis. */
function cutAtClause(whole: string, max: number, marks: string[]): string {
  // Cutting "When the fetch failed, …" at its comma would lose the point; so would cutting "the following report: …" at its colon.
  const unusable = [
    ...(/^(?:when|if|for|in|since|while|after|before|with|on|at)\b/i.test(whole) ? [', '] : []),
    ...(/\bfollowing\b[^:]{0,30}: /i.test(whole) ? [': '] : []),
    // Keep an enumeration such as "Claude, Cursor and Copilot" together.
    ...(/, [^\s,]{1,20} and /.test(whole.slice(0, max + 5)) ? [', ', ' and '] : []),
    ...(whole.lastIndexOf(' with ', max - 1) < max * 0.6 ? [' with '] : []),
  ]
  const ends = marks.filter((mark) => !unusable.includes(mark))
  const cut = Math.max(...ends.map((mark) => whole.lastIndexOf(mark, max - 1)))
  const isWhole = cut >= max * 0.45 && !/\b(?:is|are|was|were|be|not)$/i.test(whole.slice(0, cut))
  const clause = isWhole ? whole.slice(0, cut) : shorten(whole, max)
  const open = clause.lastIndexOf(' (')
  const closed = open >= max * 0.35 && !clause.slice(open).includes(')') ? clause.slice(0, open) : clause
  return withoutLooseEnd(closed)
}

const CLAUSE_ENDS = [' — ', ' – ', '; ', ': ', ', ', ' (', ' so that ', ' because ']
/** A request often lists several things to do; the first one names it. */
const REQUEST_ENDS = [...CLAUSE_ENDS, ' and ', ' but ', ' then ', ' which ', ' when ', ' where ', ' with ']

/** Removes trailing words that lead to text that was cut off. */
function withoutLooseEnd(text: string): string {
  const ended = text.replace(TRAILING_MARKS, '$1')
  return ended.endsWith('…') ? ended.replace(LOOSE_END, '…') : ended.replace(CONNECTORS, '')
}

const TRAILING_MARKS = /[\s.:;,。、–—-]+(…?)$/
const LOOSE_END =
  /(?:[\s,:]+(?:and|or|but|the|a|an|to|of|in|for|with|that|is|are|as|at|on|by|we|our|so|how|not|from|it|its|this|be|which|was|were))+…$/i
const CONNECTORS = /(?:[\s,:]+(?:and|or|but|the|a|an|to|of|for|with|that|which|also))+$/i

/** A session title from a prompt; null if the prompt says too little, or asks what the agent can do. A title that had to be cut says so. */
export function sessionTitle(prompt: ParsedPrompt): string | null {
  if (!prompt.isMeaningful || ABOUT_THE_AGENT.test(prompt.text)) return null
  const [request] = [bareRequest(prompt, MAX_SESSION_TITLE_CHARS), ...otherSentences(prompt)].filter((title) => !pointsBack(title))
  return (request ?? bareRequest(prompt, MAX_SESSION_TITLE_CHARS)).replace(/[\s?？!]+$/, '') || null
}

const MAX_SESSION_TITLE_CHARS = 80
const ABOUT_THE_AGENT = /^(?:do you have (?:access|a)\b|(?:can|could) you (?:see|access|read) \w+\W*$|are you able to\b)/i

/** The first sentences of a prompt that could name its session too: "this is PR 104. Let's review it together." */
const otherSentences = (prompt: ParsedPrompt): string[] =>
  prompt.sentences
    .slice(0, 3)
    .filter((sentence) => sentence.length >= 10 && /^[\p{L}`@/]/u.test(sentence))
    .map((sentence) =>
      bareRequest({ ...prompt, sentences: [sentence] }, MAX_SESSION_TITLE_CHARS).replace(/^(?:this|that) is (?=.*\d)/i, ''),
    )
    .filter((title) => /\d\d|[/._-]\w|[a-z][A-Z]/.test(title) || subjectStems(title).size >= 2)
    .map(capitalizeSentence)

/** A title from a request; null if the request is not understandable on its own. */
export function requestTitle(prompt: ParsedPrompt, max: number): string | null {
  const request = bareRequest(prompt, max)
  // "Do the same for it" depends on the prompt before.
  const pointsBack = /\b(?:it|this|that|these|those|them)[.!?]?$|\b(?:do|implement|fix) (?:it|this|that|\d)/i.test(request)
  return prompt.isMeaningful && IMPERATIVE.test(request) && !pointsBack ? request.replace(/\?$/, '') : null
}

/** A title from a question or a task; null if the prompt is neither. */
export function questionTitle(prompt: ParsedPrompt, max: number): string | null {
  const request = bareRequest(prompt, max)
  const isQuestion =
    /^(?:why|what|how|is|are|does|do|did|was|were|which|where|who|when|can|could|should|would|will|have|has)\b|[?？]$/i.test(request)
  return prompt.isMeaningful && (isQuestion || IMPERATIVE.test(request)) ? request : null
}

/** The sentence with the request, without polite phrases, full URLs and trailing marks, in at most `max` characters. */
function bareRequest(prompt: ParsedPrompt, max: number): string {
  const bare = withoutPoliteness(requestOf(prompt))
  const isCode = bare.startsWith('`')
  const flat = bare
    .replace(/`/g, '')
    .replace(/https?:\/\/(?:www\.)?(\S+)/g, (_, address: string) => address.split('/').slice(-2).join('/').split(/[?#]/)[0] ?? '')
    .replace(/\bplease\b,?\s*/gi, '')
    .replace(/@(?=[\w./-]+)/g, '')
    .trim()
    .replace(/\s+/g, ' ')
  const title = flat.length > max ? cutAtClause(flat, max, REQUEST_ENDS) : flat.replace(TRAILING_MARKS, '$1')
  return isCode ? title : capitalizeSentence(title)
}

/** The sentence with the request. If it only refers back ("find out why and fix it"), the sentence it refers to. */
function requestOf({ sentences }: ParsedPrompt): string {
  const candidates = sentences.slice(0, 8).filter((s) => s.length >= 18)
  // A remark may come first ("there is a comment on the PR"), so look for the request itself.
  const index = candidates.findIndex((s, n) => isAsking(s) || (n < 3 && IMPERATIVE.test(withoutPoliteness(s))))
  const request = candidates[index]
  if (request === undefined) return candidates[0] ?? sentences.find((s) => s.length >= 10) ?? sentences[0] ?? ''
  const order = withoutPoliteness(request)
  const before = candidates.slice(0, index).filter((s) => !/^(?:there(?:'?s| is| are| was)|however|but|so)\b/i.test(s))
  const thing = /^(`[^`]{2,60}`|[a-z]+[A-Z_]\w*|\w+_\w+|[\w/-]+\.\w{1,4}) (?:is|are|has|was|does|should)\b/.exec(before.at(-1) ?? '')?.[1]
  if (thing && /^\w+ it\b/.test(order)) return order.replace(/\bit\b/, thing)
  const pointsBack = POINTS_BACK.test(order) || (!isAsking(request) && /^\w+ (?:it|this|that|them|these|those)\b/.test(order))
  return pointsBack ? (before[0] ?? request) : request
}

function isAsking(sentence: string): boolean {
  return ASKS.test(sentence) || /[?？]$/.test(sentence)
}

/** "Write it down", "find out why and fix it": the request does not name its object. */
const POINTS_BACK =
  /^write (?:it|this|that) (?:down|up)\b|^(?:address|check|debug|do|explain|figure|find|fix|handle|implement|investigate|look|resolve|review|solve)\b.{0,40}\b(?:it|this|that|them|why)[.!?]?$/i

function withoutPoliteness(sentence: string): string {
  return (
    sentence
      .replace(/^[-*•]\s+|^\d+[.)]\s+/, '')
      // A slash command followed by words: the words are the request.
      .replace(/^\/[a-z][\w:-]*\s+(?=(?:\S+\s+){3}\S)/i, '')
      .replace(POLITE_OPENING, '')
      .replace(/^(?:plan|task|goal)\s*:\s*/i, '')
  )
}

const ASKS = /\b(?:please|can you|could you|can we|could we|let's|lets|i (?:do )?want|i'd like|we should|we need|i need|make sure)\b/i
const IMPERATIVE =
  /^(?:add|adjust|allow|analy[sz]e|apply|avoid|build|bump|change|check|clean|compare|configure|convert|create|debug|delete|deploy|disable|document|drop|enable|ensure|evaluate|execute|explain|export|expose|extend|extract|figure|find|fix|generate|handle|hide|highlight|implement|import|improve|include|increase|install|integrate|investigate|limit|log|look|make|merge|migrate|move|open|optimi[sz]e|plan|port|prevent|print|reduce|refactor|release|remove|rename|replace|report|restore|return|revert|review|rewrite|run|set|show|simplify|skip|sort|speed|split|stop|store|support|switch|test|track|trim|try|tune|turn|update|upgrade|use|validate|verify|wire|wrap|write)\b|[\p{Lo}\p{Script=Cyrillic}\p{Script=Greek}]{3}/iu

const POLITE_OPENING =
  /^(?:(?:ok(?:ay)?|hey|hi|hello|so|now|well|great|perfect|thanks|yes|yeah|also|and|alright)\b[\s,.!-]+)*(?:(?:please|pls|can you|could you|would you|can we|could we|we should|should we|we need to|you should|i want you to|i'd like you to|i would like you to|i need you to|i want to|i'd like to|i would like to|i need to|let's|lets|help me(?: to)?)\s+(?:please\s+)?(?:also\s+)?)*/i
