import { afterAll, beforeEach } from 'bun:test'
import { inChunks } from '../harness/fake-anthropic.ts'

/** The next answer. `status` and `type` give an error in the form of the protocol; `response` is sent as it is, to play a broken endpoint. */
export type ScriptedReply =
  | { text: string; stop?: 'end' | 'length'; usage?: { input: number; output: number; cached: number }; inPieces?: boolean }
  | { status: number; type: string; message: string; headers?: Record<string, string> }
  | { response: () => Response | Promise<Response> }

export type ReceivedRequest = {
  path: string
  headers: Headers
  system: string
  messages: { role: string; text: string }[]
  maxTokens: number
  /** The options that ask the model to think little. */
  thinkingOptions: Record<string, unknown>
}

const KEY = 'sk-test-0123456789abcdefghij'

/** An endpoint on this machine that implements both protocols as documented, and refuses what the real ones refuse. */
export function aModelServer(answer: (asked: ReceivedRequest) => ScriptedReply | Promise<ScriptedReply> = () => ({ text: 'yes' })) {
  const requests: ReceivedRequest[] = []
  const say = { answer }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const protocol = pathname === '/v1/messages' ? anthropic : pathname === '/v1/chat/completions' ? openai : null
      if (!protocol || request.method !== 'POST') return new Response('not found', { status: 404 })
      const read = protocol.read(request, (await request.json()) as Record<string, unknown>)
      if ('status' in read) return protocol.error(read)
      requests.push({ ...read, path: pathname, headers: request.headers })
      const says = await say.answer(requests.at(-1) as ReceivedRequest)
      if ('response' in says) return says.response()
      if ('status' in says) return protocol.error(says)
      return says.inPieces ? inChunks(protocol.message(says)) : protocol.message(says)
    },
  })
  return {
    key: KEY,
    anthropic: `http://127.0.0.1:${server.port}`,
    openai: `http://127.0.0.1:${server.port}/v1`,
    asked: requests,
    /** Sets the answer from now on. */
    setReply: (next: ScriptedReply | ((asked: ReceivedRequest) => ScriptedReply | Promise<ScriptedReply>)) => {
      say.answer = typeof next === 'function' ? next : () => next
    },
    stop: () => server.stop(true),
    [Symbol.dispose]: () => void server.stop(true),
  }
}

/** A server for a whole test file. Before each test, its requests are cleared and it answers with this text. */
export function sharedModelServer(text: string) {
  const server = aModelServer()
  afterAll(() => void server.stop())
  beforeEach(() => {
    server.asked.length = 0
    server.setReply({ text })
  })
  return server
}

type Read = Omit<ReceivedRequest, 'path' | 'headers'> | Extract<ScriptedReply, { status: number }>
type Message = { role: string; content: unknown }
type Said = Extract<ScriptedReply, { text: string }>
type Refused = Extract<ScriptedReply, { status: number }>

const invalid = (message: string): Refused => ({ status: 400, type: 'invalid_request_error', message })
const picked = (body: Record<string, unknown>, ...names: string[]) =>
  Object.fromEntries(names.filter((name) => name in body).map((name) => [name, body[name]]))
const USAGE = { input: 100, output: 20, cached: 0 }

const anthropic = {
  read(request: Request, body: Record<string, unknown>): Read {
    if (request.headers.get('x-api-key') !== KEY) return { status: 401, type: 'authentication_error', message: 'invalid x-api-key' }
    if (request.headers.get('anthropic-version') !== '2023-06-01') return invalid('anthropic-version: header is required')
    const { model, max_tokens, messages, system } = body as { model: unknown; max_tokens: unknown; messages: Message[]; system?: unknown }
    if (typeof model !== 'string' || typeof max_tokens !== 'number' || max_tokens < 1) return invalid('model, max_tokens: field required')
    if (!Array.isArray(messages) || messages[0]?.role !== 'user') return invalid('messages: first message must use the "user" role')
    const allowed = new Set(['model', 'max_tokens', 'messages', 'system', 'thinking', 'output_config'])
    const extra = Object.keys(body).find((name) => !allowed.has(name))
    if (extra) return invalid(`${extra}: Extra inputs are not permitted`)
    const blocks = (content: unknown) => (content as { type: string; text: string }[]).map((block) => block.text).join('')
    return {
      system: system === undefined ? '' : blocks(system),
      messages: messages.map(({ role, content }) => ({ role, text: blocks(content) })),
      maxTokens: max_tokens,
      thinkingOptions: picked(body, 'thinking', 'output_config'),
    }
  },
  message: ({ text, stop = 'end', usage = USAGE }: Said) =>
    Response.json({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text }],
      stop_reason: stop === 'length' ? 'max_tokens' : 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: usage.input - usage.cached,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: usage.cached,
        output_tokens: usage.output,
      },
    }),
  error: ({ status, type, message, headers = {} }: Refused) =>
    Response.json({ type: 'error', error: { type, message } }, { status, headers }),
}

const openai = {
  read(request: Request, body: Record<string, unknown>): Read {
    if (request.headers.get('authorization') !== `Bearer ${KEY}`)
      return {
        status: 401,
        type: 'invalid_api_key',
        message: `Incorrect API key provided: ${request.headers.get('authorization')?.slice(7)}.`,
      }
    const { model, max_tokens, messages } = body as { model: unknown; max_tokens: unknown; messages: { role: string; content: string }[] }
    if (typeof model !== 'string' || !Array.isArray(messages) || messages.length === 0) return invalid('you must provide a model parameter')
    if (body.stream !== false) return invalid('this endpoint does not stream')
    return {
      system: messages
        .filter(({ role }) => role === 'system')
        .map(({ content }) => content)
        .join(''),
      messages: messages.filter(({ role }) => role !== 'system').map(({ role, content }) => ({ role, text: content })),
      maxTokens: Number(max_tokens),
      thinkingOptions: picked(body, 'reasoning_effort'),
    }
  },
  message: ({ text, stop = 'end', usage = USAGE }: Said) =>
    Response.json({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        { index: 0, message: { role: 'assistant', content: text, refusal: null }, finish_reason: stop === 'length' ? 'length' : 'stop' },
      ],
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cached },
      },
    }),
  error: ({ status, type, message, headers = {} }: Refused) =>
    Response.json({ error: { message, type, param: null, code: type } }, { status, headers }),
}
