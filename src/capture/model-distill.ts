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
  performedActions,
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
import { settleUndoneTurns } from './undone-marks.ts'

/** `force`: the person asked for it, so the turn starts a new conversation with the model. */
export type ModelDistillJob = DistillJob & { force?: boolean }

/** Everything that distilling with a model needs besides the journal. */
export type ModelDistiller = {
  model: TextModel
  mode: Mode
  maxInputRatio: number
  clean(text: string): string
  readAction: ReadAction
  /** The memory session ids that this worker has used, by session. */
  seen: Map<number, MemorySessionId>
}

export type ModelDistillOutcome =
  /** Call `write` inside a transaction. It writes nothing if more of the turn arrived while the model was answering. */
  | { kind: 'distilled'; write(at: number): Promise<Change[]> }
  /** The memories made by plain rules stay. */
  | { kind: 'not-asked'; reason: string }
  | Extract<ModelAnswer, { kind: 'failed' }>

/** Later than plain distilling, so that events arriving just after the end of the turn are included. */
const MODEL_DISTILL_DELAY_MS = 1500
/** Older turns come from an import. The person decides whether distilling them is worth the cost. */
const MAX_TURN_AGE_MS = 24 * 60 * 60_000

/** Queues a recent, finished turn that no model has distilled yet. Call it in the transaction that distilled the turn by rules. */
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

/** Distills a turn with one request to a model. If it fails, the memories made by plain rules are already stored. */
export async function distillTurnWithModel(
  store: Store,
  distiller: ModelDistiller,
  job: ModelDistillJob,
  signal: AbortSignal,
): Promise<ModelDistillOutcome> {
  const found = await readJournalledTurn(store, job)
  if (!found) return { kind: 'not-asked', reason: 'the turn or its tool uses are no longer stored' }
  if (await isDistilledByModel(store, found)) return { kind: 'not-asked', reason: 'a model has already distilled it' }
  if (!(await isTurnOver(store, found))) return { kind: 'not-asked', reason: 'the turn has not ended' }
  if (await store.distilledTurns.hasForgottenObservation(job.sessionId, job.number))
    return { kind: 'not-asked', reason: 'an observation of the turn was forgotten' }
  const turn = await turnForDistiller(store, found, await performedActions(found.session.agent, found.uses, distiller.readAction))
  const prepared = await buildModelRequest(store, distiller, found, turn, job.force ?? false)
  if (prepared.kind === 'not-asked') return prepared
  const answer = await distiller.model.ask(prepared.request, signal)
  if (answer.kind === 'failed') return answer
  const parsed = parseDistillAnswer(distiller.clean(answer.text))
  if (parsed.kind === 'unreadable') {
    return {
      kind: 'failed',
      reason: 'bad-answer',
      message: `${answer.by ?? distiller.model.name} did not answer in the requested format`,
      retryAfterMs: null,
    }
  }
  const output = groundAnswer(parsed, turn, distiller.mode, distillPlain(turn))
  return {
    kind: 'distilled',
    write: async (at) => {
      const now = await readJournalledTurn(store, job)
      if (!now || now.fingerprint !== found.fingerprint) return []
      const model = answer.by ?? distiller.model.name
      const memorySessionId = await registerMemorySession(store, now.session, answer.session ?? null)
      distiller.seen.set(now.session.id, memorySessionId)
      await store.distilledTurns.put({ sessionId: now.session.id, number: now.prompt.number, print: now.fingerprint, model, at })
      const changes = await writeDistilledTurn(store, now, output, { model, memorySessionId })
      return [...changes, ...(await settleUndoneTurns(store, [now]))]
    },
  }
}

/** The most tokens that distilling a turn could send and receive; null if the model would not be asked. */
export async function estimateModelTokens(
  store: Store,
  distiller: ModelDistiller,
  job: ModelDistillJob,
): Promise<{ input: number; output: number } | null> {
  const found = await readJournalledTurn(store, job)
  if (!found || (await isDistilledByModel(store, found)) || !(await isTurnOver(store, found))) return null
  const turn = await turnForDistiller(store, found, await performedActions(found.session.agent, found.uses, distiller.readAction))
  const prepared = await buildModelRequest(store, distiller, found, turn, job.force ?? false)
  if (prepared.kind === 'not-asked') return null
  const { system, messages, maxTokens } = prepared.request
  return {
    input: countTokens([system, ...messages.map(({ text }) => text)].join('\n')) + (distiller.model.overhead ?? 0),
    output: maxTokens,
  }
}

/** The request to the model, or why it is not asked. */
async function buildModelRequest(
  store: Store,
  distiller: Pick<ModelDistiller, 'model' | 'mode' | 'maxInputRatio' | 'seen'>,
  found: JournalledTurn,
  turn: Turn,
  startNew: boolean,
): Promise<{ kind: 'ask'; request: ModelRequest } | Extract<ModelDistillOutcome, { kind: 'not-asked' }>> {
  const { session, prompt } = found
  const request = turnRequest(turn, distiller.mode, await chooseOpening(store, distiller, session, prompt.number, startNew))
  // The instructions would cost many times the content of a short turn, and plain rules distill those well.
  if (inputRatio(request, countJournalTokens(found), distiller.model.overhead ?? 0) > distiller.maxInputRatio) {
    return { kind: 'not-asked', reason: 'the turn is too short to be worth the cost' }
  }
  return { kind: 'ask', request: { ...request, about: { purpose: 'distill', project: session.project }, isSimple: isReadOnlyTurn(turn) } }
}

async function chooseOpening(
  store: Store,
  { seen }: Pick<ModelDistiller, 'seen'>,
  session: Session,
  promptNumber: number,
  startNew: boolean,
): Promise<DistillOpening> {
  const { contentSessionId, memorySessionId } = session
  const seenInThisRun = seen.get(session.id) ?? null
  const initial: DistillOpening = { kind: 'initial', project: projectName(session.project) }
  if (!conversationToContinue({ contentSessionId, memorySessionId, promptNumber, seenInThisRun, startNew })) return initial
  const earlier = (await store.summaries.ofSession(session.id)).findLast((summary) => summary.promptNumber < promptNumber)
  const before = earlier ? [earlier.request, earlier.completed || earlier.learned].filter(Boolean).join(' → ') : ''
  return before ? { kind: 'continuation', before } : initial
}

/** The size of everything the journal holds about a turn. */
function countJournalTokens({ prompt, uses }: JournalledTurn): number {
  const texts = uses.flatMap((use) => [use.input, use.output ?? '', use.error ?? ''])
  return [prompt.text, prompt.answer ?? '', ...texts].reduce((sum, text) => sum + countTokens(text), 0)
}

/** Sets the session's memory session id before any observation refers to it: the provider's own id, or a generated one. */
async function registerMemorySession(store: Store, session: Session, reported: string | null): Promise<MemorySessionId> {
  if (reported === null || reported === (session.contentSessionId as string)) return ensureMemorySession(store, session, 'model')
  const id = asMemorySessionId(reported)
  if (id !== session.memorySessionId) await store.sessions.setMemorySessionId(session.id, id)
  return id
}
