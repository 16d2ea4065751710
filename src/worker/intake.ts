import { dirname } from 'node:path'
import { type CaptureRules, folderOfNewSession, isDeletedEvent, take } from '../capture/capture.ts'
import { cleanText } from '../core/clean-text.ts'
import { type AgentEvent, type EventContext, type EventReply, NotUnderstood } from '../core/event.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Change, Session } from '../core/memory.ts'
import { projectName } from '../core/project.ts'
import { countTokens } from '../core/tokens.ts'
import { BRIEF_BUDGET, briefFor, type InjectedBrief, knowledgeOf, MAX_RECALL_TOKENS, recallFor } from '../inject/brief.ts'
import type { Agent } from '../integrations/agent.ts'
import { exists } from '../platform/files.ts'
import { isSilent, lookAtFolders } from '../platform/silent-folders.ts'
import type { Store } from '../store/store.ts'
import { commandName } from '../wire/start.ts'
import { queueGitHistory, queueSync } from './automatic-jobs.ts'
import { receiptPage, saveMarkedNotes } from './draft-notes.ts'
import { codeCheck, type Services } from './services.ts'
import type { SessionStartSource } from './start-message.ts'

/** One payload of an agent. `event` is the event that the hook's command line names, for payloads that name none. */
export type Delivery = {
  agent: Agent
  payload: unknown
  event?: string | null
  context: EventContext
  delivery: string | null
  at: number
  /** True for a payload from the spool. */
  isLate?: boolean
}

/**
 * Ingests one payload of an agent and returns the reply in the agent's format. The events and the receipt of the delivery are one
 * transaction, so after a crash a delivery is either ingested or not, never half. `isAwaited` says whether the hook still waits: a late reply
 * is not shown, and must not be recorded as injected. Throws `NotUnderstood` when it cannot use all of the payload.
 */
export async function ingestDelivery(
  services: Services,
  delivery: Delivery,
  isAwaited: () => boolean = () => true,
): Promise<Record<string, unknown>> {
  const { agent, payload, at } = delivery
  const parsed = agent.parsePayload(payload, { at, event: delivery.event ?? null })
  const hostReply = (reply: EventReply) => agent.hostReply(agent.eventName(payload, delivery.event) ?? '', reply)
  const [first] = parsed
  if (first?.kind === 'tool-starting')
    return hostReply(
      (await toolReplies()).replyBeforeTool(services, agent, first, ({ session, occasion, brief }) =>
        recordInjection(services, session, occasion, brief, at),
      ),
    )
  const { session, events, changes } = await ingestParsedPayload(services, delivery, parsed)
  const current = session && (await currentSession(services.store, session, events))
  if (current && services.settings.hooks.pre_tool_use.enabled) await (await toolReplies()).prepareActions(services, agent, current, events)
  const { reply, record } = current ? await replyTo(services, agent, current, events, changes, at) : EMPTY_REPLY
  if (record && !(await isAwaited())) return {}
  await record?.()
  return hostReply(reply)
}

/** Loaded with the first tool use. */
const toolReplies = () => import('./tool-replies.ts')

/** Every event but a tool use may have changed the session's row: its branch, its parent, where its context starts. */
async function currentSession(store: Store, session: Session, events: AgentEvent[]): Promise<Session | null> {
  return events.every((event) => event.kind === 'tool-used') ? session : store.sessions.get(session.id)
}

/** The reply, and how to record that it was injected. */
type DeliveryReply = { reply: EventReply; record?: () => Promise<void> }
const EMPTY_REPLY: DeliveryReply = { reply: {} }

/** The same when no hook waits: a reply that is never shown must not be recorded as injected, so none is made. */
export async function ingestWithoutReply(services: Services, sent: Delivery) {
  const { agent, payload, event, at } = sent
  return ingestParsedPayload(services, sent, agent.parsePayload(payload, { at, event: event ?? null }))
}

