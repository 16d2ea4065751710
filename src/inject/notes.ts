import { GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { shortMemoryId } from '../core/memory-kinds.ts'
import { asNoteId, type Note } from '../core/note.ts'
import { shorten } from '../core/text.ts'
import { formatAge } from '../core/time-format.ts'
import { countTokens } from '../core/tokens.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { Mention, Store } from '../store/store.ts'
import { type BriefPage, framePart, type ReasonedItem, type Share } from './page.ts'
import { repeatsText } from './repeated-text.ts'
import { RULES_NAMESPACE, rulesFor, type StandingRule } from './rules.ts'
import type { SessionKnowledge } from './session-knowledge.ts'

/** The notes for a brief: rules, notes that always apply, and those of the project that may be shown. `left`: the others, with the reason. */
export type ChosenNotes = { rules?: StandingRule[]; always: Note[]; ofProject: Note[]; left?: ReasonedItem[] }

const MAX_PROJECT_NOTES = 8
/** How many of these may be notes of sessions; the rest are lasting ones. */
const MAX_EPISODIC_NOTES = 2
/** Statements of sessions that are looked at. Only those that are clear, reasoned or still open are shown. */
const MAX_STATEMENTS_READ = 40
/** More would not fit, however short they are. */
const MAX_NOTES_READ = 200
/** Enough to find two that have not been consolidated. */
const MAX_EPISODES_READ = 50

/** Chooses from the notes of a project and the global ones. The store never returns superseded, expired or forgotten notes. */
export async function notesFor(store: Store, project: ProjectKey, now: number, maxNotes = MAX_PROJECT_NOTES): Promise<ChosenNotes> {
  const global =
    project === GLOBAL_PROJECT ? [] : await store.notes.newest(GLOBAL_PROJECT, ['procedural', 'semantic', 'episodic'], now, MAX_NOTES_READ)
  const pinned = [project, GLOBAL_PROJECT].map((of) => store.notes.pinned(of, now, MAX_NOTES_READ))
  const durable = await store.notes.newest(project, ['procedural', 'semantic'], now, MAX_NOTES_READ)
  // Other people's sessions are not where this person's work stands.
  const sessionsOfPerson = (await store.notes.newest(project, ['episodic'], now, MAX_EPISODES_READ)).filter(({ author }) => author === null)
  const episodic = await notesOfOtherJournals(store, sessionsOfPerson)
  const isOther = (note: Note) => note.namespace !== RULES_NAMESPACE || note.author !== null
  const others = [global, durable, episodic, (await Promise.all(pinned)).flat()].map((notes) => notes.filter(isOther))
  const [all = [], lasting = [], sessions = [], fixed = []] = others
  return { ...chooseNotes(all, lasting, sessions, fixed, maxNotes), rules: await rulesFor(store, project, now) }
}

/** Without the notes of sessions that are in this journal: their results are shown instead, or they had none. */
async function notesOfOtherJournals(store: Store, episodic: Note[]): Promise<Note[]> {
  const kept: Note[] = []
  for (const note of episodic) {
    const isHere = note.session !== null && (await store.sessions.withIdPrefix(note.session, 1)).length > 0
    if (!isHere || note.pinned) kept.push(note)
  }
  return kept
}

/**
 * All global and all pinned notes; then the newest of the project, at most two of them about sessions that were not consolidated yet. All
 * lists come newest first, and by confidence for equal times. `oldPinned` are the pinned notes that the other lists may be too short for.
 */
export function chooseNotes(
  global: Note[],
  durable: Note[],
  episodic: Note[],
  oldPinned: Note[] = [],
  maxNotes = MAX_PROJECT_NOTES,
): ChosenNotes {
  const pinned = [...oldPinned, ...[...durable, ...episodic].filter((note) => note.pinned)]
  const isConsolidated = (note: Note) => note.tags.includes('reflected')
  const episodes = episodic.filter((note) => !note.pinned && !isConsolidated(note))
  const statements = durable.filter((note) => !note.pinned && note.state === 'proposed').slice(0, MAX_STATEMENTS_READ)
  // Copies of other people's notes come after the person's own.
  const accepted = durable.filter((note) => !note.pinned && note.state !== 'proposed')
  const others = accepted.sort((a, b) => Number(a.author !== null) - Number(b.author !== null))
  const recent = episodes.slice(0, Math.min(MAX_EPISODIC_NOTES, maxNotes))
  const lasting = others.slice(0, maxNotes - recent.length)
  // A person pinned it on purpose, so it comes before notes that are merely global.
  const byPin = [...global].sort((a, b) => Number(b.pinned) - Number(a.pinned))
  const always = [...new Map([...pinned, ...byPin].map((note) => [note.id, note])).values()]
  const cut = (notes: Note[], chosen: Note[], reason: string) =>
    notes.slice(chosen.length).map(
      (note, n): ReasonedItem => ({
        kind: 'note',
        id: note.id,
        why: `number ${chosen.length + n + 1} by time: ${chosen.length} ${reason}`,
      }),
    )
  const left = [
    ...cut(others, lasting, 'lasting notes are shown'),
    ...cut(episodes, recent, 'session notes are shown'),
    ...episodic
      .filter(isConsolidated)
      .map((note): ReasonedItem => ({ kind: 'note', id: note.id, why: 'consolidated: other notes say what remains of it' })),
  ]
  return {
    always,
    ofProject: [...lasting, ...statements, ...recent],
    left: left.filter(({ id }) => !always.some((note) => note.id === id)),
  }
}

/** Without the notes that a resumed session has seen or written, unless they changed since. */
export function withoutKnownNotes(notes: ChosenNotes, knowledge: SessionKnowledge | null, left: ReasonedItem[]): ChosenNotes {
  if (!knowledge) return notes
  const isNew = (note: Note) => {
    const isOwn = note.session !== null && knowledge.contentIds.has(note.session)
    if (!isOwn && note.updatedAt > (knowledge.briefed?.at ?? 0)) return true
    left.push({ kind: 'note', id: note.id, why: isOwn ? 'this session wrote it' : 'already shown to this session' })
    return false
  }
  const rules = (notes.rules ?? []).filter(({ note }) => isNew(note))
  return { ...notes, rules, always: notes.always.filter(isNew), ofProject: notes.ofProject.filter(isNew) }
}

/** Adds notes in full within their share of the page, and the rest by their titles as long as those fit. */
export function addNotes(page: BriefPage, heading: string, notes: Note[], share: Share, now: number, left: ReasonedItem[]): void {
  let hasHeading = false
  let hasHint = false
  for (const note of notes) {
    const of: ReasonedItem = { kind: 'note', id: note.id, why: whyShown(note) }
    const parts = (line: string) => [...(hasHeading ? [] : [framePart(heading)]), { of, lines: [line] }]
    const title: string = `${shortMemoryId('note', note.id)} · ${shorten(neutralizeText(note.title), 80)}${hasHint ? '' : ` — in full: get ${shortMemoryId('note', note.id)}`}`
    // The title of a pinned note may exceed the share.
    const fits = (line: string) => share.fits(countTokens(line)) || (line === title && note.pinned)
    // What applies everywhere is shown whole as long as there is room.
    const whole = note.scope === 'global' ? [noteLine(note, now, MAX_WHOLE_BODY_CHARACTERS)] : []
    const shown = [...whole, noteLine(note, now), title].find((line) => fits(line) && page.add(...parts(line)))
    if (shown !== undefined) {
      hasHeading = true
      hasHint ||= shown === title
      share.take(countTokens(shown))
    } else if (fits(title)) left.push({ ...of, why: page.whyNoRoom(...parts(title)) })
    else
      left.push({
        ...of,
        why: `no room: needs ${countTokens(title)} tokens, ${share.left()} left for these notes`,
      })
  }
}

/** A note in one line: its title and the beginning of its text, without repeating the title. */
export function noteLine(note: Note, now: number, maxBody = MAX_BODY_CHARACTERS): string {
  const title = shorten(neutralizeText(note.title), 120)
  const body = shorten(neutralizeText(outcomeOf(note) ?? note.body), maxBody)
  const content = body.startsWith(title.replace(/…$/, '')) ? body : [title, body].filter(Boolean).join(' — ')
  const doubt = note.confidence < 1 ? `, ${Math.round(note.confidence * 100)} % sure` : ''
  const from = note.author === null ? note.source : `by ${shorten(neutralizeText(note.author), MAX_AUTHOR_CHARACTERS)}`
  const source = doubt || note.author !== null || (note.source !== 'human' && note.type !== 'episodic') ? ` (${from}${doubt})` : ''
  return `${shortMemoryId('note', note.id)} · ${formatAge(note.updatedAt, now)} · ${note.namespace} · ${content}${source}`
}

const MAX_BODY_CHARACTERS = 360
const MAX_AUTHOR_CHARACTERS = 60
const MAX_WHOLE_BODY_CHARACTERS = 2000

/**
 * The outcome of a session, from the note that capture wrote about it. The note's title already says what was asked, and the overview lists
 * the files. Null if the note has another form.
 */
export function outcomeOf({ type, title, body }: Note): string | null {
  const [, ...parts] = type === 'episodic' ? body.split(/^\*\*(Outcome|Learned|Next steps):\*\* /m) : []
  if (parts.length === 0) return null
  const part = (label: string) => (parts.includes(label) ? (parts[parts.indexOf(label) + 1] ?? '') : '').replace(MARKDOWN_MARKS, '')
  const outcome = part('Outcome').startsWith('(no assistant') ? '' : newSentences([title], part('Outcome'))
  // An explaining answer is outcome and lesson at once. Only the part that is shown counts as said.
  const reserve = (label: string, max: number) => Math.min(max, part(label).length) + label.length + 3
  const shown = shorten(
    outcome,
    MAX_BODY_CHARACTERS - reserve('Learned', MAX_LEARNED_CHARACTERS) - reserve('Next steps', MAX_NEXT_STEPS_CHARACTERS),
  )
  const learned = shorten(newSentences([title, shown], part('Learned')), MAX_LEARNED_CHARACTERS)
  const next = shorten(newSentences([title, shown, learned], part('Next steps')), MAX_NEXT_STEPS_CHARACTERS)
  const rest = [learned && `Learned: ${learned}`, next && `Next: ${next}`].filter(Boolean).join(' ')
  return rest ? `${withoutCutSentence(shown, learned)} ${rest}`.trim() : shorten(outcome, MAX_BODY_CHARACTERS)
}

/** Drops the cut sentence at the end of a text if the next text starts with it. */
function withoutCutSentence(text: string, next: string): string {
  const cutSentence = text.endsWith('…') ? (sentencesOf(text).at(-1) ?? '') : ''
  return cutSentence !== '' && next.startsWith(cutSentence.slice(0, -1)) ? text.slice(0, -cutSentence.length).trim() : text
}

const MAX_LEARNED_CHARACTERS = 130
const MAX_NEXT_STEPS_CHARACTERS = 110

/** Emphasis, fences, and tables, which are unreadable in one line. */
const MARKDOWN_MARKS = /\*\*|^#{1,6} |^```.*$|^\s*\|.*$/gm

/** The sentences of a text that repeat neither the known texts nor an earlier sentence. */
function newSentences(knownTexts: string[], text: string): string {
  const known = knownTexts.flatMap(sentencesOf)
  const added = sentencesOf(text).filter((sentence) => {
    const isNew = !known.some((before) => repeatsText(before, sentence))
    known.push(sentence)
    return isNew
  })
  return added.join(' ')
}

const sentencesOf = (text: string): string[] =>
  neutralizeText(text)
    .split(/(?<=[.!?:])\s+|(?<=[。！？])/)
    .filter(Boolean)

function whyShown(note: Note): string {
  if (note.pinned) return 'pinned'
  if (note.scope === 'global') return 'applies to every project'
  return note.type === 'episodic' ? 'one of the last two sessions' : 'one of the newest lasting notes on this project'
}

/** The newest notes among the memories that mention a file. */
export async function notesAbout(store: Store, mentions: Mention[], now: number): Promise<Note[]> {
  const ids = mentions.flatMap((mention) => (mention.kind === 'note' ? [asNoteId(mention.ref)] : []))
  const notes = await Promise.all(ids.slice(0, 20).map((id) => store.notes.getVisible(id, now)))
  return notes.filter((note) => note !== null && note.type !== 'episodic').slice(0, 2) as Note[]
}
