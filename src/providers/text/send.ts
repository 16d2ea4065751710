import { redact } from '../../core/secrets.ts'
import type { ModelAnswer } from '../text.ts'
import type { TextModelEndpoint } from './endpoint.ts'

type SendFailure = Extract<ModelAnswer, { kind: 'failed' }>
export type SendResult = { kind: 'body'; body: unknown } | SendFailure

const TIMEOUT_MS = 120_000
/** Longer than any answer that was asked for. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** Nobody is left alone for longer, whatever an endpoint says. */
export const MAX_RETRY_WAIT_MS = 60 * 60_000

/** Posts a question and reads the answer as JSON; whatever goes wrong is told as one of the failures. */
export async function postJson(
  endpoint: TextModelEndpoint,
  path: string,
  headers: Record<string, string>,
  question: object,
  signal: AbortSignal,
): Promise<SendResult> {
  signal.throwIfAborted()
  const host = new URL(endpoint.baseUrl).host
  let response: Response
  let text: string | null
  try {
    response = await fetch(`${endpoint.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(question),
      // Wherever it leads, the key and the memories were not meant for there.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(endpoint.timeoutMs ?? TIMEOUT_MS)]),
    })
    text = await readBounded(response)
  } catch (cause) {
    signal.throwIfAborted()
    const { name, code } = cause as Error & { code?: string }
    if (name === 'TimeoutError') return failedAnswer('network', `${host} took too long`, 'unknown')
    return failedAnswer('network', `${host} does not answer, or broke off`, UNSENT_ERROR_CODES.test(code ?? '') ? undefined : 'unknown')
  }
  if (response.status >= 300 && response.status < 400) return failedAnswer('network', `${host} redirects elsewhere, which is not followed`)
  if (text === null) return failedAnswer('bad-answer', `${host} answered with more than ${MAX_ANSWER_BYTES / 1024 / 1024} MB`, 'unknown')
  const body = readJson(text)
  const error = errorIn(body)
  if (response.ok && !error) {
    if (body === undefined) return failedAnswer('bad-answer', `${host} answered with something that is no JSON`, 'unknown')
    return { kind: 'body', body }
  }
  // Some endpoints say 200 and put the trouble into the body.
  const status = response.ok ? (error?.status ?? 500) : response.status
  const reason = failureReasonFor(status, error)
  const said = error?.message ? `: ${withoutKey(error.message, endpoint.apiKey)}` : ''
  return {
    ...failedAnswer(
      reason,
      `${host} answered ${status} for ${endpoint.model}${said}`,
      mayHaveCost(response, status, reason) ? 'unknown' : undefined,
    ),
    retryAfterMs: reason === 'rate' ? retryDelayMs(response.headers, Date.now()) : null,
  }
}

/**
 * Models are told in different ways to think little, which is paid for and takes the room of the answer. One that does not know a way refuses
 * it, for nothing; then the next is tried, and at last none. What was taken is kept for the next question.
 */
export function minimizeThinking(ways: object[]): (ask: (way: object) => Promise<SendResult>) => Promise<SendResult> {
  let taken = 0
  return async (ask) => {
    for (let way = taken; ; way++) {
      const sent = await ask(ways[way] ?? {})
      const isRefused =
        sent.kind === 'failed' && sent.reason === 'bad-answer' && /thinking|reasoning|effort|output_config/i.test(sent.message)
      if (isRefused && way < ways.length) continue
      if (sent.kind === 'body') taken = way
      return sent
    }
  }
}

/** `usage` is what it cost all the same. */
export function failedAnswer(reason: SendFailure['reason'], message: string, usage?: SendFailure['usage']): SendFailure {
  return { kind: 'failed', reason, message, retryAfterMs: null, ...(usage ? { usage } : {}) }
}

/** The question did not leave this machine, or met somebody who did not prove who they are. */
const UNSENT_ERROR_CODES = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|\w*CERT\w*|UNABLE_TO_\w+)$/

/** An endpoint that refuses does not charge. One that gave up waiting, or began to answer and then failed, may have worked until then. */
function mayHaveCost(response: Response, status: number, reason: SendFailure['reason']): boolean {
  return [408, 504, 524].includes(status) || (response.ok && (reason === 'network' || reason === 'bad-answer'))
}

/** The text of an answer, or null when it does not end in time. */
async function readBounded(response: Response): Promise<string | null> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) return null
    text += decoder.decode(chunk, { stream: true })
  }
  const announced = Number(response.headers.get('content-length') ?? Number.NaN)
  if (!response.headers.has('content-encoding') && announced > bytes) throw new Error('the answer broke off')
  return text + decoder.decode()
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // said by whoever finds nothing in it
  }
}

export type EndpointError = { message: string; type: string; status: number | null }

/** The protocol's own sentence about an error. Both put it into an object; Gemini puts that into a list, some others say plain text. */
function errorIn(body: unknown): EndpointError | null {
  const object = Array.isArray(body) ? body[0] : body
  const error = (object as { error?: unknown } | null | undefined)?.error
  if (typeof error === 'string') return { message: error.slice(0, 500), type: '', status: null }
  if (typeof error !== 'object' || error === null) return null
  const { message, type, code, status } = error as Record<string, unknown>
  return {
    message: typeof message === 'string' ? message.slice(0, 500) : '',
    type: [type, code, status].filter((part) => typeof part === 'string').join(' '),
    status: typeof code === 'number' ? code : null,
  }
}

export function failureReasonFor(status: number, error: EndpointError | null): SendFailure['reason'] {
  const type = error?.type ?? ''
  if (status === 402 || /insufficient_quota|billing_error|billing_hard_limit/.test(type)) return 'quota'
  // Anthropic says an empty account as a bad request.
  if (status === 400 && /credit balance|insufficient balance/i.test(error?.message ?? '')) return 'quota'
  if (status === 401 || status === 403 || /authentication_error|permission_error|invalid_api_key|API_KEY_INVALID/.test(type)) return 'auth'
  if (status === 429 || status === 529 || /rate_limit|overloaded/.test(type)) return 'rate'
  if (status === 408 || status >= 500) return 'network'
  return 'bad-answer'
}

/** Endpoints quote the key they refuse, or the beginning of it. */
function withoutKey(message: string, key: string): string {
  const shown = key === '' ? message : message.replaceAll(key, '[key]')
  return redact(shown).replace(/\s+/g, ' ').slice(0, 200)
}

/** How long the endpoint wants to be left alone: milliseconds, seconds, or until a date. */
function retryDelayMs(headers: Headers, now: number): number | null {
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN)
  const after = headers.get('retry-after')
  const wait = Number.isFinite(ms)
    ? ms
    : after === null
      ? Number.NaN
      : /^\d+(\.\d+)?$/.test(after)
        ? Number(after) * 1000
        : Date.parse(after) - now
  return Number.isFinite(wait) ? Math.min(Math.max(0, Math.round(wait)), MAX_RETRY_WAIT_MS) : null
}

/** A count in an answer; nothing sensible counts as nothing. */
export const tokenCount = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0)
