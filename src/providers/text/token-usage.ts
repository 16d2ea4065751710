import { countTokens } from '../../core/tokens.ts'
import type { ModelRequest, Usage } from '../text.ts'

/** About how many tokens a question has. */
export const estimateInputTokens = ({ system, messages }: ModelRequest) =>
  countTokens([system, ...messages.map(({ text }) => text)].join('\n'))

/**
 * What an answer cost. What its endpoint does not count is counted here: there is no question without words, and a budget must hold. Where no
 * words came, all may have been thought away.
 */
export function completeUsage(said: Usage, request: ModelRequest, text: string, overhead = 0): Usage {
  const input = said.input || estimateInputTokens(request) + overhead
  return { input, output: said.output || countTokens(text) || request.maxTokens, cached: Math.min(said.cached, input) }
}
