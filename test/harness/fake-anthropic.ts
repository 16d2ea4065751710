/**
 * A scripted Messages API on loopback. The real client uses it as its model; afterwards a test reads the client's requests. The only thing it guesses
 * is what a request is for (its lane).
 */
export type FakeAnthropic = {
  url: string
  /** The client's requests, in order of arrival. */
  requests: ModelRequest[]
  /** Replaces the rest of the script. */
  play(script: Script): void
  close(): Promise<void>
}

export type ModelRequest = {
  lane: Lane
  body: RequestBody
  headers: Headers
  /** `performance.now()` on arrival and when the answer was sent; until the next arrival the client, its tools and hooks are busy. */
  at: number
  answeredAt: number
}

/**
 * The conversation that a request belongs to: the person's, a subagent's, a compaction, or a small auxiliary request (a title, a probe). Each has its
 * own script, because the client decides their order.
 */
export type Lane = 'main' | 'sub' | 'compact' | 'aux'

/** One answer of the model. Text alone ends the turn. */
export type Turn =
  | string
  | {
      text?: string
      thinking?: string
      tools?: { name: string; input: Record<string, unknown> }[]
      /** The usage that the client sees: a large number makes it compact. */
      usage?: { input_tokens?: number; output_tokens?: number; cache_read_input_tokens?: number }
      /** The stop reason; by default it depends on the other fields. */
      stop?: 'max_tokens'
      /** Send the answer a few bytes at a time. */
      inPieces?: boolean
      delayMs?: number
      error?: { status: number; type: string; message: string; headers?: Record<string, string> }
      /** Sent instead of an answer, to play an endpoint that does not follow the protocol. */
      response?: () => Response | Promise<Response>
    }

/** Turns of the person's conversation, turns of each lane, or a function of the request. */
export type Script = Turn[] | Partial<Record<Lane, Turn[]>> | ((request: ModelRequest) => Turn | undefined)

/** Answers after the last turn of a lane. */
const FALLBACK: Record<Lane, string> = {
  main: 'The script has no more turns.',
  sub: 'Subagent done.',
  compact: '<analysis>\nScripted.\n</analysis>\n\n<summary>\nScripted summary of the conversation.\n</summary>',
  aux: '{"title": "Scripted title"}',
}

