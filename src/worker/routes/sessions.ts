import { type CaptureRules, cleanPrompt, take } from '../../capture/capture.ts'
import { DEFAULT_AGENT, OTHER_AGENT } from '../../core/agent.ts'
import type { EventContext, SessionEvent } from '../../core/event.ts'
import { asContentSessionId, GLOBAL_PROJECT } from '../../core/ids.ts'
import { type Change, NO_WORDS, type Prompt, type Session, type ToolUse } from '../../core/memory.ts'
import { agentOfHost } from '../../core/session-host.ts'
import { asksRecollect } from '../../core/small-talk.ts'
import { shorten } from '../../core/text.ts'
import { defaultAgent } from '../../integrations/agent.ts'
import { realTop } from '../../platform/work-tree.ts'
import { outcomeOfSession } from '../../retrieval/outcomes.ts'
import type { Store } from '../../store/store.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import type {
  ClippedToolUse,
  sessions as routes,
  SessionContents,
  SessionExport,
  SessionLabel,
  SessionList,
} from '../../wire/contract/sessions.ts'
import { folderFromProjectName, resolveProject } from '../request-params.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'
import { isLive } from '../sweep.ts'
import { deleteNow } from './forget.ts'
import { recordedInjection } from './recorded-injection.ts'

export const handlers = {
  'POST /api/sessions/init': initSession,
  'POST /sessions/init': initSession,
  'POST /api/sessions/:id/init': initTurn,
  'POST /sessions/:id/init': initTurn,
  'POST /api/sessions/observations': reportToolUse,
  'POST /sessions/observations': reportToolUse,
  'POST /api/sessions/summarize': summarize,
  'POST /sessions/summarize': summarize,
  'POST /api/sessions/complete': completeSession,
  'POST /sessions/complete': completeSession,
  'POST /api/processing': (services, { isProcessing }) => {
    services.stream.publish({ type: 'processing', data: { isProcessing } })
    return { status: 'ok' as const }
  },
  'GET /api/sessions': listSessions,
  'GET /api/sessions/:id': (services, { id }) => sessionContents(services, id),
  'GET /api/sessions/labels': labelSessions,
  'PATCH /api/sessions/:id': renameSession,
  'GET /api/sessions/:id/export': exportSession,
  'GET /api/sessions/:id/handover': async (services, { id }) => {
    const { writeHandover } = await import('../handover.ts')
    const { session, notes } = await withNotes(services, id)
    return writeHandover(session, notes)
  },
  'DELETE /api/sessions/:id': removeSession,
  'GET /api/tool-uses/:id': async ({ store }, { id }) => (await store.toolUses.get(id)) ?? missing('tool use', id),
} satisfies Handlers<typeof routes>

async function initSession(services: Services, request: ParsedRequest<typeof routes, 'POST /api/sessions/init'>) {
  const { session, changes } = await report(services, { ...request, events: [promptEvent(request.prompt)] })
  const isStored = changes.some(({ kind }) => kind === 'prompt-added')
  const promptNumber = session ? ((await services.store.sessions.get(session.id))?.promptCount ?? 0) : 0
  const answer = { sessionDbId: session?.id ?? null, promptNumber, skipped: !isStored }
  return isStored ? answer : { ...answer, reason: request.prompt.trim() === '' ? ('empty' as const) : ('private' as const) }
}

/** A question to Recollect itself would be the best hit when it is asked again, and would name the session. */
const promptEvent = (text: string): SessionEvent => ({
  kind: 'prompt-submitted',
  promptId: null,
  origin: asksRecollect(text) ? 'machine' : 'person',
  text,
})

async function initTurn(services: Services, { id, promptNumber, userPrompt }: ParsedRequest<typeof routes, 'POST /api/sessions/:id/init'>) {
  const session = (await services.store.sessions.get(id)) ?? missing('session', id)
  const last = await services.store.prompts.byNumber(id, promptNumber ?? session.promptCount)
  if (isOtherPrompt(services, last, userPrompt))
    await report(services, { contentSessionId: session.contentSessionId, events: [promptEvent(userPrompt)] })
  const { promptCount } = (await services.store.sessions.get(id)) ?? session
  services.stream.publish({ type: 'turn-started', data: { sessionId: id, promptNumber: promptNumber ?? promptCount } })
  return { status: 'initialized' as const, sessionDbId: id, promptNumber: promptCount }
}

