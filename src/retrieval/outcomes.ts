import type { Hit } from '../core/hit.ts'
import type { Prompt } from '../core/memory.ts'
import { memoryId } from '../core/memory-kinds.ts'
import { conclusionOf, isConclusive, isSettling } from '../core/outcome.ts'
import { subjectStems } from '../core/subject.ts'
import type { WorkOutcome } from '../core/work-outcome.ts'
import type { Store, StoredThread } from '../store/store.ts'
import { findLaterChange } from './changed-values.ts'

export { findLaterChange }

/** The turn of a session that a memory belongs to, if any. */
export type TurnPlace = Pick<Hit, 'sessionId' | 'turn'>

/**
 * The outcome of the work that a turn belongs to: the turns of its thread, the one with the result, and the result that this one replaced.
 * `isGuess`: in a long thread, nothing later is about the question, so this is only where the thread ended.
 */
export type Conclusion = { thread: StoredThread; turns: Prompt[]; outcome: Prompt; replaced: Prompt | null; isGuess: boolean }

/**
 * The outcome of the work that a memory belongs to, for everyone who shows the memory. Null if the memory is itself the result and replaced
 * nothing, or if no result is known. Without a query, the memory's own turn says what the work is about.
 */
export async function outcomeOf(store: Store, place: TurnPlace, query: string | null): Promise<WorkOutcome | null> {
  const own = place.sessionId === null || place.turn === null ? null : await store.prompts.byNumber(place.sessionId, place.turn)
  if (!own) return null
  const stems = [...subjectStems(query || own.text)]
  const conclusion = await concludeTurn(store, place, stems)
  const isKnown = conclusion !== null && !conclusion.isGuess && !onlyExplains(conclusion.outcome, own)
  return (isKnown ? describeConclusion(conclusion, own, stems) : null) ?? newerValue(store, own)
}

async function newerValue(store: Store, own: Prompt): Promise<WorkOutcome | null> {
  const change = await findLaterChange(store, own)
  return change && { id: promptId(change.turn), text: change.sentence, of: 'newer value', replaced: null }
}

/** Whether a later turn of the same session explains the result of this one instead of changing it: "why not the table itself?". */
const onlyExplains = (outcome: Prompt, own: Prompt) =>
  outcome.sessionId === own.sessionId &&
  outcome.number > own.number &&
  /\?\s*$/.test(outcome.text) &&
  isConclusive(own.answer ?? '') &&
  !isSettling(outcome.answer ?? '')

/** The outcome of a session: that of its last thread that has one, or of the work that replaced it. */
export async function outcomeOfSession(store: Store, sessionId: number): Promise<WorkOutcome | null> {
  const thread = (await store.threads.ofSession(sessionId)).findLast(({ outcome }) => outcome !== null)
  const own = thread?.outcome ? await store.prompts.byNumber(sessionId, thread.outcome) : null
  if (!own?.answer) return null
  const newer = thread?.replacedBy ? await outcomeOf(store, { sessionId, turn: own.number }, null) : null
  return newer ?? { id: promptId(own), text: conclusionText(own, [...subjectStems(own.text)]), of: 'this work', replaced: null }
}

function describeConclusion({ outcome, replaced, thread }: Conclusion, own: Prompt, stems: string[]): WorkOutcome | null {
  const isOwnTurn = outcome.id === own.id
  if (isOwnTurn && !replaced) return null
  const isOwnThread = thread.sessionId === own.sessionId && own.number >= thread.first && own.number <= thread.last
  return {
    id: promptId(outcome),
    text: conclusionText(outcome, stems),
    of: isOwnTurn ? 'this turn' : isOwnThread ? 'this work' : 'newer work',
    replaced: replaced && promptId(replaced),
  }
}

const promptId = ({ id }: Prompt) => memoryId('prompt', String(id))

const conclusionText = ({ answer }: Prompt, stems: string[]) => conclusionOf(answer ?? '', stems, MAX_TEXT_CHARACTERS)

/** A decision with its values; the full answer has its own id. */
const MAX_TEXT_CHARACTERS = 300

/**
 * The outcome of the work that a turn belongs to. A thread that a later one replaced leads to the later one: an overruled result is never shown as
 * the current one.
 */
export async function concludeTurn(store: Store, place: TurnPlace, stems: string[]): Promise<Conclusion | null> {
  const thread = await currentThread(store, place)
  if (!thread) return null
  const { sessionId, turn } = place
  const isOwn = sessionId === thread.sessionId && turn !== null && turn >= thread.first && turn <= thread.last
  const turns = await store.prompts.ofThread(isOwn ? { ...thread, first: Math.max(thread.first, turn - MAX_TURNS_BEFORE) } : thread)
  const result = isOwn ? resultOf(turns, turn, thread, stems) : null
  const outcome = result ?? turns.find(({ number }) => number === thread.outcome)
  if (!outcome?.answer) return null
  const older = await store.threads.replacedBy(thread.id)
  const replaced = older?.outcome ? await store.prompts.byNumber(older.sessionId, older.outcome) : null
  return { thread, turns, outcome, replaced, isGuess: isOwn && result === null }
}

/** The thread of a turn, or the one that replaced it; null for a memory outside the turns of a session. */
export async function currentThread(store: Store, { sessionId, turn }: TurnPlace): Promise<StoredThread | null> {
  let thread = sessionId === null || turn === null ? null : await store.threads.ofTurn(sessionId, turn)
  for (let step = 0; step < MAX_REPLACEMENTS && thread?.replacedBy; step++) thread = (await store.threads.get(thread.replacedBy)) ?? thread
  return thread
}

/** No decision is amended this often; the limit only ends a loop. */
const MAX_REPLACEMENTS = 10

/** A long thread is several pieces of work; what was said long before a hit is another one. */
const MAX_TURNS_BEFORE = 6

/**
 * The turn with the result of the work that a turn belongs to. A short thread is one piece of work, so its outcome counts. In a long one it is the
 * last turn, from this one on, that concludes something and is still about the question.
 */
function resultOf(turns: Prompt[], number: number, thread: StoredThread, stems: string[]): Prompt | null {
  if (thread.last - thread.first < MAX_SHORT_THREAD_TURNS) return turns.find((turn) => turn.number === thread.outcome) ?? null
  const about = (turn: Prompt) => countStems(turn, stems)
  const own = turns.find((turn) => turn.number === number)
  const enough = Math.max(MIN_SHARED_STEMS, (own ? about(own) : 0) * MIN_SHARED_WITH_HIT)
  // Reading a whole answer for its conclusion is costly, so that comes last.
  const later = turns.findLast((turn) => turn.number >= number && about(turn) >= enough && isConclusive(turn.answer ?? ''))
  return later ?? (own && isConclusive(own.answer ?? '') ? own : null)
}

export const MAX_SHORT_THREAD_TURNS = 10
const MIN_SHARED_STEMS = 2
const MIN_SHARED_WITH_HIT = 0.7

function countStems({ text, answer }: Prompt, stems: string[]): number {
  const own = new Set([...subjectStems(text), ...subjectStems(answer ?? '')])
  return stems.filter((stem) => own.has(stem)).length
}
