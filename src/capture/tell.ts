import type { Action } from '../core/action.ts'
import { asMemorySessionId, type MemorySessionId } from '../core/ids.ts'
import type { Change, Session, ToolUse, Turn } from '../core/memory.ts'
import { projectName } from '../core/project.ts'
import { countTokens } from '../core/tokens.ts'
import type { ModelAnswer, ModelRequest, TextModel } from '../providers/text.ts'
import type { Store } from '../store/store.ts'
import { isTold, type JournalledTurn, journalled, memorySessionOf, turnOf, writeTurn } from './distill.ts'
import type { DistillJob } from './due.ts'
import { readTold } from './model/answer.ts'
import { conversationOf } from './model/conversation.ts'
import { grounded, isReadOnly } from './model/evidence.ts'
import type { Mode } from './model/mode.ts'
import { inputRatio, type Opening, turnRequest } from './model/protocol.ts'
import { distillPlain } from './plain/plain.ts'

/** `anew` when a person asks for it: the turn is told whenever it was, and not as the next of its session. */
export type TellJob = DistillJob & { anew?: boolean }

/** What telling a turn needs besides the journal. */
export type Teller = {
  model: TextModel
  mode: Mode
  maxInputRatio: number
  clean(text: string): string
  readAction(use: ToolUse): Action
  /** The memory ids that this run has seen, by session. */
  seen: Map<number, MemorySessionId>
}

export type Told =
  /** `write` belongs into a transaction. It writes nothing when more of the turn came in while the model thought. */
  | { kind: 'told'; write(at: number): Promise<Change[]> }
  /** Plain rules have told it and that stands. */
  | { kind: 'left'; reason: string }
  | Extract<ModelAnswer, { kind: 'failed' }>

/** Later than the plain one, so that what comes in a moment after the end of the turn is in it. */
const TELL_AFTER_MS = 1500
/** What is older is history that somebody brings in; a person decides whether that is worth the money. */
const RECENT_MS = 24 * 60 * 60_000

/** Asks for a model to tell a turn that is over, lately, and was not told as it stands. Inside the transaction that told it plainly. */
export async function queueTell(store: Store, job: DistillJob, now: number): Promise<boolean> {
  const found = await journalled(store, job)
  if (!found || (await isTold(store, found)) || !(await isOver(store, found))) return false
  if (now - (found.prompt.answeredAt ?? found.prompt.at) > RECENT_MS) return false
  await store.jobs.add('tell', `${job.sessionId}:${job.number}`, job, now, now + TELL_AFTER_MS)
  return true
}

async function isOver(store: Store, { session, prompt }: JournalledTurn): Promise<boolean> {
  if (prompt.answer !== null || session.status === 'completed') return true
  return (await store.prompts.numbered(session.id, prompt.number + 1)) !== null
}

/** Has a model tell a turn: one question. Plain rules have told it before, so whatever goes wrong, a memory of it is there. */
export async function tellTurn(store: Store, teller: Teller, job: TellJob, signal: AbortSignal): Promise<Told> {
  const found = await journalled(store, job)
  if (!found) return { kind: 'left', reason: 'there is nothing left to tell it from' }
  if (await isTold(store, found)) return { kind: 'left', reason: 'it has been told' }
  if (!(await isOver(store, found))) return { kind: 'left', reason: 'it is not over' }
  if (await store.told.hasForgotten(job.sessionId, job.number)) return { kind: 'left', reason: 'something of it was forgotten' }
  const turn = await turnOf(store, found, teller.readAction)
  const asked = await questionAbout(store, teller, found, turn, job.anew ?? false)
  if (asked.kind === 'left') return asked
  const answer = await teller.model.ask(asked.request, signal)
  if (answer.kind === 'failed') return answer
  const said = readTold(teller.clean(answer.text))
  if (said.kind === 'unreadable') {
    return {
      kind: 'failed',
      reason: 'bad-answer',
      message: `${answer.by ?? teller.model.name} did not answer in the form it was asked for`,
      retryAfterMs: null,
    }
  }
  const told = grounded(said, turn, teller.mode, distillPlain(turn))
  return {
    kind: 'told',
    write: async (at) => {
      const now = await journalled(store, job)
      if (!now || now.print !== found.print) return []
      const model = answer.by ?? teller.model.name
      const memorySessionId = await registered(store, now.session, answer.session ?? null)
      teller.seen.set(now.session.id, memorySessionId)
      await store.told.put({ sessionId: now.session.id, number: now.prompt.number, print: now.print, model, at })
      return writeTurn(store, now, told, { model, memorySessionId })
    },
  }
}

