/**
 * Capture: what an agent reports becomes the journal; `turns.ts` makes memories of its turns. One door for hooks, spool and
 * transcripts: `take` recognises what it has seen before, so it does not matter which of them comes first or how often.
 *
 * Nothing passes here with its private parts or its secrets. It never announces anything; it returns what changed.
 */
import { clipJson } from '../core/clip-json.ts'
import type { AgentEvent, EventContext } from '../core/event.ts'
import { fingerprint } from '../core/hash.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Jobs } from '../core/job.ts'
import type { Change, Prompt, Session } from '../core/memory.ts'
import { withoutPrivate, withoutPrivateInJson } from '../core/privacy.ts'
import { redact, redactJson } from '../core/secrets.ts'
import { clip } from '../core/text.ts'
import type { Store } from '../store/store.ts'

export type { CapturedNoteDraft } from './drafts.ts'
export { episodeDraft, queueEpisode } from './episode.ts'
export { draftMarkedNotes, MAX_MARKED_PER_PROMPT } from './markers.ts'
export { draftStatedNotes } from './statements.ts'

import { queueDistill } from './distill-job.ts'
import { queueEpisode, refreshEpisode } from './episode.ts'
import { findMarkedTexts } from './markers.ts'
import { queueStatements } from './statements.ts'

/** What to keep, as the person's settings and the agent's habits say. */
export type CaptureRules = {
  /** False for kinds of events that the person has switched off. */
  isWanted(kind: AgentEvent['kind']): boolean
  /** True for tools whose use is never worth remembering, and for our own. */
  isSkipped(tool: string): boolean
  /** True when a tool was pointed at a file that the person does not want journalled. */
  isExcludedInput(input: unknown): boolean
  isExcludedProject(project: ProjectKey, folder: string): boolean
  /** The words that mark something as worth a note when a person writes them in brackets. */
  markers: string[]
  /** Further patterns to redact; null switches redaction off. */
  redactPatterns: RegExp[] | null
  projectOf(folder: string): { project: ProjectKey; branch: string | null }
}

/** Where an event was read, when that was a transcript. */
export type TranscriptLineRef = {
  uuid: string | null
}

export type CaptureResult = {
  /** Null when the event belongs to nothing we keep. */
  session: Session | null
  changes: Change[]
}

const MARKERS_JOB_DELAY_MS = 1000

/** Stands for a prompt that is nothing but pictures. */
const IMAGE_ONLY_PROMPT = '(no words)'
/** No client ends and is resumed sooner. */
const MAX_EVENT_REORDER_MS = 500

/** A prompt in which a person marked something. */
export type MarkersJob = Jobs['markers']

const MAX_STORED_CHARS = 64 * 1024
const NOTHING_CAPTURED: CaptureResult = { session: null, changes: [] }

/**
 * Writes one event into the journal. To be called inside a transaction. A caller that has looked the session up already, in the same
 * transaction, passes it (or null) as `known`.
 */