async function ingestParsedPayload(services: Services, sent: Delivery, parsed: AgentEvent[]) {
  const events = parsed.filter(({ kind }) => kind !== 'ignored' && kind !== 'not-understood' && kind !== 'tool-starting')
  const ingested = events.length === 0 ? { session: null, changes: [] } : await ingestParsed(services, sent, events)
  // The rest of a batch is stored all the same.
  for (const part of parsed) if (part.kind === 'not-understood') throw new NotUnderstood(part.reason)
  return { ...ingested, events }
}

async function ingestParsed(services: Services, sent: Delivery, events: AgentEvent[]) {
  const { delivery, at } = sent
  // If the database cannot be read, the transaction below finds out and says why.
  await lookAtFolders(await foldersOf(services.store, sent.context, events).catch(() => []))
  const { changes, session } = await services.store.transaction(async () => {
    if (delivery && !(await services.store.receipts.add(delivery, at))) return { changes: [] as Change[], session: null }
    return ingestEvents(services, sent, events)
  })
  services.announce(changes)
  services.queue.kick()
  return { session, changes }
}

/** The folders that storing events looks into. It happens inside a transaction, which must not wait for a dead network disk. */
async function foldersOf(store: Store, context: EventContext, events: AgentEvent[]): Promise<(string | null)[]> {
  const [first] = events
  const known = first ? await store.sessions.find(first.agent, first.session) : null
  const named = events.flatMap(({ cwd, transcript }) => [cwd, transcript === null ? null : dirname(transcript)])
  return [known?.folder ?? null, context.projectFolder, context.workingFolder ?? null, ...named]
}

/** The brief goes first: git would compete for the machine while the client waits. */
const SYNC_DELAY_AFTER_START_MS = 500
/** After the sync. */
const GIT_HISTORY_DELAY_AFTER_START_MS = 2000

async function ingestEvents(services: Services, { agent, context, isLate }: Delivery, events: AgentEvent[]) {
  const { store } = services
  const changes: Change[] = []
  let session: Session | null = null
  const rules = services.rules(agent)
  for (const event of events) {
    const known = await store.sessions.find(event.agent, event.session)
    if (!known && folderOfNewSession(event, context) === null) throw new NotUnderstood('nothing names the folder of the session')
    const path = await transcriptToReadInstead(store, agent, event, known, context, rules, isLate ?? false)
    if (path !== null) {
      await store.jobs.add('read', path, { path, agent: agent.name }, event.at, event.at + TRANSCRIPT_DELAY_MS)
      continue
    }
    const captured = await take(store, event, context, rules, null, known)
    changes.push(...captured.changes)
    session = captured.session ?? session
    if (captured.session) await queueAfter(services, agent, event, captured.session)
  }
  return { changes, session }
}

/** Queues the work that follows an event of a session. */
async function queueAfter(services: Services, agent: Agent, event: AgentEvent, session: Session): Promise<void> {
  const { store, settings } = services
  const { at, transcript: path } = event
  if (event.kind === 'turn-ended' && path && agent.completesFromTranscript)
    await store.jobs.add('read', path, { path, agent: agent.name }, at, at + TRANSCRIPT_DELAY_MS)
  if (event.kind === 'compacting') await queueReadBeforeNotes(store, agent, event)
  if (event.kind === 'session-ended' && session.transcript)
    await store.jobs.add('reconcile', String(session.id), { sessionId: session.id }, at)
  const { session_start, stop } = settings.hooks
  const { push_remote: push } = stop
  const isFetched = session_start.enabled && session_start.fetch_remote
  if (isFetched && event.kind === 'session-started' && (event.source === 'startup' || event.source === 'resume'))
    await queueSync(store, at, Date.now() + SYNC_DELAY_AFTER_START_MS, push)
  // Due now, so it runs after the jobs that write the session's notes, and syncs those too.
  if (stop.enabled && event.kind === 'session-ended') await queueSync(store, at, Date.now(), push)
  if (settings.git.history && (event.kind === 'session-started' || event.kind === 'session-ended')) {
    const { project, folder } = session
    const delay = event.kind === 'session-started' ? GIT_HISTORY_DELAY_AFTER_START_MS : 0
    await queueGitHistory(store, { project, folder }, at, Date.now() + delay)
  }
}

