import type { ModelAnswer, ModelRequest, TextModel } from '../text.ts'
import { counted } from './counted.ts'
import type { Endpoint } from './endpoint.ts'
import { count, failed, send, thinkingLittle } from './send.ts'

/** Anthropic's Messages API. What stays the same between questions is marked for its cache. */
export function openAnthropic(endpoint: Endpoint): TextModel {
  const little = thinkingLittle([{ thinking: { type: 'disabled' } }, { output_config: { effort: 'low' } }])
  return {
    name: endpoint.model,
    ask: async (request, signal) => {
      const { system, messages, maxTokens } = request
      const headers = { 'anthropic-version': '2023-06-01', ...(endpoint.apiKey ? { 'x-api-key': endpoint.apiKey } : {}) }
      const question = {
        model: endpoint.model,
        max_tokens: maxTokens,
        ...(system ? { system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }] } : {}),
        messages: messages.map(({ role, text }) => ({ role, content: [{ type: 'text', text }] })),
      }
      const sent = await little((way) => send(endpoint, '/v1/messages', headers, { ...question, ...way }, signal))
      return sent.kind === 'body' ? readAnswer(sent.body, endpoint.model, request) : sent
    },
  }
}

function readAnswer(body: unknown, model: string, request: ModelRequest): ModelAnswer {
  const { content, stop_reason, usage } = (body ?? {}) as { content?: unknown; stop_reason?: unknown; usage?: Record<string, unknown> }
  if (!Array.isArray(content)) return failed('bad-answer', `${model} answered with something that is no message`, 'unknown')
  const text = content
    .map((block: { type?: unknown; text?: unknown } | null) => (block?.type === 'text' ? String(block.text ?? '') : ''))
    .join('')
  const cached = count(usage?.cache_read_input_tokens)
  // This protocol counts what came from the cache, and what went into it, apart from the rest.
  const input = count(usage?.input_tokens) + count(usage?.cache_creation_input_tokens) + cached
  const cost = counted({ input, output: count(usage?.output_tokens), cached }, request, text)
  const stop = stop_reason === 'max_tokens' ? 'length' : 'end'
  if (stop_reason === 'refusal') return failed('bad-answer', `${model} refused to answer`, cost)
  if (text === '' && stop === 'end') return failed('bad-answer', `${model} answered with nothing`, cost)
  return { kind: 'answered', text, usage: cost, stop }
}
