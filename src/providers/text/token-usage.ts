import { countTokens } from '../../core/tokens.ts'
import type { ModelRequest, Usage } from '../text.ts'

/** Estimates the input tokens of a request. */
export const estimateInputTokens = ({ system, messages }: ModelRequest) =>
  countTokens([system, ...messages.map(({ text }) => text)].join('\n'))

/**
 * The usage of an answer, with estimates where the endpoint reports zero, so that budgets hold. If the answer is empty, all tokens may have
 * gone into thinking, so the maximum is assumed.
 */
export function completeUsage(reported: Usage, request: ModelRequest, text: string, overhead = 0): Usage {
  const input = reported.input || estimateInputTokens(request) + overhead
  return { input, output: reported.output || countTokens(text) || request.maxTokens, cached: Math.min(reported.cached, input) }
}
