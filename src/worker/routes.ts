import { type CaptureRules, take } from '../capture/capture.ts'
import { DEFAULT_AGENT } from '../core/agent.ts'
import type { AgentEvent, EventContext, SessionEvent } from '../core/event.ts'
import { fingerprint } from '../core/hash.ts'
import { asContentSessionId, GLOBAL_PROJECT } from '../core/ids.ts'
import { isJsonDeeperThan } from '../core/json-depth.ts'
import { type MemoryKind, parseMemoryId } from '../core/memory-kinds.ts'
import { asNoteId } from '../core/note.ts'
import { withoutPrivate } from '../core/privacy.ts'
import { BRIEF_BUDGET, briefFor, MAX_RECALL_TOKENS, recallFor } from '../inject/brief.ts'
import { type Agent, agentNamed } from '../integrations/agent.ts'
import { VERSION } from '../platform/version.ts'
import { describeHit } from '../retrieval/search.ts'
import { checkDatabase, type DocumentRef, isStoreFailure } from '../store/store.ts'
import * as api from '../wire/api.ts'
import { commandName } from '../wire/start.ts'
import { ingestDelivery } from './intake.ts'
import { noteInFull, noteRoute } from './note-routes.ts'
import { folderFromProjectName, parseBody, parseBodyOrUrlQuery, parseRequestTime, parseUrlQuery, resolveProject } from './request-params.ts'
import { cleanUp } from './retention.ts'
import { searchFor, timelineFor } from './search-requests.ts'
import { BadRequest, type Handler } from './server.ts'
import type { Services } from './services.ts'

/** What the routes need from the process around them. */
export type Control = {
  port(): number
  startedAt: number
  /** How many events could not be stored since the last one that could. */
  troubles(): number
  noteTaken(stored: boolean): void
  stop(): void
}

/**
 * The worker's HTTP face. A hook may only report; the owner may do the rest. What sessions do not ask for is loaded when somebody asks:
 * every session waits for a worker to start, and every machine carries what it holds.
 */
