import { type CaptureRules, take } from '../capture/capture.ts'
import type { AgentEvent, EventContext, EventReply } from '../core/event.ts'
import type { Change, Session } from '../core/memory.ts'
import { withoutPrivate } from '../core/privacy.ts'
import { countTokens } from '../core/tokens.ts'
import { BRIEF_BUDGET, briefFor, fileBriefFor, type InjectedBrief, knowledgeOf, MAX_RECALL_TOKENS, recallFor } from '../inject/brief.ts'
import type { Agent } from '../integrations/agent.ts'
import { exists } from '../platform/files.ts'
import type { Store } from '../store/store.ts'
import { commandName } from '../wire/start.ts'
import { queueSync } from './automatic-jobs.ts'
import { receiptPage, saveMarkedNotes } from './draft-notes.ts'
import type { Services } from './services.ts'

export type Delivery = { agent: Agent; payload: unknown; context: EventContext; delivery: string | null; at: number }

/**
 * Takes one payload from an agent, whichever way it came, and says what to answer in the host's words. The events and the
 * receipt are one transaction: after a crash the delivery is either taken or still to be taken, never half. `isAwaited` says whether
 * somebody still waits for the answer: what comes too late is not shown, and must not count as told.
 */
export async function ingestDelivery(
  desk: Services,
  delivery: Delivery,
  isAwaited: () => Promise<boolean> = async () => true,
): Promise<Record<string, unknown>> {
  const { agent, payload, at } = delivery
  const { session, events, changes } = await ingestWithoutReply(desk, delivery)
  // Taking the events may have changed what is known of it: its branch, whose fork it is, what it still holds.
  const known = session && (await desk.store.sessions.get(session.id))
  const { reply, record } = known ? await replyTo(desk, agent, known, events, changes, at) : EMPTY_REPLY
  if (record && !(await isAwaited())) return {}
  await record?.()
  return agent.hostReply(agent.eventName(payload) ?? '', reply)
}

/** What is answered, and how it is written down that it was told. */
type DeliveryReply = { reply: EventReply; record?: () => Promise<void> }
const EMPTY_REPLY: DeliveryReply = { reply: {} }

/** The same when nobody waits for an answer any more: none is made, because what was never shown must not count as told. */
export async function ingestWithoutReply(desk: Services, { agent, payload, context, delivery, at }: Delivery) {
  const events = agent.parsePayload(payload, { at }).filter((event) => event.kind !== 'ignored')
  if (events.length === 0) return { session: null, events, changes: [] }
  const { changes, session } = await desk.store.transaction(async () => {
    if (delivery && !(await desk.store.receipts.add(delivery, at))) return { changes: [] as Change[], session: null }
    return ingestEvents(desk, agent, events, context)
  })
  desk.announce(changes)
  desk.queue.kick()
  return { session, events, changes }
}

/** The brief goes first: git would take its share of the machine while the client waits. */
const SYNC_DELAY_AFTER_START_MS = 500

async function ingestEvents(desk: Services, agent: Agent, events: AgentEvent[], context: EventContext) {
  const changes: Change[] = []
  let session: Session | null = null
  const rules = desk.rules(agent)
  for (const event of events) {
    if (rules.isWanted('prompt-submitted') && (await arrivedBeforePrompt(desk.store, event, context, rules))) {
      await desk.store.jobs.add('read', event.transcript ?? '', { path: event.transcript }, event.at, event.at + TRANSCRIPT_DELAY_MS)
      continue
    }
    const taken = await take(desk.store, event, context, rules)
    changes.push(...taken.changes)
    session = taken.session ?? session
    if (event.kind === 'session-ended' && taken.session?.transcript) {
      await desk.store.jobs.add('reconcile', String(taken.session.id), { sessionId: taken.session.id }, event.at)
    }
    if (taken.session && event.kind === 'session-started' && (event.source === 'startup' || event.source === 'resume'))
      await queueSync(desk.store, event.at, Date.now() + SYNC_DELAY_AFTER_START_MS)
    // Due now, so behind the jobs that write down what the session left: that is to travel too.
    if (taken.session && event.kind === 'session-ended') await queueSync(desk.store, event.at, Date.now())
  }
  return { changes, session }
}

/**
 * Whose turn something is of, and whether that one is private, only its prompt can tell. What comes before it, because the prompt met no worker
 * or still lies in the spool, is not taken: the transcript is read instead, which tells both, in their order.
 */
async function arrivedBeforePrompt(store: Store, event: AgentEvent, context: EventContext, rules: CaptureRules): Promise<boolean> {
  if (event.kind === 'prompt-submitted' || !('promptId' in event) || event.promptId === null || event.transcript === null) return false
  // It says nothing of the turn, and no transcript tells it.
  if (event.kind === 'compacting') return false
  const session = await store.sessions.find(event.agent, event.session)
  const folder = session?.folder ?? context.projectFolder ?? event.cwd
  if (folder === null || rules.isExcludedProject(session?.project ?? rules.projectOf(folder).project, folder)) return false
  if (session && (await store.prompts.hasTurn(session.id, event.promptId))) return false
  if (session && (await store.sessions.isMuted(session.id, event.promptId))) return false
  return event.transcript.endsWith('.jsonl') && exists(event.transcript)
}

/** A client tells its hooks a little sooner than its transcript. */
const TRANSCRIPT_DELAY_MS = 1000

