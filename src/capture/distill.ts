import type { PerformedAction, ReadAction } from '../core/action.ts'
import type { AgentName } from '../core/agent.ts'
import { fingerprint } from '../core/hash.ts'
import { asMemorySessionId, type MemorySessionId } from '../core/ids.ts'
import type { Change, DistillerOutput, Prompt, Session, ToolUse, Turn } from '../core/memory.ts'
import { countTokens } from '../core/tokens.ts'
import type { Store } from '../store/store.ts'
import type { DistillJob } from './distill-job.ts'
import { linkTurn } from './link.ts'
import { distillPlain } from './plain/plain.ts'
import { tracesOf } from './traces.ts'
import { activityText } from './turn-activity.ts'

/**
 * Makes the observations and the summary of a turn from what the journal has of it. Doing it again gives the same rows, or
 * better ones when more of the turn has come in; what a model made of the very same turn stays. To be called inside a transaction.
 */
export async function distillTurn(store: Store, job: DistillJob, readAction: ReadAction): Promise<Change[]> {
  const found = await readJournalledTurn(store, job)
  if (!found) return []
  await saveActivity(store, found, readAction)
  if (await isDistilledByModel(store, found)) return []
  const { id } = found.session
  const { number } = found.prompt
  // What a person has forgotten of a model's words would come back in those of the rules.
  if ((await store.distilledTurns.fingerprint(id, number)) !== null && (await store.distilledTurns.hasForgottenObservation(id, number)))
    return []
  const told = distillPlain(await turnForDistiller(store, found, readAction))
  await store.distilledTurns.forget(id, number)
  return writeDistilledTurn(store, found, told, {
    model: 'plain',
    memorySessionId: await ensureMemorySession(store, found.session, 'plain'),
  })
}

/** A turn as the journal has it, with a print of what that is. */
export type JournalledTurn = { session: Session; prompt: Prompt; uses: ToolUse[]; print: string }

/** Null when there is nothing to tell, or what a turn was made of has been let go: what was made of it stays. */
export async function readJournalledTurn(store: Store, job: DistillJob): Promise<JournalledTurn | null> {
  const session = await store.sessions.get(job.sessionId)
  const prompt = await store.prompts.byNumber(job.sessionId, job.number)
  if (!session || !prompt) return null
  const uses = await store.toolUses.ofTurn(session.id, prompt.number)
  if (uses.length === 0 && (await wasDistilledFromTools(store, session.id, prompt.number))) return null
  const print = fingerprint(JSON.stringify([prompt.text, prompt.answer, uses.map((use) => [use.toolUseId, use.error === null])]))
  return { session, prompt, uses, print }
}

/** Whether a model has told the turn as it stands now. */
export async function isDistilledByModel(store: Store, { session, prompt, print }: JournalledTurn): Promise<boolean> {
  return (await store.distilledTurns.fingerprint(session.id, prompt.number)) === print
}

/** The turn as a distiller reads it. */
export async function turnForDistiller(store: Store, { session, prompt, uses }: JournalledTurn, readAction: ReadAction): Promise<Turn> {
  return {
    promptNumber: prompt.number,
    origin: prompt.origin,
    prompt: prompt.text,
    before: (await store.prompts.byNumber(session.id, prompt.number - 1))?.answer ?? null,
    answer: prompt.answer,
    folder: session.folder,
    at: prompt.at,
    openFailures: await store.prompts.openFailuresBefore(session.id, prompt.number),
    actions: actsOf(session.agent, uses, readAction),
  }
}

function actsOf(agent: AgentName, uses: ToolUse[], readAction: ReadAction): PerformedAction[] {
  return uses.map((use) => ({
    id: use.toolUseId,
    tool: use.tool,
    at: use.at,
    failed: use.error !== null,
    error: use.error,
    interrupted: use.interrupted,
    agentId: use.agentId,
    action: readAction(use, agent),
  }))
}

/**
 * Makes a turn findable by what was done in it and keeps its traces, unless a person wants something of it forgotten: by its words it would
 * come back. Where tool uses have been let go, what is there stays.
 */
export async function saveActivity(
  store: Store,
  { session, prompt, uses }: Omit<JournalledTurn, 'print'>,
  readAction: ReadAction,
): Promise<void> {
  const isForgotten = await store.distilledTurns.hasForgottenObservation(prompt.sessionId, prompt.number)
  if (uses.length === 0 && !isForgotten) return
  const acts = isForgotten ? [] : actsOf(session.agent, uses, readAction)
  await store.prompts.setActivity(prompt, activityText(acts), tracesOf(acts, session.folder))
}

/** Puts what was told in place of what the turn had before. The memory id must be the session's already. */
export async function writeDistilledTurn(
  store: Store,
  { session, prompt }: JournalledTurn,
  told: DistillerOutput,
  by: { model: string; memorySessionId: MemorySessionId },
): Promise<Change[]> {
  const changes: Change[] = []
  const keys = new Set<string>()
  const observations = told.observations.map((draft) => ({
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
  if (told.summary) {
    const stored = await store.summaries.put(summaryKey, {
      ...told.summary,
      sessionId: session.id,
      project: session.project,
      promptNumber: prompt.number,
      source: 'turn',
      model: by.model,
      at: prompt.answeredAt ?? prompt.at,
    })
    if (stored.added) changes.push({ kind: 'summary-added', summary: stored.summary })
  } else await store.summaries.remove(summaryKey)
  if (told.title && !session.title) await store.sessions.setTitle(session.id, told.title)
  await store.prompts.setOpenFailures(session.id, prompt.number, told.openFailures)
  await linkTurn(store, session, prompt)
  return changes
}

/** Tool uses are let go after a while. What was made of them stays: a turn without them could only be told worse. */
async function wasDistilledFromTools(store: Store, sessionId: number, number: number): Promise<boolean> {
  const known = await store.observations.ofSession(sessionId, 100_000)
  return known.some((o) => o.promptNumber === number && o.tool !== null)
}

/** A distiller that keeps no session of its own is given one: observations need it, and it is never the host's. */
export async function ensureMemorySession(store: Store, session: Session, maker: string): Promise<MemorySessionId> {
  if (session.memorySessionId) return session.memorySessionId
  const made = asMemorySessionId(`${maker}-${crypto.randomUUID()}`)
  await store.sessions.setMemorySessionId(session.id, made)
  return made
}

function uniqueKey(taken: Set<string>, key: string): string {
  let free = key
  for (let n = 2; taken.has(free); n++) free = `${key}:${n}`
  taken.add(free)
  return free
}