export function routes(desk: Services, control: Control): Handler {
  return async (request, url, caller, server) => {
    const at = `${request.method} ${url.pathname}`
    const hook = /^\/hook\/([a-z-]{1,40})$/.exec(url.pathname)
    if (hook && request.method === 'POST') return hookRoute(desk, control, request, hook[1] as string)
    if (at === 'GET /health') return Response.json({ ok: true, version: VERSION, pid: process.pid })
    if (caller !== 'owner') return null
    if (at === 'POST /api/view/link') server.timeout(request, 0) // the first one waits for the viewer to be bundled
    const viewed = await desk.viewer.answer(request, url)
    if (viewed) return viewed
    const notes = /^\/api\/notes(?:\/([\w.-]{1,80}))?(\/restore)?$/.exec(url.pathname)
    if (notes) return noteRoute(desk, request, url, notes[1] ?? null, notes[2] !== undefined)
    if (/^\/api\/sync(?:\/|$)/.test(url.pathname)) {
      server.timeout(request, 0) // it may wait for the network
      const { syncRoute } = await import('./sync-routes.ts')
      return syncRoute(desk, request, url)
    }
    const memory = /^\/api\/memory\/([\w.-]{1,80})$/.exec(url.pathname)?.[1]
    if (memory && request.method === 'GET') return Response.json(await memoryOf(desk, memory))
    const turn = /^\/(?:api\/)?sessions\/(\d+)\/init$/.exec(url.pathname)
    if (turn && request.method === 'POST') return initTurn(desk, request, Number(turn[1]))
    switch (at) {
      case 'GET /api/context/inject':
      case 'POST /api/context/inject':
        return injectRoute(desk, await parseBodyOrUrlQuery(request, url, api.readInjectQuery))
      case 'POST /api/sessions/init':
        return initSession(desk, request)
      case 'POST /api/sessions/observations':
        return reportToolUse(desk, request)
      case 'POST /api/sessions/summarize':
        return summarize(desk, request)
      case 'POST /api/sessions/complete':
        return completeSession(desk, request)
      case 'POST /api/processing': {
        const { isProcessing } = await parseBody(request, api.readProcessing)
        desk.stream.publish({ type: 'processing', data: { isProcessing } })
        return Response.json({ status: 'ok' })
      }
      case 'POST /api/observations/batch': {
        const { ids } = await parseBody(request, api.readBatch)
        return Response.json(await desk.store.observations.get(ids))
      }
      case 'POST /api/memories/batch': {
        const { ids } = await parseBody(request, api.readMemories)
        const read = await Promise.all(onceEach(ids).map((id) => memoryOf(desk, id)))
        const there = read.filter(({ memory }) => memory !== null)
        countUse(desk, there)
        return Response.json(read.map(({ ref, ...shown }) => shown))
      }
      case 'GET /api/search':
      case 'POST /api/search':
        return Response.json(await searchFor(desk, await parseBodyOrUrlQuery(request, url, api.readSearchQuery)))
      case 'PUT /api/settings': {
        const { changeSettings } = await import('./settings-routes.ts')
        return changeSettings(desk, request)
      }
      case 'GET /api/timeline':
      case 'POST /api/timeline':
        return Response.json(await timelineFor(desk, await parseBodyOrUrlQuery(request, url, api.readTimelineQuery)))
      case 'GET /api/graph':
        return graphRoute(desk, url)
      case 'GET /api/status': {
        const { statusOf } = await import('./status.ts')
        return Response.json(await statusOf(desk, control))
      }
      case 'GET /api/check':
        // Between two transactions there is no writer, and the check opens a connection of its own.
        return Response.json({ damage: await desk.store.transaction(async () => checkDatabase(desk.store.path)) })
      case 'GET /api/injections':
        return Response.json(await injected(desk, url))
      case 'GET /api/audit':
        return Response.json(await desk.store.audit.recent(parseUrlQuery(url, api.readAuditQuery).limit))
      case 'GET /api/export': {
        const { kind, project, format } = parseUrlQuery(url, api.readExportQuery)
        if (format === 'markdown' && kind !== 'notes') throw new BadRequest('only notes can be written as markdown')
        const { exportLines, noteFiles } = await import('./export.ts')
        if (format === 'markdown') return lines(noteFiles(desk.store, await resolveProject(desk, project)))
        return lines(exportLines(desk.store, kind, await resolveProject(desk, project)))
      }
      case 'POST /api/import': {
        server.timeout(request, 0)
        const { from, paths, since, project } = await parseBody(request, api.readImportRequest)
        const into = from === 'transcripts' ? null : await resolveProject(desk, project ?? undefined)
        const agent = defaultAgent(desk)
        if (from === 'transcripts') {
          const { importTranscripts: importHistory } = await import('./import-transcripts.ts')
          return lines(reported(desk, 'an import failed', importHistory(desk, agent, { paths, since: parseRequestTime(since), project })))
        }
        const { importMemories: bringIn } = await import('./import-memories.ts')
        return lines(reported(desk, 'an import failed', bringIn(desk, agent, { from, paths, project: into })))
      }
      case 'POST /api/gc': {
        server.timeout(request, 0)
        const { dryRun } = await parseBody(request, api.readCleanUpRequest)
        return lines(reported(desk, 'a clean-up failed', cleanUp(desk, Date.now(), dryRun)))
      }
      case 'POST /api/consolidate':
      case 'POST /api/reflect': {
        server.timeout(request, 0)
        const wish = await parseBody(request, api.readConsolidateRequest)
        const project = await resolveProject(desk, wish.project ?? undefined)
        const kind = url.pathname === '/api/reflect' ? 'reflect' : 'consolidate'
        const { runConsolidation: consolidation } = await import('./consolidation.ts')
        const steps = consolidation(desk, kind, { ...wish, project })
        return lines(reported(desk, 'a consolidation failed', steps))
      }
      case 'GET /api/embedder':
        return Response.json(await embedders(desk))
      case 'POST /api/embedder/weights': {
        const { tarball } = await parseBody(request, api.readInstallWeights)
        server.timeout(request, 0)
        const { installWeights } = await import('../providers/known-embedders.ts')
        const refused = await installWeights(desk.home.models, tarball)
        if (refused !== null) throw new BadRequest(refused)
        return reloaded(desk)
      }
      case 'POST /api/embedder/remove': {
        const { removeWeights } = await import('../providers/known-embedders.ts')
        removeWeights(desk.home.models)
        return reloaded(desk)
      }
      case 'POST /api/embedder/reload':
        return reloaded(desk)
      case 'POST /api/redistill': {
        server.timeout(request, 0)
        const wish = await parseBody(request, api.readRedistillRequest)
        const project = await resolveProject(desk, wish.project ?? undefined)
        const { redistill } = await import('./redistill.ts')
        return lines(
          reported(desk, 'telling turns again failed', redistill(desk, { ...wish, since: parseRequestTime(wish.since), project })),
        )
      }
      case 'GET /api/cost': {
        const { costReport: costOf } = await import('./cost-report.ts')
        return Response.json(await costOf(desk, parseUrlQuery(url, api.readCostQuery).days, Date.now()))
      }
      case 'POST /api/jobs/retry': {
        const { id } = await parseBody(request, api.readRetry)
        const { jobs } = desk.store
        const revived = await desk.store.transaction(async () =>
          id === undefined ? jobs.reviveDead(Date.now()) : Number(await jobs.revive(id, Date.now())),
        )
        desk.queue.kick()
        return Response.json({ revived })
      }
      case 'GET /stream': {
        server.timeout(request, 0)
        const stream = desk.stream.listen(request.headers.get('last-event-id'))
        return new Response(stream.pipeThrough(new TextEncoderStream()), {
          headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
        })
      }
      case 'POST /api/shutdown':
        setTimeout(control.stop, 10)
        return Response.json({ status: 'stopping' })
    }
    const { viewerRoute } = await import('./viewer-routes.ts')
    return viewerRoute(desk, request, url, control.port())
  }
}

