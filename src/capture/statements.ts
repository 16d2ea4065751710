import { parseDecisions } from '../core/decision-list.ts'
import type { Prompt, Session, Summary } from '../core/memory.ts'
import { asNoteId, type NoteType } from '../core/note.ts'
import { isBareRemark } from '../core/outcome.ts'
import { readProse } from '../core/prose.ts'
import { shorten } from '../core/text.ts'
import { ulidOf } from '../core/ulid.ts'
import { findChosenOption, findDecisions, isUnsettled } from './decisions.ts'
import type { CapturedNoteDraft } from './drafts.ts'
import { findMarkedTexts } from './markers.ts'
import { findOpenEnds } from './open-ends.ts'
import { type FoundStatement, findRules } from './rules.ts'
import { typedSentences } from './typed-text.ts'

/** A sentence that makes sense as a note of its own. */
export type Statement = FoundStatement & { namespace: StatementNamespace }

const NAMESPACE_TYPES = {
  rules: 'procedural',
  decisions: 'semantic',
  'open-ends': 'semantic',
  learnings: 'semantic',
  blockers: 'semantic',
} as const satisfies Record<string, NoteType>
type StatementNamespace = keyof typeof NAMESPACE_TYPES

/** The statements of one session that are kept: rules first, then those with the highest confidence. */
const MAX_STATEMENTS_PER_SESSION = 12

/**
 * Proposes notes from what the turns of a session have stated so far: standing rules from the person's own words, decisions, learnings and
 * blockers also from the agent's answers, and what the last answer leaves open. Each names the turn in which it was said.
 */
export function draftStatedNotes(session: Session, prompts: Prompt[], threshold: number, markers: string[]): CapturedNoteDraft[] {
  const closing = prompts.findLast((prompt) => prompt.answer && !isBareRemark(prompt.answer))
  const drafts = prompts.flatMap((prompt, n) => {
    const before = prompts[n - 1]?.answer ?? ''
    // Marked sentences are already notes.
    const typed =
      prompt.origin === 'person'
        ? findStatements(prompt.text, 'person', before).filter((s) => findMarkedTexts(s.text, markers).length === 0)
        : []
    const answered = findStatements(prompt.answer ?? '', 'agent')
    const open =
      prompt === closing ? findOpenEnds(prompt.answer ?? '').map((found): Statement => ({ ...found, namespace: 'open-ends' })) : []
    return [
      ...typed.map((statement) => draftOf(session, prompt, statement, 'person')),
      ...[...answered, ...open].map((statement) => draftOf(session, prompt, statement, 'agent')),
    ]
  })
  const kept = mergePlaces(drafts.filter((draft) => draft.confidence >= threshold))
  const rank = (draft: CapturedNoteDraft) => Number(draft.namespace === 'rules') + draft.confidence
  return kept.toSorted((a, b) => rank(b) - rank(a)).slice(0, MAX_STATEMENTS_PER_SESSION)
}

/** The decisions that were handed over with a summary before a compaction. Whoever listed them said that they are decisions. */
export function draftListedDecisions(session: Session, summaries: Summary[]): CapturedNoteDraft[] {
  const compact = summaries.filter(({ source }) => source === 'compact')
  const drafts = compact.flatMap(({ notes, at, promptNumber: number }) =>
    parseDecisions(notes)
      .filter((text) => text.length <= MAX_LISTED_CHARS)
      .map((text) => draftOf(session, { at, number }, { text, namespace: 'decisions', confidence: LISTED_CONFIDENCE }, 'agent')),
  )
  return mergePlaces(drafts).slice(0, MAX_STATEMENTS_PER_SESSION)
}

const MAX_LISTED_CHARS = 400
const LISTED_CONFIDENCE = 0.9

/** One draft for each text, with every place where it was said. */
function mergePlaces(drafts: CapturedNoteDraft[]): CapturedNoteDraft[] {
  return [...Map.groupBy(drafts, (draft) => draft.id).values()].flatMap((same) => {
    const [first] = same
    return first
      ? [{ ...first, said: same.flatMap(({ said = [] }) => said), updatedAt: Math.max(...same.map(({ createdAt }) => createdAt)) }]
      : []
  })
}

function draftOf(
  session: Session,
  prompt: Pick<Prompt, 'at' | 'number'>,
  { text, namespace, confidence }: Statement,
  by: 'person' | 'agent',
): CapturedNoteDraft {
  return {
    // The same words in another session are the same statement, said again.
    id: asNoteId(ulidOf(['statement', session.project, namespace, text.toLowerCase()].join('\n'), 0)),
    title: shorten(text.split('\n')[0] ?? text, 120),
    body: text,
    type: NAMESPACE_TYPES[namespace],
    namespace,
    scope: 'project',
    project: session.project,
    source: 'session-end',
    session: session.contentSessionId,
    confidence,
    tags: by === 'agent' ? ['agent'] : [],
    createdAt: prompt.at,
    updatedAt: prompt.at,
    state: 'proposed',
    said: [`${new Date(prompt.at).toISOString().slice(0, 10)} ${session.contentSessionId}:${prompt.number}`],
  }
}

