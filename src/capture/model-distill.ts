import type { ReadAction } from '../core/action.ts'
import { asMemorySessionId, type MemorySessionId } from '../core/ids.ts'
import type { Change, Session, Turn } from '../core/memory.ts'
import { projectName } from '../core/project.ts'
import { countTokens } from '../core/tokens.ts'
import type { ModelAnswer, ModelRequest, TextModel } from '../providers/text.ts'
import type { Store } from '../store/store.ts'
import {
  ensureMemorySession,
  isDistilledByModel,
  type JournalledTurn,
  readJournalledTurn,
  turnForDistiller,
  writeDistilledTurn,
} from './distill.ts'
import type { DistillJob } from './distill-job.ts'
import { conversationToContinue } from './model/conversation.ts'
import { parseDistillAnswer } from './model/distill-answer.ts'
import { groundAnswer, isReadOnlyTurn } from './model/evidence.ts'
import type { Mode } from './model/mode.ts'
import { type DistillOpening, inputRatio, turnRequest } from './model/protocol.ts'
import { distillPlain } from './plain/plain.ts'

/** `anew` when a person asks for it: the turn is told whenever it was, and not as the next of its session. */
export type ModelDistillJob = DistillJob & { anew?: boolean }

/** What telling a turn needs besides the journal. */
export type ModelDistiller = {
  model: TextModel
  mode: Mode
  maxInputRatio: number
  clean(text: string): string
  readAction: ReadAction
  /** The memory ids that this run has seen, by session. */
  seen: Map<number, MemorySessionId>
}

export type ModelDistillOutcome =
  /** `write` belongs into a transaction. It writes nothing when more of the turn came in while the model thought. */
  | { kind: 'told'; write(at: number): Promise<Change[]> }
  /** Plain rules have told it and that stands. */
  | { kind: 'left'; reason: string }
  | Extract<ModelAnswer, { kind: 'failed' }>

/** Later than the plain one, so that what comes in a moment after the end of the turn is in it. */
const MODEL_DISTILL_DELAY_MS = 1500
/** What is older is history that somebody brings in; a person decides whether that is worth the money. */
const MAX_TURN_AGE_MS = 24 * 60 * 60_000

/** Asks for a model to tell a turn that is over, lately, and was not told as it stands. Inside the transaction that told it plainly. */
export async function queueModelDistill(store: Store, job: DistillJob, now: number): Promise<boolean> {
  const found = await readJournalledTurn(store, job)
  if (!found || (await isDistilledByModel(store, found)) || !(await isTurnOver(store, found))) return false
  if (now - (found.prompt.answeredAt ?? found.prompt.at) > MAX_TURN_AGE_MS) return false
  await store.jobs.add('model-distill', `${job.sessionId}:${job.number}`, job, now, now + MODEL_DISTILL_DELAY_MS)
  return true
}

async function isTurnOver(store: Store, { session, prompt }: JournalledTurn): Promise<boolean> {
  if (prompt.answer !== null || session.status === 'completed') return true
  return (await store.prompts.byNumber(session.id, prompt.number + 1)) !== null
}

/** Has a model tell a turn: one question. Plain rules have told it before, so whatever goes wrong, a memory of it is there. */
export async function distillTurnWithModel(
  store: Store,
  teller: ModelDistiller,
  job: ModelDistillJob,
  signal: AbortSignal,
): Promise<ModelDistillOutcome> {
  const found = await readJournalledTurn(store, job)
  if (!found) return { kind: 'left', reason: 'there is nothing left to tell it from' }
  if (await isDistilledByModel(store, found)) return { kind: 'left', reason: 'it has been told' }
  if (!(await isTurnOver(store, found))) return { kind: 'left', reason: 'it is not over' }
  if (await store.distilledTurns.hasForgottenObservation(job.sessionId, job.number))
    return { kind: 'left', reason: 'something of it was forgotten' }
  const turn = await turnForDistiller(store, found, teller.readAction)
  const asked = await buildModelRequest(store, teller, found, turn, job.anew ?? false)
  if (asked.kind === 'left') return asked
  const answer = await teller.model.ask(asked.request, signal)
  if (answer.kind === 'failed') return answer
  const said = parseDistillAnswer(teller.clean(answer.text))
  if (said.kind === 'unreadable') {
    return {
      kind: 'failed',
      reason: 'bad-answer',
      message: `${answer.by ?? teller.model.name} did not answer in the form it was asked for`,
      retryAfterMs: null,
    }
  }
  const told = groundAnswer(said, turn, teller.mode, distillPlain(turn))
  return {
    kind: 'told',
    write: async (at) => {
      const now = await readJournalledTurn(store, job)
      if (!now || now.print !== found.print) return []
      const model = answer.by ?? teller.model.name
      const memorySessionId = await registerMemorySession(store, now.session, answer.session ?? null)
      teller.seen.set(now.session.id, memorySessionId)
      await store.distilledTurns.put({ sessionId: now.session.id, number: now.prompt.number, print: now.print, model, at })
      return writeDistilledTurn(store, now, told, { model, memorySessionId })
    },
  }
}