async function embedders(desk: Services): Promise<api.EmbedderList> {
  const { knownEmbedders } = await import('../providers/known-embedders.ts')
  return { inUse: await desk.embedding.report(), known: await knownEmbedders(desk.home.models) }
}

/** The embedder follows what has just been changed: settings, or weights. */
async function reloaded(desk: Services): Promise<Response> {
  await desk.embedding.reload()
  desk.queue.kick()
  return Response.json(await embedders(desk))
}

/** Nobody means more; a parser and all who read after it would keep everybody waiting. */
const DEEPEST = 1000

/**
 * Whatever happens, a hook is answered 200 with an object: its person could do nothing with an error. A script that asked to be told
 * is told.
 */
async function hookRoute(desk: Services, control: Control, request: Request, name: string): Promise<Response> {
  const agent = agentNamed(name, desk.agents)
  const failed = (status: number) => Response.json({}, request.headers.has('x-recollect-strict') ? { status } : {})
  if (!agent) return Response.json({})
  let payload: unknown
  try {
    const bytes = await request.bytes()
    if (isJsonDeeperThan(bytes, DEEPEST)) {
      desk.log.warn('a payload was nested too deep; the transcript is read instead', { bytes: bytes.length })
      return Response.json({})
    }
    payload = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    // The parser's own words would quote the payload, and logs hold no such text.
    desk.log.warn('a payload was not JSON')
    return failed(400)
  }
  try {
    const { at, until } = waitOf(request.headers.get('x-recollect-wait'), Date.now())
    const delivery = {
      agent,
      payload,
      context: contextOf(request.headers.get('x-recollect-context')),
      delivery: request.headers.get('x-recollect-delivery')?.slice(0, 100) ?? null,
      at,
    }
    const reply = await ingestDelivery(desk, delivery, async () => {
      if (until !== null) return Date.now() < until
      // That a client has hung up is known only after a look at its connection.
      await Bun.sleep(1)
      return !request.signal.aborted
    })
    control.noteTaken(true)
    return Response.json(reply)
  } catch (cause) {
    if (isStoreFailure(cause)) control.noteTaken(false)
    desk.log.warn('an event could not be taken', { error: (cause as Error).message.slice(0, 300) })
    return failed(isStoreFailure(cause) ? 503 : 400)
  }
}