export async function take(
  store: Store,
  event: AgentEvent,
  context: EventContext,
  rules: CaptureRules,
  line: TranscriptLineRef | null = null,
  known?: Session | null,
): Promise<CaptureResult> {
  // A prompt that is not kept is still looked at: a private one mutes its turn.
  if (event.kind === 'ignored' || (!rules.isWanted(event.kind) && event.kind !== 'prompt-submitted')) return NOTHING_CAPTURED
  const looked = known === undefined ? await store.sessions.find(event.agent, event.session) : known
  const found = await openUnlessKnown(store, looked, event, context, rules)
  if (!found) return NOTHING_CAPTURED
  const { session, opened } = found
  const changes: Change[] = opened ? [{ kind: 'session-opened', session }] : []
  await store.sessions.touch(session.id, { at: event.at, transcript: event.transcript, clientPid: context.clientPid })
  const scrub = createScrubber(rules)

  switch (event.kind) {
    case 'session-started':
      if (session.endedAt !== null && isAfterEnd(session, event.at)) await store.sessions.activate(session.id)
      // Whatever kept the last end from being told: what there is so far becomes the session's note now.
      if (event.source === 'resume' && !opened) await queueEpisode(store, session.id, 'session-end', event.at)
      if (event.source === 'fork') await recordFork(store, session, event)
      if (event.source === 'compact') await store.sessions.setContextFrom(session.id, event.at)
      await recordBranch(store, session, null, event.at, context, rules)
      break
    case 'prompt-submitted':
      changes.push(...(await recordPrompt(store, session, event, context, rules, scrub, line)))
      break
    case 'tool-used':
      changes.push(...(await recordToolUse(store, session, event, rules, scrub)))
      break
    case 'turn-ended':
      await recordAnswer(store, session, event, context, rules, scrub)
      break
    case 'subagent-ended':
      changes.push(...(await recordSubagentAnswer(store, session, event, scrub)))
      break
    case 'compacting':
      await queueTurn(store, session, event.promptId, event.at)
      await queueEpisode(store, session.id, 'precompact', event.at)
      await queueStatements(store, session.id, event.at)
      break
    case 'compacted':
      changes.push(...(await recordCompactSummary(store, session, event, scrub)))
      break
    case 'session-ended':
      await queueTurn(store, session, null, event.at)
      // An end that waited in the spool is not the end of what was resumed meanwhile. Clocks step, and events overtake each other, by less.
      if (event.at < session.lastEventAt - MAX_EVENT_REORDER_MS) break
      if (await store.sessions.complete(session.id, Math.max(event.at, session.lastEventAt)))
        changes.push({ kind: 'session-completed', sessionId: session.id })
      await queueEpisode(store, session.id, 'session-end', event.at)
      break
  }
  return { session, changes }
}

async function openUnlessKnown(store: Store, known: Session | null, event: AgentEvent, context: EventContext, rules: CaptureRules) {
  if (known) return rules.isExcludedProject(known.project, known.folder) ? null : { session: known, opened: false }
  const folder = context.projectFolder ?? event.cwd ?? context.project ?? null
  if (!folder) return null
  const found = context.project ? { project: context.project, branch: null } : rules.projectOf(folder)
  const { project } = found
  const branch = context.branch === undefined ? found.branch : context.branch
  if (rules.isExcludedProject(project, folder)) return null
  return store.sessions.open({
    agent: event.agent,
    contentSessionId: event.session,
    project,
    folder,
    branch,
    transcript: event.transcript,
    clientPid: context.clientPid,
    at: event.at,
  })
}

/** What happened before a session ended, and is told only now, does not open it again. */
const isAfterEnd = (session: Session, at: number) => session.endedAt === null || at > session.endedAt

/** The client does not say which session a fork was split off from, but when that one was last answered. */
async function recordFork(store: Store, session: Session, event: Extract<AgentEvent, { kind: 'session-started' }>): Promise<void> {
  const parent =
    event.lastAnswerAt == null ? null : await store.sessions.findAnsweredAt(session, event.lastAnswerAt, FORK_CLOCK_TOLERANCE_MS)
  await store.sessions.markForked(session.id, event.at, parent?.id ?? null)
}

/** The client counts in whole seconds, from its own idea of when the answer came. */
const FORK_CLOCK_TOLERANCE_MS = 3000

/** On which branch the session is now, and with it the turn in hand: an agent may have changed it while it worked. */
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
  // A transcript that is read later tells of branches that were left long ago.
  if (branch !== session.branch && (at >= session.lastEventAt || session.branch === null))
    await store.sessions.setBranch(session.id, branch)
  if (prompt) await store.prompts.setBranch(prompt, branch)
  return branch
}

function currentBranch(session: Session, context: EventContext, rules: CaptureRules): string | null {
  if (context.branch !== undefined) return context.branch
  return context.project ? null : rules.projectOf(session.folder).branch
}

/** A name that the client or the person gave a session, as it may be kept; empty when nothing is left of it. */
export function cleanSessionTitle(title: string, rules: CaptureRules): string {
  return createScrubber(rules).text(title).text.slice(0, 200)
}

