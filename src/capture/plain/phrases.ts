import type { ProseItem } from './prose.ts'

/*
 * Turns of phrase that agents use, and what they tell about a sentence. English is what agents write most; the few words of other
 * languages are those that change a verdict. A sentence that none of these know is taken for content, which is the safe side.
 */

/** What stays of a sentence when openers (`Done.`, `Perfect!`, `Fixed –`) are taken off its front. */
export function withoutOpener(text: string): string {
  const bare = text
    .replace(OPENERS, '')
    .replace(/^and\s/, '')
    .trimStart()
  return bare.length < text.length ? capitalizeSentence(bare) : bare
}

/** A text with the capital that begins a sentence. An identifier, a path or code in front keeps its own spelling. */
export function capitalizeSentence(text: string): string {
  return /^[a-zß-ÿ]+(?:['’][a-z]+)?(?:[\s,?]|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

/** A lead-in to a list as a sentence of its own; null when it is a label or hangs in the air without the list. */
export function asStandaloneSentence(text: string): string | null {
  if (!/[:：]$/.test(text)) return text
  const bare = text.replace(/\s*[:：]$/, '')
  const says = /\b(?:is|are|was|were|has|have|had|now|does|do|can|must|should|will|uses?|works?|fails?)\b/i.test(bare)
  return says && bare.length >= 15 && !needsList(text) && !LABEL.test(bare) ? `${bare}.` : null
}

/** `It is active if either:` is not whole before the first item. */
export function needsList(lead: string): boolean {
  return /\b(?:if|when|by|is|are|be|was|were|to|of|uses?|outputs?|prints?|returns?|shows?|contains?|includes?|means?|because|that|has|have|into|with|for|as|and|or)(?: (?:either|both|only|one of|all of|now))?\s*[:：]$/i.test(
    lead,
  )
}

const LABEL =
  /^(?:what|how|why|where|which|this|that|these|those|it|they|here|so|then|when|if|for|in|after|before)\b|\b(?:following|below|as follows|here(?:['’]s| is| are))\b/i

/** Texts put behind one another; list items among them still have to end. */
export function joinSentences(texts: string[]): string {
  return texts.map((text) => (/[.!?:;。！？…]$/.test(text) ? text : `${text}.`)).join(' ')
}

/** Says nothing about the work: greetings, announcements of what comes next, offers, "here is a summary". */
export function isFiller(text: string): boolean {
  const bare = withoutOpener(text)
  const says = bare.replace(/[^\p{L}\p{N}]/gu, '').length >= 4
  return !says || [CHATTER, FINISHED, AS_ASKED, ANNOUNCES].some((pattern) => pattern.test(bare))
}

/** The state of checks ("All 1321 tests pass, lint clean"): good for what was completed, poor as a title. */
export function isStatus(text: string): boolean {
  return CHECKS_PASS.test(text) || DELIVERED.test(text)
}

/** Explains: a cause, a mechanism, a limit. */
export function isExplanation(text: string): boolean {
  return EXPLAINS.test(text)
}

/** Names a cause outright. */
export function isCause(text: string): boolean {
  return /\b(?:because|root cause|caused?|due to|the (?:bug|issue|problem|culprit|reason))\b|[,;] so\b(?! far)|原因|因为|потому/i.test(text)
}

/** A question back to the person: what the answer leaves open. One that the text goes on to answer is none. */
export function isOpenQuestion(text: string): boolean {
  return /[?？]\s*$/.test(text) && !/^(?:does|did|is|was|why|how come)\b/i.test(text)
}

/** What comes next, in the answer's own words. */
export function isNextStep(said: ProseItem): boolean {
  return OUTLOOK_HEADING.test(said.under) || TELLS_PERSON.test(said.text) || OUTLOOK.test(said.text)
}

/** One pattern out of a list of alternatives, so that the list can be read. */
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

/** "All three fixes are implemented and verified:" – finished, but not what. */
const FINISHED =
  /^(?:all|both|everything|each|implementation|the (?:implementation|fix(?:es)?|work|plan|document|changes?|refactor\w*|task|feature|analysis)|analysis|merge|changes?|it)\b[^.,;`]{0,60}\b(?:done|completed?|implemented|applied|finished|in place|ready|updated|clean|working|here|verified|successful\w*)\b[^.;`]{0,40}[.:!]?$/i

const AS_ASKED = /^[^`]{0,60}\bas (?:you )?(?:requested|asked|wanted|described)[.:!]?$/i

/** "…, so I'll provide the findings as a detailed response" – of the answer, not of the work. */
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

const OUTLOOK_HEADING =
  /\b(?:next steps?|follow-?ups?|remaining|to ?do|still (?:open|to do)|not done|out of scope|later|outstanding)\b|次のステップ|下一步|nächste schritte|próximos pasos/i
const TELLS_PERSON = /^(?:you can|rebuild|restart|retest|try)\b/i
const OUTLOOK = new RegExp(
  `\\b${anyOf(
    "next steps?|follow-?up|once you|when you're ready|remains? to|still (?:needs?|to do|missing|open)",
    "you (?:may|might|can now|should|will|'ll) (?:want|need|have|also)|if you(?:'d| would)? (?:want|like|prefer|need)|give .{1,30} (?:a|another) try",
    'not (?:yet|pushed|committed)|left (?:unstaged|for later)',
  )}\\b`,
  'i',
)
