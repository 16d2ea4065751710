import type { ModelAnswer, ModelRequest, TextModel } from '../text.ts'
import type { TextModelEndpoint } from './endpoint.ts'
import { failedAnswer, minimizeThinking, postJson, tokenCount } from './send.ts'
import { completeUsage } from './token-usage.ts'

/** Any endpoint that speaks OpenAI's chat completions: OpenAI itself, OpenRouter, DeepSeek, Gemini's compatible one, Ollama. */
export function openOpenAiCompatible(endpoint: TextModelEndpoint): TextModel {
  // OpenAI's newer models refuse the old name of the limit; the others know only that.
  const limit = new URL(endpoint.baseUrl).host === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens'
  const little = minimizeThinking([{ reasoning_effort: 'low' }])
  return {
    name: endpoint.model,
    ask: async (request, signal) => {
      const { system, messages, maxTokens } = request
      const headers: Record<string, string> = endpoint.apiKey ? { authorization: `Bearer ${endpoint.apiKey}` } : {}
      const question = {
        model: endpoint.model,
        [limit]: maxTokens,
        stream: false,
        messages: [...(system ? [{ role: 'system', text: system }] : []), ...messages].map(({ role, text }) => ({ role, content: text })),
      }
      const sent = await little((way) => postJson(endpoint, '/chat/completions', headers, { ...question, ...way }, signal))
      return sent.kind === 'body' ? readAnswer(sent.body, endpoint.model, request) : sent
    },
  }
}

type CompletionChoice = { message?: { content?: unknown; refusal?: unknown } | null; finish_reason?: unknown }

function readAnswer(body: unknown, model: string, request: ModelRequest): ModelAnswer {
  const { choices, usage } = (body ?? {}) as { choices?: unknown; usage?: Record<string, unknown> | null }
  const choice = Array.isArray(choices) ? (choices[0] as CompletionChoice | null) : null
  if (!choice?.message) return failedAnswer('bad-answer', `${model} answered with something that is no completion`, 'unknown')
  const { content, refusal } = choice.message
  const text = textIn(content)
  const details = usage?.prompt_tokens_details as { cached_tokens?: unknown } | null | undefined
  const cached = tokenCount(details?.cached_tokens) || tokenCount(usage?.prompt_cache_hit_tokens)
  const said = { input: tokenCount(usage?.prompt_tokens), output: tokenCount(usage?.completion_tokens), cached }
  const cost = completeUsage(said, request, text || textIn(refusal))
  if (choice.finish_reason === 'content_filter' || typeof refusal === 'string') {
    return failedAnswer('bad-answer', `${model} refused to answer`, cost)
  }
  const stop = choice.finish_reason === 'length' ? 'length' : 'end'
  if (text === '' && stop === 'end') return failedAnswer('bad-answer', `${model} answered with nothing`, cost)
  return { kind: 'answered', text, usage: cost, stop }
}

/** Plain text, or parts of it in a list. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : '')).join('')
}
