import { toUnitLength } from '../../core/unit-vector.ts'
import type { Embedder, OpenedEmbedder } from '../embedder.ts'
import { EmbedderError } from '../embedder-error.ts'

export type EmbeddingEndpoint = {
  /** Up to and with the version: `https://api.openai.com/v1`, `http://127.0.0.1:11434/v1`. */
  baseUrl: string
  model: string
  /** Empty for an endpoint that asks for none. */
  apiKey: string
  timeoutMs?: number
}

/** Endpoints take several texts at once, and each has its own idea of how many; this few all of them take. */
const MAX_TEXTS_PER_REQUEST = 64
const EMBEDDING_TIMEOUT_MS = 30_000

/** Any endpoint that speaks OpenAI's embeddings protocol, Ollama's among them. Absent while it cannot be reached. */
export async function openHttpEmbedder(endpoint: EmbeddingEndpoint, signal: AbortSignal): Promise<OpenedEmbedder> {
  if (!URL.canParse(endpoint.baseUrl)) return { kind: 'absent', reason: 'embedder.base_url is not the address of an endpoint' }
  if (endpoint.model === '') return { kind: 'absent', reason: 'embedder.name does not name a model' }
  try {
    const [probe] = await requestVectors(endpoint, ['width'], null, signal)
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
  // Endpoints refuse a text without a letter in it.
  const input = texts.map((text) => (text.trim() === '' ? '-' : text))
  const answer = await postTexts(endpoint, input, signal)
  const vectors = readVectors(answer, texts.length)
  const wrong = vectors?.find((vector) => vector.length !== (dimensions ?? vectors[0]?.length) || !vector.every(Number.isFinite))
  if (!vectors || wrong) {
    const how = wrong ? `a vector of ${wrong.length} numbers instead of ${dimensions}` : 'something that is no list of vectors'
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
  const passes = status === 408 || status === 429 || status >= 500
  throw new EmbedderError(passes ? 'busy' : 'refused', `${baseUrl} answered ${status} for ${model}${reasonIn(body)}`)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // said by whoever finds no vectors in it
  }
}

/** The protocol's own sentence about an error. OpenAI says it in an object, some others in plain text. */
function reasonIn(body: unknown): string {
  const error = (body as { error?: { message?: unknown } | string } | null)?.error
  const message = typeof error === 'string' ? error : error?.message
  return typeof message === 'string' ? `: ${message.slice(0, 200)}` : ''
}

/** The vectors in the order of the texts, or null when the answer does not hold exactly one for each. */
function readVectors(body: unknown, count: number): Float32Array[] | null {
  const data = (body as { data?: unknown } | null)?.data
  if (!Array.isArray(data) || data.length !== count) return null
  const vectors: Float32Array[] = new Array(count)
  for (const [place, item] of data.entries()) {
    const { embedding, index = place } = (item ?? {}) as { embedding?: unknown; index?: number }
    if (!Array.isArray(embedding) || embedding.length === 0 || !(index in data) || vectors[index]) return null
    vectors[index] = Float32Array.from(embedding as number[])
  }
  return vectors
}
