/**
 * Capture writes the events that an agent reports into the journal; `turns.ts` makes memories from its turns. Hooks, spool and
 * transcripts all enter through `take`. It recognizes events it has already stored, so they may arrive in any order, more than once.
 *
 * Private parts and secrets are removed here, before anything is stored. Capture announces nothing; it returns the changes.
 */
import { cleanJsonText, cleanText, type RedactionRules } from '../core/clean-text.ts'
import type { AgentEvent, EventContext } from '../core/event.ts'
import { fingerprint } from '../core/hash.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Jobs } from '../core/job.ts'
import { MAX_STORED_CHARS } from '../core/limits.ts'
import { type Change, NO_WORDS, type Prompt, type Session, type ToolUse } from '../core/memory.ts'
import { clip, shorten } from '../core/text.ts'
import { DERIVED_ID_PREFIX, type Store } from '../store/store.ts'

export { isDeletedEvent, isOfDeletedTurn } from './deleted-events.ts'
export { queueDistill } from './distill-job.ts'
export type { CapturedNoteDraft } from './drafts.ts'
export { queueEpisode } from './episode.ts'
export { draftMarkedNotes, MAX_MARKED_PER_PROMPT } from './markers.ts'
export { queueStatements } from './statements-job.ts'

import { isDeletedEvent } from './deleted-events.ts'
import { queueDistill } from './distill-job.ts'
import { queueEpisode, refreshEpisode } from './episode.ts'
import { findMarkedTexts } from './markers.ts'
import { queueStatements } from './statements-job.ts'

/** What to store, according to the settings and the agent. */
export type CaptureRules = RedactionRules & {
  /** False for kinds of events that are switched off in the settings. */
  isWanted(kind: AgentEvent['kind']): boolean
  /** True for our own tools, and for tools whose use is never worth remembering. */
  isSkipped(tool: string): boolean
  /** True if a tool was used on a file that the settings exclude. */
  isExcludedInput(input: unknown): boolean
  isExcludedProject(project: ProjectKey, folder: string): boolean
  /** True if an event of a session from elsewhere happened in an excluded folder: the client was there, or its tool worked there. */
  isInExcludedFolder(event: AgentEvent): boolean
  /** The agent's way to read a notice and to unwrap a compaction summary. Both get cleaned text: half a tag hides nothing. */
  noticeText(notice: string): string
  compactSummary(wrapped: string): string
  /** Words that turn a sentence into a note when the person writes them in brackets. */
  markers: string[]
  projectOf(folder: string): { project: ProjectKey; branch: string | null; claim?: ProjectClaim | null }
  /** Remembers that a folder's own marker counts. */
  confirmClaim(claim: ProjectClaim): void
}

/** A project that a folder's marker names and that does not count yet. The folder's own marker counts if no other folder uses the key. */
export type ProjectClaim = { project: ProjectKey; folder: string; isOwn: boolean }

/** The transcript line that an event was read from. */
export type TranscriptLineRef = {
  uuid: string | null
}

export type CaptureResult = {
  /** Null if the event was ignored. */
  session: Session | null
  changes: Change[]
}

const MARKERS_JOB_DELAY_MS = 1000

/** Events that overtake each other stay below this; no client ends and is resumed faster. */
const MAX_EVENT_REORDER_MS = 500

/** A prompt that contains markers. */
export type MarkersJob = Jobs['markers']

/** How long before or after the time in the transcript a hook reports the same prompt or tool use. */
const MAX_REPORT_DELAY_MS = 2000

const MAX_TITLE_CHARS = 200
const MAX_NOTICE_CHARS = 200
const NOTHING_CAPTURED: CaptureResult = { session: null, changes: [] }

/**
 * Writes one event into the journal. Call it inside a transaction. A caller that has already looked the session up passes it as
 * `known` (null if it does not exist yet), so that each event looks its session up once.
 */
