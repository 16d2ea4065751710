import { z } from 'zod'
import type { hub } from '../wire/contract/hub.ts'
import type { RequestType } from '../wire/contract/route.ts'
import { ANSWERS } from './answers.ts'

/** How to reach the hub. Without a token only enrolment works. */
export type HubAccess = { url: string; token: string | null }

/** The hub's reply. `unreachable` is ordinary: people work offline, and hubs are restarted. */
export type HubReply<T> =
  | { kind: 'answered'; value: T }
  | { kind: 'refused'; status: number; reason: string }
  | { kind: 'unreachable'; reason: string }

export type HubRoute = keyof typeof ANSWERS & keyof typeof hub
export type HubAnswer<Name extends HubRoute> = z.output<(typeof ANSWERS)[Name]>

const TIMEOUT_MS = 30_000
/** A page of the feed may hold long notes; anything longer is not read to its end. */
const MAX_ANSWER_BYTES = 48 * 1024 * 1024
const MAX_REASON_CHARS = 300

/** Calls a route of the hub. Never throws: a hub may answer with anything, or not at all. */
export async function callHub<Name extends HubRoute>(
  { url, token }: HubAccess,
  route: Name,
  request: RequestType<(typeof hub)[Name]>,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<HubReply<HubAnswer<Name>>> {
  const { method, path, body } = httpRequest(route, request)
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      // The token belongs to this hub only.
      redirect: 'error',
      headers: {
        accept: 'application/json',
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const text = await readLimited(response, MAX_ANSWER_BYTES)
    if (!response.ok) return { kind: 'refused', status: response.status, reason: reasonIn(text, response.status) }
    const parsed = ANSWERS[route].safeParse(JSON.parse(text))
    if (parsed.success) return { kind: 'answered', value: parsed.data as HubAnswer<Name> }
    const issue = parsed.error.issues[0]
    return {
      kind: 'unreachable',
      reason: `the hub's answer cannot be used: ${issue?.path.join('.')}: ${issue?.message}`.slice(0, MAX_REASON_CHARS),
    }
  } catch (cause) {
    return { kind: 'unreachable', reason: whyUnreachable(cause) }
  }
}

function httpRequest(route: string, request: object): { method: string; path: string; body: string | null } {
  const [method = '', pattern = ''] = route.split(' ')
  const fields = new Map(Object.entries(request))
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(fields.get(name))
    fields.delete(name)
    return encodeURIComponent(value)
  })
  if (method !== 'GET') return { method, path, body: JSON.stringify(Object.fromEntries(fields)) }
  const query = new URLSearchParams([...fields].map(([name, value]): [string, string] => [name, String(value)]))
  return { method, path: query.size > 0 ? `${path}?${query}` : path, body: null }
}

/** Reads at most so many bytes. An endless answer ends here, or with the timeout. */
async function readLimited(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new Error(`the hub's answer is longer than ${maxBytes / 1024 / 1024} MB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function reasonIn(text: string, status: number): string {
  try {
    const answer = Refusal.safeParse(JSON.parse(text))
    if (answer.success) return printable(answer.data.error)
  } catch {
    // A proxy answers with a page.
  }
  return `the hub answered with status ${status}`
}

const Refusal = z.object({ error: z.string().min(1) })

function whyUnreachable(cause: unknown): string {
  const error = cause as Error
  if (error.name === 'TimeoutError') return 'the hub did not answer in time'
  if (error instanceof SyntaxError) return "the hub's answer is not JSON"
  if ('code' in error && error.code === 'UnexpectedRedirect')
    return 'the hub points to another address, where this machine does not send its token'
  return printable(error.message || String(cause))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would execute these
const printable = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, MAX_REASON_CHARS)

/** Why an address cannot be a hub's; null if it can. A token must not cross a network in the clear. */
export function whyUrlUnusable(text: string): string | null {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return `"${text}" is not an address; a hub's address looks like https://hub.example.com`
  }
  if (url.username || url.password) return 'the address of a hub contains no user name and no password'
  if (url.search || url.hash) return 'the address of a hub has no query'
  if (url.protocol === 'https:') return null
  if (url.protocol !== 'http:') return `a hub's address begins with https://, not ${url.protocol}//`
  if (isLoopback(url.hostname)) return null
  return `${url.host} is another machine, and http:// would send your token and memories in the clear; use https://`
}

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)

/** The address without a slash at the end, so that paths can be added to it. */
export const normalizedUrl = (text: string): string => text.replace(/\/+$/, '')
