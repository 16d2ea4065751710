import type { Note } from '../core/note.ts'
import { standsAlone } from '../core/standalone.ts'
import { subjectStems } from '../core/subject.ts'
import { shorten } from '../core/text.ts'
import { formatAgo } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import { type BriefPage, framePart, OPEN_END_REASON, type ReasonedItem } from './page.ts'
import { sharesTopic } from './recent-work.ts'

/** The telling words of the branch's name, and later work that may have taken up what was left open. */
export type Surroundings = { topic: Set<string>; work: { session: string | null; at: number; text: string }[] }

/** The notes that were taken from sessions and not accepted by a person yet, and the others. */
export function splitStatements(notes: Note[]): { stated: Note[]; others: Note[] } {
  const isStated = (note: Note) => note.state === 'proposed' && note.type !== 'episodic'
  return { stated: notes.filter(isStated), others: notes.filter((note) => !isStated(note)) }
}

/**
 * Adds what sessions left open and what they decided, one line each, unless the page says it already. Only a decision with its reason, or
 * with what was rejected, is worth a line; what is found out on the way is left to recall.
 */
export function addStatements(page: BriefPage, stated: Note[], known: Surroundings, now: number, left: ReasonedItem[]): void {
  const groups = [
    { namespace: 'open-ends', heading: 'Still open:', max: 4 },
    { namespace: 'blockers', heading: 'Blocked:', max: 2 },
    { namespace: 'decisions', heading: 'Decisions:', max: 4 },
  ]
  for (const { namespace, heading, max } of groups) {
    let shown = 0
    for (const note of stated.filter((one) => one.namespace === namespace)) {
      const of = { kind: 'note', id: note.id } as const
      const line = `- ${shorten(neutralizeText(statedText(note)), MAX_STATEMENT_CHARACTERS)} (${formatAgo(note.updatedAt, now)})`
      const why = whyLeftOut(note, page, known, now) ?? (shown >= max ? `${max} are shown` : null)
      const parts = [...(shown === 0 ? [framePart(heading)] : []), { of: { ...of, why: WHY_SHOWN[namespace] ?? namespace }, lines: [line] }]
      if (why !== null) left.push({ ...of, why })
      else if (page.add(...parts)) shown++
      else left.push({ ...of, why: page.whyNoRoom(...parts) })
    }
  }
  for (const note of stated.filter(({ namespace }) => !groups.some((group) => group.namespace === namespace)))
    left.push({ kind: 'note', id: note.id, why: 'found out in a session: recalled when it is asked for' })
}

const MAX_STATEMENT_CHARACTERS = 320

/** A statement in one line: points joined, and without a label that the heading above it repeats. */
function statedText({ body }: Note): string {
  const text = body.replace(/\n- /g, ' · ').replace(/: · /, ': ').replace(LABEL, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const LABEL = /^(?:next(?: steps?)?|to-?dos?|remaining|(?:still )?open|follow-?ups?|blocked|decision): (?=\S)/i
const WHY_SHOWN: Record<string, string> = {
  'open-ends': OPEN_END_REASON,
  blockers: 'a session was blocked by it',
  decisions: 'a decision with its reason',
}

function whyLeftOut(note: Note, page: BriefPage, { topic, work }: Surroundings, now: number): string | null {
  const days = (now - note.updatedAt) / DAY_MS
  if (!standsAlone(note.body)) return 'not clear without its conversation'
  if (page.says(neutralizeText(note.body))) return 'said above'
  if (note.namespace === 'decisions') {
    if (!REASON.test(note.body)) return 'a decision without its reason'
    if (sharesTopic(note.body, topic)) return null
    return days > (note.tags.includes('agent') ? MAX_AGENT_DAYS : MAX_PERSON_DAYS) ? 'an old decision that no person has accepted' : null
  }
  if (days > MAX_OPEN_DAYS) return `open for more than ${MAX_OPEN_DAYS} days`
  return isTakenUp(note, work) ? 'later work was about it' : null
}

const DAY_MS = 86_400_000
const MAX_OPEN_DAYS = 30
const MAX_AGENT_DAYS = 10
const MAX_PERSON_DAYS = 30

/** Gives a reason, or names what was not chosen. */
const REASON =
  /\b(?:because|since|so that|due to|otherwise|to avoid|in order to|which (?:breaks|causes|means)|instead of|rather than|no longer|deferred|stays? with)\b|, not\b|\bnot .{3,60} but\b|^Why: |^Rejected: |\b(?:isn['’]t|is not|not) (?:relevant|needed|necessary)\b/im

/** Most of its telling words are in one piece of another session's later work. */
function isTakenUp({ body, session, updatedAt }: Note, work: Surroundings['work']): boolean {
  const stems = [...subjectStems(body)]
  return work.some((one) => {
    if (one.at <= updatedAt || one.session === session) return false
    const words = subjectStems(one.text)
    const shared = stems.filter((stem) => words.has(stem)).length
    return shared >= MIN_SHARED_STEMS && shared >= MIN_SHARED_SHARE * stems.length
  })
}

const MIN_SHARED_STEMS = 2
const MIN_SHARED_SHARE = 0.6