export async function take(
  store: Store,
  event: AgentEvent,
  context: EventContext,
  rules: CaptureRules,
  line: TranscriptLineRef | null = null,
  known?: Session | null,
): Promise<CaptureResult> {
  if (!isCaptured(event, rules) || (await wasDeleted(store, event, rules, line))) return NOTHING_CAPTURED
  const found = await findOrOpenSession(store, event, context, rules, known)
  if (!found) return NOTHING_CAPTURED
  const { session, opened } = found
  const changes: Change[] = opened ? [{ kind: 'session-opened', session }] : []
  // An import of transcripts is one entry of its own.
  if (opened && line === null) await auditNewSession(store, session)
  if (hasContent(event) && rules.isInExcludedFolder(event)) {
    await leaveOutTurn(store, session, event)
    return { session: null, changes }
  }
  await store.sessions.touch(session.id, { at: event.at, transcript: event.transcript, clientPid: context.clientPid })

  switch (event.kind) {
    case 'session-started':
      if (session.endedAt !== null && isAfterEnd(session, event.at, context)) await store.sessions.activate(session.id)
      // The end of the session may never have been reported, so write its note now.
      if (event.source === 'resume' && !opened) await queueEpisode(store, session.id, 'session-end', event.at)
      if (event.source === 'fork') await recordFork(store, session, event)
      if (event.source === 'compact') await store.sessions.setContextFrom(session.id, event.at)
      await recordBranch(store, session, null, event.at, context, rules)
      break
    case 'prompt-submitted':
      changes.push(...(await recordPrompt(store, session, event, context, rules, line)))
      break
    case 'tool-used':
      changes.push(...(await recordToolUse(store, session, event, rules)))
      break
    case 'turn-ended':
      await recordAnswer(store, session, event, context, rules, line)
      break
    case 'subagent-ended':
      changes.push(...(await recordSubagentAnswer(store, session, event, rules)))
      break
    case 'compacting':
      await queueTurn(store, session, event.promptId, event.at)
      await queueEpisode(store, session.id, 'precompact', event.at)
      await queueStatements(store, session.id, 'precompact', event.at)
      break
    case 'compacted':
      changes.push(...(await recordCompactSummary(store, session, event, rules)))
      break
    case 'session-ended':
      await queueTurn(store, session, null, event.at)
      // This end waited in the spool, and the session was resumed in the meantime.
      if (event.at < session.lastEventAt - MAX_EVENT_REORDER_MS && !isClockSetBack(session, event.at, context)) break
      if (await store.sessions.complete(session.id, Math.max(event.at, session.lastEventAt)))
        changes.push({ kind: 'session-completed', sessionId: session.id })
      await queueEpisode(store, session.id, 'session-end', event.at)
      await queueStatements(store, session.id, 'session-end', event.at)
      break
  }
  return { session, changes }
}

/** The others only say that a session goes on or is over. */
const hasContent = ({ kind }: AgentEvent) => kind !== 'session-ended' && kind !== 'compacting'

/** Prompts are read even if they are not stored: a private prompt mutes its turn. */
function isCaptured({ kind }: AgentEvent, rules: CaptureRules): boolean {
  if (kind === 'ignored' || kind === 'not-understood') return false
  return rules.isWanted(kind) || kind === 'prompt-submitted'
}

async function wasDeleted(store: Store, event: AgentEvent, rules: CaptureRules, line: TranscriptLineRef | null): Promise<boolean> {
  const storedText = (text: string) => (event.kind === 'prompt-submitted' ? promptText(event, rules).text : clean(text, rules).text)
  return isDeletedEvent(store, event, storedText, line?.uuid ?? null)
}

async function auditNewSession(store: Store, { contentSessionId }: Session): Promise<void> {
  await store.audit.add({ at: Date.now(), action: 'capture', subject: `session ${contentSessionId}`, details: {} })
}

/** As for a private prompt: the rest of the turn, and a summary of the conversation, would tell what was seen in an excluded folder. */
async function leaveOutTurn(store: Store, { id }: Session, event: AgentEvent): Promise<void> {
  if ('promptId' in event) await store.sessions.setMuting(id, true, event.promptId)
  else await store.sessions.markPrivate(id)
}