/** What asking about a turn would send and could get back, in tokens; null when nobody would be asked. */
export async function estimateModelTokens(
  store: Store,
  teller: ModelDistiller,
  job: ModelDistillJob,
): Promise<{ input: number; output: number } | null> {
  const found = await readJournalledTurn(store, job)
  if (!found || (await isDistilledByModel(store, found)) || !(await isTurnOver(store, found))) return null
  const asked = await buildModelRequest(store, teller, found, await turnForDistiller(store, found, teller.readAction), job.anew ?? false)
  if (asked.kind === 'left') return null
  const { system, messages, maxTokens } = asked.request
  return { input: countTokens([system, ...messages.map(({ text }) => text)].join('\n')) + (teller.model.overhead ?? 0), output: maxTokens }
}

/** The question about a turn, or why none is asked. */
async function buildModelRequest(
  store: Store,
  teller: Pick<ModelDistiller, 'model' | 'mode' | 'maxInputRatio' | 'seen'>,
  found: JournalledTurn,
  turn: Turn,
  forceInit: boolean,
): Promise<{ kind: 'ask'; request: ModelRequest } | Extract<ModelDistillOutcome, { kind: 'left' }>> {
  const { session, prompt } = found
  const request = turnRequest(turn, teller.mode, await chooseOpening(store, teller, session, prompt.number, forceInit))
  // Short turns would cost many times what they say, and plain rules read them well.
  if (inputRatio(request, countJournalTokens(found), teller.model.overhead ?? 0) > teller.maxInputRatio) {
    return { kind: 'left', reason: 'it is too short for what the question would cost' }
  }
  return { kind: 'ask', request: { ...request, about: { purpose: 'distill', project: session.project }, isSimple: isReadOnlyTurn(turn) } }
}

async function chooseOpening(
  store: Store,
  { seen }: Pick<ModelDistiller, 'seen'>,
  session: Session,
  promptNumber: number,
  forceInit: boolean,
): Promise<DistillOpening> {
  const { contentSessionId, memorySessionId } = session
  const seenInThisRun = seen.get(session.id) ?? null
  const initial: DistillOpening = { kind: 'initial', project: projectName(session.project) }
  if (!conversationToContinue({ contentSessionId, memorySessionId, promptNumber, seenInThisRun, forceInit })) return initial
  const earlier = (await store.summaries.ofSession(session.id)).findLast((summary) => summary.promptNumber < promptNumber)
  const before = earlier ? [earlier.request, earlier.completed || earlier.learned].filter(Boolean).join(' → ') : ''
  return before ? { kind: 'continuation', before } : initial
}

/** Everything the journal holds of a turn, as it came in. */
function countJournalTokens({ prompt, uses }: JournalledTurn): number {
  const texts = uses.flatMap((use) => [use.input, use.output ?? '', use.error ?? ''])
  return [prompt.text, prompt.answer ?? '', ...texts].reduce((sum, text) => sum + countTokens(text), 0)
}

/** The memory id is the session's before any observation refers to it. A provider's own comes first; others are given one. */
async function registerMemorySession(store: Store, session: Session, reported: string | null): Promise<MemorySessionId> {
  if (reported === null || reported === (session.contentSessionId as string)) return ensureMemorySession(store, session, 'model')
  const id = asMemorySessionId(reported)
  if (id !== session.memorySessionId) await store.sessions.setMemorySessionId(session.id, id)
  return id
}
