import { typedSentences } from './typed-text.ts'

/** A sentence that makes sense on its own, quoted, and how sure we are that it is what we take it for. */
export type FoundStatement = { text: string; confidence: number }

/**
 * The standing rules in a person's prompt: instructions for all later work, as opposed to requests about the work at hand. Each is quoted as
 * it was typed; a sentence that refers to the one before is quoted with it.
 */
export function findRules(prompt: string): FoundStatement[] {
  if (JOKE.test(prompt)) return []
  const sentences = typedSentences(prompt)
  return sentences.flatMap((sentence, n) => {
    const quoted = withoutRequest(sentence)
    const confidence = ruleConfidence(quoted)
    if (confidence === null) return []
    const text = refersBack(quoted) ? [...contextOf(sentences.slice(0, n)), quoted].join(' ') : quoted
    return splitRule(withoutOpenQuote(text)).map((part) => ({ text: part, confidence }))
  })
}

/** "Let's fix this one too, we never want an empty id": the request is for now, the rest may hold for good. */
function withoutRequest(sentence: string): string {
  const rest = /^(?:(?:ok|okay|yes|yeah|and|so|then),? )*let['’]?s (?!always|never)[^,;.]{3,80}[,;] ((?:we|always|never|i)\b.{10,})$/i.exec(
    sentence,
  )?.[1]
  return rest && ruleConfidence(rest) !== null ? `[…] ${rest}` : sentence
}

/**
 * A sentence with two rules, each of which may be replaced alone, as two quotations with an ellipsis: "start method names with 'x_' and
 * function names with 'y_'".
 */