async function findOrOpenSession(
  store: Store,
  event: AgentEvent,
  context: EventContext,
  rules: CaptureRules,
  known: Session | null | undefined,
) {
  const existing = known === undefined ? await store.sessions.find(event.agent, event.session) : known
  if (existing) return rules.isExcludedProject(existing.project, existing.folder) ? null : { session: existing, opened: false }
  const folder = folderOfNewSession(event, context)
  if (!folder) return null
  const found = context.project ? { project: context.project, branch: null } : await projectOfFolder(store, folder, rules)
  if (!found) return null
  const { project } = found
  const branch = context.branch === undefined ? found.branch : context.branch
  if (rules.isExcludedProject(project, folder)) return null
  return store.sessions.open({
    agent: event.agent,
    contentSessionId: event.session,
    host: context.host ?? null,
    project,
    folder,
    branch,
    transcript: event.transcript,
    clientPid: context.clientPid,
    at: event.at,
  })
}

/**
 * The project of a folder; null if the folder, or the name in its marker, is excluded. The folder's own marker counts if no other project here has
 * that name, and is then remembered as confirmed. Call inside a transaction.
 */
export async function projectOfFolder(
  store: Store,
  folder: string,
  rules: CaptureRules,
): Promise<{ project: ProjectKey; branch: string | null } | null> {
  const { project, branch, claim } = rules.projectOf(folder)
  if (claim && rules.isExcludedProject(claim.project, folder)) return null
  const isClaimed = claim?.isOwn === true && (await store.projects.isFreeFor(claim))
  if (claim && isClaimed) rules.confirmClaim(claim)
  const key = claim && isClaimed ? claim.project : project
  return rules.isExcludedProject(key, folder) ? null : { project: key, branch }
}

/** The folder of a session that starts with this event; null when nothing names it. */
export const folderOfNewSession = (event: Pick<AgentEvent, 'cwd'>, context: EventContext): string | null =>
  context.projectFolder ?? event.cwd ?? context.project ?? context.workingFolder ?? null

/** An event from before the end of a session does not reopen it when it arrives late. */
const isAfterEnd = (session: Session, at: number, context: EventContext) =>
  session.endedAt === null || at > session.endedAt || isClockSetBack(session, at, context)

/**
 * Whether the clock was set back since the session's last event: this one happens now and has a much earlier time. Hooks deliver within seconds,
 * and an event from the spool or a transcript does not happen now.
 */
const isClockSetBack = (session: Session, at: number, { branch }: EventContext) =>
  branch === undefined && at < session.lastEventAt - MAX_DELIVERY_MS

const MAX_DELIVERY_MS = 60_000

/** The client does not report which session a fork came from, only when that session was last answered. */
async function recordFork(store: Store, session: Session, event: Extract<AgentEvent, { kind: 'session-started' }>): Promise<void> {
  const parent =
    event.lastAnswerAt == null ? null : await store.sessions.findAnsweredAt(session, event.lastAnswerAt, FORK_CLOCK_TOLERANCE_MS)
  await store.sessions.markForked(session.id, event.at, parent?.id ?? null)
}

/** The client reports whole seconds, measured by its own clock. */
const FORK_CLOCK_TOLERANCE_MS = 3000

/** Records the branch of the session and of the current turn: the agent may have switched branches while it worked. */
async function recordBranch(
  store: Store,
  session: Session,
  prompt: Prompt | null,
  at: number,
  context: EventContext,
  rules: CaptureRules,
): Promise<string | null> {
  const branch = currentBranch(session, context, rules)
  if (branch === null) return session.branch
  // A transcript that is read later mentions branches that the session has left since.
  if (branch !== session.branch && (at >= session.lastEventAt || session.branch === null))
    await store.sessions.setBranch(session.id, branch)
  if (prompt) await store.prompts.setBranch(prompt, branch)
  return branch
}

function currentBranch(session: Session, context: EventContext, rules: CaptureRules): string | null {
  if (context.branch !== undefined) return context.branch
  return context.project ? null : rules.projectOf(session.folder).branch
}

/** Makes a session title from the client or the person safe to store. Empty if nothing is left of it. */
export function cleanSessionTitle(title: string, rules: CaptureRules): string {
  return clean(title, rules).text.slice(0, MAX_TITLE_CHARS)
}

/** A prompt as it is stored. */
export const cleanPrompt = (raw: string, rules: CaptureRules): string => clean(raw, rules).text

const clean = (raw: string, rules: CaptureRules) => cleanText(raw, rules, MAX_STORED_CHARS)