export function startFakeAnthropic(script: Script = []): FakeAnthropic {
  const requests: ModelRequest[] = []
  let next = scriptPlayer(script)

  async function answer(request: ModelRequest): Promise<Response> {
    const turn = next(request) ?? FALLBACK[request.lane]
    const full = typeof turn === 'string' ? { text: turn } : turn
    if (full.delayMs) await Bun.sleep(full.delayMs)
    request.answeredAt = performance.now()
    if (full.response) return full.response()
    if (full.error) return failure(full.error.status, full.error.type, full.error.message, full.error.headers)
    const message = messageOf(full, request.body.model)
    const response = request.body.stream
      ? new Response(streamOf(message), { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
      : Response.json(message)
    return full.inPieces ? inChunks(response) : response
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    routes: {
      '/v1/messages': {
        POST: async (incoming) => {
          const body = (await incoming.json()) as RequestBody
          const at = performance.now()
          const request = { lane: laneOf(body, incoming.headers), body, headers: incoming.headers, at, answeredAt: at }
          requests.push(request)
          return answer(request)
        },
      },
      '/v1/messages/count_tokens': {
        POST: async (incoming) => Response.json({ input_tokens: Math.ceil((await incoming.text()).length / 4) }),
      },
      '/v1/models': Response.json({ data: [], has_more: false, first_id: null, last_id: null }),
      '/': Response.json({}),
    },
    fetch: (incoming) => failure(404, 'not_found_error', `no ${incoming.method} ${new URL(incoming.url).pathname} here`),
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    play: (script) => {
      next = scriptPlayer(script)
    },
    close: () => server.stop(true),
  }
}

/** All text of a request, including system prompt and tool results. */
export function requestText(request: ModelRequest | undefined): string {
  const { system, messages } = requireRequest(request).body
  return [textOf(system), ...messages.map((message) => textOf(message.content))].join('\n')
}

/** The tool results in a request. */
export function toolResults(request: ModelRequest | undefined): { id: string; text: string; failed: boolean }[] {
  return requireRequest(request)
    .body.messages.flatMap((message) => (typeof message.content === 'string' ? [] : message.content))
    .flatMap((block) =>
      block.type === 'tool_result' ? [{ id: block.tool_use_id, text: textOf(block.content), failed: block.is_error === true }] : [],
    )
}

/** A missing request must not look like one without text, or "does not contain" would always pass. */
function requireRequest(request: ModelRequest | undefined): ModelRequest {
  if (!request) throw new Error('the client sent no such request')
  return request
}

/** The fields of a request that we use. */
type RequestBody = {
  model: string
  max_tokens: number
  stream?: boolean
  system?: Content
  messages: { role: 'user' | 'assistant' | 'system'; content: Content }[]
  tools?: { name: string; description?: string }[]
}
type Content = string | Block[]
type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_result'; tool_use_id: string; content?: Content; is_error?: boolean }
  | { type: 'tool_use' | 'thinking' | 'image' }

function textOf(content: Content | undefined): string {
  if (content === undefined || typeof content === 'string') return content ?? ''
  return content.map((block) => (block.type === 'text' ? block.text : block.type === 'tool_result' ? textOf(block.content) : '')).join('\n')
}

function laneOf(body: RequestBody, headers: Headers): Lane {
  const last = textOf(body.messages.findLast((message) => message.role === 'user')?.content)
  if (/your task is to create a detailed summary of/i.test(last)) return 'compact'
  // With old clients, only the system prompt shows that it is a subagent.
  if (headers.has('x-claude-code-agent-id') || textOf(body.system).includes('\nYou are an agent for Claude Code')) return 'sub'
  return body.tools?.length ? 'main' : 'aux'
}

function scriptPlayer(script: Script): (request: ModelRequest) => Turn | undefined {
  if (typeof script === 'function') return script
  const lanes = Array.isArray(script) ? { main: script } : script
  const remaining = new Map(Object.entries(lanes).map(([lane, turns]) => [lane, [...turns]]))
  return (request) => remaining.get(request.lane)?.shift()
}

type Message = ReturnType<typeof messageOf>

function messageOf(turn: Exclude<Turn, string>, model: string) {
  const content = [
    ...(turn.thinking ? [{ type: 'thinking' as const, thinking: turn.thinking, signature: 'c2lnbmF0dXJl' }] : []),
    ...(turn.text === undefined ? [] : [{ type: 'text' as const, text: turn.text }]),
    ...(turn.tools ?? []).map((tool) => ({ type: 'tool_use' as const, id: newId('toolu'), ...tool })),
  ]
  return {
    id: newId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: turn.stop ?? (turn.tools?.length ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20, ...turn.usage },
  }
}

const newId = (kind: string) => `${kind}_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`

/** The server-sent events of one message, with one delta per block. */
function streamOf({ content, stop_reason, usage, ...message }: Message): string {
  const events: { type: string; [key: string]: unknown }[] = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } },
  ]
  for (const [index, block] of content.entries()) {
    const [empty, ...deltas] = blockDeltas(block)
    events.push({ type: 'content_block_start', index, content_block: empty })
    for (const delta of deltas) events.push({ type: 'content_block_delta', index, delta })
    events.push({ type: 'content_block_stop', index })
  }
  events.push({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.output_tokens } })
  events.push({ type: 'message_stop' })
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

/** A block as it is streamed: first empty, then its deltas. */
function blockDeltas(block: Message['content'][number]) {
  switch (block.type) {
    case 'text':
      return [
        { type: 'text', text: '' },
        { type: 'text_delta', text: block.text },
      ]
    case 'thinking':
      return [
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: block.thinking },
        { type: 'signature_delta', signature: block.signature },
      ]
    case 'tool_use':
      return [
        { ...block, input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
      ]
  }
}

/** The same response in small chunks that ignore lines and characters. */
export function inChunks(response: Response): Response {
  async function* chunks() {
    const bytes = await response.bytes()
    for (let at = 0; at < bytes.length; at += 11) {
      yield bytes.slice(at, at + 11)
      await Bun.sleep(0)
    }
  }
  return new Response(chunks(), { headers: response.headers })
}

function failure(status: number, type: string, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ type: 'error', error: { type, message } }, { status, headers })
}
