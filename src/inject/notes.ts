import { GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { asNoteId, type Note } from '../core/note.ts'
import { shorten } from '../core/text.ts'
import { formatAge } from '../core/time-format.ts'
import { countTokens } from '../core/tokens.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { Mention, Store } from '../store/store.ts'
import { repeatsText } from './memory-lines.ts'
import { type BriefPage, framePart, type ReasonedItem } from './page.ts'
import type { SessionKnowledge } from './session-knowledge.ts'

/** The notes that open a session: those that always hold, and the few of the project that matter most now. */
export type ChosenNotes = { always: Note[]; ofProject: Note[]; left?: ReasonedItem[] }

/** How many notes of the project there is room for. */
const MAX_PROJECT_NOTES = 8
/** Of these, how many may tell what was done last; the rest is what lasts. */
const MAX_EPISODIC_NOTES = 2
/** More than this the budget could not hold, however short they are. */
const MAX_NOTES_READ = 200
/** How many episodes are looked at to find two that have not been reflected upon. */
const MAX_EPISODES_READ = 50

/** What the notes of a project and those for every project offer; superseded, expired and forgotten ones are never among them. */
export async function notesFor(store: Store, project: ProjectKey, now: number): Promise<ChosenNotes> {
  const everywhere =
    project === GLOBAL_PROJECT ? [] : await store.notes.newest(GLOBAL_PROJECT, ['procedural', 'semantic', 'episodic'], now, MAX_NOTES_READ)
  const pinned = [project, GLOBAL_PROJECT].map((of) => store.notes.pinned(of, now, MAX_NOTES_READ))
  const durable = await store.notes.newest(project, ['procedural', 'semantic'], now, MAX_NOTES_READ)
  const episodic = await store.notes.newest(project, ['episodic'], now, MAX_EPISODES_READ)
  return chooseNotes(everywhere, durable, episodic, (await Promise.all(pinned)).flat())
}

/**
 * Everything global and everything pinned, whatever the room; then the newest of the project, of which at most two tell of sessions
 * that nobody has reflected upon yet. All lists come newest first, equal times by confidence.
 */
export function chooseNotes(everywhere: Note[], durable: Note[], episodic: Note[], kept: Note[] = []): ChosenNotes {
  // Looked for by themselves, because a pin holds however many notes are newer.
  const pinned = [...kept, ...[...durable, ...episodic].filter((note) => note.pinned)]
  const isReflected = (note: Note) => note.tags.includes('reflected')
  const episodes = episodic.filter((note) => !note.pinned && !isReflected(note))
  const others = durable.filter((note) => !note.pinned)
  const fresh = episodes.slice(0, Math.min(MAX_EPISODIC_NOTES, MAX_PROJECT_NOTES))
  const lasting = others.slice(0, MAX_PROJECT_NOTES - fresh.length)
  // A person's pin is a wish; it comes before what merely holds everywhere.
  const byPin = [...everywhere].sort((a, b) => Number(b.pinned) - Number(a.pinned))
  const always = [...new Map([...pinned, ...byPin].map((note) => [note.id, note])).values()]
  const cut = (notes: Note[], of: Note[], what: string) =>
    notes
      .slice(of.length)
      .map((note, n): ReasonedItem => ({ kind: 'note', id: note.id, why: `number ${of.length + n + 1} by time: ${of.length} ${what}` }))
  const left = [
    ...cut(others, lasting, 'lasting notes are told'),
    ...cut(episodes, fresh, 'sessions are told by their notes'),
    ...episodic
      .filter(isReflected)
      .map((note): ReasonedItem => ({ kind: 'note', id: note.id, why: 'reflected upon: other notes tell what lasts of it' })),
  ]
  return { always, ofProject: [...lasting, ...fresh], left: left.filter(({ id }) => !always.some((note) => note.id === id)) }
}

/** Without what a session that is gone on with was told or wrote itself, unless it was changed since. */
export function withoutKnownNotes(notes: ChosenNotes, held: SessionKnowledge | null, left: ReasonedItem[]): ChosenNotes {
  if (!held) return notes
  const isNew = (note: Note) => {
    const own = note.session !== null && held.contentIds.has(note.session)
    if (!own && note.updatedAt > (held.briefed?.at ?? 0)) return true
    left.push({ kind: 'note', id: note.id, why: own ? 'the session wrote it itself' : 'the session was told before' })
    return false
  }
  return { ...notes, always: notes.always.filter(isNew), ofProject: notes.ofProject.filter(isNew) }
}

/** Notes with what they say, as far as their share of the page goes; the rest by their titles, as long as those fit. */
export function addNotes(page: BriefPage, head: string, notes: Note[], share: number, now: number, left: ReasonedItem[]): void {
  let spent = 0
  let begun = false
  for (const note of notes) {
    const of: ReasonedItem = { kind: 'note', id: note.id, why: whyShown(note) }
    const parts = (one: string) => [...(begun ? [] : [framePart(head)]), { of, lines: [one] }]
    const title = `N${note.id} · ${shorten(neutralizeText(note.title), 80)}`
    // Of what a person pinned at least the title is told, as long as the page has room at all.
    const fits = (one: string) => spent + countTokens(one) <= share || (one === title && note.pinned)
    const told = [noteLine(note, now), title].find((one) => fits(one) && page.add(...parts(one)))
    if (told !== undefined) {
      begun = true
      spent += countTokens(told)
    } else if (fits(title)) left.push({ ...of, why: page.whyNoRoom(...parts(title)) })
    else
      left.push({
        ...of,
        why: `no room: needs ${countTokens(title)} tokens, ${Math.max(0, Math.floor(share - spent))} left for these notes`,
      })
  }
}

/** A note in a line: what it says, not more than a glance of it, and nothing twice. */
export function noteLine(note: Note, now: number): string {
  const title = shorten(neutralizeText(note.title), 120)
  // Sentences that were apart may now stand side by side.
  const body = shorten(neutralizeText(outcomeOf(note) ?? note.body), MAX_BODY_CHARACTERS)
  const says = body.startsWith(title.replace(/…$/, '')) ? body : [title, body].filter(Boolean).join(' — ')
  const doubt = note.confidence < 1 ? `, ${Math.round(note.confidence * 100)} % sure` : ''
  const source = doubt || (note.source !== 'human' && note.type !== 'episodic') ? ` (${note.source}${doubt})` : ''
  return `N${note.id} · ${formatAge(note.updatedAt, now)} · ${note.namespace} · ${says}${source}`
}

const MAX_BODY_CHARACTERS = 360

/**
 * What came of a session, out of the note that capture wrote of it: its title tells what was asked, and files have a line of their own.
 * Null for a note of another form.
 */
function outcomeOf({ type, title, body }: Note): string | null {
  const [, ...parts] = type === 'episodic' ? body.split(/^\*\*(Outcome|Learned|Next steps):\*\* /m) : []
  if (parts.length === 0) return null
  const part = (label: string) => (parts.includes(label) ? (parts[parts.indexOf(label) + 1] ?? '') : '').replace(MARKDOWN_MARKS, '')
  const outcome = part('Outcome').startsWith('(no assistant') ? '' : newSentences([title], part('Outcome'))
  // An answer that explains is both how it ended and what was learned; what of it is cut off has not been said.
  const atMost = (label: string, most: number) => Math.min(most, part(label).length) + label.length + 3
  const shown = shorten(
    outcome,
    MAX_BODY_CHARACTERS - atMost('Learned', MAX_LEARNED_CHARACTERS) - atMost('Next steps', MAX_NEXT_STEPS_CHARACTERS),
  )
  const learned = shorten(newSentences([title, shown], part('Learned')), MAX_LEARNED_CHARACTERS)
  const next = shorten(newSentences([title, shown, learned], part('Next steps')), MAX_NEXT_STEPS_CHARACTERS)
  const rest = [learned && `Learned: ${learned}`, next && `Next: ${next}`].filter(Boolean).join(' ')
  return rest ? `${withoutBeginningOf(learned, shown)} ${rest}`.trim() : shorten(outcome, MAX_BODY_CHARACTERS)
}

/** A text that was cut in the middle of a sentence, without that where the sentence is told next. */
function withoutBeginningOf(next: string, cut: string): string {
  const begun = cut.endsWith('…') ? (sentencesOf(cut).at(-1) ?? '') : ''
  return begun !== '' && next.startsWith(begun.slice(0, -1)) ? cut.slice(0, -begun.length).trim() : cut
}

const MAX_LEARNED_CHARACTERS = 130
const MAX_NEXT_STEPS_CHARACTERS = 110

/** Emphasis, fences, and tables, which nobody can read in one line. */
const MARKDOWN_MARKS = /\*\*|^#{1,6} |^```.*$|^\s*\|.*$/gm

/** The sentences of a text that say something neither these texts nor the ones before them said. */
function newSentences(said: string[], text: string): string {
  const told = said.flatMap(sentencesOf)
  const fresh = sentencesOf(text).filter((one) => {
    const isNew = !told.some((before) => repeatsText(before, one))
    told.push(one)
    return isNew
  })
  return fresh.join(' ')
}

const sentencesOf = (text: string): string[] =>
  neutralizeText(text)
    .split(/(?<=[.!?:])\s+|(?<=[。！？])/)
    .filter(Boolean)

function whyShown(note: Note): string {
  if (note.pinned) return 'it is pinned'
  if (note.scope === 'global') return 'it holds in every project'
  return note.type === 'episodic' ? 'one of the last two sessions' : 'one of the newest lasting notes of this project'
}

/** The newest notes among what names a file. */
export async function notesAbout(store: Store, naming: Mention[], now: number): Promise<Note[]> {
  const refs = naming.flatMap((one) => (one.kind === 'note' ? [asNoteId(one.ref)] : []))
  const notes = await Promise.all(refs.slice(0, 20).map((id) => store.notes.getVisible(id, now)))
  return notes.filter((note) => note !== null && note.type !== 'episodic').slice(0, 2) as Note[]
}
