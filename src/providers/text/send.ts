import { redact } from '../../core/secrets.ts'
import type { ModelAnswer } from '../text.ts'
import type { TextModelEndpoint } from './endpoint.ts'

type SendFailure = Extract<ModelAnswer, { kind: 'failed' }>
export type SendResult = { kind: 'body'; body: unknown } | SendFailure

const TIMEOUT_MS = 120_000
/** Larger than any answer we ask for. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** The longest wait, even if an endpoint asks for more. */
export const MAX_RETRY_WAIT_MS = 60 * 60_000

/** Posts a request and reads the answer as JSON. Everything that goes wrong is returned as a failure. */
export async function postJson(
  endpoint: TextModelEndpoint,
  path: string,
  headers: Record<string, string>,
  requestBody: object,
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
      body: JSON.stringify(requestBody),
      // The key and the memories are not meant for any other host.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(endpoint.timeoutMs ?? TIMEOUT_MS)]),
    })
    text = await readBounded(response)
  } catch (cause) {
    signal.throwIfAborted()
    const { name, code } = cause as Error & { code?: string }
    if (name === 'TimeoutError') return failedAnswer('network', `${host} took too long`, 'unknown')
    return failedAnswer(
      'network',
      `${host} does not answer, or closed the connection`,
      UNSENT_ERROR_CODES.test(code ?? '') ? undefined : 'unknown',
    )
  }
  if (response.status >= 300 && response.status < 400)
    return failedAnswer('network', `${host} redirects to another address; redirects are not followed`)
  if (text === null) return failedAnswer('bad-answer', `${host} answered with more than ${MAX_ANSWER_BYTES / 1024 / 1024} MB`, 'unknown')
  const body = readJson(text)
  const error = errorIn(body)
  if (response.ok && !error) {
    if (body === undefined) return failedAnswer('bad-answer', `${host} answered with something other than JSON`, 'unknown')
    return { kind: 'body', body }
  }
  // Some endpoints answer 200 and put the error into the body.
  const status = response.ok ? (error?.status ?? 500) : response.status
  const reason = failureReasonFor(status, error)
  const detail = error?.message ? `: ${withoutKey(error.message, endpoint.apiKey)}` : ''
  return {
    ...failedAnswer(
      reason,
      `${host} answered ${status} for ${endpoint.model}${detail}`,
      mayHaveCost(response, status, reason) ? 'unknown' : undefined,
    ),
    retryAfterMs: reason === 'rate' ? retryDelayMs(response.headers, Date.now()) : null,
  }
}

/**
 * Asks the model to think as little as possible: thinking costs money and uses up the answer's tokens. Models take different request options
 * for this and refuse those they do not know, at no cost. Each option is tried in turn, finally none; the one that worked is used first the
 * next time.
 */
export function minimizeThinking(options: object[]): (ask: (option: object) => Promise<SendResult>) => Promise<SendResult> {
  let accepted = 0
  return async (ask) => {
    for (let index = accepted; ; index++) {
      const sent = await ask(options[index] ?? {})
      const isRefused =
        sent.kind === 'failed' && sent.reason === 'bad-answer' && /thinking|reasoning|effort|output_config/i.test(sent.message)
      if (isRefused && index < options.length) continue
      if (sent.kind === 'body') accepted = index
      return sent
    }
  }
}

/** `usage` is what the failed request cost. */
export function failedAnswer(reason: SendFailure['reason'], message: string, usage?: SendFailure['usage']): SendFailure {
  return { kind: 'failed', reason, message, retryAfterMs: null, ...(usage ? { usage } : {}) }
}

/** With these errors the request was not sent: there was no connection, or the certificate was not valid. */
const UNSENT_ERROR_CODES = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|\w*CERT\w*|UNABLE_TO_\w+)$/

/** Endpoints do not charge for refusals. One that timed out, or failed after it started to answer, may have done chargeable work. */
function mayHaveCost(response: Response, status: number, reason: SendFailure['reason']): boolean {
  return [408, 504, 524].includes(status) || (response.ok && (reason === 'network' || reason === 'bad-answer'))
}

/** The text of an answer, or null if it is too large. */
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
  if (!response.headers.has('content-encoding') && announced > bytes) throw new Error('the answer is incomplete')
  return text + decoder.decode()
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the caller reports it
  }
}

export type EndpointError = { message: string; type: string; status: number | null }

/** The error in an answer. Both protocols use an object; Gemini puts it into a list, and some endpoints send plain text. */
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
  // Anthropic reports an empty account as a bad request.
  if (status === 400 && /credit balance|insufficient balance/i.test(error?.message ?? '')) return 'quota'
  if (status === 401 || status === 403 || /authentication_error|permission_error|invalid_api_key|API_KEY_INVALID/.test(type)) return 'auth'
  if (status === 429 || status === 529 || /rate_limit|overloaded/.test(type)) return 'rate'
  if (status === 408 || status >= 500) return 'network'
  return 'bad-answer'
}

/** Endpoints quote a refused key, or the start of it. */
function withoutKey(message: string, key: string): string {
  const shown = key === '' ? message : message.replaceAll(key, '[key]')
  return redact(shown).replace(/\s+/g, ' ').slice(0, 200)
}

/** How long the endpoint asks us to wait: in milliseconds, in seconds, or until a date. */
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

/** A token count in an answer; anything that is not a positive number counts as 0. */
export const tokenCount = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0)