async function recordPrompt(
  store: Store,
  session: Session,
  event: Extract<AgentEvent, { kind: 'prompt-submitted' }>,
  context: EventContext,
  rules: CaptureRules,
  line: TranscriptLineRef | null,
): Promise<Change[]> {
  const { text, hidPrivate, isWordless } = promptText(event, rules)
  // Sent again, it would take the answer from the prompt that started its turn, or end the silence of a private one.
  if (isWordless && (await isKnownTurn(store, session, event.promptId))) return []
  if (hidPrivate) await store.sessions.markPrivate(session.id)
  if (text === '') {
    if (hidPrivate) await store.sessions.setMuting(session.id, true, event.promptId)
    return []
  }
  if (isAfterEnd(session, event.at, context)) await store.sessions.activate(session.id)
  await store.sessions.setMuting(session.id, false, null)
  // A turn without its prompt still has tool uses, an answer and a summary.
  const stored = rules.isWanted(event.kind) ? text : NO_WORDS
  if (event.promptId === null && line === null && (await isPromptOfTranscript(store, session, stored, event.at))) return []
  const prompt = await store.prompts.add(session, {
    key: await promptKey(store, session, event.promptId, stored, line),
    promptId: event.promptId,
    uuid: line?.uuid ?? null,
    origin: event.origin,
    text: stored,
    branch: await recordBranch(store, session, null, event.at, context, rules),
    at: event.at,
  })
  if (!prompt) return []
  await queueUnfinishedTurn(store, session, prompt)
  if (prompt.origin === 'person' && findMarkedTexts(prompt.text, rules.markers).length > 0) {
    const job: MarkersJob = { sessionId: session.id, number: prompt.number }
    // The hook's handler saves the marked notes at once. The job covers other ways in, and a worker that dies before it has saved them.
    await store.jobs.add('markers', `${session.id}:${prompt.number}`, job, event.at, event.at + MARKERS_JOB_DELAY_MS)
  }
  return [{ kind: 'prompt-added', prompt, project: session.project }]
}

/** Whether the transcript was read before the hook's report of the same prompt arrived. Without an id, only text and time can tell. */
async function isPromptOfTranscript(store: Store, { id }: Session, text: string, at: number): Promise<boolean> {
  const completion = await store.toolUses.completion()
  return completion.hasSamePrompt(id, { text, from: at - MAX_REPORT_DELAY_MS, until: at + MAX_REPORT_DELAY_MS })
}

/** The text that a prompt is stored with; empty for one that is wholly private. */
function promptText(event: Extract<AgentEvent, { kind: 'prompt-submitted' }>, rules: CaptureRules) {
  const { text: cleaned, hidPrivate } = cleanText(event.text, rules)
  // A notice is cleaned again without its tags: a password on a line of its own may have been between two of them.
  const typed =
    event.origin === 'machine'
      ? shorten(clean(rules.noticeText(cleaned.trim()), rules).text, MAX_NOTICE_CHARS)
      : clip(cleaned.trim(), MAX_STORED_CHARS)
  // A prompt with only images starts a turn too. Without it, its tool uses and answer would belong to the previous turn.
  const isWordless = event.text.trim() === '' && event.promptId !== null
  return { text: isWordless ? NO_WORDS : typed, hidPrivate, isWordless }
}

async function isKnownTurn(store: Store, { id }: Session, promptId: string | null): Promise<boolean> {
  return promptId !== null && ((await store.prompts.hasTurn(id, promptId)) || (await store.sessions.isMuted(id, promptId)))
}

/**
 * Identifies a prompt that arrives more than once. The client's turn id is not enough: a message typed while a turn runs has the
 * id of that turn. Older clients send no id; their prompts are counted per text.
 */
async function promptKey(
  store: Store,
  session: Session,
  promptId: string | null,
  text: string,
  line: TranscriptLineRef | null,
): Promise<string> {
  const textHash = fingerprintPrompt(text)
  if (promptId) return `${promptId}:${textHash}`
  const prefix = `text:${textHash}:`
  if (!line) return store.prompts.nextKey(session.id, prefix)
  // A transcript line that is read again has the same uuid. A new line belongs to the next prompt with this text that has no line yet.
  const storedKey = line.uuid ? await store.prompts.keyOfLine(session.id, line.uuid) : null
  return storedKey ?? (await store.prompts.keyWithoutLine(session.id, prefix)) ?? store.prompts.nextKey(session.id, prefix)
}

