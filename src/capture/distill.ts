import type { PerformedAction, ReadAction } from '../core/action.ts'
import type { AgentName } from '../core/agent.ts'
import { valueChangesOf } from '../core/changed-values.ts'
import { fingerprint } from '../core/hash.ts'
import { asMemorySessionId, type MemorySessionId } from '../core/ids.ts'
import type { Change, DistillerOutput, Prompt, Session, ToolUse, Turn } from '../core/memory.ts'
import { countTokens } from '../core/tokens.ts'
import type { Store } from '../store/store.ts'
import type { DistillJob } from './distill-job.ts'
import { linkTurn } from './link.ts'
import { distillPlain } from './plain/plain.ts'
import { workStepsOf } from './plain/work-steps.ts'
import { updateThreads } from './threads.ts'
import { tracesOf } from './traces.ts'
import { activityText } from './turn-activity.ts'
import { settleUndoneTurns } from './undone-marks.ts'

/**
 * Makes the observations and the summary of a turn from the journal, using plain rules. A repeated call gives the same rows, or better ones
 * if more of the turn has arrived. Does nothing if a model has already distilled this version of the turn. Call it inside a transaction.
 */
export async function distillTurn(store: Store, job: DistillJob, readAction: ReadAction): Promise<Change[]> {
  const { changes, turn } = await distillUnsettled(store, job, readAction)
  return turn ? [...changes, ...(await settleUndoneTurns(store, [turn]))] : changes
}

/** Like `distillTurn`, but the caller settles the work that the returned turn undid: of several turns at once, which takes little longer than of one. */
export async function distillUnsettled(
  store: Store,
  job: DistillJob,
  readAction: ReadAction,
): Promise<{ changes: Change[]; turn: JournalledTurn | null }> {
  const turn = await readJournalledTurn(store, job)
  if (!turn) return { changes: [], turn: null }
  // Every later turn with an answer is distilled after this one, so only the last of them needs to look.
  if (await isLastAnswered(store, turn)) await updateThreads(store, turn.session.id)
  await store.changedValues.set(turn.prompt.id, changedIn(turn.prompt))
  const actions = await performedActions(turn.session.agent, turn.uses, readAction)
  await saveActivity(store, turn, actions)
  if (await isDistilledByModel(store, turn)) return { changes: [], turn }
  const { id } = turn.session
  const { number } = turn.prompt
  // The person has deleted an observation by the model; the rules would bring it back in other words.
  if ((await store.distilledTurns.fingerprint(id, number)) !== null && (await store.distilledTurns.hasForgottenObservation(id, number)))
    return { changes: [], turn: null }
  const output = distillPlain(await turnForDistiller(store, turn, actions))
  await store.distilledTurns.forget(id, number)
  const by = { model: 'plain', memorySessionId: await ensureMemorySession(store, turn.session, 'plain') }
  return { changes: await writeDistilledTurn(store, turn, output, by), turn }
}

/** The values that a turn replaced by others. */
export const changedIn = (prompt: Prompt): string[] => valueChangesOf(prompt).map(({ old }) => old)

/** Whether no later turn has an answer. A session that was left at a question ends with a turn that is never distilled. */
async function isLastAnswered(store: Store, { session, prompt }: JournalledTurn): Promise<boolean> {
  for (let number = prompt.number + 1; number <= session.promptCount; number++)
    if ((await store.prompts.byNumber(session.id, number))?.answer) return false
  return true
}

/** A turn in the journal. `fingerprint` changes when more of the turn arrives. */
export type JournalledTurn = { session: Session; prompt: Prompt; uses: ToolUse[]; fingerprint: string }

/** Null if the turn does not exist, or if its tool uses were deleted after it had been distilled from them. */
export async function readJournalledTurn(store: Store, job: DistillJob): Promise<JournalledTurn | null> {
  const session = await store.sessions.get(job.sessionId)
  const prompt = await store.prompts.byNumber(job.sessionId, job.number)
  if (!session || !prompt) return null
  const uses = await store.toolUses.ofTurn(session.id, prompt.number)
  if (uses.length === 0 && (await wasDistilledFromTools(store, session.id, prompt.number))) return null
  const content = JSON.stringify([prompt.text, prompt.answer, uses.map((use) => [use.toolUseId, use.error === null])])
  return { session, prompt, uses, fingerprint: fingerprint(content) }
}

/** Whether a model has distilled this version of the turn. */
export async function isDistilledByModel(store: Store, { session, prompt, fingerprint }: JournalledTurn): Promise<boolean> {
  return (await store.distilledTurns.fingerprint(session.id, prompt.number)) === fingerprint
}