/** Whether a text is the prompt of another turn than the one that is stored. */
function isOtherPrompt(services: Services, stored: Prompt | null, text: string): boolean {
  if (text.trim() === '') return false
  return stored === null || stored.text !== cleanPrompt(text, services.rules(defaultAgent))
}

async function reportToolUse(services: Services, request: ParsedRequest<typeof routes, 'POST /api/sessions/observations'>) {
  const { tool_name, tool_input, tool_response, tool_error, tool_use_id } = request
  const rules = services.rules(defaultAgent)
  if (rules.isSkipped(tool_name)) return { status: 'skipped' as const, reason: 'tool_excluded' }
  if (request.unless_agent && (await isAgentAtWork(services, request.cwd ?? folderFromProjectName(request.project))))
    return { status: 'skipped' as const, reason: 'agent_at_work' }
  const event: SessionEvent = {
    kind: 'tool-used',
    promptId: null,
    toolUseId: tool_use_id || null,
    mayBeResent: true,
    tool: tool_name,
    input: tool_input ?? {},
    output: tool_response ?? null,
    error: tool_error ?? null,
    interrupted: false,
    agentId: null,
  }
  const isNewTurn = request.new_turn && !(await isStored(services, request.contentSessionId, tool_use_id))
  const { session } = await report(services, { ...request, events: isNewTurn ? [promptEvent(NO_WORDS), event] : [event] })
  const isPrivate = session === null || rules.isExcludedInput(tool_input) || (await services.store.sessions.isMuted(session.id, null))
  return isPrivate ? { status: 'skipped' as const, reason: 'private' } : { status: 'queued' as const }
}

/** Whether a tool use was reported before: a caller that got no answer in time sends it again. */
async function isStored(services: Services, contentSessionId: string, toolUseId: string | undefined): Promise<boolean> {
  const session = toolUseId ? await findSession(services, contentSessionId) : null
  return session !== null && toolUseId !== undefined && (await services.store.toolUses.has(session.id, toolUseId))
}

/** An agent that was silent for longer waits for its person, who may be at work in the editor. */
const AGENT_QUIET_MS = 5 * 60_000

/** Whether a session of an agent that reports its own work is active in a folder, above it or below it. */
async function isAgentAtWork({ store }: Services, folder: string | null): Promise<boolean> {
  if (folder === null) return false
  const now = Date.now()
  // An editor may have opened the folder through a link; agents report where it leads.
  const placeOf = (path: string) => `${(realTop(path) ?? path).replace(/\/+$/, '')}/`
  const own = placeOf(folder)
  for (const session of await store.sessions.notCompleted()) {
    const other = placeOf(session.folder)
    if (session.agent === OTHER_AGENT || !(own.startsWith(other) || other.startsWith(own)) || !isLive(session, now)) continue
    if (now - session.lastEventAt < AGENT_QUIET_MS) return true
    const last = await store.prompts.byNumber(session.id, session.promptCount)
    if (last !== null && last.answer === null) return true
  }
  return false
}

async function summarize(services: Services, request: ParsedRequest<typeof routes, 'POST /api/sessions/summarize'>) {
  const { contentSessionId, last_user_message: asked, last_assistant_message: answer } = request
  const known = await findSession(services, contentSessionId)
  if (!known && asked.trim() === '' && answer.trim() === '') return { status: 'skipped' as const, reason: 'no such session' }
  const last = known && (await services.store.prompts.byNumber(known.id, known.promptCount))
  // A caller that reports only whole turns: without a prompt of its own, the answer would replace that of the turn before, or be lost.
  const isOwnTurn = last
    ? last.answer !== null && isOtherPrompt(services, last, asked)
    : known === null || !(await isMuted(services, known.id))
  const prompt = promptEvent(asked.trim() || NO_WORDS)
  const end: SessionEvent = { kind: 'turn-ended', promptId: null, answer }
  const { session } = await report(services, { ...request, events: isOwnTurn ? [prompt, end] : [end] })
  const isPrivate = session === null || (await isMuted(services, session.id))
  return isPrivate ? { status: 'skipped' as const, reason: 'private' } : { status: 'queued' as const }
}

