import { code } from '../wire/contract/code.ts'
import { embedder } from '../wire/contract/embedder.ts'
import { feed } from '../wire/contract/feed.ts'
import { forget } from '../wire/contract/forget.ts'
import { graph } from '../wire/contract/graph.ts'
import { hooks } from '../wire/contract/hooks.ts'
import { inject } from '../wire/contract/inject.ts'
import { mcp } from '../wire/contract/mcp.ts'
import { memories } from '../wire/contract/memories.ts'
import { notes } from '../wire/contract/notes.ts'
import { observations } from '../wire/contract/observations.ts'
import { projects } from '../wire/contract/projects.ts'
import type { ParsedType, ResponseType, RouteOptions } from '../wire/contract/route.ts'
import { sessions } from '../wire/contract/sessions.ts'
import { settings } from '../wire/contract/settings.ts'
import { status } from '../wire/contract/status.ts'
import { sync } from '../wire/contract/sync.ts'
import { team } from '../wire/contract/team.ts'
import { upkeep } from '../wire/contract/upkeep.ts'
import { viewer } from '../wire/contract/viewer.ts'
import { inMatchingOrder, matchRoute, parseRequest, type RouteEntry, routeEntry } from '../wire/requests.ts'
import * as hookHandlers from './routes/hooks.ts'
import * as injectHandlers from './routes/inject.ts'
import * as statusHandlers from './routes/status.ts'
import type { Handler } from './server.ts'
import type { Services } from './services.ts'

/** The parts of the worker's process that routes use. */
export type Control = {
  port(): number
  startedAt: number
  /** How many events could not be stored since something last was. */
  unstoredEvents(): number
  reportEvent(isStored: boolean): void
  stop(): void
  /** Answers an MCP client. */
  mcp(request: Request): Promise<Response>
}

/** Passed to a handler besides its parsed request. */
export type RequestContext = { request: Request; control: Control }

type RouteHandler<Route> = (services: Services, request: ParsedType<Route>, context: RequestContext) => HandlerResult<Route>
type HandlerResult<Route> = Route extends { raw: true }
  ? Response | Promise<Response>
  : Route extends { lines: true }
    ? Lines<ResponseType<Route>> | Promise<Lines<ResponseType<Route>>>
    : // A `Response` where the caller may choose another format than JSON.
      ResponseType<Route> | Response | Promise<ResponseType<Route> | Response>
type Lines<Line> = AsyncIterable<Line> | Iterable<Line>

/** The handlers of one resource: `{ 'GET /api/notes': listNotes, … } satisfies Handlers<typeof notes>`. */
export type Handlers<Resource> = { [Name in keyof Resource]: RouteHandler<Resource[Name]> }

/** Handlers that every session needs are loaded when the worker starts, the others with their first request. */
const RESOURCES: Resource[] = [
  resource(hooks, async () => hookHandlers.handlers),
  resource(sessions, async () => (await import('./routes/sessions.ts')).handlers),
  resource(inject, async () => injectHandlers.handlers),
  resource(status, async () => statusHandlers.handlers),
  resource(memories, async () => (await import('./routes/memories.ts')).handlers),
  resource(code, async () => (await import('./routes/code.ts')).handlers),
  resource(observations, async () => (await import('./routes/observations.ts')).handlers),
  resource(graph, async () => (await import('./routes/graph.ts')).handlers),
  resource(feed, async () => (await import('./routes/feed.ts')).handlers),
  resource(notes, async () => (await import('./routes/notes.ts')).handlers),
  resource(forget, async () => (await import('./routes/forget.ts')).handlers),
  resource(sync, async () => (await import('./routes/sync.ts')).handlers),
  resource(team, async () => (await import('./routes/team.ts')).handlers),
  resource(projects, async () => (await import('./routes/projects.ts')).handlers),
  resource(settings, async () => (await import('./routes/settings.ts')).handlers),
  resource(upkeep, async () => (await import('./routes/upkeep.ts')).handlers),
  resource(embedder, async () => (await import('./routes/embedder.ts')).handlers),
  resource(viewer, async () => (await import('./routes/viewer.ts')).handlers),
  resource(mcp, async () => (await import('./routes/mcp.ts')).handlers),
]

type Resource = { routes: Record<string, RouteOptions>; load(): Promise<Record<string, AnyHandler>> }
type AnyHandler = (services: Services, request: unknown, context: RequestContext) => unknown

function resource<Routes extends Record<string, RouteOptions>>(routes: Routes, load: () => Promise<Handlers<Routes>>): Resource {
  // The types of single requests and responses are checked where the handlers are declared; the router only passes values through.
  return { routes, load: load as Resource['load'] }
}

type TableEntry = RouteEntry & { load: Resource['load'] }

const TABLE: TableEntry[] = inMatchingOrder(
  RESOURCES.flatMap(({ routes, load }) => Object.entries(routes).map(([name, options]) => ({ ...routeEntry(name, options), load }))),
)

/** The route for a request, with the values of its path parameters. */
export const findRoute = (method: string, path: string) => matchRoute(TABLE, method, path)

/**
 * The worker's HTTP API and the files of the viewer. Returns null when there is no such route at this entrance.
 */
export function openRouter(services: Services, control: Control): Handler {
  return async (request, url, entrance, server) => {
    const match = findRoute(request.method, url.pathname)
    if (match?.route.socketOnly && entrance !== 'socket') return null
    if (!match) return services.viewer.answer(request, url)
    const { route, params } = match
    if (route.unlimited) server.timeout(request, 0)
    const parsed = await parseRequest(route, params, request, url)
    if (parsed === null) return null
    const handler = (await route.load())[route.name]
    if (!handler) throw new Error(`no handler for ${route.name}`)
    const result = await handler(services, parsed, { request, control })
    if (result instanceof Response) return result
    // The handlers of routes with `lines` return nothing else; see `HandlerResult`.
    return route.lines ? linesResponse(result as Lines<unknown>) : Response.json(result)
  }
}

const MAX_BUFFERED_CHARS = 16_384

/** Writes lines of JSON as they are produced, and only as fast as they are read. Lines that report progress are sent at once. */
function linesResponse(lines: Lines<unknown>): Response {
  const encoder = new TextEncoder()
  async function* chunks() {
    let buffered = ''
    for await (const line of lines) {
      buffered += `${JSON.stringify(line)}\n`
      const isProgress = typeof line === 'object' && line !== null && 'kind' in line
      if (buffered.length > MAX_BUFFERED_CHARS || isProgress) {
        yield encoder.encode(buffered)
        buffered = ''
      }
    }
    if (buffered) yield encoder.encode(buffered)
  }
  return new Response(chunks(), { headers: { 'content-type': 'application/x-ndjson' } })
}