/** The turn in the form that distillers read. */
export async function turnForDistiller(store: Store, { session, prompt }: JournalledTurn, actions: PerformedAction[]): Promise<Turn> {
  return {
    promptNumber: prompt.number,
    origin: prompt.origin,
    prompt: prompt.text,
    before: (await store.prompts.byNumber(session.id, prompt.number - 1))?.answer ?? null,
    answer: prompt.answer,
    folder: session.folder,
    at: prompt.at,
    openFailures: await store.prompts.openFailuresBefore(session.id, prompt.number),
    actions,
  }
}

export function performedActions(agent: AgentName, uses: ToolUse[], readAction: ReadAction): Promise<PerformedAction[]> {
  const performed = uses.map(async (use) => ({
    id: use.toolUseId,
    tool: use.tool,
    at: use.at,
    failed: use.error !== null,
    error: use.error,
    interrupted: use.interrupted,
    agentId: use.agentId,
    action: await readAction(use, agent),
  }))
  return Promise.all(performed)
}

/**
 * Stores the searchable activity of a turn, and its traces. If the person has deleted an observation of the turn, stores neither, because
 * search would bring it back. If the tool uses have been deleted, keeps the stored activity.
 */
export async function saveActivity(
  store: Store,
  { session, prompt }: Pick<JournalledTurn, 'session' | 'prompt'>,
  performed: PerformedAction[],
): Promise<void> {
  const isForgotten = await store.distilledTurns.hasForgottenObservation(prompt.sessionId, prompt.number)
  if (performed.length === 0 && !isForgotten && !saysUndone(prompt)) return
  const actions = isForgotten ? [] : performed
  const openBefore = await store.prompts.openFailuresBefore(session.id, prompt.number)
  const traces = tracesOf(actions, session.folder, openBefore)
  const work = isForgotten ? [] : workStepsOf(prompt.origin === 'person' ? prompt.text : null, actions, session.folder)
  await store.prompts.setActivity(prompt, activityText(actions), { ...traces, ...(work.length > 0 ? { work } : {}) })
}

/** A prompt alone may say that earlier work was undone. */
const saysUndone = (prompt: Prompt) => prompt.origin === 'person' && workStepsOf(prompt.text, [], '').length > 0

/** Replaces the memories of a turn. The session must already have the memory session id, and the caller settles undone work. */
export async function writeDistilledTurn(
  store: Store,
  { session, prompt }: JournalledTurn,
  output: DistillerOutput,
  by: { model: string; memorySessionId: MemorySessionId },
): Promise<Change[]> {
  const changes: Change[] = []
  const keys = new Set<string>()
  const observations = output.observations.map((draft) => ({
    ...draft,
    key: uniqueKey(keys, `${session.id}:${prompt.number}:${fingerprint(draft.title)}`),
    sessionId: session.id,
    project: session.project,
    promptNumber: prompt.number,
    tokens: countTokens([draft.title, draft.subtitle, draft.narrative, ...draft.facts].join('\n')),
    model: by.model,
  }))
  const { added, removed } = await store.observations.replaceTurn(
    { sessionId: session.id, memorySessionId: by.memorySessionId, number: prompt.number },
    observations,
    `${session.title ?? ''}\n${prompt.text.slice(0, 600)}`,
  )
  for (const observation of added) changes.push({ kind: 'observation-added', observation })
  for (const id of removed) changes.push({ kind: 'observation-removed', id })

  const summaryKey = `turn:${session.id}:${prompt.number}`
  if (output.summary) {
    const stored = await store.summaries.put(summaryKey, {
      ...output.summary,
      sessionId: session.id,
      project: session.project,
      promptNumber: prompt.number,
      source: 'turn',
      model: by.model,
      at: prompt.answeredAt ?? prompt.at,
    })
    if (stored?.added) changes.push({ kind: 'summary-added', summary: stored.summary })
  } else await store.summaries.remove(summaryKey)
  if (output.title && !session.title) await store.sessions.setTitle(session.id, output.title)
  await store.prompts.setOpenFailures(session.id, prompt.number, output.openFailures)
  await linkTurn(store, session, prompt)
  return changes
}

/** Tool uses are deleted after a while. Distilling a turn again without them could only make it worse. */
async function wasDistilledFromTools(store: Store, sessionId: number, number: number): Promise<boolean> {
  const observations = await store.observations.ofSession(sessionId, 100_000)
  return observations.some((o) => o.promptNumber === number && o.tool !== null)
}

/** Gives a distiller without its own session a memory session id: observations need one, and it is never the host's session id. */
export async function ensureMemorySession(store: Store, session: Session, distiller: string): Promise<MemorySessionId> {
  if (session.memorySessionId) return session.memorySessionId
  const id = asMemorySessionId(`${distiller}-${crypto.randomUUID()}`)
  await store.sessions.setMemorySessionId(session.id, id)
  return id
}

function uniqueKey(taken: Set<string>, key: string): string {
  let free = key
  for (let n = 2; taken.has(free); n++) free = `${key}:${n}`
  taken.add(free)
  return free
}
