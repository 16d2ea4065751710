import { shorten } from '../../core/text.ts'
import { capitalizeSentence, withoutOpener } from './phrases.ts'
import type { ParsedPrompt } from './prompt.ts'

/** A sentence as a title: no markup, no trailing stop, subject "I" dropped, cut at a clause rather than inside one. */
export function asTitle(text: string, max = 100): string {
  const said = withoutOpener(text).trim()
  const flat = said
    .replaceAll('`', '')
    .replace(
      /^(?:i've|i have|i|we've|we have|we)\s+(?:also |now |successfully |just )*(?!want|get|must|might|not\b|let|meant|felt|thought)(?=[a-z]+(?:ed|t|ade|ote|an)\b)/i,
      '',
    )
    .replace(/\s+/g, ' ')
    .trim()
    .replace(TRAILING_MARKS, '$1')
  // A file name, an identifier or code in front keeps its own spelling.
  const whole = said[0] === '`' ? flat : capitalizeSentence(flat)
  if (whole.length <= max) return /[:：]$/.test(said) ? withoutLooseEnd(whole) : whole
  return cutAtClause(whole, max, CLAUSE_ENDS)
}

/** The last boundary between clauses that leaves enough to understand, and never inside a parenthesis. */
function cutAtClause(whole: string, max: number, marks: string[]): string {
  // "When the fetch failed, …" cut at its comma would lose what it is about, "the following report: …" at its colon as well.
  const blunt = [
    ...(/^(?:when|if|for|in|since|while|after|before|with|on|at)\b/i.test(whole) ? [', '] : []),
    ...(/\bfollowing\b[^:]{0,30}: /i.test(whole) ? [': '] : []),
    // "Claude, Cursor and Copilot" is one thing.
    ...(/, [^\s,]{1,20} and /.test(whole.slice(0, max + 5)) ? [', ', ' and '] : []),
    ...(whole.lastIndexOf(' with ', max - 1) < max * 0.6 ? [' with '] : []),
  ]
  const ends = marks.filter((mark) => !blunt.includes(mark))
  const cut = Math.max(...ends.map((mark) => whole.lastIndexOf(mark, max - 1)))
  const isWhole = cut >= max * 0.45 && !/\b(?:is|are|was|were|be|not)$/i.test(whole.slice(0, cut))
  const clause = isWhole ? whole.slice(0, cut) : shorten(whole, max)
  const open = clause.lastIndexOf(' (')
  const closed = open >= max * 0.35 && !clause.slice(open).includes(')') ? clause.slice(0, open) : clause
  return withoutLooseEnd(closed)
}

const CLAUSE_ENDS = [' — ', ' – ', '; ', ': ', ', ', ' (', ' so that ', ' because ']
/** A request strings together what is to be done; the first thing is its name. */
const REQUEST_ENDS = [...CLAUSE_ENDS, ' and ', ' but ', ' then ', ' which ', ' when ', ' where ', ' with ']

/** A text that was cut, without the words that only led on to what was cut off. */
function withoutLooseEnd(text: string): string {
  const ended = text.replace(TRAILING_MARKS, '$1')
  return ended.endsWith('…') ? ended.replace(LOOSE_END, '…') : ended.replace(CONNECTORS, '')
}

const TRAILING_MARKS = /[\s.:;,。、–—-]+(…?)$/
const LOOSE_END =
  /(?:[\s,:]+(?:and|or|but|the|a|an|to|of|in|for|with|that|is|are|as|at|on|by|we|our|so|how|not|from|it|its|this|be|which|was|were))+…$/i
const CONNECTORS = /(?:[\s,:]+(?:and|or|but|the|a|an|to|of|for|with|that|which|also))+$/i

/** A short name for a session from what was asked. Null when the prompt cannot name one. */
export function sessionTitle(asked: ParsedPrompt): string | null {
  return asked.isMeaningful ? bareRequest(asked, 60).replace(/[\s?？!…]+$/, '') || null : null
}

/** The request as the title of what was done about it; null when it does not say by itself what to do. */
export function requestTitle(asked: ParsedPrompt, max: number): string | null {
  const request = bareRequest(asked, max)
  // "Do the same for it" needs the prompt before.
  const pointsBack = /\b(?:it|this|that|these|those|them)[.!?]?$|\b(?:do|implement|fix) (?:it|this|that|\d)/i.test(request)
  return asked.isMeaningful && IMPERATIVE.test(request) && !pointsBack ? request.replace(/\?$/, '') : null
}