const fingerprintPrompt = (text: string) => fingerprint(text.replace(/\s+/g, ' '))

/** An interrupted turn (Esc) never reports its end, so the next prompt ends it. */
async function queueUnfinishedTurn(store: Store, session: Session, next: Prompt): Promise<void> {
  const previous = await store.prompts.byNumber(session.id, next.number - 1)
  if (previous && previous.answer === null) await queueDistill(store, session.id, previous.number, next.at)
}

async function recordToolUse(
  store: Store,
  session: Session,
  event: Extract<AgentEvent, { kind: 'tool-used' }>,
  rules: CaptureRules,
): Promise<Change[]> {
  if (rules.isSkipped(event.tool) || rules.isExcludedInput(event.input)) return []
  if (await store.sessions.isMuted(session.id, event.promptId)) return []
  const isKnown = event.toolUseId !== null && (await store.toolUses.has(session.id, event.toolUseId))
  if (isKnown && !event.isComplete) return []
  const prompt = await store.prompts.turnAt(session.id, event.promptId, event.at)
  const promptNumber = prompt?.number ?? 0
  const stored = {
    tool: clean(event.tool, rules).text,
    input: cleanJsonText(event.input, rules, MAX_STORED_CHARS),
    output: event.error === null ? cleanJsonText(event.output, rules, MAX_STORED_CHARS) : null,
    error: event.error === null ? null : clean(event.error, rules).text,
  }
  // An agent whose hooks leave something out: the report of a hook and that of the transcript are one tool use.
  if (event.isComplete || event.toolUseId === null) {
    const completion = await store.toolUses.completion()
    if (event.toolUseId === null) {
      const [from, until] = [event.at - MAX_REPORT_DELAY_MS, event.at + MAX_REPORT_DELAY_MS]
      if (completion.hasSame(session.id, { input: stored.input, from, until })) return []
    } else {
      const isCompleted = isKnown
        ? stored.error !== null && completion.markFailed(session.id, event.toolUseId, stored.error)
        : completion.replaceDerived(session.id, { ...stored, toolUseId: event.toolUseId })
      if (isCompleted && prompt) await queueDistill(store, session.id, prompt.number, event.at)
      if (isKnown || isCompleted) return []
    }
  }
  const toolUseId = event.toolUseId ?? (await deriveToolUseId(store, session.id, promptNumber, stored, event.mayBeResent ?? false))
  if (toolUseId === null) return []
  await store.toolUses.add({
    ...stored,
    sessionId: session.id,
    promptNumber,
    promptId: event.promptId,
    toolUseId,
    interrupted: event.interrupted,
    agentId: event.agentId,
    cwd: event.cwd,
    at: event.at,
  })
  // The turn was already distilled without this tool use: distill it again.
  if (prompt && prompt.answer !== null) await queueDistill(store, session.id, prompt.number, event.at)
  return [{ kind: 'tool-use-added', sessionId: session.id, toolUseId, tool: event.tool, project: session.project }]
}

/**
 * An id for a tool use without one, from its turn, its content and how often the turn had that content before. A delivery that arrives twice has
 * a receipt and does not get here; a caller without receipts may send the last tool use again, and then this is null.
 */
async function deriveToolUseId(
  store: Store,
  sessionId: number,
  promptNumber: number,
  content: Pick<ToolUse, 'tool' | 'input' | 'output' | 'error'>,
  mayBeResent: boolean,
): Promise<string | null> {
  const { tool, input, output, error } = content
  const prefix = `${DERIVED_ID_PREFIX}${promptNumber}:${fingerprint(JSON.stringify([tool, input, output, error]), 32)}:`
  if (mayBeResent && (await store.toolUses.lastId(sessionId))?.startsWith(prefix)) return null
  return prefix + (1 + (await store.toolUses.countIds(sessionId, prefix)))
}