const isMuted = ({ store }: Services, sessionId: number) => store.sessions.isMuted(sessionId, null)

async function completeSession(services: Services, request: ParsedRequest<typeof routes, 'POST /api/sessions/complete'>) {
  if (!(await findSession(services, request.contentSessionId))) return { success: false as const, message: 'no such session' }
  await report(services, { ...request, events: [{ kind: 'session-ended', reason: request.reason }] })
  return { success: true as const }
}

/** Later reports do not always repeat their host, so a session is looked for under both agents that such programs can have. */
async function findSession({ store }: Services, contentSessionId: string): Promise<Session | null> {
  const id = asContentSessionId(contentSessionId)
  return (await store.sessions.find(DEFAULT_AGENT, id)) ?? store.sessions.find(OTHER_AGENT, id)
}

type Report = {
  contentSessionId: string
  events: SessionEvent[]
  project?: string | undefined
  cwd?: string | undefined
  host?: string | undefined
  pid?: number | undefined
}

/** Stores events in the same way as those that a hook reports, all or none. The session is null when it is private. */
async function report(services: Services, { contentSessionId, events, project, cwd, host, pid }: Report) {
  const known = await findSession(services, contentSessionId)
  const hostName = (host && services.notebook.clean(host)) || null
  const agent = await services.agents[known?.agent ?? agentOfHost(hostName)]()
  const rules: CaptureRules = services.rules(agent)
  const context: EventContext = {
    host: hostName,
    projectFolder: cwd ?? folderFromProjectName(project),
    clientPid: pid ?? null,
    entrypoint: null,
    ...(cwd ? {} : await namedProject(services, rules, known, project)),
  }
  const common = { agent: agent.name, session: asContentSessionId(contentSessionId), at: Date.now(), cwd: cwd ?? null, transcript: null }
  const reported = await services.store.transaction(async () => {
    const changes: Change[] = []
    let session: Session | null = null
    for (const event of events) {
      const captured = await take(services.store, { ...common, ...event }, context, rules)
      changes.push(...captured.changes)
      session = captured.session ?? session
    }
    return { session, changes }
  })
  services.announce(reported.changes)
  services.queue.kick()
  return reported
}

/** A known session keeps its project. A new one gets the project named in the request. */
async function namedProject(services: Services, rules: CaptureRules, known: Session | null, name: string | undefined) {
  const project = known?.project ?? (await resolveProject(services, name)) ?? GLOBAL_PROJECT
  const folder = folderFromProjectName(name)
  return { project, branch: folder ? rules.projectOf(folder).branch : null }
}

async function listSessions(services: Services, request: ParsedRequest<typeof routes, 'GET /api/sessions'>): Promise<SessionList> {
  const { project, agent, limit, offset } = request
  const page = await services.store.sessions.page(await resolveProject(services, project), agent ?? null, limit, offset)
  const now = Date.now()
  const sessions = page.sessions.map(({ tokensTold: tokensShown, ...session }) => ({
    ...session,
    tokensShown,
    live: session.status !== 'completed' && isLive(session, now),
  }))
  return { total: page.total, sessions }
}

/** Enough of a session for the viewer to replay it. */
const MAX_ITEMS_OF_SESSION = 5000

async function sessionContents({ store }: Services, id: number): Promise<SessionContents> {
  return {
    session: (await store.sessions.get(id)) ?? missing('session', id),
    outcome: await outcomeOfSession(store, id),
    prompts: await store.prompts.ofSession(id),
    toolUses: (await store.toolUses.ofSession(id, MAX_ITEMS_OF_SESSION)).map(clipToolUse),
    observations: await store.observations.ofSession(id, MAX_ITEMS_OF_SESSION),
    summaries: await store.summaries.allOfSession(id),
    injections: (await store.injections.recent(id, MAX_ITEMS_OF_SESSION)).map(recordedInjection),
  }
}

