import type { AgentEvent } from '../../core/event.ts'
import type { ReceivedPayload } from '../agent.ts'
import { type ClaudeDialect, parseDialect } from '../claude-dialect.ts'
import { personsText, toolResult } from './tool-uses.ts'

/** Our own plugin sends these payloads (`plugin.ts`), in Claude Code's form with OpenCode's tools. */
const dialect: ClaudeDialect = {
  agent: 'opencode',
  toClaude: (payload) => ({ ...payload, ...(typeof payload.prompt === 'string' ? { prompt: personsText(payload.prompt) } : {}) }),
  toolUses: (use) => [use.error === null ? { ...use, ...toolResult(use.tool, use.output) } : use],
}

export const parsePayload = (json: unknown, received: ReceivedPayload): AgentEvent[] => parseDialect(dialect, json, received)
