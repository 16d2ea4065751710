import type { AgentEvent } from '../../core/event.ts'
import type { ReceivedPayload } from '../agent.ts'
import { isRecord } from '../claude-code/payload.ts'
import { type ClaudeDialect, parseDialect } from '../claude-dialect.ts'
import { resultText, toolError, toolResult } from '../gemini/tool-uses.ts'

/**
 * Qwen Code sends Claude Code's payloads with Gemini's tools. It repeats the prompt's event for every request of a turn, with an empty prompt: those
 * repeats are ignored and get an empty reply. A tool use has two ids; the transcript contains only `tool_call_id`. It does not contain `prompt_id`, so
 * turns are distinguished by their time.
 */
const dialect: ClaudeDialect = {
  agent: 'qwen',
  toClaude: (payload, event) => {
    if (event === 'PostToolBatch') return null
    if (event === 'UserPromptSubmit' && String(payload.prompt ?? '').trim() === '') return null
    return {
      ...payload,
      prompt: payload.submitted_prompt ?? payload.prompt,
      tool_use_id: payload.tool_call_id ?? payload.tool_use_id,
      prompt_id: undefined,
    }
  },
  toolUses: (use) => {
    if (use.error !== null) return [{ ...use, error: toolError(use.tool, use.error) }]
    const response = isRecord(use.output) ? use.output : {}
    return [{ ...use, ...toolResult(use.tool, resultText(response.llmContent), response.returnDisplay) }]
  },
}

export const parsePayload = (json: unknown, received: ReceivedPayload): AgentEvent[] => parseDialect(dialect, json, received)
