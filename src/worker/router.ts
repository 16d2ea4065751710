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
import { type ParsedType, type ResponseType, type RouteOptions, requestFields } from '../wire/contract/route.ts'
import { sessions } from '../wire/contract/sessions.ts'
import { settings } from '../wire/contract/settings.ts'
import { status } from '../wire/contract/status.ts'
import { sync } from '../wire/contract/sync.ts'
import { upkeep } from '../wire/contract/upkeep.ts'
import { viewer } from '../wire/contract/viewer.ts'
import * as hookHandlers from './routes/hooks.ts'
import * as injectHandlers from './routes/inject.ts'
import * as statusHandlers from './routes/status.ts'
import { BadRequest, type Handler } from './server.ts'
import type { Services } from './services.ts'

/** The parts of the worker's process that routes use. */
export type Control = {
  port(): number
  startedAt: number
  /** How many events could not be stored since the last one that was. */
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

type TableEntry = RouteOptions & { name: string; method: string; pattern: string[]; load: Resource['load']; schema: RequestSchema | null }
type RequestSchema = ReturnType<NonNullable<RouteOptions['request']>>
type RouteMatch = { route: TableEntry; params: Record<string, string> }

const isParam = (segment: string) => segment.startsWith(':')
const countParams = ({ pattern }: TableEntry) => pattern.filter(isParam).length

const TABLE: TableEntry[] = RESOURCES.flatMap(
  ({ routes, load }) =>
    Object.entries(routes).map(([name, options]) => {
      const [method = '', path = ''] = name.split(' ')
      return { ...options, name, method, pattern: path.split('/'), load, schema: null }
    }),
  // Fixed paths first: `/api/sessions/init` before `/api/sessions/:id`
).sort((a, b) => countParams(a) - countParams(b))

/** The route for a request, with the values of its path parameters. */
export function findRoute(method: string, path: string): RouteMatch | null {
  const segments = path.split('/')
  for (const route of TABLE) {
    if ((route.method !== method && route.method !== 'ANY') || route.pattern.length !== segments.length) continue
    const params = matchSegments(route.pattern, segments)
    if (params) return { route, params }
  }
  return null
}

function matchSegments(pattern: string[], segments: string[]): Record<string, string> | null {
  const params: Record<string, string> = {}
  for (const [i, part] of pattern.entries()) {
    const segment = segments[i] ?? ''
    if (isParam(part) && segment !== '') params[part.slice(1)] = segment
    else if (part !== segment) return null
  }
  return params
}

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

/** The parsed request; null when a path parameter cannot be one, so that there is no such route. */
async function parseRequest(route: TableEntry, params: Record<string, string>, request: Request, url: URL): Promise<unknown> {
  if (route.raw && !route.request) return {}
  if (route.request) route.schema ??= route.request()
  const fields = route.raw ? params : await readFields(route, params, request, url)
  if (!route.raw) refuseUnknownFields(route, fields)
  if (!route.schema) return {}
  const parsed = route.schema.safeParse(fields)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  if (issue && String(issue.path[0]) in params) return null
  throw new BadRequest(`${issue?.path.join('.') || 'the request'}: ${issue?.message ?? 'not usable'}`)
}

async function readFields(route: TableEntry, params: Record<string, string>, request: Request, url: URL): Promise<unknown> {
  const isInQuery = route.method === 'GET' || route.method === 'DELETE'
  const query = Object.fromEntries(url.searchParams)
  if (isInQuery) {
    const body = Number(request.headers.get('content-length') ?? 0) > 0 ? await readBody(request) : {}
    if (!isFields(body) || Object.keys(body).length > 0)
      throw new BadRequest(`${route.name} takes its fields in the query string, not in a body`)
    return withFieldNames(route, { ...query, ...params })
  }
  const [misplaced] = Object.keys(query)
  if (misplaced !== undefined) throw new BadRequest(`${route.name} has no query string; send “${misplaced.slice(0, 60)}” in the JSON body`)
  const body = await readBody(request)
  if (!isFields(body)) {
    if (Object.keys(params).length > 0) throw new BadRequest('the body is not a JSON object')
    return body
  }
  return withFieldNames(route, { ...body, ...params })
}

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Gives fields with another name their own. If both names are used, the field's own name counts. */
function withFieldNames({ otherNames = {} }: TableEntry, fields: Fields): Fields {
  for (const [other, name] of Object.entries(otherNames)) {
    if (!Object.hasOwn(fields, other)) continue
    const { [other]: value, ...rest } = fields
    fields = rest[name] === undefined || rest[name] === null || rest[name] === '' ? { ...rest, [name]: value } : rest
  }
  return fields
}

/** A field that is ignored would look like one that had an effect. */
function refuseUnknownFields({ name, schema, otherNames = {} }: TableEntry, fields: unknown): void {
  const known = schema ? requestFields(schema) : []
  if (known === null || !isFields(fields)) return
  const unknown = Object.keys(fields).filter((field) => !known.includes(field))
  if (unknown.length === 0) return
  const allowed = [...known, ...Object.keys(otherNames)].filter((field) => !name.includes(`:${field}`))
  const list = unknown.slice(0, 5).map((field) => `“${field.slice(0, 60)}”`)
  throw new BadRequest(
    `unknown ${list.length === 1 ? 'parameter' : 'parameters'} ${list.join(', ')}; ${name} takes ${allowed.join(', ') || 'none'}`,
  )
}

/** The JSON of the body. A missing body counts as an object without fields. */
async function readBody(request: Request): Promise<unknown> {
  const text = await request.text()
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRequest('the body is not JSON')
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
