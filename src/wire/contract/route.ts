import { z } from 'zod'

/**
 * One route of the worker's HTTP API. Path parameters (`:id`) are fields of the request. GET and DELETE send the other fields in the query string,
 * other methods send a JSON body.
 */
export type RouteOptions = {
  /** Builds the schema of the request when the first one arrives, because building all of them would delay the start of the worker. */
  request?: () => z.ZodType
  /** Changes nothing, so it can be answered from the disk when no worker runs. */
  readOnly?: true
  /** Answers with lines of JSON (NDJSON); the declared response is the type of one line. */
  lines?: true
  /** Has no timeout, because it may wait for the network or for long work. */
  unlimited?: true
  /** The handler reads the HTTP request and writes the HTTP response itself. */
  raw?: true
  /** Only exists on the Unix socket, not on the loopback port. */
  socketOnly?: true
  /** Other names of fields, for programs that were written for other tools. */
  otherNames?: Readonly<Record<string, string>>
  readonly '~response'?: unknown
  readonly '~errors'?: RouteErrors
}

/**
 * When a route answers with an error, by status. A route declares only its own; those of its request (a wrong field, a path parameter that is no
 * id) and those of all routes follow from the rest.
 */
export type RouteErrors = { 400?: string; 403?: string; 409?: string; 410?: string }

/** Holds the types of the response and of the errors for the compiler; the properties never exist. */
type Returns<Response> = { readonly '~response'?: Response }
type Fails<Errors> = { readonly '~errors'?: Errors }

/**
 * Declares a route: `route({ request: () => … }).returns<FullNote, { 400: 'no note has this id' }>()`. The HTTP reference is made from it and from
 * the comment above it.
 */
export function route<const Options extends RouteOptions>(options: Options) {
  type Declared<Response, Errors> = Options & Returns<Response> & Fails<Errors>
  return {
    returns: <Response, Errors extends RouteErrors = Record<never, never>>(): Declared<Response, Errors> =>
      options as Declared<Response, Errors>,
  }
}

/** The names of the fields that a request may have; null when it may have any. */
export function requestFields(schema: z.ZodType): string[] | null {
  if (schema instanceof z.ZodObject) return schema.def.catchall instanceof z.ZodUnknown ? null : Object.keys(schema.shape)
  if (!(schema instanceof z.ZodUnion)) return null
  const variants = (schema.options as z.ZodType[]).map(requestFields)
  return variants.includes(null) ? null : [...new Set(variants.flatMap((names) => names ?? []))]
}

/** The request as a caller sends it. */
export type RequestType<Route> = Route extends { request: () => infer Schema extends z.ZodType } ? z.input<Schema> : Record<never, never>
/** The request as the handler gets it: parsed, with defaults filled in. */
export type ParsedType<Route> = Route extends { request: () => infer Schema extends z.ZodType } ? z.output<Schema> : Record<never, never>
/** The same, by the name of the route in its resource. */
export type ParsedRequest<Resource, Name extends keyof Resource> = ParsedType<Resource[Name]>
/** The response; for a route with `lines`, one line of it. */
export type ResponseType<Route> = Route extends Returns<infer Response> ? Response : never
/** The errors that the route declares. */
export type ErrorsType<Route> = Route extends Fails<infer Errors> ? Errors : never

/** A whole number in a query string or a JSON body. */
export function wholeNumber(fallback: number, max: number) {
  const range = `must be a whole number from 0 to ${max}`
  return z.coerce.number<number | string>(range).int(range).min(0, range).max(max, range).default(fallback)
}

/** True or false in a JSON body; in a query string also 1 and 0, yes and no. */
export const flag = (fallback: boolean) => z.union([z.boolean(), z.stringbool()]).default(fallback)

/** Milliseconds since 1970, or a time as people write it, such as `yesterday`. The worker parses the text. */
export const instant = () => z.union([z.number(), z.string().max(200)])

/** Like `instant`, but may be missing, null or empty. */
export const optionalInstant = () =>
  z
    .union([z.number(), z.string().max(200), z.null()])
    .optional()
    .transform((value) => (value === '' || value === null ? undefined : value))

/** The id of a row, as a path parameter. */
export const rowId = () => z.union([z.number().int(), z.string().regex(/^\d{1,15}$/, 'must be a number')]).transform(Number)

/** A project by its key, its short name or one of its folders. */
export const projectName = () => z.string().optional()