async function replyTo(
  desk: Services,
  agent: Agent,
  session: Session,
  events: AgentEvent[],
  changes: Change[],
  now: number,
): Promise<DeliveryReply> {
  for (const event of events) {
    if (event.kind === 'session-started') return sessionStartReply(desk, session, event.source, now)
    if (event.kind === 'prompt-submitted' && event.origin === 'person') return promptReply(desk, session, event.text, changes, now)
    if (event.kind === 'tool-used' && event.error === null && event.agentId === null) return fileReply(desk, agent, session, event, now)
  }
  return EMPTY_REPLY
}

async function sessionStartReply(desk: Services, session: Session, source: SessionStartSource, now: number): Promise<DeliveryReply> {
  const { enabled, token_budget } = desk.settings.hooks.session_start
  if (!enabled) return EMPTY_REPLY
  const known = source === 'resume' || source === 'fork' ? await knowledgeOf(desk.store, session) : null
  // One from before our time holds nothing that we know of: it is told like a new one.
  const held = known?.briefed ? { ...known, briefed: known.briefed } : null
  const budget = { ...BRIEF_BUDGET, tokens: token_budget }
  const { project, branch } = session
  const brief = await briefFor(desk.store, { project, now, budget, command: commandName(), branch, knowledge: held })
  const until = await desk.store.observations.lastId()
  const record = async () => {
    await desk.store.transaction(() => desk.store.sessions.setBriefed(session.id, now, until))
    if (brief.text) await recordInjection(desk, session, 'SessionStart', brief, now)
  }
  if (!brief.text) return { reply: {}, record }
  const count = (kind: string, one: string) => {
    const of = brief.items.filter((item) => item.kind === kind).length
    return of > 0 ? `${of} ${one}${of === 1 ? '' : 's'}` : ''
  }
  const summary = brief.items.some((item) => item.kind === 'summary') ? 'the last summary' : ''
  const parts = [count('note', 'note'), count('prompt', 'open prompt'), summary, count('observation', 'observation')].filter(Boolean)
  const told = new Intl.ListFormat('en').format(parts)
  return { reply: { context: brief.text, message: `Recollect: recalled ${told} (${brief.tokens} tokens)` }, record }
}

type SessionStartSource = Extract<AgentEvent, { kind: 'session-started' }>['source']

/**
 * What became of what the person marked, and what earlier sessions know about the prompt when it clears the floor; together within
 * the budget. Private parts are not asked about.
 */
async function promptReply(desk: Services, session: Session, prompt: string, changes: Change[], now: number): Promise<DeliveryReply> {
  const { enabled, recall, token_budget } = desk.settings.hooks.user_prompt
  if (!enabled) return EMPTY_REPLY
  const tokens = Math.min(token_budget, MAX_RECALL_TOKENS)
  const kept = await markerReceipt(desk, session, changes, tokens, now)
  const asked = withoutPrivate(prompt).text.trim()
  const left = tokens - countTokens(kept)
  const ask = recall && asked !== ''
  const brief = ask ? await recallFor(desk.store, session, asked, now, left, desk.quickSemanticSearch) : null
  const text = [kept, brief?.text ?? ''].filter(Boolean).join('\n')
  if (text === '') return EMPTY_REPLY
  const total = countTokens(text)
  const receipt = {
    kind: 'line' as const,
    id: 'receipt',
    tokens: total - (brief?.tokens ?? 0),
    why: 'what became of what was marked in the prompt',
  }
  const items = [...(kept ? [receipt] : []), ...(brief?.items ?? [])]
  const told = { leftOut: 0, left: [], ...brief, text, tokens: total, items }
  return { reply: { context: text }, record: () => recordInjection(desk, session, 'UserPromptSubmit', told, now) }
}

/** The receipt for what was marked in a prompt that is new to us; empty when nothing was, or there is no room. */
async function markerReceipt(desk: Services, session: Session, changes: Change[], tokens: number, now: number): Promise<string> {
  const added = changes.find((change) => change.kind === 'prompt-added')
  if (!added) return ''
  return receiptPage(await saveMarkedNotes(desk, { sessionId: session.id, number: added.prompt.number }, now), tokens)
}

/** Memories about a file that is read or changed, once per file and session. */
async function fileReply(
  desk: Services,
  agent: Agent,
  session: Session,
  event: Extract<AgentEvent, { kind: 'tool-used' }>,
  now: number,
): Promise<DeliveryReply> {
  const path = relativeTo(session.folder, agent.fileOf(event.input))
  if (!path) return EMPTY_REPLY
  const told = `file:${path}`
  if (await desk.store.injections.wasInjected(session, told)) return EMPTY_REPLY
  const brief = await fileBriefFor(desk.store, session, path, now)
  if (!brief.text) return EMPTY_REPLY
  return { reply: { context: brief.text }, record: () => recordInjection(desk, session, told, brief, now) }
}

/** A file as observations name it: relative to the project's folder. */
function relativeTo(folder: string, path: string | null): string | null {
  return path?.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}

/** Enough to see where the budget ended; a whole project's leavings would be larger than the brief. */
const MAX_RECORDED_LEFT_OUT_ITEMS = 50

async function recordInjection(desk: Services, session: Session, event: string, brief: InjectedBrief, at: number): Promise<void> {
  await desk.store.transaction(() =>
    desk.store.injections.add({
      sessionId: session.id,
      project: session.project,
      event,
      text: brief.text,
      tokens: brief.tokens,
      items: brief.items,
      left: brief.left.slice(0, MAX_RECORDED_LEFT_OUT_ITEMS),
      at,
    }),
  )
}
