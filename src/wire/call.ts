/**
 * Calls a route of the contract over any transport. This file loads neither zod nor the contract: it needs only the types, so hooks, the viewer and
 * the client library can use it.
 */
import { splitLines } from '../core/line-splitter.ts'
import type { LinesRoute, RequestOf, ResponseOf, RouteName, ValueRoute } from './contract/contract.ts'

/** One HTTP request to the worker. */
export type HttpRequest = {
  method: string
  /** With the query string. */
  path: string
  body: string | null
  headers: Record<string, string>
  timeoutMs: number | null
  signal: AbortSignal | null
}
/** A `Response` is one. */
export type HttpReply = { status: number; text(): Promise<string>; body: AsyncIterable<Uint8Array> | null }
/** Sends a request. Throws a `TimeoutError` when the worker is late, and any other error when it cannot be reached. */
export type Transport = (request: HttpRequest) => Promise<HttpReply>

/** The worker's reply. `unreachable` is ordinary: the worker may be starting, or switched off. */
export type Reply<T> = { kind: 'answered'; value: T } | FailedReply
export type FailedReply = { kind: 'unreachable'; reason: string } | { kind: 'late' } | { kind: 'refused'; status: number; reason: string }

export type CallOptions = { timeoutMs?: number; signal?: AbortSignal; headers?: Record<string, string> }
/** The request may be left out when none of its fields is required. */
export type CallArguments<Name extends RouteName> =
  Record<never, never> extends RequestOf<Name>
    ? [request?: RequestOf<Name>, options?: CallOptions]
    : [request: RequestOf<Name>, options?: CallOptions]

/** `call('POST /api/search', { query })`: the compiler knows the request and the response from the name of the route. */
export type Caller = {
  call<Name extends ValueRoute>(name: Name, ...args: CallArguments<Name>): Promise<Reply<ResponseOf<Name>>>
  callLines<Name extends LinesRoute>(name: Name, ...args: CallArguments<Name>): Promise<Reply<AsyncGenerator<ResponseOf<Name>>>>
}

type Reviver = (key: string, value: unknown) => unknown

/** Calls routes over a transport. `reviver` changes values as they are parsed, like that of `JSON.parse`. */
export function openCaller(transport: Transport, reviver?: Reviver): Caller {
  const send = async (name: RouteName, request: object, options: CallOptions): Promise<HttpReply | FailedReply> => {
    try {
      const reply = await transport(httpRequest(name, request, options))
      if (reply.status >= 200 && reply.status < 300) return reply
      return {
        kind: 'refused',
        status: reply.status,
        reason: reasonIn(await reply.text()) || `the worker answered with status ${reply.status}`,
      }
    } catch (cause) {
      return failedReply(cause)
    }
  }
  return {
    call: async <Name extends ValueRoute>(name: Name, ...[request, options = {}]: CallArguments<Name>) => {
      const reply = await send(name, request ?? {}, options)
      if ('kind' in reply) return reply
      try {
        return { kind: 'answered', value: parseResponse<ResponseOf<Name>>(await reply.text(), reviver) }
      } catch (cause) {
        return failedReply(cause)
      }
    },
    callLines: async <Name extends LinesRoute>(name: Name, ...[request, options = {}]: CallArguments<Name>) => {
      const reply = await send(name, request ?? {}, options)
      return 'kind' in reply ? reply : { kind: 'answered', value: readLines<ResponseOf<Name>>(reply, options.signal, reviver) }
    },
  }
}

/** Like `Caller`, but throws instead of returning a failure. */
export type ThrowingCaller = {
  call<Name extends ValueRoute>(name: Name, ...args: CallArguments<Name>): Promise<ResponseOf<Name>>
  callLines<Name extends LinesRoute>(name: Name, ...args: CallArguments<Name>): AsyncGenerator<ResponseOf<Name>>
}

/** Turns every failure into the error that `toError` makes of it. */
export function throwing(caller: Caller, toError: (failure: FailedReply) => Error): ThrowingCaller {
  return {
    call: async (name, ...args) => {
      const reply = await caller.call(name, ...args)
      if (reply.kind !== 'answered') throw toError(reply)
      return reply.value
    },
    callLines: async function* (name, ...args) {
      const reply = await caller.callLines(name, ...args)
      if (reply.kind !== 'answered') throw toError(reply)
      yield* reply.value
    },
  }
}

/** The HTTP request of a call. For routes that answer with something else than JSON, send it with the transport. */
export function httpRequest(name: RouteName, request: object = {}, options: CallOptions = {}): HttpRequest {
  const [method = 'GET', template = '/'] = name.split(' ')
  const fields = new Map(Object.entries(request).filter(([, value]) => value !== undefined))
  const path = template.replace(/:(\w+)/g, (_, field: string) => {
    const value = fields.get(field)
    fields.delete(field)
    return encodeURIComponent(String(value))
  })
  const common = { method, timeoutMs: options.timeoutMs ?? null, signal: options.signal ?? null }
  if (method !== 'GET' && method !== 'DELETE') {
    const headers = { 'content-type': 'application/json', ...options.headers }
    return { ...common, path, body: JSON.stringify(Object.fromEntries(fields)), headers }
  }
  const query = new URLSearchParams()
  for (const [field, value] of fields) if (value !== null) query.set(field, String(value))
  return { ...common, path: query.size === 0 ? path : `${path}?${query}`, body: null, headers: options.headers ?? {} }
}

/**
 * The one place that trusts the worker to answer with the declared type. The worker's handlers are compiled against the same contract, and a worker
 * of another version is replaced before it is called.
 */
const parseResponse = <T>(text: string, reviver?: Reviver): T => JSON.parse(text, reviver)

async function* readLines<T>(reply: HttpReply, signal: AbortSignal | undefined, reviver?: Reviver): AsyncGenerator<T> {
  for await (const line of splitLines(reply.body ?? [])) {
    if (signal?.aborted) return
    if (line) yield parseResponse<T>(line, reviver)
  }
}

function failedReply(cause: unknown): FailedReply {
  if (cause instanceof Error && cause.name === 'TimeoutError') return { kind: 'late' }
  return { kind: 'unreachable', reason: cause instanceof Error ? cause.message : String(cause) }
}

/** The `error` of a JSON body, or the body itself. */
function reasonIn(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body)
    const error = typeof parsed === 'object' && parsed !== null && 'error' in parsed ? parsed.error : null
    return typeof error === 'string' ? error : body
  } catch {
    return body
  }
}
