import type { ModelAnswer, ModelRequest, TextModel } from '../text.ts'
import type { TextModelEndpoint } from './endpoint.ts'
import { failedAnswer, minimizeThinking, postJson, tokenCount } from './send.ts'
import { completeUsage } from './token-usage.ts'

/** Anthropic's Messages API. The system prompt is marked for caching. */
export function openAnthropic(endpoint: TextModelEndpoint): TextModel {
  const withLittleThinking = minimizeThinking([{ thinking: { type: 'disabled' } }, { output_config: { effort: 'low' } }])
  return {
    name: endpoint.model,
    ask: async (request, signal) => {
      const { system, messages, maxTokens } = request
      const headers = { 'anthropic-version': '2023-06-01', ...(endpoint.apiKey ? { 'x-api-key': endpoint.apiKey } : {}) }
      const body = {
        model: endpoint.model,
        max_tokens: maxTokens,
        ...(system ? { system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }] } : {}),
        messages: messages.map(({ role, text }) => ({ role, content: [{ type: 'text', text }] })),
      }
      const sent = await withLittleThinking((option) => postJson(endpoint, '/v1/messages', headers, { ...body, ...option }, signal))
      return sent.kind === 'body' ? readAnswer(sent.body, endpoint.model, request) : sent
    },
  }
}

function readAnswer(body: unknown, model: string, request: ModelRequest): ModelAnswer {
  const { content, stop_reason, usage } = (body ?? {}) as { content?: unknown; stop_reason?: unknown; usage?: Record<string, unknown> }
  if (!Array.isArray(content)) return failedAnswer('bad-answer', `${model} answered with something other than a message`, 'unknown')
  const text = content
    .map((block: { type?: unknown; text?: unknown } | null) => (block?.type === 'text' ? String(block.text ?? '') : ''))
    .join('')
  const cached = tokenCount(usage?.cache_read_input_tokens)
  // This API counts cached tokens separately from the other input tokens.
  const input = tokenCount(usage?.input_tokens) + tokenCount(usage?.cache_creation_input_tokens) + cached
  const cost = completeUsage({ input, output: tokenCount(usage?.output_tokens), cached }, request, text)
  const stop = stop_reason === 'max_tokens' ? 'length' : 'end'
  if (stop_reason === 'refusal') return failedAnswer('bad-answer', `${model} refused to answer`, cost)
  if (text === '' && stop === 'end') return failedAnswer('bad-answer', `${model} sent an empty answer`, cost)
  return { kind: 'answered', text, usage: cost, stop }
}