/**
 * When a hook asked, and until when it waits, as it says itself: one that a sleeping or busy worker kept waiting has been gone for long when
 * it is read. A client that asks by itself says nothing of it.
 */
function waitOf(header: string | null, now: number): { at: number; until: number | null } {
  const [at, until] = (header?.match(/^(\d{13}) (\d{13})$/) ?? []).slice(1).map(Number)
  return at !== undefined && until !== undefined && at <= now && now - at < HOUR_MS ? { at, until } : { at: now, until: null }
}

const HOUR_MS = 3_600_000

function contextOf(header: string | null): EventContext {
  const nobody: EventContext = { projectFolder: null, clientPid: null, entrypoint: null }
  if (!header || header.length > 16_384) return nobody
  try {
    const { projectFolder, clientPid, entrypoint } = JSON.parse(decodeURIComponent(header)) as Partial<EventContext>
    return {
      projectFolder: typeof projectFolder === 'string' ? projectFolder : null,
      clientPid: typeof clientPid === 'number' && Number.isInteger(clientPid) && clientPid > 1 ? clientPid : null,
      entrypoint: typeof entrypoint === 'string' ? entrypoint : null,
    }
  } catch {
    return nobody
  }
}

async function injectRoute(desk: Services, { prompt, format, ...asked }: api.InjectQuery): Promise<Response> {
  const project = await resolveProject(desk, asked.project)
  if (!project) throw new BadRequest('which project? give ?project=<key or folder>')
  const tokens = Math.min(BRIEF_BUDGET.tokens, Math.max(0, asked.tokens ?? BRIEF_BUDGET.tokens))
  const branch = asked.branch?.slice(0, 300) || null
  const brief =
    prompt === undefined
      ? await briefFor(desk.store, { project, now: Date.now(), budget: { ...BRIEF_BUDGET, tokens }, command: commandName(), branch })
      : await recallFor(
          desk.store,
          { project, id: null },
          withoutPrivate(prompt).text,
          Date.now(),
          Math.min(tokens, MAX_RECALL_TOKENS),
          desk.quickSemanticSearch,
        )
  if (format === 'json') return Response.json({ project, branch, ...brief })
  return new Response(brief.text, { headers: { 'content-type': 'text/markdown; charset=utf-8' } })
}

async function initSession(desk: Services, request: Request): Promise<Response> {
  const body = await parseBody(request, api.readInitSession)
  const event: SessionEvent = { kind: 'prompt-submitted', promptId: null, origin: 'person', text: body.prompt }
  const session = await report(desk, { ...body, event })
  if (!session) return Response.json({ sessionDbId: null, promptNumber: 0, skipped: true, reason: 'private' })
  const stored = await desk.store.sessions.get(session.id)
  const skipped = stored === null || stored.promptCount === session.promptCount
  return Response.json({
    sessionDbId: session.id,
    promptNumber: stored?.promptCount ?? 0,
    skipped,
    ...(skipped ? { reason: 'private' } : {}),
  })
}

async function initTurn(desk: Services, request: Request, id: number): Promise<Response> {
  const body = await parseBody(request, api.readInitTurn)
  const session = await desk.store.sessions.get(id)
  if (!session) throw new BadRequest(`there is no session ${id}`)
  desk.stream.publish({ type: 'turn-started', data: { sessionId: id, promptNumber: body.promptNumber ?? session.promptCount } })
  return Response.json({ status: 'initialized', sessionDbId: id, promptNumber: session.promptCount })
}

