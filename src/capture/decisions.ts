import { type ProseItem, readProse } from '../core/prose.ts'
import { pointsBack, standsAlone } from '../core/standalone.ts'
import { chosenOption } from './plain/reply-options.ts'
import type { FoundStatement } from './rules.ts'
import { typedSentences } from './typed-text.ts'

/** A settled choice, quoted. `why` and `rejected` are sentences next to it that give the reason or what was turned down; empty if none do. */
export type Decision = FoundStatement & { why: string; rejected: string }

/** Who wrote a text. */
export type StatementAuthor = 'person' | 'agent' | 'commit'

/** The decisions that a text states. Questions, guesses, options and proposals settle nothing. */
export function findDecisions(text: string, by: StatementAuthor): Decision[] {
  const items = by === 'person' ? typedSentences(text).map(asSentence) : readProse(withoutTrailers(text.replace(/^\s*>.*$/gm, '')))
  const listed = by === 'agent' ? listedDecisions(items) : []
  const stated = items.flatMap((item, n) => {
    const confidence = decisionConfidence(item, by)
    if (confidence === null) return []
    const quoted = by !== 'person' && startsWithPronoun(item.text) ? withSentenceBefore(item, items[n - 1]) : item.text
    if (quoted === null) return []
    const after = items.slice(n + 1, n + 3).filter((next) => next.under === item.under && next.kind === 'sentence')
    const why = REASON.test(item.text)
      ? ''
      : (after.find(({ text }) => EXPLAINS.test(text) && text.length <= MAX_DECISION_CHARS)?.text ?? '')
    const rejected = REJECTS.test(item.text)
      ? ''
      : (after.find(({ text }) => REJECTED.test(text) && text.length <= MAX_DECISION_CHARS)?.text ?? '')
    return [{ text: quoted, confidence, why, rejected: rejected === why ? '' : rejected }]
  })
  return [...listed, ...stated]
}

/** "It is deliberately not a round number": what "it" is has to be quoted too. */
const startsWithPronoun = (text: string) =>
  /^(?:and |but |so )?(?:it|this|that|these|those|they)\b(?! \w+ (?:is|are|was|were)\b)/i.test(text)

/** A sentence and the one before it, which names its subject; null if there is none, as under a heading of its own. */
function withSentenceBefore({ text }: ProseItem, before: ProseItem | undefined): string | null {
  if (before?.kind !== 'sentence' || startsWithPronoun(before.text) || isUnsettled(before.text)) return null
  const both = `${before.text} ${text}`
  return both.length <= MAX_DECISION_CHARS ? both : null
}

/** The points under a heading such as "Key design decisions", as one decision: alone, a point lacks what it is about. */
function listedDecisions(items: ProseItem[]): Decision[] {
  const listed = items.filter(({ kind, under }) => (kind === 'point' || kind === 'row') && DECISION_HEADING.test(under))
  return [...Map.groupBy(listed, (item) => item.under)].flatMap(([heading, points]) => {
    const text = [
      `${heading.charAt(0).toUpperCase()}${heading.slice(1)}:`,
      ...points.slice(0, MAX_LISTED_POINTS).map(({ text }) => `- ${text}`),
    ].join('\n')
    return points.length > 1 ? [{ text, confidence: 0.8, why: '', rejected: '' }] : []
  })
}

const MAX_LISTED_POINTS = 8

const asSentence = (text: string): ProseItem => ({ text, kind: 'sentence', under: '' })

/** `Co-authored-by: …` and the like. */
const withoutTrailers = (text: string) => text.replace(/^[A-Z][\w-]+-by: .*$/gm, '')

const MIN_DECISION_CHARS = 25
const MAX_DECISION_CHARS = 360

