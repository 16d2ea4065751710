import { afterAll, expect, test } from 'bun:test'
import { closedPort } from '../../../test/support/ports.ts'
import type { Embedder } from '../embedder.ts'
import { EmbedderError } from '../embedder-error.ts'
import { type EmbeddingEndpoint, openHttpEmbedder } from './http.ts'

const never = new AbortController().signal

/** The endpoint's next answer; each test sets it. */
let answer: (input: string[], request: Request) => Response | Promise<Response> = () => new Response()
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    const { input } = (await request.clone().json()) as { input: string[] }
    return answer(input, request)
  },
})
afterAll(() => server.stop(true))

const endpoint: EmbeddingEndpoint = { baseUrl: `${server.url}v1/`, model: 'm', apiKey: 'key-1' }
const list = (vectors: unknown[]) => Response.json({ data: vectors.map((embedding, index) => ({ index, embedding })) })
const good = (input: string[]) => list(input.map(() => [3, 4]))

async function opened(given: Partial<EmbeddingEndpoint> = {}): Promise<Embedder> {
  answer = good
  const { kind, ...rest } = await openHttpEmbedder({ ...endpoint, ...given }, never)
  if (kind === 'absent') throw new Error('the embedder did not open')
  return (rest as { embedder: Embedder }).embedder
}

async function errorFrom(embedder: Embedder): Promise<EmbedderError> {
  const cause = await embedder.embed(['text'], never).catch((thrown: unknown) => thrown)
  if (!(cause instanceof EmbedderError)) throw new Error('embedding did not fail')
  return cause
}

test('requests follow the protocol and carry the key', async () => {
  const embedder = await opened()
  const seen: unknown[] = []
  answer = async (input, request) => {
    seen.push(request.method, new URL(request.url).pathname, request.headers.get('authorization'), await request.json())
    return good(input)
  }
  expect(await embedder.embed(['text'], never)).toEqual([Float32Array.of(0.6, 0.8)])
  expect(seen).toEqual(['POST', '/v1/embeddings', 'Bearer key-1', { model: 'm', input: ['text'], encoding_format: 'float' }])
})

test('many texts are sent in several requests', async () => {
  const embedder = await opened()
  const sizes: number[] = []
  answer = (input) => {
    sizes.push(input.length)
    return good(input)
  }
  expect(await embedder.embed(Array(150).fill('text'), never)).toHaveLength(150)
  expect(sizes).toEqual([64, 64, 22])
})

test('the endpoint determines the dimensions, and vectors of other dimensions are refused', async () => {
  const embedder = await opened()
  expect(embedder.dimensions).toBe(2)
  answer = () => list([[1, 2, 3]])
  expect(await errorFrom(embedder)).toMatchObject({ kind: 'unreadable', message: expect.stringContaining('3 numbers instead of 2') })
})

test.each([
  ['truncated JSON', () => new Response('{"data":[{"index":0,"embedding":[0.1,')],
  ['a page instead of JSON', () => new Response('<html>')],
  ['too few vectors', () => list([])],
  ['one vector twice', () => Response.json({ data: [{ index: 1, embedding: [1, 2] }] })],
  ['words instead of numbers', () => list([['one', 'two']])],
  ['no vector at all', () => list([null])],
] as const)('%s is unreadable', async (_, reply) => {
  const embedder = await opened()
  answer = reply
  expect((await errorFrom(embedder)).kind).toBe('unreadable')
})

test.each([
  [401, 'refused'],
  [404, 'refused'],
  [429, 'busy'],
  [503, 'busy'],
] as const)('status %d is %s, with the reason from the endpoint', async (status, kind) => {
  const embedder = await opened()
  answer = () => Response.json({ error: { message: 'no such luck', type: 'x' } }, { status })
  expect(await errorFrom(embedder)).toMatchObject({ kind, message: expect.stringMatching(new RegExp(`${status}.*no such luck`)) })
})

test('an endpoint that takes too long is unreachable', async () => {
  // Opening it is a request too, which must be answered in time.
  const embedder = await opened({ timeoutMs: 2000 })
  answer = () => new Promise<Response>(() => {})
  expect((await errorFrom(embedder)).kind).toBe('unreachable')
})

test('without a reachable endpoint the embedder is absent, with the reason', async () => {
  const away = await openHttpEmbedder({ ...endpoint, baseUrl: `http://127.0.0.1:${closedPort()}/v1` }, never)
  expect(away).toEqual({ kind: 'absent', reason: expect.stringContaining('does not answer') })
  expect((await openHttpEmbedder({ ...endpoint, baseUrl: 'nowhere' }, never)).kind).toBe('absent')
  expect((await openHttpEmbedder({ ...endpoint, model: '' }, never)).kind).toBe('absent')
})

test('messages do not contain the key', async () => {
  const embedder = await opened()
  answer = () => Response.json({ error: 'bad key' }, { status: 401 })
  expect((await errorFrom(embedder)).message).not.toContain('key-1')
})