async function reportToolUse(desk: Services, request: Request): Promise<Response> {
  const body = await parseBody(request, api.readReportToolUse)
  const agent = defaultAgent(desk)
  if (desk.rules(agent).isSkipped(body.tool_name)) return Response.json({ status: 'skipped', reason: 'tool_excluded' })
  // A caller that has no id for it is recognised by what it says.
  const said = () => fingerprint(JSON.stringify([body.tool_name, body.tool_input, body.tool_response]), 32)
  const toolUseId = body.tool_use_id ?? `content:${said()}`
  const event: SessionEvent = {
    kind: 'tool-used',
    promptId: null,
    toolUseId,
    tool: body.tool_name,
    input: body.tool_input ?? {},
    output: body.tool_response ?? null,
    error: null,
    interrupted: false,
    agentId: null,
  }
  const session = await report(desk, { ...body, event })
  const isKept = session !== null && (await desk.store.toolUses.has(session.id, toolUseId))
  return Response.json(isKept ? { status: 'queued' } : { status: 'skipped', reason: 'private' })
}

async function summarize(desk: Services, request: Request): Promise<Response> {
  const body = await parseBody(request, api.readSummarize)
  if (!(await sessionCalled(desk, body.contentSessionId))) return Response.json({ status: 'skipped', reason: 'no such session' })
  await report(desk, { ...body, event: { kind: 'turn-ended', promptId: null, answer: body.last_assistant_message } })
  return Response.json({ status: 'queued' })
}

async function completeSession(desk: Services, request: Request): Promise<Response> {
  const body = await parseBody(request, api.readCompleteSession)
  if (!(await sessionCalled(desk, body.contentSessionId))) return Response.json({ success: false, message: 'no such session' })
  await report(desk, { ...body, event: { kind: 'session-ended', reason: body.reason } })
  return Response.json({ success: true })
}

function sessionCalled(desk: Services, contentSessionId: string) {
  return desk.store.sessions.find(defaultAgent(desk).name, asContentSessionId(contentSessionId))
}

/** Takes what a caller of the API reports through the same door as a hook. */
async function report(
  desk: Services,
  said: { contentSessionId: string; event: SessionEvent; project?: string | undefined; cwd?: string | undefined },
) {
  const agent = defaultAgent(desk)
  const event: AgentEvent = {
    ...said.event,
    agent: agent.name,
    session: asContentSessionId(said.contentSessionId),
    at: Date.now(),
    cwd: said.cwd ?? null,
    transcript: null,
  }
  const rules: CaptureRules = desk.rules(agent)
  const context: EventContext = {
    projectFolder: said.cwd ?? folderFromProjectName(said.project),
    clientPid: null,
    entrypoint: null,
    ...(said.cwd ? {} : await namedProject(desk, rules, said)),
  }
  const taken = await desk.store.transaction(() => take(desk.store, event, context, rules))
  desk.announce(taken.changes)
  desk.queue.kick()
  return taken.session
}

/** A session stays with the project it was opened for; a new one belongs to the project that is named, as all other questions name it. */
async function namedProject(desk: Services, rules: CaptureRules, said: { contentSessionId: string; project?: string | undefined }) {
  const opened = await sessionCalled(desk, said.contentSessionId)
  const project = opened?.project ?? (await resolveProject(desk, said.project)) ?? GLOBAL_PROJECT
  const folder = folderFromProjectName(said.project)
  return { project, branch: folder ? rules.projectOf(folder).branch : null }
}

async function injected(desk: Services, url: URL) {
  const { session, limit } = parseUrlQuery(url, api.readInjectionsQuery)
  return desk.store.injections.recent(session ?? null, limit)
}