function decisionConfidence({ text, kind, under }: ProseItem, by: StatementAuthor): number | null {
  if (text.length < MIN_DECISION_CHARS || text.length > MAX_DECISION_CHARS || kind === 'heading') return null
  const bare = text.replace(/`[^`]*`/g, 'CODE').replace(/["“][^"“”]{0,200}["”]/g, 'QUOTE')
  // "Let's only add replace then, but leave the others": without the conversation it means nothing.
  if (isUnsettled(bare) || (by === 'person' && pointsBack(text) && !text.includes('`'))) return null
  if (by === 'agent' && DECISION_HEADING.test(under)) return null
  const cue = CUES.find((one) => one[by] > 0 && one.phrase.test(bare) && !one.unless?.test(bare))
  if (!cue || kind === 'row') return null
  const reasoned = REASON.test(bare) || REJECTS.test(bare) ? 0.05 : 0
  return Math.min(0.95, Math.round((cue[by] + reasoned) * 100) / 100)
}

/** "Key design decisions". "Decision matrix" is the description of an algorithm. */
const DECISION_HEADING =
  /^(?:\d+[.)] )?(?:(?:key|main|important|updated|final|design|architecture|architectural|technical|implementation) )*decisions?(?: (?:made|taken|so far|and rationale|log))*:?$/i

/** The option of the answer before that a short prompt chooses ("let's go with B"), with the question that the options answer. */
export function findChosenOption(prompt: string, before: string): Decision[] {
  const typed = typedSentences(prompt).join(' ')
  // A bare number mostly picks the next task from a list.
  const isChoice = /\boption #?\w+\b/i.test(typed) && typed.length <= MAX_CHOICE_CHARS && !isUnsettled(typed)
  const option = isChoice ? chosenOption(typed, before) : null
  const question = option ? optionsQuestion(before) : null
  return question ? [{ text: `${question} ${typed} (${option})`, confidence: 0.8, why: '', rejected: '' }] : []
}

