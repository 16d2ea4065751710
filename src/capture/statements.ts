import type { Jobs } from '../core/job.ts'
import type { Prompt, Session } from '../core/memory.ts'
import { asNoteId, type NoteType } from '../core/note.ts'
import { readProse } from '../core/prose.ts'
import { ulidOf } from '../core/ulid.ts'
import type { Store } from '../store/store.ts'
import { type CapturedNoteDraft, startOfDay } from './drafts.ts'
import { findMarkedTexts } from './markers.ts'

export type StatementsJob = Jobs['statements']

/** Queues saving what a session has stated so far, before its conversation is compacted. */
export async function queueStatements(store: Store, sessionId: number, at: number): Promise<void> {
  const job: StatementsJob = { sessionId }
  await store.jobs.add('statements', String(sessionId), job, at)
}

/** A sentence that makes sense as a note of its own. */
export type Statement = { text: string; namespace: string; type: NoteType; confidence: number }

/** The statements with the highest confidence are kept. */
const MAX_STATEMENTS_PER_COMPACTION = 12

/** Drafts notes from decisions, learnings, blockers and rules that the turns of a session have stated so far. */
export function draftStatedNotes(session: Session, prompts: Prompt[], threshold: number, markers: string[]): CapturedNoteDraft[] {
  const drafts = prompts.flatMap((prompt) => {
    // Marked sentences are already notes.
    const typed =
      prompt.origin === 'person' ? findStatements(prompt.text, 'person').filter((s) => findMarkedTexts(s.text, markers).length === 0) : []
    return [...typed, ...findStatements(prompt.answer ?? '', 'agent')].map((statement) => draftOf(session, prompt, statement))
  })
  const byId = new Map(drafts.filter((draft) => draft.confidence >= threshold).map((draft) => [draft.id, draft]))
  return [...byId.values()].sort((a, b) => b.confidence - a.confidence).slice(0, MAX_STATEMENTS_PER_COMPACTION)
}

function draftOf(session: Session, prompt: Prompt, { text, namespace, type, confidence }: Statement): CapturedNoteDraft {
  return {
    id: asNoteId(ulidOf([session.agent, session.contentSessionId, 'statement', text].join('\n'), startOfDay(prompt.at))),
    body: text,
    type,
    namespace,
    scope: 'project',
    project: session.project,
    source: 'session-end',
    session: session.contentSessionId,
    confidence,
    tags: ['precompact'],
    createdAt: prompt.at,
  }
}

/** The sentences of a text that state something worth remembering. Code, quotes, questions and guesses do not count. */
export function findStatements(text: string, by: 'person' | 'agent'): Statement[] {
  // A prompt this long is a pasted document, not the person's own words.
  const author = by === 'person' && text.length > MAX_TYPED_PROMPT_CHARS ? 'agent' : by
  const unquoted = text.replace(/^\s*>.*$/gm, '')
  return readProse(unquoted)
    .filter((item) => item.kind === 'sentence' || item.kind === 'point')
    .flatMap((item) => parseStatement(item.text, author) ?? [])
}

const MAX_TYPED_PROMPT_CHARS = 3000