/** The sentences of a text that state something worth remembering. Code, quotes, questions and guesses do not count. */
export function findStatements(text: string, by: 'person' | 'agent', before = ''): Statement[] {
  const rules = by === 'person' ? findRules(text).map((rule): Statement => ({ ...rule, namespace: 'rules' })) : []
  const chosen = by === 'person' && before !== '' ? findChosenOption(text, before) : []
  const decisions = (chosen.length > 0 ? chosen : findDecisions(text, by)).map(
    ({ text, why, rejected, confidence }): Statement => ({
      text: [text, why && `Why: ${why}`, rejected && `Rejected: ${rejected}`].filter(Boolean).join('\n'),
      confidence,
      namespace: 'decisions',
    }),
  )
  const found = [...rules, ...decisions]
  const isNew = (sentence: string) => !found.some((one) => one.text.includes(sentence))
  return [
    ...found.filter((one, n) => n < rules.length || !rules.some((rule) => rule.text.includes(one.text))),
    ...findLessons(text, by).filter((one) => isNew(one.text)),
  ]
}

/** Findings, and obstacles that the work waits for. */
function findLessons(text: string, by: 'person' | 'agent'): Statement[] {
  const sentences =
    by === 'person'
      ? typedSentences(text)
      : readProse(text.replace(/^\s*>.*$/gm, ''))
          .filter((item) => item.kind === 'sentence' || item.kind === 'point')
          .map((item) => item.text)
  return sentences.flatMap((sentence) => parseLesson(sentence, by) ?? [])
}

function parseLesson(sentence: string, by: 'person' | 'agent'): Statement | null {
  const bare = sentence.replace(/`[^`]*`/g, 'CODE').replace(/["“][^"“”]{0,200}["”]/g, 'QUOTE')
  const isTooShort = bare.length < (BLOCKER_LABEL.test(bare) ? MIN_LABELLED_CHARS : MIN_LESSON_CHARS)
  if (isTooShort || sentence.length > 320 || isUnsettled(bare)) return null
  for (const cue of LESSON_CUES) {
    if (!cue.phrase.test(bare) || cue.unless?.test(bare)) continue
    const confidence = Math.min(0.95, Math.round((cue[by] + confidenceAdjustment(bare, sentence)) * 100) / 100)
    return { text: sentence, namespace: cue.namespace, confidence }
  }
  return null
}

const MIN_LESSON_CHARS = 25
/** A label says what the sentence is, so fewer words make sense. */
const MIN_LABELLED_CHARS = 15
const BLOCKER_LABEL = /^(?:(?:we|i|this|it)(?:['’]re| are|['’]m| am|['’]s| is)(?: still| currently)? )?(?:blocked|blockers?):\s/i

/** A phrase, the namespace it indicates, and the base confidence: people say what they learned, while agents also describe code. */
type LessonCue = { phrase: RegExp; unless?: RegExp; namespace: 'learnings' | 'blockers'; person: number; agent: number }

const LESSON_CUES: LessonCue[] = [
  {
    phrase: /\broot cause\b[^.]{0,60}?\b(?:was|is|were|turned out to be|lies in)\b|\broot cause:\s/i,
    unless:
      /\broot cause\b[^.]{0,30}?\b(?:is|was|were|has|been)(?:n['’]t| not| still| being| now| since)* (?:not|still|being|found|identified|fixed|addressed|clear|known|documented|verified|confirmed|well|understood|correct|right)\b|\b(?:not|n['’]t) the root cause\b|\broot cause\b[^.]{0,20}?\b(?:is|was)(?:n['’]t| not)\b/i,
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
    phrase:
      /\b(?:lessons? learned(?=\s*[:—–-]| (?:is|was|are|here|today)\b)|we(?:['’]ve| have)? learned|i(?:['’]ve| have)? learned)\b(?! (?:about|how|more)\b)/i,
    namespace: 'learnings',
    person: 0.8,
    agent: 0.7,
  },
  {
    phrase: BLOCKER_LABEL,
    unless: /:\s*(?:no|none|nothing|nobody|n\/a|-+)\W*$/i,
    namespace: 'blockers',
    person: 0.85,
    agent: 0.85,
  },
  {
    phrase:
      /\b(?:is|are|am|['’]re|['’]m|['’]s|was|were|been|remains?|still|currently) blocked (?:by|on|until|because)\b|^blocked (?:by|on|until)\b/i,
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