/** Prompts and answers may not have come by hook, so the transcript is read before its statements are noted: earlier than every other job. */
async function queueReadBeforeNotes(store: Store, agent: Agent, { transcript: path, at }: AgentEvent): Promise<void> {
  if (path !== null && agent.isTranscript(path) && answersAndExists(path))
    await store.jobs.add('read', path, { path, agent: agent.name }, at, -1)
}

/**
 * Only the prompt of a turn says whose turn an event belongs to and whether the turn is private. When the prompt is missing, because it met
 * no worker or is still in the spool, its events are not captured; the transcript, which has them all in order, is read instead. So are tool uses
 * without an id, because in the transcript every one has an id. If the transcript is read after each turn anyway, they are captured at once and get
 * their ids then.
 */
async function transcriptToReadInstead(
  store: Store,
  agent: Agent,
  event: AgentEvent,
  session: Session | null,
  context: EventContext,
  rules: CaptureRules,
  isLate: boolean,
): Promise<string | null> {
  if (event.transcript === null || !agent.isTranscript(event.transcript)) return null
  const isWithoutId = event.kind === 'tool-used' && event.toolUseId === null && (isLate || !agent.completesFromTranscript)
  if (!isWithoutId && !(rules.isWanted('prompt-submitted') && (await isPromptMissing(store, event, session)))) return null
  const folder = session?.folder ?? folderOfNewSession(event, context)
  if (folder === null || rules.isExcludedProject(session?.project ?? rules.projectOf(folder).project, folder)) return null
  if (await isDeletedEvent(store, event, (text) => text, null)) return null
  return answersAndExists(event.transcript) ? event.transcript : null
}

const answersAndExists = (path: string) => !isSilent(path) && exists(path)

async function isPromptMissing(store: Store, event: AgentEvent, session: Session | null): Promise<boolean> {
  if (event.kind === 'prompt-submitted' || !('promptId' in event) || event.promptId === null) return false
  // It says nothing about the turn, and transcripts do not contain it.
  if (event.kind === 'compacting') return false
  if (session && (await store.prompts.hasTurn(session.id, event.promptId))) return false
  return !(session && (await store.sessions.isMuted(session.id, event.promptId)))
}

/** A client calls its hooks a little before it writes its transcript. */
const TRANSCRIPT_DELAY_MS = 1000

async function replyTo(
  services: Services,
  agent: Agent,
  session: Session,
  events: AgentEvent[],
  changes: Change[],
  now: number,
): Promise<DeliveryReply> {
  for (const event of events) {
    if (event.kind === 'session-started') return sessionStartReply(services, session, event.source, now)
    if (event.kind === 'prompt-submitted' && event.origin === 'person')
      return promptReply(services, session, cleanText(event.text, services.rules(agent)).text, changes, now)
    if (event.kind === 'tool-used' && event.agentId === null && !services.rules(agent).isInExcludedFolder(event)) {
      const shown = await (await toolReplies()).toolBrief(services, agent, session, event, changes, now)
      if (shown)
        return { reply: { context: shown.brief.text }, record: () => recordInjection(services, session, shown.occasion, shown.brief, now) }
    }
  }
  return EMPTY_REPLY
}