/** What asking about a turn would send and could get back, in tokens; null when nobody would be asked. */
export async function askedAbout(store: Store, teller: Teller, job: TellJob): Promise<{ input: number; output: number } | null> {
  const found = await journalled(store, job)
  if (!found || (await isTold(store, found)) || !(await isOver(store, found))) return null
  const asked = await questionAbout(store, teller, found, await turnOf(store, found, teller.readAction), job.anew ?? false)
  if (asked.kind === 'left') return null
  const { system, messages, maxTokens } = asked.request
  return { input: countTokens([system, ...messages.map(({ text }) => text)].join('\n')) + (teller.model.overhead ?? 0), output: maxTokens }
}

/** The question about a turn, or why none is asked. */
async function questionAbout(
  store: Store,
  teller: Pick<Teller, 'model' | 'mode' | 'maxInputRatio' | 'seen'>,
  found: JournalledTurn,
  turn: Turn,
  forceInit: boolean,
): Promise<{ kind: 'ask'; request: ModelRequest } | Extract<Told, { kind: 'left' }>> {
  const { session, prompt } = found
  const request = turnRequest(turn, teller.mode, await openingOf(store, teller, session, prompt.number, forceInit))
  // Short turns would cost many times what they say, and plain rules read them well.
  if (inputRatio(request, rawTokens(found), teller.model.overhead ?? 0) > teller.maxInputRatio) {
    return { kind: 'left', reason: 'it is too short for what the question would cost' }
  }
  return { kind: 'ask', request: { ...request, about: { purpose: 'distill', project: session.project }, isSimple: isReadOnly(turn) } }
}

async function openingOf(
  store: Store,
  { seen }: Pick<Teller, 'seen'>,
  session: Session,
  promptNumber: number,
  forceInit: boolean,
): Promise<Opening> {
  const { contentSessionId, memorySessionId } = session
  const seenInThisRun = seen.get(session.id) ?? null
  const initial: Opening = { kind: 'initial', project: projectName(session.project) }
  if (!conversationOf({ contentSessionId, memorySessionId, promptNumber, seenInThisRun, forceInit })) return initial
  const earlier = (await store.summaries.ofSession(session.id)).findLast((summary) => summary.promptNumber < promptNumber)
  const before = earlier ? [earlier.request, earlier.completed || earlier.learned].filter(Boolean).join(' → ') : ''
  return before ? { kind: 'continuation', before } : initial
}

/** Everything the journal holds of a turn, as it came in. */
function rawTokens({ prompt, uses }: JournalledTurn): number {
  const texts = uses.flatMap((use) => [use.input, use.output ?? '', use.error ?? ''])
  return [prompt.text, prompt.answer ?? '', ...texts].reduce((sum, text) => sum + countTokens(text), 0)
}

/** The memory id is the session's before any observation refers to it. A provider's own comes first; others are given one. */
async function registered(store: Store, session: Session, reported: string | null): Promise<MemorySessionId> {
  if (reported === null || reported === (session.contentSessionId as string)) return memorySessionOf(store, session, 'model')
  const id = asMemorySessionId(reported)
  if (id !== session.memorySessionId) await store.sessions.setMemorySessionId(session.id, id)
  return id
}
