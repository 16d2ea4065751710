import type { AgentEvent } from '../../core/event.ts'
import type { ReceivedPayload } from '../agent.ts'
import { isRecord } from '../claude-code/payload.ts'
import { type ClaudeDialect, parseDialect } from '../claude-dialect.ts'
import { withoutOwnContext, withoutTagged } from '../own-context.ts'
import { resultText, toolError, toolResult } from './tool-uses.ts'

/** Gemini's events by Claude Code's names. Others say nothing: `PreCompress` comes before every request, compressed or not. */
const CLAUDE_EVENTS: Record<string, string> = {
  SessionStart: 'SessionStart',
  BeforeAgent: 'UserPromptSubmit',
  AfterTool: 'PostToolUse',
  AfterAgent: 'Stop',
  SessionEnd: 'SessionEnd',
}

const dialect: ClaudeDialect = {
  agent: 'gemini',
  toClaude: (payload, event) => {
    const name = CLAUDE_EVENTS[event]
    if (name === undefined) return UNUSED_EVENTS.has(event) ? null : payload
    const prompt = typeof payload.prompt === 'string' ? personsText(payload.prompt) : undefined
    return { ...payload, hook_event_name: name, prompt, last_assistant_message: payload.prompt_response }
  },
  toolUses: (use) => {
    const response = isRecord(use.output) ? use.output : {}
    const error = isRecord(response.error) ? response.error.message : undefined
    if (typeof error === 'string') return [{ ...use, output: undefined, error: toolError(use.tool, error) }]
    return [{ ...use, ...toolResult(use.tool, resultText(response.llmContent), response.returnDisplay) }]
  },
}

const UNUSED_EVENTS = new Set(['BeforeTool', 'BeforeModel', 'AfterModel', 'BeforeToolSelection', 'PreCompress', 'Notification'])

export const parsePayload = (json: unknown, received: ReceivedPayload): AgentEvent[] => parseDialect(dialect, json, received)

/** A prompt without the context that hooks put before it. */
export const personsText = (prompt: string): string => withoutTagged(withoutOwnContext(prompt), 'hook_context')