async function sessionStartReply(services: Services, session: Session, source: SessionStartSource, now: number): Promise<DeliveryReply> {
  const { enabled, token_budget, include_guidance } = services.settings.hooks.session_start
  if (!enabled) return EMPTY_REPLY
  const known = source === 'resume' || source === 'fork' ? await knowledgeOf(services.store, session) : null
  // A conversation that began before Recollect was installed has no recorded brief: it gets one like a new session.
  const knowledge = known?.briefed ? { ...known, briefed: known.briefed } : null
  const budget = { ...BRIEF_BUDGET, tokens: token_budget }
  const namesake = await namesakeOf(services, session)
  const { project, branch } = namesake?.session ?? session
  const checkCode = codeCheck(services, session)
  const brief = await briefFor(services.store, {
    project,
    now,
    budget,
    command: include_guidance ? commandName() : '',
    branch,
    knowledge,
    checkCode,
  })
  const until = await services.store.observations.lastId()
  const record = async () => {
    await services.store.transaction(() => services.store.sessions.setBriefed(session.id, now, until))
    if (brief.text) await recordInjection(services, { ...session, project }, 'SessionStart', brief, now)
  }
  const { startMessage } = await import('./start-message.ts')
  const remark = namesake ? `Recollect: ${namesake.message}` : ''
  const message = [await startMessage(services, session, source, brief), remark].filter(Boolean).join('\n')
  return { reply: { ...(brief.text && { context: brief.text }), ...(message && { message }) }, record }
}

/** If the project has no memories, or an import brought some under its name: those of its name, or an offer to the person. */
async function namesakeOf(services: Services, session: Session) {
  const { documents, projects } = services.store
  const name = asProjectKey(projectName(session.project))
  const isImported = name !== session.project && (await projects.importedNames()).includes(name) && (await documents.count(name)) > 0
  if (!isImported && (await documents.count(session.project)) > 0) return null
  return (await import('./project-joins.ts')).adoptNamesake(services, session)
}

/**
 * The receipt for what the person marked, and what earlier sessions know about the prompt if it is relevant enough; together within the
 * budget. The prompt must be clean: what is injected is recorded, with the reason.
 */
async function promptReply(services: Services, session: Session, prompt: string, changes: Change[], now: number): Promise<DeliveryReply> {
  const { enabled, recall, first_token_budget, token_budget } = services.settings.hooks.user_prompt
  if (!enabled) return EMPTY_REPLY
  const budget = Math.min(session.promptCount <= 1 ? first_token_budget : token_budget, MAX_RECALL_TOKENS)
  const receipt = await markerReceipt(services, session, changes, budget, now)
  const query = prompt.trim()
  const remaining = budget - countTokens(receipt)
  const brief =
    recall && query !== ''
      ? await recallFor(services.store, session, query, now, remaining, services.quickSemanticSearch, codeCheck(services, session))
      : null
  const text = [receipt, brief?.text ?? ''].filter(Boolean).join('\n')
  if (text === '') return EMPTY_REPLY
  const tokens = countTokens(text)
  const receiptItem = {
    kind: 'line' as const,
    id: 'receipt',
    tokens: tokens - (brief?.tokens ?? 0),
    why: 'receipt for the texts marked in the prompt',
  }
  const items = [...(receipt ? [receiptItem] : []), ...(brief?.items ?? [])]
  const injected = { leftOut: 0, left: [], ...brief, text, tokens, items }
  return { reply: { context: text }, record: () => recordInjection(services, session, 'UserPromptSubmit', injected, now) }
}

/** The receipt for texts marked in a prompt that was just stored; empty when none was marked, or the budget is too small. */
async function markerReceipt(services: Services, session: Session, changes: Change[], tokens: number, now: number): Promise<string> {
  const added = changes.find((change) => change.kind === 'prompt-added')
  if (!added) return ''
  return receiptPage(await saveMarkedNotes(services, { sessionId: session.id, number: added.prompt.number }, now), tokens)
}

/** Enough to see where the budget ended. All items left out could be larger than the brief. */
const MAX_RECORDED_LEFT_OUT_ITEMS = 50

async function recordInjection(services: Services, session: Session, event: string, brief: InjectedBrief, at: number): Promise<void> {
  if (services.settings.hooks.pre_tool_use.enabled) (await toolReplies()).noteShown(services, session, event)
  await services.store.transaction(() =>
    services.store.injections.add({
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