/** The line above the first option; null if it does not say what the options are for: "Here are the options:". */
function optionsQuestion(answer: string): string | null {
  const first = /^[ \t>#*-]{0,12}option #?(?:\d{1,2}|[a-e])\b/im.exec(answer)
  const line = readProse(answer.slice(0, first?.index ?? 0)).at(-1)?.text ?? ''
  const namesSubject = !PRESENTS.test(line) && standsAlone(line)
  return namesSubject && line.length <= MAX_CHOICE_CHARS ? line : null
}

const PRESENTS =
  /^(?:(?:here|below|there) (?:are|is)|here['’]?s|i (?:see|found|have)|(?:the |your |two |three |four )*(?:options|choices)\b)/i

const MAX_CHOICE_CHARS = 160

/** What people settle on: not "let's look", "let's review". */
const SETTLING =
  '(?:go with|stick (?:with|to)|settle (?:on|for)|use|keep|switch to|move to|rename|set|drop|store|call|return|replace|default to|add|build|remove|make|put|get|not)'
const CONTRAST =
  '(?:\\binstead\\b|\\brather than\\b|\\band not\\b|, not\\b|\\bbecause\\b|\\bsince\\b|\\bso that\\b|\\bto avoid\\b|\\botherwise\\b|\\bbut (?:leave|not|keep)\\b|\\bonly\\b|\\bby default\\b|\\bentirely\\b)'
const CHOSE =
  'put|used|kept|left|switched|moved|made|chose|stored|renamed|replaced|skipped|dropped|declined|went with|opted|wrote|placed|set'
const matching = (pattern: string) => new RegExp(pattern, 'i')

/** A phrase and the confidence it gives. People state decisions, agents also describe code, and a commit is what was decided. */
type DecisionCue = { phrase: RegExp; unless?: RegExp } & Record<StatementAuthor, number>

const CUES: DecisionCue[] = [
  {
    phrase:
      /\b(?:we|i|team|you)(?:['’]ve| have|['’]d| had)? (?:all |now |finally |already |explicitly |deliberately |intentionally )?(?:decided|agreed|settled|opted|chose|choosed)\b(?! (?:whether|if|with|in|into|down)\b)/i,
    unless: /\b(?:n['’]t|not|never) (?:decided?|agreed?|settled?|chosen?)\b|\bagreed[.!]?$|\b(?:why|how|when|what) (?:we|i|you)\b/i,
    person: 0.8,
    agent: 0.75,
    commit: 0.8,
  },
  // "Final: …", "Settled: …"
  {
    phrase: /^(?:final(?: (?:shape|rule|design|decision|answer))?|settled|agreed|decision|the rule is)\b[^:]{0,50}: \S/i,
    person: 0.85,
    agent: 0.8,
    commit: 0.85,
  },
  {
    phrase:
      /\b(?:we(?:['’]re| are| will be|['’]ll be) (?:going with|sticking (?:with|to)|standardi[sz]ing on)|the decision (?:is|was) (?:to|that)|by \w+ decision)\b/i,
    person: 0.8,
    agent: 0.75,
    commit: 0.8,
  },
  // "Let's use true/false and not on/off"
  {
    phrase: matching(`\\blet['’]?s (?:(?:just|only|also|rather|instead|then) )*${SETTLING}\\b.+${CONTRAST}`),
    // "Rename to x" does not say what.
    unless:
      /\blet['’]?s not (?:jump|spend|forget|worry|go|get|do)\b|\blet['’]?s (?:keep it|keep going|make sure)\b|\blet['’]?s (?:\w+ )?(?:rename|set|replace) (?:to|with)\b/i,
    person: 0.8,
    agent: 0.6,
    commit: 0.6,
  },
  {
    phrase: /\blet['’]?s (?:go with|stick (?:with|to)|settle (?:on|for)) (?!that\b|it\b|this\b|option\b|[a-d1-9]\b)/i,
    person: 0.8,
    agent: 0.5,
    commit: 0.5,
  },
  // "I want the rules to live in AGENTS.md, not a skill, because …"
  {
    phrase:
      /\b(?:i|we) (?:only |do |don['’]?t |do not )?(?:want|prefer|need)\b.+(?:, not\b|\bnot .+ but\b|\binstead of\b|\brather than\b).+/i,
    unless:
      /^(?:i (?:just )?wanted|so\b)|\bnot (?:just|only|because|when|if)\b|, not (?:\w+ly )?\w+ing\b|\bso (?:i|you) can\b|\bneed to (?:do|check|look|see|find|figure|investigate)\b/i,
    person: 0.75,
    agent: 0.4,
    commit: 0.4,
  },
  {
    phrase: /\b(?:i|we) want to (?:use|replace|keep|drop|move|switch|rename|store)\b.+\b(?:with|instead|from|only|in)\b/i,
    unless: /\bto (?:understand|know|see|check)\b/i,
    person: 0.8,
    agent: 0,
    commit: 0,
  },
  {
    phrase: /\bwe (?:also )?no longer (?:use|support|publish|ship|build|test)\b|^(?:please )?drop support for\b|\bi only want to keep\b/i,
    person: 0.8,
    agent: 0.5,
    commit: 0.75,
  },
  // "This should not be changed, only the flag should …"
  {
    phrase: /\bshould(?: not|n['’]t) (?:be )?\w+.*(?:, only\b|\bonly \w+ should\b|\binstead\b|\bbecause\b|\bsince\b)/i,
    unless: /\bgot\b|\bexpected\b/i,
    person: 0.8,
    agent: 0,
    commit: 0,
  },
  {
    // "We can solve that with runners" does not say what is solved.
    unless: /\bwe \w+ (?:\w+ )?(?:it|this|that|them|those)\b/i,
    phrase: /\b(?:is|are)(?: not|n['’]t) (?:relevant|needed|necessary|an option|wanted),? .*\b(?:we (?:can|will|should|do)|instead|so)\b/i,
    person: 0.8,
    agent: 0,
    commit: 0,
  },
  // "I put the constants in `agent` rather than in each package because …"
  {
    phrase: matching(
      `^(?:i |we )?(?:${CHOSE})\\b.+(?:\\binstead of\\b|\\brather than\\b).+(?:\\bbecause\\b|\\bsince\\b|\\bso\\b|\\bwould(?:['’]ve| have)\\b|\\bto (?:avoid|keep)\\b)`,
    ),
    person: 0.75,
    agent: 0.75,
    commit: 0.8,
  },
  {
    phrase: matching(
      `\\b(?:i|we) (?:deliberately |intentionally )?(?:switched to|went with|chose|opted|kept|left|put|declined)\\b.+\\b(?:because|since|so that)\\b`,
    ),
    unless: /\b(?:left|went) (?:off|over|wrong|through|back)\b/i,
    person: 0.75,
    agent: 0.75,
    commit: 0.8,
  },
  {
    phrase:
      /\b(?:was|were|is|are) (?:deliberately |intentionally )?(?:kept|left (?:alone|as[- ]is|in place|out|untouched)|skipped|chosen|deferred)\b.*\b(?:because|since|so that)\b/i,
    person: 0.7,
    agent: 0.75,
    commit: 0.75,
  },
  {
    phrase: /\b(?:intentionally|deliberately) (?:not |left |kept |deferred |excluded |limited |skipped )/i,
    unless: /\b(?:states?|says?|explain\w*|note|comment|claims?|finding)\b/i,
    person: 0.7,
    agent: 0.8,
    commit: 0.7,
  },
  // A commit message is about what was chosen; the reason makes it worth keeping.
  {
    phrase:
      /\b(?:instead of|rather than)\b.+\b(?:because|since|so that)\b|\b(?:because|since)\b.+\b(?:instead of|rather than)\b|\b(?:do not|never|must(?: not)?|always|only|invariant|keep)\b.+/i,
    person: 0,
    agent: 0,
    commit: 0.7,
  },
]

const REASON = /\b(?:because|since|so that|due to|otherwise|as it|which (?:breaks|causes|means)|to avoid|in order to)\b/i
const REJECTS = /\b(?:instead of|rather than|, not\b|and not\b|over\b|no longer)/i
const EXPLAINS = /\b(?:because|since|otherwise|due to|the reason|that way|this (?:way|avoids|keeps|means|prevents))\b/i
const REJECTED = /\b(?:rejected|considered|turned down|ruled out|decided against|alternatives?|instead of|rather than|not chosen|tried)\b/i

/** Questions, guesses, conditions and offers settle nothing, so they must not become notes. */
export const isUnsettled = (text: string) => /[?？]\s*["”)]?$/.test(text) || /:\s*$/.test(text) || UNSETTLED.test(text)

const UNSETTLED = new RegExp(
  [
    '\\b(?:maybe|perhaps|might|possibly|probably|presumably|apparently|seems?|looks? like|i (?:think|guess|suspect|believe|assume)|could (?:be|have)|not sure|unclear|unsure|unknown)\\b',
    '\\b(?:should|shall|could|can|would|do|did|will) (?:we|i|you|it|they)\\b(?! (?:always|never|not))',
    '^(?:if|when|whether|suppose|assuming|imagine|unless|in case|what if|how about)\\b',
    '\\b(?:if (?:we|i|you|it|they)|whether|would (?:be|have)|hypothetical\\w*|for example|e\\.g\\.|for instance)\\b',
    "\\b(?:to be decided|tbd|(?:have|has|had)(?:n['’]t| not) (?:yet )?(?:decided|agreed|chosen|settled)|(?:need|have|want|remains?) to (?:decide|choose|agree|find out)|not yet)\\b",
    "\\b(?:let me (?:know|check|see)|want me to|i can|i could|feel free|recommend\\w*|i(?:['’]d)? suggest|suggested|propos(?:e|al|ed)|option [a-e1-9]\\b(?=:))\\b",
  ].join('|'),
  'i',
)