async function graphRoute({ store }: Services, url: URL): Promise<Response> {
  const { causesOf, effectsOf, findMemoryNode: memoryAt, neighboursOf: neighbours, pathBetween } = await import('../retrieval/graph.ts')
  const { ask, ref, to, project: name, limit } = parseUrlQuery(url, api.readGraphQuery)
  if (ask === 'topics') {
    const project = await resolveProject({ store }, name)
    if (!project) throw new BadRequest('which project? give ?project=<key or folder>')
    const { findTopics: topics } = await import('../retrieval/topics.ts')
    return Response.json({ ask, project, items: await topics(store, project, limit) })
  }
  if (!ref) throw new BadRequest('which memory? give ?ref=observation:12')
  if (ask === 'path' && !to) throw new BadRequest('the path to which memory? give &to=observation:15')
  for (const one of [ref, to]) if (one && !(await memoryAt(store, one))) throw new BadRequest(`there is no ${one.kind} ${one.ref}`)
  const memory = await memoryAt(store, ref)
  switch (ask) {
    case 'neighbours':
      return Response.json({ ask, memory, items: await neighbours(store, ref, limit) })
    case 'causes':
      return Response.json({ ask, memory, items: await causesOf(store, ref, limit) })
    case 'effects':
      return Response.json({ ask, memory, items: await effectsOf(store, ref, limit) })
    case 'path':
      // No way between them is an answer too.
      return Response.json({ ask, memory, items: to ? await pathBetween(store, ref, to) : null })
  }
}

/** Counts what was read while nobody waits for it: reading must not fail because something cannot be written. */
function countUse({ store, log }: Services, read: DocumentRef[]): void {
  if (store.isReadonly || read.length === 0) return
  const count = async () => {
    for (const { kind, ref } of read) await store.documents.countUse(kind, ref)
  }
  store.transaction(count).catch((cause) => log.warn('what was read could not be counted', { error: (cause as Error).message }))
}

/** Whoever asks for 12 and for #12 means one memory, and pays for one. */
function onceEach(ids: string[]): string[] {
  const asked = new Map<string, string>()
  for (const id of ids) {
    const { kind, ref } = parseMemoryId(id) ?? { kind: 'note', ref: id }
    const key = `${kind} ${ref}`
    if (!asked.has(key)) asked.set(key, id)
  }
  return [...asked.values()]
}

/** One memory in full, under the title that lists have for it; `memory` is null when there is none, `title` also when it is hidden. */
async function memoryOf(desk: Services, id: string) {
  const { kind, ref } = parseMemoryId(id) ?? { kind: 'note', ref: id }
  const place = await desk.store.documents.locationOf(kind, ref)
  const title = (place && (await describeHit(desk.store, place)))?.title ?? null
  return { id, kind, ref, title, project: place?.project ?? null, memory: await memoryInFull(desk, kind, ref) }
}

async function memoryInFull({ store }: Services, kind: MemoryKind, ref: string) {
  switch (kind) {
    case 'note':
      return noteInFull(store, asNoteId(ref))
    case 'summary':
      return store.summaries.get(Number(ref))
    case 'prompt':
      return store.prompts.get(Number(ref))
    case 'observation':
      return (await store.observations.get([Number(ref)]))[0] ?? null
  }
}

function defaultAgent(desk: Services): Agent {
  return desk.agents[DEFAULT_AGENT]
}

/** A long answer as lines of JSON, written as they come and only as fast as they are read. */
function lines(values: AsyncIterable<unknown> | Iterable<unknown>): Response {
  const encoder = new TextEncoder()
  async function* text() {
    let held = ''
    for await (const value of values) {
      held += `${JSON.stringify(value)}\n`
      if (held.length > 16_384 || typeof (value as { kind?: unknown }).kind === 'string') {
        yield encoder.encode(held)
        held = ''
      }
    }
    if (held) yield encoder.encode(held)
  }
  return new Response(text(), { headers: { 'content-type': 'application/x-ndjson' } })
}

async function* reported<Line>(
  desk: Services,
  what: string,
  steps: AsyncGenerator<Line>,
): AsyncGenerator<Line | { kind: 'failed'; error: string }> {
  try {
    yield* steps
  } catch (cause) {
    desk.log.warn(what, { error: (cause as Error).message.slice(0, 300) })
    yield { kind: 'failed', error: (cause as Error).message }
  }
}
