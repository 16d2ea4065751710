import { toUnitLength } from '../../core/unit-vector.ts'
import type { Embedder, OpenedEmbedder } from '../embedder.ts'
import { EmbedderError } from '../embedder-error.ts'

export type EmbeddingEndpoint = {
  /** Includes the version: `https://api.openai.com/v1`, `http://127.0.0.1:11434/v1`. */
  baseUrl: string
  model: string
  /** Empty if the endpoint needs none. */
  apiKey: string
  timeoutMs?: number
}

/** Endpoints limit the number of texts per request differently; all of them accept this many. */
const MAX_TEXTS_PER_REQUEST = 64
const EMBEDDING_TIMEOUT_MS = 30_000

/** Any endpoint with OpenAI's embeddings API, such as Ollama. `absent` while it cannot be reached. */
export async function openHttpEmbedder(endpoint: EmbeddingEndpoint, signal: AbortSignal): Promise<OpenedEmbedder> {
  if (!URL.canParse(endpoint.baseUrl))
    return { kind: 'absent', reason: 'embedder.base_url is not a URL; set it, for example to http://127.0.0.1:11434/v1' }
  if (endpoint.model === '') return { kind: 'absent', reason: 'embedder.name is empty; set it to the name of a model' }
  try {
    const [probe] = await requestVectors(endpoint, ['width'], null, signal) // any text will do
    return { kind: 'ready', embedder: httpEmbedder(endpoint, probe?.length ?? 0) }
  } catch (cause) {
    if (cause instanceof EmbedderError) return { kind: 'absent', reason: cause.message }
    throw cause
  }
}

function httpEmbedder(endpoint: EmbeddingEndpoint, dimensions: number): Embedder {
  return {
    name: `${new URL(endpoint.baseUrl).host} ${endpoint.model} ${dimensions}`,
    dimensions,
    embed: async (texts, signal) => {
      const vectors: Float32Array[] = []
      for (let from = 0; from < texts.length; from += MAX_TEXTS_PER_REQUEST) {
        vectors.push(...(await requestVectors(endpoint, texts.slice(from, from + MAX_TEXTS_PER_REQUEST), dimensions, signal)))
      }
      return vectors
    },
  }
}

async function requestVectors(
  endpoint: EmbeddingEndpoint,
  texts: string[],
  dimensions: number | null,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  // Endpoints refuse empty texts.
  const input = texts.map((text) => (text.trim() === '' ? '-' : text))
  const answer = await postTexts(endpoint, input, signal)
  const vectors = readVectors(answer, texts.length)
  const wrong = vectors?.find((vector) => vector.length !== (dimensions ?? vectors[0]?.length) || !vector.every(Number.isFinite))
  if (!vectors || wrong) {
    const how = wrong ? `a vector of ${wrong.length} numbers instead of ${dimensions}` : 'something other than a list of vectors'
    throw new EmbedderError('unreadable', `${endpoint.model} at ${endpoint.baseUrl} answered with ${how}`)
  }
  return vectors.map(toUnitLength)
}

async function postTexts(
  { baseUrl, model, apiKey, timeoutMs = EMBEDDING_TIMEOUT_MS }: EmbeddingEndpoint,
  input: string[],
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted()
  let status: number
  let text: string
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
      body: JSON.stringify({ model, input, encoding_format: 'float' }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    status = response.status
    text = await response.text()
  } catch (cause) {
    signal.throwIfAborted()
    throw new EmbedderError('unreachable', `${baseUrl} does not answer`, { cause })
  }
  const body = readJson(text)
  if (status >= 200 && status < 300) return body
  const isTemporary = status === 408 || status === 429 || status >= 500
  throw new EmbedderError(isTemporary ? 'busy' : 'refused', `${baseUrl} answered ${status} for ${model}${reasonIn(body)}`)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // the caller reports an unreadable answer
  }
}

/** The endpoint's error message. OpenAI puts it into an object, some others send plain text. */
function reasonIn(body: unknown): string {
  const error = (body as { error?: { message?: unknown } | string } | null)?.error
  const message = typeof error === 'string' ? error : error?.message
  return typeof message === 'string' ? `: ${message.slice(0, 200)}` : ''
}

/** The vectors in the order of the texts, or null if the answer does not contain exactly one for each. */
function readVectors(body: unknown, count: number): Float32Array[] | null {
  const data = (body as { data?: unknown } | null)?.data
  if (!Array.isArray(data) || data.length !== count) return null
  const vectors: Float32Array[] = new Array(count)
  for (const [position, item] of data.entries()) {
    const { embedding, index = position } = (item ?? {}) as { embedding?: unknown; index?: number }
    if (!Array.isArray(embedding) || embedding.length === 0 || !(index in data) || vectors[index]) return null
    vectors[index] = Float32Array.from(embedding as number[])
  }
  return vectors
}