type Scrubber = { text(raw: string): { text: string; hidPrivate: boolean }; json(raw: unknown): string }

/** Private parts out, secrets out, size bounded; in that order, so that a clip can never open a tag that was closed. */
function createScrubber(rules: CaptureRules): Scrubber {
  const patterns = rules.redactPatterns
  return {
    text: (raw) => {
      const seen = withoutPrivate(raw)
      const safe = patterns ? redact(seen.text, patterns) : seen.text
      return { text: clip(safe.trim(), MAX_STORED_CHARS), hidPrivate: seen.hidPrivate }
    },
    json: (raw) => {
      const seen = withoutPrivateInJson(raw)
      return clipJson(patterns ? redactJson(seen, patterns) : seen, MAX_STORED_CHARS)
    },
  }
}

async function recordPrompt(
  store: Store,
  session: Session,
  event: Extract<AgentEvent, { kind: 'prompt-submitted' }>,
  context: EventContext,
  rules: CaptureRules,
  scrub: Scrubber,
  line: TranscriptLineRef | null,
): Promise<Change[]> {
  const { text: said, hidPrivate } = scrub.text(event.text)
  // A picture alone is a turn like others: without a prompt, what is done and answered in it would be the turn's before.
  const text = event.text.trim() === '' && event.promptId !== null ? IMAGE_ONLY_PROMPT : said
  if (hidPrivate) await store.sessions.markPrivate(session.id)
  if (text === '') {
    if (hidPrivate) await store.sessions.setMuting(session.id, true, event.promptId)
    return []
  }
  if (isAfterEnd(session, event.at)) await store.sessions.activate(session.id)
  await store.sessions.setMuting(session.id, false, null)
  if (!rules.isWanted(event.kind)) return []
  const prompt = await store.prompts.add(session, {
    key: await promptKey(store, session, event.promptId, text, line),
    promptId: event.promptId,
    uuid: line?.uuid ?? null,
    origin: event.origin,
    text,
    branch: await recordBranch(store, session, null, event.at, context, rules),
    at: event.at,
  })
  if (!prompt) return []
  await queueUnfinishedTurn(store, session, prompt)
  if (prompt.origin === 'person' && findMarkedTexts(prompt.text, rules.markers).length > 0) {
    const job: MarkersJob = { sessionId: session.id, number: prompt.number }
    // Whoever answers the hook keeps them at once; the job is for what comes another way, or for a worker that dies in between.
    await store.jobs.add('markers', `${session.id}:${prompt.number}`, job, event.at, event.at + MARKERS_JOB_DELAY_MS)
  }
  return [{ kind: 'prompt-added', prompt, project: session.project }]
}

/**
 * How a prompt is recognised when it comes again. The client's turn id is not enough: a message typed while a turn runs has the
 * id of that turn. Older clients give none; then it is the how-manieth prompt with this text.
 */
async function promptKey(
  store: Store,
  session: Session,
  promptId: string | null,
  text: string,
  line: TranscriptLineRef | null,
): Promise<string> {
  const print = fingerprintPrompt(text)
  if (promptId) return `${promptId}:${print}`
  const prefix = `text:${print}:`
  if (!line) return prefix + (1 + (await store.prompts.countKeys(session.id, prefix)))
  // A line of a transcript is known by its own id when it is read again. Else it is the next of its text that no line was found for.
  const known = line.uuid ? await store.prompts.keyOfLine(session.id, line.uuid) : null
  return known ?? prefix + (1 + (await store.prompts.countTranscriptLines(session.id, prefix)))
}

const fingerprintPrompt = (text: string) => fingerprint(text.replace(/\s+/g, ' '))

/** A turn that was broken off (Esc) never reports its end; the next prompt does it for it. */
async function queueUnfinishedTurn(store: Store, session: Session, next: Prompt): Promise<void> {
  const previous = await store.prompts.byNumber(session.id, next.number - 1)
  if (previous && previous.answer === null) await queueDistill(store, session.id, previous.number, next.at)
}

