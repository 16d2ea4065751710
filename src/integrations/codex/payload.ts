import type { AgentEvent } from '../../core/event.ts'
import type { ReceivedPayload } from '../agent.ts'
import { type ClaudeDialect, parseDialect } from '../claude-dialect.ts'
import { codexToolUses } from './tool-uses.ts'

/**
 * Codex sends Claude Code's payloads. A turn's id is called `turn_id`. A subagent's events come under the session of its parent, with turns of
 * their own: its prompt is a task from the parent and not the person's.
 */
const dialect: ClaudeDialect = {
  agent: 'codex',
  toClaude: (payload, event) => {
    const isSubagent = typeof payload.agent_id === 'string'
    if (isSubagent && event === 'UserPromptSubmit') return null
    return { ...payload, prompt_id: isSubagent ? undefined : payload.turn_id }
  },
  toolUses: codexToolUses,
}

export const parsePayload = (json: unknown, received: ReceivedPayload): AgentEvent[] => parseDialect(dialect, json, received)
