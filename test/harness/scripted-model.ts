/** Stand-ins for the model APIs of the agents, on loopback: chat completions, responses and generateContent. Each request gets the next step of a script. */

/** A step: a text, or a call of the first of these tools that the request offers. */
export type ModelStep =
  | { text: string }
  | { tool: string | string[]; args: unknown; namespace?: string }
  | { patch: string }
  | { shell: string }

export type ReceivedRequest = { url: string; body: unknown; offersTools: boolean }

export type ScriptedModel = {
  url: string
  requests: ReceivedRequest[]
  play(steps: ModelStep[]): void
  close(): Promise<void>
}

export function startScriptedModel(): ScriptedModel {
  const requests: ReceivedRequest[] = []
  let steps: ModelStep[] = []
  const next = (): ModelStep => (steps.length > 1 ? steps.shift() : steps[0]) ?? { text: 'Done.' }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      if (request.method === 'GET') return Response.json({ object: 'list', data: [{ id: 'mock', object: 'model' }], models: [] })
      if (pathname.includes('countTokens')) return Response.json({ totalTokens: 100 })
      const body = fieldsOf(await request.json())
      const offered = offeredTools(body)
      requests.push({ url: pathname, body, offersTools: offered.length > 0 })
      // Requests without tools ask for a title or a summary.
      const step = offered.length > 0 ? next() : { text: 'A title' }
      if (pathname.includes('/responses')) return responsesApi(step, offered, requests.length)
      if (pathname.includes('enerateContent')) return generateContentApi(step, offered, requests.length, pathname.includes('stream'))
      return chatApi(step, offered, requests.length, body.stream === true, String(body.model ?? 'mock'))
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    play: (script) => {
      steps = [...script]
    },
    close: () => server.stop(true),
  }
}

/** All text of a request, to look for what arrived. */
export const modelText = (request: ReceivedRequest | undefined): string => JSON.stringify(request?.body ?? '')

function offeredTools(body: Record<string, unknown>): string[] {
  const tools = Array.isArray(body.tools) ? body.tools.map(fieldsOf) : []
  return tools.flatMap((tool) => {
    const declared = Array.isArray(tool.functionDeclarations) ? tool.functionDeclarations.map((one) => String(fieldsOf(one).name)) : []
    const inner = Array.isArray(tool.tools) ? tool.tools.map((one) => `${String(tool.name)}__${String(fieldsOf(one).name)}`) : []
    return [...declared, ...inner, String(fieldsOf(tool.function).name ?? tool.name ?? tool.type)]
  })
}

const offeredOf = (tool: string | string[], offered: string[]) =>
  [tool].flat().find((name) => offered.includes(name)) ?? [tool].flat()[0] ?? ''

function chatApi(step: ModelStep, offered: string[], at: number, streamed: boolean, model: string): Response {
  const call = 'tool' in step ? { name: offeredOf(step.tool, offered), args: step.args } : null
  const message = call
    ? {
        role: 'assistant',
        content: null,
        tool_calls: [{ index: 0, id: `call_${at}`, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) } }],
      }
    : { role: 'assistant', content: textIn(step) }
  const finish = call ? 'tool_calls' : 'stop'
  const base = { id: `chatcmpl-${at}`, object: 'chat.completion.chunk', created: 1, model }
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
  if (!streamed)
    return Response.json({ ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }], usage })
  return sse([
    { data: { ...base, choices: [{ index: 0, delta: message, finish_reason: null }] } },
    { data: { ...base, choices: [{ index: 0, delta: {}, finish_reason: finish }] } },
    { data: { ...base, choices: [], usage } },
    { data: '[DONE]' },
  ])
}

function responsesApi(step: ModelStep, offered: string[], at: number): Response {
  const call = { call_id: `call_${at}`, status: 'completed' }
  const shell = (command: string) =>
    offered.includes('exec_command')
      ? { type: 'function_call', id: `fc_${at}`, ...call, name: 'exec_command', arguments: JSON.stringify({ cmd: command }) }
      : { type: 'function_call', id: `fc_${at}`, ...call, name: 'shell_command', arguments: JSON.stringify({ command }) }
  const item =
    'shell' in step
      ? shell(step.shell)
      : 'patch' in step
        ? { type: 'custom_tool_call', id: `ct_${at}`, ...call, name: 'apply_patch', input: step.patch }
        : 'tool' in step
          ? {
              type: 'function_call',
              id: `fc_${at}`,
              ...call,
              name: [step.tool].flat()[0],
              ...(step.namespace ? { namespace: step.namespace } : {}),
              arguments: JSON.stringify(step.args),
            }
          : {
              type: 'message',
              id: `msg_${at}`,
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: step.text, annotations: [] }],
            }
  const event = (type: string, fields: object) => ({ event: type, data: { type, ...fields } })
  const response = { id: `resp_${at}`, object: 'response' }
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 110,
  }
  return sse([
    event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
    event('response.output_item.added', { output_index: 0, item: item.type === 'message' ? { ...item, content: [] } : item }),
    ...('text' in step
      ? [event('response.output_text.delta', { item_id: item.id, output_index: 0, content_index: 0, delta: step.text })]
      : []),
    event('response.output_item.done', { output_index: 0, item }),
    event('response.completed', { response: { ...response, status: 'completed', output: [item], usage } }),
  ])
}

function generateContentApi(step: ModelStep, offered: string[], at: number, streamed: boolean): Response {
  const parts =
    'tool' in step
      ? [{ functionCall: { id: `call_${at}`, name: offeredOf(step.tool, offered), args: step.args } }]
      : [{ text: textIn(step) }]
  const body = {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
    modelVersion: 'mock',
  }
  return streamed ? sse([{ data: body }]) : Response.json(body)
}

function sse(events: { event?: string; data: unknown }[]): Response {
  const lines = events.map(
    ({ event, data }) => `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
  )
  return new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' } })
}

const textIn = (step: ModelStep) => ('text' in step ? step.text : '')
const fieldsOf = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? { ...value } : {})