async function recordToolUse(
  store: Store,
  session: Session,
  event: Extract<AgentEvent, { kind: 'tool-used' }>,
  rules: CaptureRules,
  scrub: Scrubber,
): Promise<Change[]> {
  if (rules.isSkipped(event.tool) || rules.isExcludedInput(event.input)) return []
  if (await store.sessions.isMuted(session.id, event.promptId)) return []
  if (await store.toolUses.has(session.id, event.toolUseId)) return []
  const prompt = await store.prompts.turnAt(session.id, event.promptId, event.at)
  await store.toolUses.add({
    sessionId: session.id,
    promptNumber: prompt?.number ?? 0,
    promptId: event.promptId,
    toolUseId: event.toolUseId,
    tool: event.tool,
    input: scrub.json(event.input),
    output: event.error === null ? scrub.json(event.output) : null,
    error: event.error === null ? null : scrub.text(event.error).text,
    interrupted: event.interrupted,
    agentId: event.agentId,
    cwd: event.cwd,
    at: event.at,
  })
  // It came after its turn had been told: tell it again.
  if (prompt && prompt.answer !== null) await queueDistill(store, session.id, prompt.number, event.at)
  return [{ kind: 'tool-use-added', sessionId: session.id, toolUseId: event.toolUseId, tool: event.tool, project: session.project }]
}

async function recordAnswer(
  store: Store,
  session: Session,
  event: Extract<AgentEvent, { kind: 'turn-ended' }>,
  context: EventContext,
  rules: CaptureRules,
  scrub: Scrubber,
): Promise<void> {
  if (await store.sessions.isMuted(session.id, event.promptId)) return
  // A turn has no answer but its own.
  const prompt = await store.prompts.ownTurnAt(session.id, event.promptId, event.at)
  if (!prompt) return
  // The transcript tells the same end again, a little earlier by its clock: the later telling stands.
  if (prompt.answeredAt !== null && event.at <= prompt.answeredAt) return
  await recordBranch(store, session, prompt, event.at, context, rules)
  const changed = await store.prompts.setAnswer(prompt, scrub.text(event.answer).text, event.at)
  if (!changed) return
  await queueDistill(store, session.id, prompt.number, event.at)
  // The last answer of a session that is over: its note was written without it.
  if (session.status === 'completed') await refreshEpisode(store, session, event.at)
}

async function recordSubagentAnswer(
  store: Store,
  session: Session,
  event: Extract<AgentEvent, { kind: 'subagent-ended' }>,
  scrub: Scrubber,
): Promise<Change[]> {
  const answer = scrub.text(event.answer).text
  if (answer === '' || (await store.sessions.isMuted(session.id, event.promptId))) return []
  const prompt = await store.prompts.turnAt(session.id, event.promptId, event.at)
  return putSummary(store, session, `subagent:${session.id}:${event.agentId}`, {
    promptNumber: prompt?.number ?? 0,
    source: 'subagent',
    request: event.agentType,
    learned: clip(answer, 4000),
    notes: '',
    at: event.at,
  })
}

async function recordCompactSummary(
  store: Store,
  session: Session,
  event: Extract<AgentEvent, { kind: 'compacted' }>,
  scrub: Scrubber,
): Promise<Change[]> {
  // The host summed up the whole conversation, private turns included.
  if (await store.sessions.hasPrivate(session.id)) return []
  const text = scrub.text(event.summary).text
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
  const { summary, added } = await store.summaries.put(key, {
    ...s,
    sessionId: session.id,
    project: session.project,
    investigated: '',
    completed: '',
    nextSteps: '',
    model: 'host',
  })
  return added ? [{ kind: 'summary-added', summary }] : []
}

/** Asks for the memories of the turn that is going on, or was last. */
async function queueTurn(store: Store, session: Session, promptId: string | null, at: number): Promise<void> {
  const prompt = await store.prompts.turnAt(session.id, promptId, at)
  if (prompt) await queueDistill(store, session.id, prompt.number, at)
}