function splitRule(text: string): string[] {
  const values =
    /^(.*?\b)((?:your |all |the |our )*(?!(?:start|end|begin|prefix|suffix|name)\b)(?:[\w-]+ ){1,3}with (?:the (?:pre|suf)fix )?['"`‘“][^'"`’”]+['"`’”])(,? and )((?:for )?(?:your |all |the |our )*(?:[\w-]+ ){1,3}(?:with )['"`‘“][^'"`’”]+['"`’”])(.*)$/i.exec(
      text,
    )
  if (values) {
    const [, start = '', first = '', , second = '', end = ''] = values
    return [`${start}${first} […]`, `${start}[…] ${second}${end}`]
  }
  const kinds = /^(.*\b)(\w+) and (\w+) (names\b.*)$/.exec(text)
  if (kinds && !/\bnames\b/.test(kinds[1] ?? '')) {
    const [, start = '', first = '', second = '', end = ''] = kinds
    return [`${start}${first} […] ${end}`, `${start}[…] ${second} ${end}`]
  }
  return [text]
}

/** The sentence splitter may cut a quotation in two. */
const withoutOpenQuote = (text: string) => ((text.match(/"/g)?.length ?? 0) % 2 === 1 ? text.replace(/^"|"$/, '') : text)

const JOKE =
  /\b(?:lol|haha+|hehe+|rofl|jk|just kidding|(?:only|just) joking|kidding)\b|[😂🤣😜😉]|(?:^|\s)(?:\/s|;-?\)|:-?[DP])(?=\s|[.!]?$)/iu

/** "Always start them with 'y_'." makes no sense without the sentence before. */
const refersBack = (sentence: string) => (POINTS_BACK.test(sentence) && !NAMED_THING.test(withoutLeadIn(sentence))) || TERSE.test(sentence)

/** "Never drop silently." */
const TERSE = /^(?:never|always) \S+(?: \S+)?[.!]?$/i
const POINTS_BACK =
  /\b(?:us(?:e|ing)|start(?:ing)?|end(?:ing)?|begin|prefix|includ(?:e|ing)|add(?:ing)?|appl(?:y|ying)|do(?:ing)?|keep|put|name|call|run|write) (?:them|it|those|these|this|that|the names?)\b|\b(?:in|to|for|with|on) (?:them|it|those|these)\b[.!]?$|\bin the name\b|\bthis (?:decorator|convention|prefix|suffix)\b/i
const NAMED_THING = /\b\w+ names?\b(?<!\b(?:the|their|its|your|all|any) names?)|\bnaming (?:\w+ )?\w+s\b|^(?:for|when)\b/i

/** The sentence before a rule; and the one before that if it begins with "they" or "this", too. */
function contextOf(before: string[]): string[] {
  const [earlier, last] = [before.at(-2), before.at(-1)]
  if (!last || !isContext(last)) return []
  return earlier && isContext(earlier) && /^(?:it|they|these|those|this)\b/i.test(last) ? [earlier, last] : [last]
}

const isContext = (sentence: string) => sentence.length <= 240 && !/[?？]\s*$/.test(sentence)

const MAX_RULE_CHARS = 400
const MIN_RULE_CHARS = 12

/** How sure it is that a sentence is a standing rule; null if it is none. */
function ruleConfidence(sentence: string): number | null {
  if (sentence.length > MAX_RULE_CHARS || sentence.length < MIN_RULE_CHARS) return null
  const bare = withoutLeadIn(withoutQuotations(sentence))
  if (ONE_OFF.test(sentence) || NO_RULE.some((pattern) => pattern.test(bare))) return null
  const cue = CUES.find(({ phrase, unless }) => phrase.test(bare) && !unless?.test(bare))
  return cue ? cue.confidence : null
}

/** Describes what is, does or helps, instead of asking for something. */
const DESCRIBES =
  /^(?:the (?!\w+ (?:convention|practice|rule|standard|guideline|policy|instruction))|this|these|that|it(?!(?:['’]s| is) (?:important|crucial|essential))|they|he|she|there|by|as|we(?:['’]ve| have)|i(?:['’]ve| have|['’]ll| will)?(?= (?:been|noticed|know|use|do)))\b|\b(?:is|are) (?:important|key|crucial|essential|clear|a (?:great|good)|part of)\b(?! (?:that you|to))/i
const DESCRIBES_NAMES =
  /^(?:the|this|that|these|it|i|they|he|she|there|by|we(?:['’]ve| have))\b(?!(?:['’]d| would| now| do)* (?:want|need|like|prefer|expect))(?! (?:\w+ ){1,2}names? (?:must|should|have to|need to))|\b(?:this|that) (?:\w+ )?name\b|^(?!.*\bnam(?:ing|es)\b).*\bthe (?:\w+ )?name\b|\bnamed\b|\bnames?(?:space| is| was| are)\b/i

/** What someone says, as opposed to a value such as 'x_' or `npm test`. */
const withoutQuotations = (sentence: string) => sentence.replace(/["“](?:[^"“”]{25,}|always|never|from now on)["”]/gi, 'QUOTE')

/** Words before the instruction: greetings, names, numbering, politeness. */
function withoutLeadIn(sentence: string): string {
  let rest = sentence.replace(/^(?:\[…\] )?["'“‘(]*/, '').trim()
  for (let n = 0; n < 4; n++) rest = rest.replace(LEAD_IN, '')
  return rest
}

const LEAD_IN = new RegExp(
  `^(?:${[
    '(?:and|also|so|but|then|oh|ok|okay|yes|yeah|yep|no|nope|great|right|well|now|again|first|second|third|firstly|secondly|thirdly|lastly|finally|next|additionally|likewise|moreover|furthermore|besides|plus|btw|note|important|reminder|please|pls|actually|absolutely|exactly|sure|perfect|excellent)',
    '(?:one|another|the (?:first|second|third|last|next|other)|a (?:final|last|further)) (?:more |important |last |final |other )?(?:thing|point|note|instruction|request|rule)(?: (?:is|was|to note|to remember))?(?: (?:to|that))?',
    "(?:one|another|some) of the things i (?:want|need|would like|['’]d like) you to (?:focus on|do|remember|keep in mind) is",
    '(?:to that end|for consistency[^,]{0,40}|in addition(?: to [^,]{0,60})?|on top of that|as (?:a reminder|mentioned|i said)|by the way|moving on(?: to [^,]{0,60})?|regarding [^,]{0,60}|to (?:ensure|maintain|keep) [^,]{0,60}|it is important(?: to be [^,]{0,60})?)(?=,)',
    "(?:for|to|in order to) (?![^,]*\\bnam)[^,.]{3,60}(?=, (?:make sure|ensure|please|always|never|i (?:want|need|would)|i['’]d))",
    '(?:(?:shifting|switching) gears|moving on)[^,]{0,40}(?=,)',
    '[A-Z][a-z]+(?=,)',
  ].join('|')})[,:;.!]?\\s+`,
  'i',
)

/** An adverb that makes an instruction hold for good. */
const STANDING =
  '(?:from now on(?:wards?)?|from (?:here|this point|today)(?: on)?(?: ?wards?| out)?|going forward|moving forward|henceforth|hereafter|every time|each time|at all times|as a (?:general )?rule)'
/** The start of an instruction to the reader. */
const ASKED =
  "(?:i|we)(?:['’]d| would| do| will| now| still| really)* (?:want|need|like|prefer|expect|ask|require)(?: (?:you|us|everyone|all of you))?(?: to| that(?: you)?| you)?"
const ASKED_YOU = ASKED.replace('(?: (?:you|us|everyone|all of you))?', ' (?:you|us|everyone|all of you)')
const STRESSED = "(?:i|we)(?:['’]d like| want| wanted| need)? to (?:emphasi[sz]e|stress|remind you of)(?: the (?:importance|use) of)?"
const REMINDED =
  "(?:make sure|be sure|ensure|remember|get (?:used to|into the habit of)|it(?:['’]s| is) (?:important|crucial|essential|key))(?: to| that(?: you| we)?| you)?"
/** Between the start of an instruction and its verb. */
const ALSO =
  '(?:always |also |all |start |starting |be diligent about |focus on |get into the habit of |get (?:used|accustomed) to |make sure (?:to |that |you )*|ensure (?:that )?(?:you )?|remember to |begin )*'
const VERB =
  '(?:us|utili[sz]|includ|add|writ|document|annotat|wrap|cover|incorporat|appl|import|put|avoid|comment|prefix|suffix|nam|cal|run|format|lint|test|log|validat|handl|return|throw|rais|catch|stor|pin|sort|squash|rebas|commit|sign|mention|refer|tag|refrain|stop|keep)(?:e|y|l)?(?:s|es|ing|ding|ting|ping|ning|ling|ying)?'
const AFFIX =
  '(?:start(?:s|ing)?|end(?:s|ing)?|begin(?:s|ning)?|prefix(?:es|ed|ing)?|suffix(?:es|ed|ing)?|includ(?:e|es|ing)|inclusion|contain(?:s|ing)?|us(?:e|es|ing)|append(?:ing)?|prepend(?:ing)?)'
const DOING =
  "(?:you(?:['’]re| are)? |we )?(?:nam|writ|creat|declar|defin|add|implement|committ|commit|test|document|refactor|design|review|merg|releas|deploy|logg|log|handl|import|cod|comment|develop|edit|fix)(?:e|ing)?"

/** A phrase that makes a sentence a standing rule, and how often it does. */
type RuleCue = { phrase: RegExp; unless?: RegExp; confidence: number }

const matching = (...parts: string[]) => new RegExp(parts.join(''), 'i')

const CUES: RuleCue[] = [
  // "From now on, use …", "I want you to … from now on"
  { phrase: matching(`^${STANDING},? `), unless: DESCRIBES, confidence: 0.9 },
  {
    phrase: matching(
      `^(?:please |${ASKED} |${STRESSED} |${REMINDED} |you (?:must|should|have to|need to) |we(?:['’]ll| will| are|['’]re) |let['’]?s |\\w+ )`,
      `.*\\b${STANDING}\\b`,
    ),
    unless: DESCRIBES,
    confidence: 0.85,
  },
  { phrase: /^in (?:the )?future,? (?:please |always |never |do |don['’]t |use |make |i |you )/i, confidence: 0.85 },
  // "Always …", "Never …"
  { phrase: matching(`^(?:please )?(?:${REMINDED} |you (?:must|should|have to|need to) |try to )?(?:always|never) `), confidence: 0.9 },
  { phrase: matching(`\\b(?:${ASKED}|${STRESSED}) [^.]{0,70}\\b(?:always|never)\\b`), confidence: 0.9 },
  { phrase: /\b(?:we|everyone|you) (?:(?:must|should|will|do|have to|need to) )?(?:always|never) /i, confidence: 0.85 },
  {
    phrase: /\b(?:must|shall) (?:always|never|not ever)\b|\bshould never\b|\b(?:must|should) (?:not|n['’]t)\b[^.]{0,60}\bever\b/i,
    // "This must never happen again" points back; "it must never have worked" is a guess.
    unless: /^(?:it|they|he|she)\b|^(?:this|that) (?:must|shall|should)\b|\bnever have\b|^.{160}/i,
    confidence: 0.8,
  },
  // "Do not … again", "don't … without asking"
  {
    phrase:
      /^(?:you )?(?:do not|don['’]?t)\b.*\b(?:ever|again|unless|without (?:asking|my|permission|approval)|every time|each time|any ?more)\b/i,
    confidence: 0.85,
  },
  { phrase: /^(?:please )?stop \w+ing\b/i, confidence: 0.75 },
  // "Use npm, never yarn"
  {
    phrase:
      /^(?:we )?(?:only )?(?:use|prefer|write|call|name|put|store|keep|run|stick (?:to|with))\b.{2,80}[,;–—-] ?(?:and |but )?never\b/i,
    confidence: 0.85,
  },
  // "One of our conventions is to …", "Rule: …"
  {
    phrase:
      /^(?:one|another|the|our|my|a|this)\b[^.,]{0,40}\b(?:convention|practice|rule|standard|guideline|policy|preference)s?\b[^.,]{0,60}? (?:is|are)(?: to| that| the (?:use|inclusion)| \w+ing|:) /i,
    unless: DESCRIBES,
    confidence: 0.8,
  },
  { phrase: /^(?:house |coding |project )?(?:rule|convention|policy)s?: /i, confidence: 0.85 },
  { phrase: /\bin this (?:repo|repository|project|codebase),? (?:we|you|please|use|always|never|do not|don['’]t)\b/i, confidence: 0.85 },
  // "Start function names with 'x_'", "ensure that all variable names end with '_y'"
  {
    phrase: matching(
      `\\b(?:names|naming)\\b[^.]{0,80}\\b${AFFIX}\\b|\\b${AFFIX}\\b[^.]{0,60}\\bnames\\b|\\b${AFFIX}\\b[^.]{0,40}\\bname\\b[^.]{0,30}['"\`‘“]`,
    ),
    unless: DESCRIBES_NAMES,
    confidence: 0.85,
  },
  // "Include try statements in your functions", "add comments to all your code"
  {
    phrase: matching(
      `^(?:please )?(?:(?:${ASKED_YOU}|${STRESSED}|${REMINDED}) )?${ALSO}${VERB} [^.]{0,100}\\b(?:in|for|to|of|into|with|on|across) (?:all |every |each )?(?:of )?(?:your|our) (?:\\w+ ){0,2}(?:\\w+s|code|codebase)\\b`,
    ),
    unless: DESCRIBES,
    confidence: 0.8,
  },
  // "Make sure that all your …", "every function you write …"
  {
    phrase: matching(`^(?:please )?(?:(?:${ASKED}|${STRESSED}) )?${REMINDED} (?:all|every|each|any) (?:of )?(?:your|our|new) `),
    confidence: 0.8,
  },
  // "When naming X, …", "For class names, …"
  {
    phrase: matching(
      `^(?:when(?:ever)?|while) ${DOING} (?!the |this |that |it\\b|these )[^,]{2,60}, (?:\\w+ ){0,2}`,
      `(?:${ASKED}|${REMINDED}|always|never|please|use|start|end|include|add|write|keep|put|prefix|avoid|do not|don['’]t|follow|we)\\b`,
    ),
    unless: DESCRIBES,
    confidence: 0.8,
  },
  {
    phrase: matching(
      `^(?:as )?for (?:all |our |your |new |any |every )*(?:\\w+ ){0,2}(?:name|variable|function|method|attribute|argument|class|test|commit|branch|comment|docstring|file|error|log|import)(?:s|es)?,? (?:please |always |never |use |start |end |include |add |write |keep |put |prefix |avoid )`,
    ),
    confidence: 0.8,
  },
]

/** Asks for something once. */
const ONE_OFF =
  /\b(?:this time|for now|just (?:this )?once|only (?:this )?once|for this (?:task|pr|pull request|commit|change|one|session|branch|time)|in this (?:pr|pull request|commit|branch|session|case)|right now|temporarily|for the moment|today|for the time being)\b/i

/** Sentences that only look like rules. */
const NO_RULE: RegExp[] = [
  /[?？]\s*["”)]?$/,
  /:$|→|->|=>/,
  /^(?:if|suppose|assuming|imagine|unless|in case|what if|how about|whether|i wonder|why|how|what|where|who|which|did|does|do (?:we|you|i)|is|are|was|were|can|could|would|should (?:we|i|it)|have|has|by|as you)\b/i,
  /\b(?:maybe|perhaps|might|possibly|probably|not sure|i (?:think|guess|suspect|wonder|believe)|could (?:be|have)|would be (?:nice|good|great)|hypothetical\w*|would have|had (?:we|i))\b/i,
  /^(?:never ?mind|never (?:seen|heard|had|got|been|knew|thought|worked)|always (?:wanted|a |the |been|good|nice|happy|glad|has|had|remember that))/i,
  /\b(?:as always|like always|(?:can|could|is|are|was|were|has|have|had|i|it|he|she|they|this|that|there|which|will) (?:also )?(?:always|never))\b/i,
  // "Always have one handy" does not say what.
  /\b(?:have|keep|bring|take) one\b/i,
  // Talk between people, not about the work.
  /\b(?:hesitate|reach(?:ing)? out|feel free|door is|worry|be afraid|look(?:ing)? forward|in touch|touch base|keep me posted|ask (?:questions|for help|me)|questions or concerns|happy to help|here to (?:help|support)|keep up|good luck|have fun|enjoy|keep learning|learn(?:ing)? from|stop learning|give up|proud|work[- ]life|vacation|masks?|expenses|phones?|calls?|whiteboards?|office|lunch|meetings?|colleagues|empower\w*|emergency|communicate with|note-taking|from home)\b/i,
  // Announces rules without saying them: "I want you to follow a new naming convention".
  /\b(?:follow|adopt|implement|apply|keep|focus|update|start|consistent|incorporat|discuss|talk|adher|introduce|instructions?|treat)\w*\b[^.:'`]{0,60}\b(?:convention|practice|guideline|instruction|standard|area|change|pointer|aspect|principle|update|style|rule|approach|format|thing|concept|consistency|guideline)s?\b[^:'`]*$/i,
  /\b(?:shift gears|give you (?:some|a few|specific)|talk (?:to you )?about|introduce you|discuss|dive into|share|walk you through|your attention|(?:some|a few|two|several) (?:\w+ ){0,2}(?:instructions|guidelines|practices|things|aspects))\b/i,
  /^(?:just |now )?(?:follow|focus|implement this|apply (?:this|these)|i trust|i wanted|this(?! \w+ (?:must|shall) (?:never|always))|these|it helps|they)\b/i,
]