function parseStatement(sentence: string, by: 'person' | 'agent'): Statement | null {
  const bare = sentence.replace(/`[^`]*`/g, 'CODE').replace(/["“][^"“”]{0,200}["”]/g, 'QUOTE')
  if (bare.length < 25 || sentence.length > 320 || isUnsettled(bare)) return null
  for (const cue of CUES) {
    if (!cue.phrase.test(bare) || cue.unless?.test(bare)) continue
    const confidence = Math.min(0.95, Math.round((cue[by] + confidenceAdjustment(bare, sentence)) * 100) / 100)
    return { text: sentence, namespace: cue.namespace, type: cue.namespace === 'patterns' ? 'procedural' : 'semantic', confidence }
  }
  return null
}

/** Questions, guesses, conditions and offers settle nothing, so they must not become notes. */
const isUnsettled = (text: string) => /[?？]\s*["”)]?$/.test(text) || /:\s*$/.test(text) || UNSETTLED.test(text)

const UNSETTLED = new RegExp(
  [
    '\\b(?:maybe|perhaps|might|possibly|probably|presumably|apparently|seems?|looks? like|i (?:think|guess|suspect|believe|assume)|could (?:be|have)|not sure|unclear|unsure|unknown)\\b',
    '\\b(?:should|shall|could|can|would|do|did|will) (?:we|i|you|it|they)\\b(?! (?:always|never|not))',
    '^(?:if|when|whether|suppose|assuming|imagine|unless|in case|what if|how about)\\b',
    '\\b(?:if (?:we|i|you|it|they)|whether|would (?:be|have)|hypothetical\\w*|for example|e\\.g\\.|for instance)\\b',
    "\\b(?:to be decided|tbd|(?:have|has|had)(?:n['’]t| not) (?:yet )?(?:decided|agreed|chosen|settled)|(?:need|have|want|remains?) to (?:decide|choose|agree|find out)|not yet)\\b",
    '\\b(?:let me (?:know|check|see)|want me to|i can|i could|feel free)\\b',
  ].join('|'),
  'i',
)

/** A phrase, the namespace it indicates, and the base confidence: people state rules, while agents also describe code. */
type StatementCue = { phrase: RegExp; unless?: RegExp; namespace: string; person: number; agent: number }

const CUES: StatementCue[] = [
  {
    phrase:
      /\b(?:we|i|team|you)(?:['’]ve| have|['’]d| had)? (?:all |now |finally |already |explicitly )?(?:decided|agreed|settled|opted|chose)\b(?! (?:whether|if)\b)/i,
    unless: /\b(?:n['’]t|not|never) (?:decided?|agreed?|settled?|chosen?)\b|\bagreed[.!]?$/i,
    namespace: 'decisions',
    person: 0.8,
    agent: 0.7,
  },
  {
    phrase:
      /\blet['’]?s (?:go with|stick (?:with|to)|settle (?:on|for)|use|keep|switch to|move to)\b.+\b(?:instead of|rather than|over|and not|because|since|not)\b/i,
    namespace: 'decisions',
    person: 0.8,
    agent: 0.6,
  },
  { phrase: /\blet['’]?s (?:go with|stick (?:with|to)|settle (?:on|for))\b/i, namespace: 'decisions', person: 0.75, agent: 0.5 },
  {
    phrase:
      /\bwe(?:['’]re| are| will be|['’]ll be) (?:going with|sticking (?:with|to)|standardi[sz]ing on)\b|^(?:final )?decision:\s|\bthe decision (?:is|was) (?:to|that)\b/i,
    namespace: 'decisions',
    person: 0.8,
    agent: 0.75,
  },
  {
    phrase: /\b(?:i|we) want\b.+(?:, not\b|\bnot .+ but\b|\binstead of\b|\brather than\b).+\b(?:because|since|so that)\b/i,
    namespace: 'decisions',
    person: 0.7,
    agent: 0.4,
  },
  {
    phrase: /\bin this (?:repo|repository|project|codebase),? we (?:always|never|only|use|want|do not|don['’]t)\b/i,
    namespace: 'patterns',
    person: 0.8,
    agent: 0.6,
  },
  {
    phrase: /\broot cause\b[^.]{0,60}?\b(?:was|is|were|turned out to be|lies in)\b|\broot cause:\s/i,
    unless:
      /\broot cause\b[^.]{0,30}?\b(?:is|was|were|has|been)(?:n['’]t| not| still| being| now| since)* (?:not|still|being|found|identified|fixed|addressed|clear|known|documented|verified|confirmed)\b|\b(?:not|n['’]t) the root cause\b|\broot cause\b[^.]{0,20}?\b(?:is|was)(?:n['’]t| not)\b/i,
    namespace: 'learnings',
    person: 0.8,
    agent: 0.75,
  },
  {
    phrase: /\b(?:it|that) (?:turned|turns) out\b|^turn(?:s|ed) out\b/i,
    namespace: 'learnings',
    person: 0.8,
    agent: 0.75,
  },
  {
    phrase:
      /\bthe (?:actual|real|underlying|true) (?:problem|issue|bug|cause|culprit|reason)\b[^.]{0,60}?\b(?:was|is)\b|\bthe culprit (?:was|is)\b/i,
    unless: /\b(?:is|was)(?: not|n['’]t)\b/i,
    namespace: 'learnings',
    person: 0.75,
    agent: 0.7,
  },
  {
    phrase: /\b(?:lessons? learned|we(?:['’]ve| have)? learned|i(?:['’]ve| have)? learned)\b(?! (?:about|how|more)\b)/i,
    namespace: 'learnings',
    person: 0.8,
    agent: 0.7,
  },
  {
    phrase:
      /\b(?:is|are|am|['’]re|['’]m|['’]s|was|were|been|remains?|still|currently) blocked (?:by|on|until|because)\b|^blocked (?:by|on|until)\b|^blockers?:\s/i,
    unless: /\b(?:not|n['’]t|no longer|never|un)\s?-?blocked\b/i,
    namespace: 'blockers',
    person: 0.8,
    agent: 0.7,
  },
  {
    phrase:
      /\b(?:can['’]?t|cannot|unable to) (?:proceed|continue|move forward|go on|be (?:merged|released|deployed|shipped))\b.{0,60}\b(?:until|without|because)\b/i,
    namespace: 'blockers',
    person: 0.75,
    agent: 0.65,
  },
  {
    phrase: /^(?:(?:and|also|so|please|but|remember|note)[,:]? )*(?:always|never)\b/i,
    // `Always → exit` comes from a comparison table.
    unless: /^(?:never ?mind|always wanted|never seen|never heard|always the)|^\S+\s*(?:→|->|=>|[:=|])/i,
    namespace: 'patterns',
    person: 0.75,
    agent: 0.6,
  },
  { phrase: /\b(?:we|you) (?:should |must |will )?(?:always|never)\b/i, namespace: 'patterns', person: 0.7, agent: 0.5 },
  { phrase: /\bmust (?:not|never)\b|\bmustn['’]t\b/i, namespace: 'patterns', person: 0.7, agent: 0.6 },
]

/** A reason or a named thing raises the confidence; a subject that is only a pronoun lowers it. */
function confidenceAdjustment(bare: string, sentence: string): number {
  const reason = /\b(?:because|since|so that|due to|instead of|rather than|otherwise|as it|which (?:breaks|causes|means))\b/i.test(bare)
    ? 0.1
    : 0
  const named = /`[^`]+`|\b[A-Z][A-Za-z]*[A-Z0-9]\w*\b|\b[A-Z]{2,}\b|\b\w+[/_.]\w+\b|(?<=[a-z,] )[A-Z][a-z]{2,}/.test(sentence) ? 0.05 : 0
  const vague = /^(?:this|that|these|those|they|he|she)\b/i.test(bare) ? -0.1 : 0
  return reason + named + vague
}
