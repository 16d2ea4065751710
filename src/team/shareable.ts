import { fingerprint } from '../core/hash.ts'
import type { Observation, Summary } from '../core/memory.ts'
import { asNoteId, isDeletedOrExpired, type Note, type NoteId } from '../core/note.ts'
import { normalised } from '../notes/notes.ts'
import type { SharedBody } from '../wire/contract/hub.ts'

/**
 * A note as the team gets it; null if it stays on the person's own machines. Shared are lasting notes that the person wrote or accepted: no notes
 * about sessions, nothing that is only proposed, no copies of others' notes, nothing from an import or a reflection. The person may share one of
 * those by hand (`isChosen`), and a global note too, but never a note about a session, a proposal, a copy or a note that is only for this machine.
 */
export function sharedNote(note: Note, member: string, isChosen: boolean, now: number): SharedBody | null {
  if (note.author !== null || note.scope === 'local' || note.type === 'episodic') return null
  if (note.state !== 'accepted' || note.conflictOf !== null || isDeletedOrExpired(note, now)) return null
  if (!isChosen && (note.scope === 'global' || !WRITTEN_BY_PERSON.has(note.source))) return null
  return {
    type: note.type,
    namespace: note.namespace,
    title: note.title.slice(0, MAX_TITLE_CHARS) || 'Untitled',
    text: note.body,
    tags: note.tags.map((tag) => tag.slice(0, 200)).slice(0, 100),
    supersedes: note.supersedes.slice(0, 100).map((older) => hubIdOf(older, member)),
    confidence: note.confidence,
    createdAt: note.createdAt,
    updatedAt: note.updatedAt,
    expiresAt: note.expiresAt,
  }
}

/** The id of a member's note on the hub. The ids of rules and decisions follow from their words, so two members may have notes with one id. */
export const hubIdOf = (note: NoteId, member: string): string => `${note}${memberMark(member)}`

/** The end of the ids of a member's notes on the hub. */
export const memberMark = (member: string): string => `.${fingerprint(member, MEMBER_MARK_CHARS)}`

/** The note of this home that a memory of the hub is; null if it is somebody else's. */
export function ownNoteId(hubId: string, member: string): NoteId | null {
  const mark = memberMark(member)
  return hubId.endsWith(mark) ? asNoteId(hubId.slice(0, -mark.length)) : null
}

const MEMBER_MARK_CHARS = 12

/** `merge` replaces notes of the person, which would otherwise stay on the hub after they are gone here. */
const WRITTEN_BY_PERSON: ReadonlySet<Note['source']> = new Set(['human', 'session-end', 'merge'])
const MAX_TITLE_CHARS = 500
const MAX_TEXT_CHARS = 16_000

/** An observation as the team gets it, without what the person typed; null if nothing else is in it, or its work was undone. */
export function sharedObservation(o: Observation, prompt: string): SharedBody | null {
  if (o.undoneBy) return null
  return distilled(o.title, [o.narrative, ...o.facts.map((fact) => `- ${fact}`)], [o.type, ...o.concepts, ...(o.tags ?? [])], o.at, prompt)
}

/** The summary of a turn as the team gets it: what was learned, done and left. Its request is what the person typed and stays here. */
export function sharedSummary(s: Summary, prompt: string): SharedBody | null {
  if (s.undoneBy || s.source !== 'turn') return null
  const next = s.nextSteps ? [`Next: ${s.nextSteps}`] : []
  return distilled(s.completed || s.learned, [s.learned, s.completed, ...next], ['summary'], s.at, prompt)
}

function distilled(title: string, parts: string[], tags: string[], at: number, prompt: string): SharedBody | null {
  const text = withoutQuotes(parts.filter(Boolean).join('\n'), prompt).slice(0, MAX_TEXT_CHARS)
  const heading = oneLine(withoutQuotes(title, prompt)) || oneLine(text)
  if (!heading) return null
  return {
    // Not a lasting note: it is found by searching, and is never among the notes of a brief.
    type: 'episodic',
    namespace: 'progress',
    title: heading,
    text: text || heading,
    tags: [...new Set(tags)].slice(0, 100),
    supersedes: [],
    confidence: 1,
    createdAt: at,
    updatedAt: at,
    expiresAt: null,
  }
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 200)

/** So many words in the same order are a quotation. */
const QUOTED_WORDS = 5

/** The text without the sentences that quote a prompt: prompts never leave the person's machines. */
export function withoutQuotes(text: string, prompt: string): string {
  const typed = ` ${normalised(prompt)} `
  if (typed.trim() === '') return text
  const isQuote = (sentence: string) => {
    const words = normalised(sentence).split(' ')
    if (words.length < QUOTED_WORDS) return words.length > 1 && typed.includes(` ${words.join(' ')} `)
    return words.some((_, n) => n + QUOTED_WORDS <= words.length && typed.includes(` ${words.slice(n, n + QUOTED_WORDS).join(' ')} `))
  }
  return text
    .split('\n')
    .map((line) =>
      line
        .split(/(?<=[.!?;:])\s+/)
        .filter((sentence) => !isQuote(sentence))
        .join(' '),
    )
    .filter((line) => normalised(line) !== '')
    .join('\n')
}
