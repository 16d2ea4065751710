import { type ProseItem, readProse } from '../core/prose.ts'
import type { FoundStatement } from './rules.ts'

/**
 * The work that a session's last answer leaves open: "Retry-After is not honoured yet", the points under "Next steps", "TODO: …". Offers and
 * questions to the person are left out.
 */
export function findOpenEnds(answer: string): FoundStatement[] {
  const items = readProse(answer)
  return items.flatMap((item, n) => {
    const introduction = items[n - 1]
    const text = openEndOf(item, introduction)
    return text === null ? [] : [{ text, confidence: 0.8 }]
  })
}

function openEndOf(item: ProseItem, before: ProseItem | undefined): string | null {
  const { text, kind, under } = item
  if (kind === 'heading' || text.length < MIN_CHARS || text.length > MAX_CHARS || isNotOpen(text)) return null
  if (kind === 'point' && (OPEN_HEADING.test(under) || (before && OPEN_INTRODUCTION.test(before.text)))) return text
  if (kind === 'row') return null
  return OPEN_LABEL.test(text) || OPEN_PHRASE.test(text) ? text : null
}

const MIN_CHARS = 20
const MAX_CHARS = 300

/** "Next steps", "Remaining work", "Known limitations". */
const OPEN_TOPIC =
  "(?:(?:suggested |possible |recommended |your )?next(?: steps?| up)?|to-?dos?|to do|remaining(?: (?:work|tasks?|items?|steps?|issues?|gaps?))?|(?:still |what(?:['’]s| is) )?(?:left|open|missing|to do)(?: to do)?|left to do|open (?:questions?|issues?|items?|ends?|points?|tasks?)|follow-?ups?(?: (?:work|tasks?|items?|issues?))?|known (?:limitations?|gaps?|issues?)|not (?:yet )?(?:done|covered|implemented|handled|supported)(?: yet)?|future work|deferred)"
const OPEN_HEADING = new RegExp(`^(?:\\d+[.)] )?${OPEN_TOPIC}(?: \\([^)]*\\))?:?$`, 'i')
const OPEN_LABEL = new RegExp(`^${OPEN_TOPIC}:\\s+\\S`, 'i')
const OPEN_INTRODUCTION = new RegExp(`^(?:the )?${OPEN_TOPIC}(?: (?:are|is))?:$`, 'i')

const STATE =
  '(?:honou?red|supported|implemented|handled|covered|wired(?: up)?|tested|documented|fixed|finished|addressed|migrated|done|verified|deployed|merged|released)'
const OPEN_PHRASE = new RegExp(
  [
    `\\b(?:is|are|was|were|does|do|has|have)(?: not|n['’]t)(?: been)? (?:\\w+ )?${STATE}\\b[^.]{0,40}\\byet\\b`,
    `^(?!.*\\b(?:if|when|unless|changed|returns?)\\b).*\\bnot yet ${STATE}\\b`,
    '\\b(?:as|for|in) a (?:separate )?follow-?up(?: (?:pr|issue|task|commit|ticket))?[.!]?$',
    '[–—-] (?:deferred|still open|not done|todo)(?: \\([^)]*\\)| (?:to|until) [^.]+)?[.!]?$',
    `\\bstill (?:needs? to be|has to be|have to be|to be) (?:\\w+ )?\\w+ed\\b`,
    '\\bstill (?:to do|unhandled|unsupported|unimplemented|untested)\\b',
    '\\bremains? (?:to be (?:done|implemented|fixed|tested)|open|unsolved|unresolved|unfixed)\\b',
    '\\b(?:left|deferred) (?:open|for (?:later|a follow-?up|another (?:pr|session|day))|to a (?:later|follow-?up))\\b',
  ].join('|'),
  'i',
)

const isNotOpen = (text: string) =>
  /[?？]\s*["”)]?$|:$/.test(text) ||
  /\b(?:want me to|would you like|probably|maybe|might|let me know|if you(?:['’]d)? (?:want|like|prefer)|should i|shall i|i can|i could|feel free|when you(?:['’]re| are) ready|ready (?:for|to)|just say)\b/i.test(
    text,
  ) ||
  /^(?:none|nothing|no (?:open|remaining|known)|n\/a)\b/i.test(text) ||
  /^(?:✅|✓|\[x\]|done\b|~~)/i.test(text) ||
  /\b(?:all|everything|nothing) (?:is |was |has been )?(?:done|left|open|fixed|resolved)\b/i.test(text)