/** The question that was asked, or what was to be looked into; null when the prompt was neither. */
export function questionTitle(asked: ParsedPrompt, max: number): string | null {
  const request = bareRequest(asked, max)
  const isQuestion =
    /^(?:why|what|how|is|are|does|do|did|was|were|which|where|who|when|can|could|should|would|will|have|has)\b|[?？]$/i.test(request)
  return asked.isMeaningful && (isQuestion || IMPERATIVE.test(request)) ? request : null
}

/** The sentence that asks, without courtesy, addresses and trailing dots, in at most `max` characters. */
function bareRequest(asked: ParsedPrompt, max: number): string {
  const bare = withoutCourtesy(requestOf(asked))
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

/** The sentence of a prompt that asks. Where it only points back ("find out why and fix it"), what it points at. */
function requestOf({ sentences }: ParsedPrompt): string {
  const worth = sentences.slice(0, 8).filter((s) => s.length >= 18)
  // A remark may come first ("there is a comment on the PR"); the sentence that asks is the one that counts.
  const at = worth.findIndex((s, n) => isAsking(s) || (n < 3 && IMPERATIVE.test(withoutCourtesy(s))))
  const request = worth[at]
  if (request === undefined) return worth[0] ?? sentences.find((s) => s.length >= 10) ?? sentences[0] ?? ''
  const order = withoutCourtesy(request)
  const before = worth.slice(0, at).filter((s) => !/^(?:there(?:'?s| is| are| was)|however|but|so)\b/i.test(s))
  const thing = /^(`[^`]{2,60}`|[a-z]+[A-Z_]\w*|\w+_\w+|[\w/-]+\.\w{1,4}) (?:is|are|has|was|does|should)\b/.exec(before.at(-1) ?? '')?.[1]
  if (thing && /^\w+ it\b/.test(order)) return order.replace(/\bit\b/, thing)
  const pointsBack = POINTS_BACK.test(order) || (!isAsking(request) && /^\w+ (?:it|this|that|them|these|those)\b/.test(order))
  return pointsBack ? (before[0] ?? request) : request
}

function isAsking(sentence: string): boolean {
  return ASKS.test(sentence) || /[?？]$/.test(sentence)
}

/** "Write it down", "find out why and fix it": says what to do, not what with. */
const POINTS_BACK =
  /^write (?:it|this|that) (?:down|up)\b|^(?:address|check|debug|do|explain|figure|find|fix|handle|implement|investigate|look|resolve|review|solve)\b.{0,40}\b(?:it|this|that|them|why)[.!?]?$/i

function withoutCourtesy(sentence: string): string {
  return sentence
    .replace(/^[-*•]\s+|^\d+[.)]\s+/, '')
    .replace(COURTESY, '')
    .replace(/^(?:plan|task|goal)\s*:\s*/i, '')
}

const ASKS = /\b(?:please|can you|could you|can we|could we|let's|lets|i (?:do )?want|i'd like|we should|we need|i need|make sure)\b/i
const IMPERATIVE =
  /^(?:add|adjust|allow|analy[sz]e|apply|avoid|build|bump|change|check|clean|compare|configure|convert|create|debug|delete|deploy|disable|document|drop|enable|ensure|evaluate|execute|explain|export|expose|extend|extract|figure|find|fix|generate|handle|hide|highlight|implement|import|improve|include|increase|install|integrate|investigate|limit|log|look|make|merge|migrate|move|open|optimi[sz]e|plan|port|prevent|print|reduce|refactor|release|remove|rename|replace|report|restore|return|revert|review|rewrite|run|set|show|simplify|skip|sort|speed|split|stop|store|support|switch|test|track|trim|try|tune|turn|update|upgrade|use|validate|verify|wire|wrap|write)\b|[\p{Lo}\p{Script=Cyrillic}\p{Script=Greek}]{3}/iu

const COURTESY =
  /^(?:(?:ok(?:ay)?|hey|hi|hello|so|now|well|great|perfect|thanks|yes|yeah|also|and|alright)\b[\s,.!-]+)*(?:(?:please|pls|can you|could you|would you|can we|could we|we should|should we|we need to|you should|i want you to|i'd like you to|i would like you to|i need you to|i want to|i'd like to|i would like to|i need to|let's|lets|help me(?: to)?)\s+(?:please\s+)?(?:also\s+)?)*/i
