/** Statements taken from conversations: what a deletion of turns leaves of them. */
import { queueStatements } from '../capture/capture.ts'
import type { ErasedIds, SelectedRows } from '../core/job.ts'
import type { Prompt } from '../core/memory.ts'
import { memoryId } from '../core/memory-kinds.ts'
import { isStatement, type Note, type NoteId, parsePlace } from '../core/note.ts'
import { normalised } from '../notes/notes.ts'
import type { Store } from '../store/store.ts'

/** The subject of a deletion: turns and sessions, and earlier deletions. */
type DeletedTurns = Pick<SelectedRows, 'sessions' | 'prompts'> & { units: string[] }

type LostPlace = ErasedIds['lostPlaces'][number]

export const sessionUnit = (id: number) => `session:${id}`

/**
 * The statements that go because they were said in deleted turns only, and the places that others lose. A statement goes too if the deleted turn
 * has its very words and no other does: the others said it differently, and can state it again.
 */
export async function planStatements(
  store: Store,
  selected: DeletedTurns,
  hard: boolean,
): Promise<{ notes: NoteId[]; lostPlaces: LostPlace[] }> {
  const plan: { notes: NoteId[]; lostPlaces: LostPlace[] } = { notes: [], lostPlaces: [] }
  const turns = await deletedTurns(store, selected)
  const deletions = await store.deletions()
  const ofUnits = await deletions.placesOfUnits(selected.units)
  const notes = new Map((await store.notes.saidIn([...turns.sessions])).map((note) => [note.id, note]))
  for (const { note: id } of ofUnits) {
    const note = notes.has(id) ? null : await store.notes.get(id)
    if (note) notes.set(id, note)
  }
  for (const note of notes.values()) {
    // One that a person rejected stays rejected.
    if (note.deletedAt !== null && !hard) continue
    const lost = note.said.flatMap((place) => {
      const deletion = turns.deletionOf(place, note)
      return deletion ? [{ note: note.id, place, ...deletion }] : []
    })
    const gone = new Set([...lost.map(({ place }) => place), ...ofUnits.filter((one) => one.note === note.id).map(({ place }) => place)])
    if (gone.size === 0) continue
    const left = [...note.said, ...(await deletions.placesOfNote(note.id))].filter((place) => !gone.has(place))
    const isDifferentElsewhere = isStatement(note) && left.length > 0 && (await isWordedOnlyIn(store, note, [...gone], left))
    if (isStatement(note) && (left.length === 0 || isDifferentElsewhere)) plan.notes.push(note.id)
    const [first] = lost
    plan.lostPlaces.push(...(isDifferentElsewhere && first ? note.said.map((place) => ({ ...first, place })) : lost))
  }
  return plan
}

/** Whether a turn in which a statement was said is still there. */
export async function isSaidInSomeTurn(store: Store, note: Note): Promise<boolean> {
  for (const place of note.said) if (await turnAt(store, place)) return true
  return false
}

async function deletedTurns(store: Store, { sessions, prompts }: DeletedTurns) {
  const whole = new Map<string, number>()
  const single = new Map<string, { unit: string; sessionId: number }>()
  const known = new Set<string>()
  for (const id of sessions) {
    const session = await store.sessions.get(id)
    if (session) whole.set(session.contentSessionId, id)
  }
  for (const id of prompts) {
    const prompt = await store.prompts.get(id)
    const session = prompt && (await store.sessions.get(prompt.sessionId))
    if (!session) continue
    single.set(`${session.contentSessionId}:${prompt.number}`, { unit: memoryId('prompt', id), sessionId: session.id })
    known.add(session.contentSessionId)
  }
  return {
    sessions: new Set([...whole.keys(), ...known]),
    /** The deletion that takes a place away; null if it stays. A chosen option has its words from the answer before. */
    deletionOf: (place: string, note: Note): { unit: string; sessionId: number } | null => {
      const { session, turn } = parsePlace(place)
      const sessionId = whole.get(session)
      if (sessionId !== undefined) return { unit: sessionUnit(sessionId), sessionId }
      return single.get(`${session}:${turn}`) ?? (CHOSEN_OPTION.test(note.body) ? (single.get(`${session}:${turn - 1}`) ?? null) : null)
    },
  }
}

/** "Take option B (a table for each tenant)". */
const CHOSEN_OPTION = /\boption #?\w+\b.* \(.+\)$/is

async function isWordedOnlyIn(store: Store, note: Note, gone: string[], left: string[]): Promise<boolean> {
  const isWordedAt = async (place: string, unknown: boolean) => {
    const turn = await turnAt(store, place)
    return turn ? hasWordsOf(turn, note) : unknown
  }
  for (const place of left) if (await isWordedAt(place, true)) return false
  for (const place of gone) if (await isWordedAt(place, false)) return true
  return false
}

/** Lets the sessions of these places state in their own words what they said, if their turns are still there. */
export async function stateAgain(store: Store, places: string[], now: number): Promise<void> {
  for (const place of places) {
    const turn = await turnAt(store, place)
    if (turn) await queueStatements(store, turn.sessionId, 'session-end', now)
  }
}

/** Null if the turn is deleted, or was never on this machine. */
async function turnAt(store: Store, place: string): Promise<Prompt | null> {
  const { session, turn } = parsePlace(place)
  const found = (await store.sessions.withIdPrefix(session, 2)).find(({ contentSessionId }) => contentSessionId === session)
  return found ? store.prompts.byNumber(found.id, turn) : null
}

function hasWordsOf({ text, answer }: Prompt, { body }: Note): boolean {
  const said = ` ${normalised(`${text} ${answer ?? ''}`)} `
  return body.split('\n').every((line) => said.includes(` ${normalised(line.replace(/^(?:Why|Rejected): /, ''))} `))
}
