import type { ModelAnswer, ModelRequest, TextModel } from '../text.ts'
import type { TextModelEndpoint } from './endpoint.ts'
import { failedAnswer, minimizeThinking, postJson, tokenCount } from './send.ts'
import { completeUsage } from './token-usage.ts'

/** Any endpoint with OpenAI's chat completions: OpenAI, OpenRouter, DeepSeek, Gemini's compatible endpoint, Ollama. */
export function openOpenAiCompatible(endpoint: TextModelEndpoint): TextModel {
  // OpenAI's newer models refuse the old name of the limit; other endpoints only know the old one.
  const limit = new URL(endpoint.baseUrl).host === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens'
  const withLittleThinking = minimizeThinking([{ reasoning_effort: 'low' }])
  return {
    name: endpoint.model,
    ask: async (request, signal) => {
      const { system, messages, maxTokens } = request
      const headers: Record<string, string> = endpoint.apiKey ? { authorization: `Bearer ${endpoint.apiKey}` } : {}
      const body = {
        model: endpoint.model,
        [limit]: maxTokens,
        stream: false,
        messages: [...(system ? [{ role: 'system', text: system }] : []), ...messages].map(({ role, text }) => ({ role, content: text })),
      }
      const sent = await withLittleThinking((option) => postJson(endpoint, '/chat/completions', headers, { ...body, ...option }, signal))
      return sent.kind === 'body' ? readAnswer(sent.body, endpoint.model, request) : sent
    },
  }
}

type CompletionChoice = { message?: { content?: unknown; refusal?: unknown } | null; finish_reason?: unknown }

function readAnswer(body: unknown, model: string, request: ModelRequest): ModelAnswer {
  const { choices, usage } = (body ?? {}) as { choices?: unknown; usage?: Record<string, unknown> | null }
  const choice = Array.isArray(choices) ? (choices[0] as CompletionChoice | null) : null
  if (!choice?.message) return failedAnswer('bad-answer', `${model} answered with something other than a chat completion`, 'unknown')
  const { content, refusal } = choice.message
  const text = textIn(content)
  const details = usage?.prompt_tokens_details as { cached_tokens?: unknown } | null | undefined
  const cached = tokenCount(details?.cached_tokens) || tokenCount(usage?.prompt_cache_hit_tokens)
  const reported = { input: tokenCount(usage?.prompt_tokens), output: tokenCount(usage?.completion_tokens), cached }
  const cost = completeUsage(reported, request, text || textIn(refusal))
  if (choice.finish_reason === 'content_filter' || typeof refusal === 'string') {
    return failedAnswer('bad-answer', `${model} refused to answer`, cost)
  }
  const stop = choice.finish_reason === 'length' ? 'length' : 'end'
  if (text === '' && stop === 'end') return failedAnswer('bad-answer', `${model} sent an empty answer`, cost)
  return { kind: 'answered', text, usage: cost, stop }
}

/** The content is plain text or a list of parts. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : '')).join('')
}
