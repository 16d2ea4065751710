import { type CaptureRules, take } from '../../capture/capture.ts'
import type { AgentEvent, EventContext, SessionEvent } from '../../core/event.ts'
import { fingerprint } from '../../core/hash.ts'
import { asContentSessionId, GLOBAL_PROJECT } from '../../core/ids.ts'
import type { ToolUse } from '../../core/memory.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import type { ClippedToolUse, sessions as routes, SessionContents, SessionList } from '../../wire/contract/sessions.ts'
import { defaultAgent, folderFromProjectName, resolveProject } from '../request-params.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'
import { isLive } from '../sweep.ts'
import { deleteNow } from './forget.ts'
import { recordedInjection } from './recorded-injection.ts'

export const handlers = {
  'POST /api/sessions/init': initSession,
  'POST /api/sessions/:id/init': initTurn,
  'POST /sessions/:id/init': initTurn,
  'POST /api/sessions/observations': reportToolUse,
  'POST /api/sessions/summarize': summarize,
  'POST /api/sessions/complete': completeSession,
  'POST /api/processing': (services, { isProcessing }) => {
    services.stream.publish({ type: 'processing', data: { isProcessing } })
    return { status: 'ok' as const }
  },
  'GET /api/sessions': listSessions,
  'GET /api/sessions/:id': (services, { id }) => sessionContents(services, id),
  'DELETE /api/sessions/:id': removeSession,
  'GET /api/tool-uses/:id': async ({ store }, { id }) => (await store.toolUses.get(id)) ?? missing('tool use', id),
} satisfies Handlers<typeof routes>

async function initSession(services: Services, request: ParsedRequest<typeof routes, 'POST /api/sessions/init'>) {
  const event: SessionEvent = { kind: 'prompt-submitted', promptId: null, origin: 'person', text: request.prompt }
  const session = await report(services, { ...request, event })
  if (!session) return { sessionDbId: null, promptNumber: 0, skipped: true, reason: 'private' }
  const stored = await services.store.sessions.get(session.id)
  const skipped = stored === null || stored.promptCount === session.promptCount
  return { sessionDbId: session.id, promptNumber: stored?.promptCount ?? 0, skipped, ...(skipped ? { reason: 'private' } : {}) }
}

async function initTurn(services: Services, { id, promptNumber }: ParsedRequest<typeof routes, 'POST /api/sessions/:id/init'>) {
  const session = (await services.store.sessions.get(id)) ?? missing('session', id)
  services.stream.publish({ type: 'turn-started', data: { sessionId: id, promptNumber: promptNumber ?? session.promptCount } })
  return { status: 'initialized' as const, sessionDbId: id, promptNumber: session.promptCount }
}

async function reportToolUse(services: Services, request: ParsedRequest<typeof routes, 'POST /api/sessions/observations'>) {
  const { tool_name, tool_input, tool_response, tool_use_id } = request
  const agent = defaultAgent(services)
  if (services.rules(agent).isSkipped(tool_name)) return { status: 'skipped' as const, reason: 'tool_excluded' }
  // A tool use without an id is identified by its content, so that it is stored once.
  const contentId = () => `content:${fingerprint(JSON.stringify([tool_name, tool_input, tool_response]), 32)}`
  const toolUseId = tool_use_id ?? contentId()
  const event: SessionEvent = {
    kind: 'tool-used',
    promptId: null,
    toolUseId,
    tool: tool_name,
    input: tool_input ?? {},
    output: tool_response ?? null,
    error: null,
    interrupted: false,
    agentId: null,
  }
  const session = await report(services, { ...request, event })
  const isStored = session !== null && (await services.store.toolUses.has(session.id, toolUseId))
  return isStored ? { status: 'queued' as const } : { status: 'skipped' as const, reason: 'private' }
}

async function summarize(services: Services, request: ParsedRequest<typeof routes, 'POST /api/sessions/summarize'>) {
  if (!(await findSession(services, request.contentSessionId))) return { status: 'skipped' as const, reason: 'no such session' }
  await report(services, { ...request, event: { kind: 'turn-ended', promptId: null, answer: request.last_assistant_message } })
  return { status: 'queued' as const }
}

async function completeSession(services: Services, request: ParsedRequest<typeof routes, 'POST /api/sessions/complete'>) {
  if (!(await findSession(services, request.contentSessionId))) return { success: false as const, message: 'no such session' }
  await report(services, { ...request, event: { kind: 'session-ended', reason: request.reason } })
  return { success: true as const }
}

function findSession(services: Services, contentSessionId: string) {
  return services.store.sessions.find(defaultAgent(services).name, asContentSessionId(contentSessionId))
}

type ReportedEvent = { contentSessionId: string; event: SessionEvent; project?: string | undefined; cwd?: string | undefined }

/** Stores an event in the same way as one that a hook reports. Returns its session; null when the session is private. */
async function report(services: Services, { contentSessionId, event, project, cwd }: ReportedEvent) {
  const agent = defaultAgent(services)
  const agentEvent: AgentEvent = {
    ...event,
    agent: agent.name,
    session: asContentSessionId(contentSessionId),
    at: Date.now(),
    cwd: cwd ?? null,
    transcript: null,
  }
  const rules: CaptureRules = services.rules(agent)
  const context: EventContext = {
    projectFolder: cwd ?? folderFromProjectName(project),
    clientPid: null,
    entrypoint: null,
    ...(cwd ? {} : await namedProject(services, rules, contentSessionId, project)),
  }
  const { session, changes } = await services.store.transaction(() => take(services.store, agentEvent, context, rules))
  services.announce(changes)
  services.queue.kick()
  return session
}

/** A known session keeps its project. A new one gets the project named in the request. */
async function namedProject(services: Services, rules: CaptureRules, contentSessionId: string, name: string | undefined) {
  const known = await findSession(services, contentSessionId)
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

async function removeSession(services: Services, { id }: { id: number }) {
  const session = (await services.store.sessions.get(id)) ?? missing('session', id)
  await deleteNow(services, { session: session.contentSessionId, hard: false })
  return { removed: id }
}

function missing(what: string, id: number): never {
  throw new BadRequest(`there is no ${what} ${id}`)
}