async function recordAnswer(
  store: Store,
  session: Session,
  event: Extract<AgentEvent, { kind: 'turn-ended' }> & { at: number },
  context: EventContext,
  rules: CaptureRules,
  line: TranscriptLineRef | null,
): Promise<void> {
  if (event.answer === null) return
  if (await store.sessions.isMuted(session.id, event.promptId)) return
  const found = await store.prompts.ownTurnAt(session.id, event.promptId, event.at)
  const prompt = found ?? (line && (await addPromptlessTurn(store, session, event, rules, line)))
  if (!prompt) return
  // The transcript reports the same end with a slightly earlier time; the later report counts.
  if (prompt.answeredAt !== null && event.at <= prompt.answeredAt) return
  await recordBranch(store, session, prompt, event.at, context, rules)
  const changed = await store.prompts.setAnswer(prompt, clean(event.answer, rules).text, event.at)
  if (!changed) return
  await queueDistill(store, session.id, prompt.number, event.at)
  // The note of a completed session was written before this answer arrived.
  if (session.status === 'completed') await refreshEpisode(store, session, event.at)
}

/**
 * A transcript may begin with an answer and have no prompt at all. Such a session is kept if the answer says enough. Only a transcript proves that
 * the prompt is missing: a prompt sent through a hook may still arrive, and may be private.
 */
async function addPromptlessTurn(
  store: Store,
  session: Session,
  { answer, promptId, at }: Extract<AgentEvent, { kind: 'turn-ended' }>,
  rules: CaptureRules,
  { uuid }: TranscriptLineRef,
): Promise<Prompt | null> {
  if (session.promptCount > 0 || clean(answer ?? '', rules).text.length < MIN_PROMPTLESS_ANSWER_CHARS) return null
  if (!rules.isWanted('prompt-submitted') || (await store.sessions.hasPrivate(session.id))) return null
  return store.prompts.add(session, { key: `answer:${uuid ?? at}`, promptId, uuid, origin: 'machine', text: NO_WORDS, branch: null, at })
}

const MIN_PROMPTLESS_ANSWER_CHARS = 40

async function recordSubagentAnswer(
  store: Store,
  session: Session,
  event: Extract<AgentEvent, { kind: 'subagent-ended' }>,
  rules: CaptureRules,
): Promise<Change[]> {
  const answer = clean(event.answer, rules).text
  if (answer === '' || (await store.sessions.isMuted(session.id, event.promptId))) return []
  const prompt = await store.prompts.turnAt(session.id, event.promptId, event.at)
  return putSummary(store, session, `subagent:${session.id}:${event.agentId}`, {
    promptNumber: prompt?.number ?? 0,
    source: 'subagent',
    request: clean(event.agentType, rules).text,
    learned: clip(answer, 4000),
    notes: '',
    at: event.at,
  })
}

async function recordCompactSummary(
  store: Store,
  session: Session,
  event: Extract<AgentEvent, { kind: 'compacted' }>,
  rules: CaptureRules,
): Promise<Change[]> {
  // The host summarizes the whole conversation, including private turns.
  if (await store.sessions.hasPrivate(session.id)) return []
  const text = clean(rules.compactSummary(cleanText(event.summary, rules).text), rules).text
  if (text === '') return []
  const prompt = await store.prompts.turnAt(session.id, event.promptId, event.at)
  const number = prompt?.number ?? 0
  return putSummary(store, session, `compact:${session.id}:${number}`, {
    promptNumber: number,
    source: 'compact',
    request: session.title ?? '',
    learned: '',
    notes: clip(text, 20_000),
    at: event.at,
  })
}

async function putSummary(
  store: Store,
  session: Session,
  key: string,
  s: { promptNumber: number; source: 'compact' | 'subagent'; request: string; learned: string; notes: string; at: number },
): Promise<Change[]> {
  const stored = await store.summaries.put(key, {
    ...s,
    sessionId: session.id,
    project: session.project,
    investigated: '',
    completed: '',
    nextSteps: '',
    model: 'host',
  })
  return stored?.added ? [{ kind: 'summary-added', summary: stored.summary }] : []
}

/** Queues the current or last turn for distilling. */
async function queueTurn(store: Store, session: Session, promptId: string | null, at: number): Promise<void> {
  const prompt = await store.prompts.turnAt(session.id, promptId, at)
  if (prompt) await queueDistill(store, session.id, prompt.number, at)
}
