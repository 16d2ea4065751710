/**
 * Matching and parsing of requests by their declaration, shared by the worker and the hub: which route a request is for, and its fields checked by the
 * route's schema. It answers nothing itself.
 */
import { type RouteOptions, requestFields } from './contract/route.ts'

/** The request cannot be used. The message says why and what is allowed. */
export class BadRequest extends Error {}

export type RouteEntry = RouteOptions & {
  name: string
  method: string
  pattern: string[]
  paramCount: number
  schema: RequestSchema | null
}
type RequestSchema = ReturnType<NonNullable<RouteOptions['request']>>

export function routeEntry(name: string, options: RouteOptions): RouteEntry {
  const [method = '', path = ''] = name.split(' ')
  return { ...options, name, method, pattern: path.split('/'), paramCount: path.split('/:').length - 1, schema: null }
}

const isParam = (segment: string) => segment.startsWith(':')

/** Fixed paths first: `/api/sessions/init` before `/api/sessions/:id` */
export const inMatchingOrder = <Entry extends RouteEntry>(table: Entry[]): Entry[] => table.sort((a, b) => a.paramCount - b.paramCount)

/** The route for a request, with the values of its path parameters. */
export function matchRoute<Entry extends RouteEntry>(
  table: Entry[],
  method: string,
  path: string,
): { route: Entry; params: Record<string, string> } | null {
  const segments = path.split('/')
  for (const route of table) {
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

/** The parsed request; null when a path parameter cannot be one, so that there is no such route. */
export async function parseRequest(route: RouteEntry, params: Record<string, string>, request: Request, url: URL): Promise<unknown> {
  if (route.raw && !route.request) return {}
  if (route.request) route.schema ??= route.request()
  const fields = route.raw ? params : await readFields(route, params, request, url)
  if (!route.raw) refuseUnknownFields(route, fields)
  if (!route.schema) return {}
  // Without zod's generated code: generating it takes the first request of a route longer than it saves in hundreds of them.
  const parsed = route.schema.safeParse(fields, { jitless: true })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  if (issue && String(issue.path[0]) in params) return null
  throw new BadRequest(`${issue?.path.join('.') || 'the request'}: ${issue?.message ?? 'not usable'}`)
}

async function readFields(route: RouteEntry, params: Record<string, string>, request: Request, url: URL): Promise<unknown> {
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
function withFieldNames({ otherNames = {} }: RouteEntry, fields: Fields): Fields {
  for (const [other, name] of Object.entries(otherNames)) {
    if (!Object.hasOwn(fields, other)) continue
    const { [other]: value, ...rest } = fields
    fields = rest[name] === undefined || rest[name] === null || rest[name] === '' ? { ...rest, [name]: value } : rest
  }
  return fields
}

/** A field that is ignored would look like one that had an effect. */
function refuseUnknownFields({ name, schema, otherNames = {} }: RouteEntry, fields: unknown): void {
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
