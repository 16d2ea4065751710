import type { AgentEvent } from '../../core/event.ts'
import type { ReceivedPayload } from '../agent.ts'
import { isRecord } from '../claude-code/payload.ts'
import { type ClaudeDialect, parseDialect } from '../claude-dialect.ts'
import { copilotToolUse } from './tool-uses.ts'

/**
 * Copilot sends payloads like Claude Code's when the names of its events are written as Claude Code writes them. The result of a tool is in
 * `tool_result`, a new session has the source `new`, and the end of a turn does not say the answer.
 */
const dialect: ClaudeDialect = {
  agent: 'copilot',
  toClaude: (payload, event) => {
    const { tool_result, source, ...rest } = payload
    if (event === 'Stop') return { ...rest, hook_event_name: 'Stop' }
    return {
      ...rest,
      source: source === 'resume' ? 'resume' : 'startup',
      tool_response: isRecord(tool_result) ? tool_result.text_result_for_llm : tool_result,
    }
  },
  toolUses: (use) => [copilotToolUse(use)],
}

export function parsePayload(json: unknown, received: ReceivedPayload): AgentEvent[] {
  return parseDialect(dialect, json, received).map((event) => (event.kind === 'turn-ended' ? { ...event, answer: null } : event))
}
