import type { ProseItem } from '../../core/prose.ts'

/*
 * Phrases that agents use, and what they say about a sentence. Most are English; words of other languages are included where they change
 * the result. A sentence that matches nothing counts as content, which is the safe choice.
 */

/** Removes openers such as `Done.`, `Perfect!` and `Fixed –`. */
export function withoutOpener(text: string): string {
  const bare = text
    .replace(OPENERS, '')
    .replace(/^and\s/, '')
    .trimStart()
  return bare.length < text.length ? capitalizeSentence(bare) : bare
}

/** Capitalizes the first word. An identifier, a path or code keeps its spelling. */
export function capitalizeSentence(text: string): string {
  return /^[a-zß-ÿ]+(?:['’][a-z]+)?(?:[\s,?]|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

/** Makes the introduction of a list a sentence of its own; null if it is a label or incomplete without the list. */
export function asStandaloneSentence(text: string): string | null {
  if (!/[:：]$/.test(text)) return text
  const bare = text.replace(/\s*[:：]$/, '')
  const hasVerb = /\b(?:is|are|was|were|has|have|had|now|does|do|can|must|should|will|uses?|works?|fails?)\b/i.test(bare)
  return hasVerb && bare.length >= 15 && !needsList(text) && !LABEL.test(bare) ? `${bare}.` : null
}

/** `It is active if either:` is incomplete without its list. */
export function needsList(introduction: string): boolean {
  return /\b(?:if|when|by|is|are|be|was|were|to|of|uses?|outputs?|prints?|returns?|shows?|contains?|includes?|means?|because|that|has|have|into|with|for|as|and|or)(?: (?:either|both|only|one of|all of|now))?\s*[:：]$/i.test(
    introduction,
  )
}

const LABEL =
  /^(?:what|how|why|where|which|this|that|these|those|it|they|here|so|then|when|if|for|in|after|before)\b|\b(?:following|below|as follows|here(?:['’]s| is| are))\b/i

/** Joins texts. Adds a full stop to those without end mark, such as list items. */
export function joinSentences(texts: string[]): string {
  return texts.map((text) => (/[.!?:;。！？…]$/.test(text) ? text : `${text}.`)).join(' ')
}

/** Says nothing about the work: greetings, announcements, offers, "here is a summary". */
export function isFiller(text: string): boolean {
  const bare = withoutOpener(text)
  const hasWords = bare.replace(/[^\p{L}\p{N}]/gu, '').length >= 4
  return !hasWords || [CHATTER, FINISHED, AS_ASKED, ANNOUNCES].some((pattern) => pattern.test(bare))
}

/** The state of checks or commits ("All 1321 tests pass, lint clean"): a result, but a poor title. */
export function isStatus(text: string): boolean {
  return CHECKS_PASS.test(text) || DELIVERED.test(text)
}

/** Explains a cause, a mechanism or a limit. */
export function isExplanation(text: string): boolean {
  return EXPLAINS.test(text)
}

/** Names a cause explicitly. */
export function isCause(text: string): boolean {
  return /\b(?:because|root cause|caused?|due to|the (?:bug|issue|problem|culprit|reason))\b|[,;] so\b(?! far)|原因|因为|потому/i.test(text)
}

/** A question to the person. "Why …?" and "Does …?" do not count, because the text usually answers them itself. */
export function isOpenQuestion(text: string): boolean {
  return /[?？]\s*$/.test(text) && !/^(?:does|did|is|was|why|how come)\b/i.test(text)
}

/** Says what to do next. */
export function isNextStep(item: ProseItem): boolean {
  return NEXT_STEP_HEADING.test(item.under) || INSTRUCTS_PERSON.test(item.text) || NEXT_STEP.test(item.text)
}

/** Joins alternatives into one pattern; a list is easier to read. */
function anyOf(...alternatives: string[]): string {
  return `(?:${alternatives.join('|')})`
}

const OPENERS = new RegExp(
  `^(?:${anyOf(
    '(?:analysis|implementation|everything|the work) is (?:done|complete)(?: and verified)?',
    '(?:all |now )?(?:done|perfect|great|excellent|good|okay|ok|sure|yes|no|right|gone|got it|alright|absolutely|exactly|fixed|noted|ack|clean|correct|confirmed)(?: and verified| question| point| catch| idea| news| call)?',
  )}\\s*(?:[.!:,]|[—–-]\\s)\\s*)+`,
  'i',
)

const CHATTER = new RegExp(
  `^${anyOf(
    "i'll|i will|i'm going to|i'd be|i can |i could |let me|let's|now i|now let|next,? i|first,? i",
    "would you|do you want|want me|should i|shall i|feel free|happy to|is there anything|anything else|what would you|what's next|reply with|say (?:the )?word",
    "here(?:'s| is| are)\\b|below is|see below|summary\\b",
    "hello|hi\\b|thanks|thank you|you're (?:absolutely )?(?:right|welcome)|that's a (?:great|good|really)|this is a great|sounds good|no response|waiting|noted",
    "i (?:now )?have (?:all|everything|enough|full|comprehensive|a)\\b|(?:since|as) i(?:'m| am)\\b",
    "i(?:'ve| have) (?:explored|completed|reviewed|analy[sz]ed|finished|created a comprehensive|gathered|now)|the review has been",
    'agentid:|an agent is|(?:the )?(?:[\\w.]+ ){0,3}(?:sub)?agents? (?:is|are) (?:still )?running',
  )}`,
  'i',
)

/** "All three fixes are implemented and verified:" says that the work is finished, but not what it was. */
const FINISHED =
  /^(?:all|both|everything|each|implementation|the (?:implementation|fix(?:es)?|work|plan|document|changes?|refactor\w*|task|feature|analysis)|analysis|merge|changes?|it)\b[^.,;`]{0,60}\b(?:done|completed?|implemented|applied|finished|in place|ready|updated|clean|working|here|verified|successful\w*)\b[^.;`]{0,40}[.:!]?$/i

const AS_ASKED = /^[^`]{0,60}\bas (?:you )?(?:requested|asked|wanted|described)[.:!]?$/i

/** "…, so I'll provide the findings as a detailed response" is about the answer, not the work. */
const ANNOUNCES =
  /\bi(?:['’]ll| will) (?:now )?(?:provide|present|report|summari[sz]e|outline)\b|^this (?:completes|concludes) (?:the|my|our)\b/i

const CHECKS_PASS =
  /\b(?:tests?|lint(?:ing)?|type-?check|build|checks?|suite|hooks?|ci)\b[^.]{0,60}\b(?:pass(?:es|ed|ing)?|clean|green|succeed(?:s|ed)?|0 issues|no errors|successful)\b/i
const DELIVERED =
  /^(?:committed|pushed|commit\b|the (?:new )?commit\b|all (?:the )?(?:\w+ )?commits (?:are|were)\b|pr (?:created|opened)|merged|no (?:code|files?|changes) (?:was |were )?(?:written|changed|made|touched)\b)/i

const EXPLAINS = new RegExp(
  `\\b${anyOf(
    'because|since|caused?|root cause|reason|due to|the (?:bug|issue|problem|culprit)|turns out|actually|which means|this means|so that',
    "works by|happens when|only (?:when|if|works)|instead of|rather than|doesn't|does not|isn't|can't|cannot",
    'weil|denn|porque|parce que',
  )}\\b|[,;] so\\b(?! far)|原因|因为|ため|потому`,
  'i',
)

const NEXT_STEP_HEADING =
  /\b(?:next steps?|follow-?ups?|remaining|to ?do|still (?:open|to do)|not done|out of scope|later|outstanding)\b|次のステップ|下一步|nächste schritte|próximos pasos/i
const INSTRUCTS_PERSON = /^(?:you can|rebuild|restart|retest|try)\b/i
const NEXT_STEP = new RegExp(
  `\\b${anyOf(
    "next steps?|follow-?up|once you|when you're ready|remains? to|still (?:needs?|to do|missing|open)",
    "you (?:may|might|can now|should|will|'ll) (?:want|need|have|also)|if you(?:'d| would)? (?:want|like|prefer|need)|give .{1,30} (?:a|another) try",
    'not (?:yet|pushed|committed)|left (?:unstaged|for later)',
  )}\\b`,
  'i',
)