/** Enough to recognise what was done; `GET /api/tool-uses/:id` has the full text. */
const MAX_CLIPPED_CHARS = 400

function clipToolUse(use: ToolUse): ClippedToolUse {
  const clip = (text: string) => text.slice(0, MAX_CLIPPED_CHARS)
  const clipped = [use.input, use.output ?? '', use.error ?? ''].some((text) => text.length > MAX_CLIPPED_CHARS)
  return { ...use, input: clip(use.input), output: use.output && clip(use.output), error: use.error && clip(use.error), clipped }
}

const MAX_LABELS = 200

async function labelSessions({ store }: Services, { ids }: { ids: string }): Promise<SessionLabel[]> {
  const wanted = [...new Set(ids.split(','))].filter(Boolean).slice(0, MAX_LABELS)
  const find = async (id: string) =>
    /^\d{1,15}$/.test(id) ? store.sessions.get(Number(id)) : ((await store.sessions.withIdPrefix(id, 1))[0] ?? null)
  const sessions = await Promise.all(wanted.map(find))
  return Promise.all(sessions.filter((session) => session !== null).map((session) => labelOf(store, session)))
}

const MAX_TITLE_CHARACTERS = 200

async function labelOf(store: Store, session: Session): Promise<SessionLabel> {
  const { id, contentSessionId, project, agent, branch, promptCount, startedAt, lastEventAt } = session
  const first = session.title ? null : (await store.prompts.ofSession(id)).find(({ origin }) => origin === 'person')
  const title = session.title ?? (first ? shorten(first.text, MAX_LABEL_CHARACTERS) : `Session ${id}`)
  return { id, contentSessionId, project, agent, branch, promptCount, startedAt, lastEventAt, title }
}

const MAX_LABEL_CHARACTERS = 90

async function renameSession(services: Services, { id, title }: { id: number; title: string }): Promise<Session> {
  const { store } = services
  if (!(await store.sessions.get(id))) missing('session', id)
  const cleaned = services.notebook.clean(title).replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE_CHARACTERS)
  if (cleaned === '') throw new BadRequest('the title is empty, or all of it is private')
  await store.transaction(async () => {
    await store.sessions.setTitle(id, cleaned)
    await store.audit.add({ at: Date.now(), action: 'rename-session', subject: String(id), details: {} })
  })
  services.stream.publish({ type: 'session-renamed', data: { sessionId: id } })
  return (await store.sessions.get(id)) ?? missing('session', id)
}

async function withNotes(services: Services, id: number) {
  const session = await exportedSession(services, id)
  const said = await services.store.notes.saidIn([session.session.contentSessionId])
  return { session, notes: said.filter(({ deletedAt }) => deletedAt === null) }
}

async function exportedSession(services: Services, id: number): Promise<SessionExport> {
  return { ...(await sessionContents(services, id)), toolUses: await services.store.toolUses.ofSession(id, MAX_ITEMS_OF_SESSION) }
}

async function exportSession(
  services: Services,
  { id, format }: ParsedRequest<typeof routes, 'GET /api/sessions/:id/export'>,
): Promise<SessionExport | Response> {
  const session = await exportedSession(services, id)
  if (format === 'json') return session
  const { sessionAsMarkdown } = await import('../handover.ts')
  return new Response(sessionAsMarkdown(session), { headers: { 'content-type': 'text/markdown; charset=utf-8' } })
}

async function removeSession(services: Services, { id }: { id: number }) {
  const session = (await services.store.sessions.get(id)) ?? missing('session', id)
  await deleteNow(services, { session: session.contentSessionId, hard: false })
  return { removed: id }
}

function missing(what: string, id: number): never {
  throw new BadRequest(`there is no ${what} ${id}`)
}
