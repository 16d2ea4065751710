/**
 * Several agents send Claude Code's payloads with small differences. Such an agent names its differences, and Claude Code's parser does the
 * rest.
 */
import type { AgentName } from '../core/agent.ts'
import type { AgentEvent, SessionEvent } from '../core/event.ts'
import type { ReceivedPayload } from './agent.ts'
import { eventName, isRecord, parsePayload } from './claude-code/payload.ts'

export type ReportedToolUse = Extract<SessionEvent, { kind: 'tool-used' }>

export type ClaudeDialect = {
  agent: AgentName
  /** The payload in Claude Code's terms, with its `hook_event_name`. Null when the event says nothing to us. */
  toClaude(payload: Record<string, unknown>, event: string): Record<string, unknown> | null
  /** A tool use in the form in which the agent's transcript has it too. One call can be several uses, such as a patch of several files. */
  toolUses?(use: ReportedToolUse): ReportedToolUse[]
}

export function parseDialect({ agent, toClaude, toolUses }: ClaudeDialect, json: unknown, received: ReceivedPayload): AgentEvent[] {
  const event = eventName(json, received.event)
  const payload = isRecord(json) && event !== null ? toClaude({ ...json, hook_event_name: event }, event) : json
  if (payload === null) return parsePayload({ ...asRecord(json), hook_event_name: IGNORED_EVENT }, received, agent)
  return parsePayload(payload, received, agent).flatMap((parsed): AgentEvent[] =>
    parsed.kind === 'tool-used' && toolUses ? toolUses(parsed).map((use) => ({ ...parsed, ...use })) : [parsed],
  )
}

/** An event of Claude Code that we do not use: the session of the payload is still checked. */
const IGNORED_EVENT = 'Notification'

const asRecord = (json: unknown) => (isRecord(json) ? json : {})

/** The result of a command, in the form that `readCommand` understands. */
export function commandResult(output: string, exitCode: number | null): Pick<ReportedToolUse, 'output' | 'error'> {
  return exitCode === null || exitCode === 0 ? { output, error: null } : { output: undefined, error: `Exit code ${exitCode}\n${output}` }
}

/** Context for the model in Claude Code's form, for agents that read it there. */
export function nestedContext(event: string, context: string): Record<string, unknown> {
  return { hookSpecificOutput: { hookEventName: event, additionalContext: cutContext(context) } }
}

/** Briefs keep to a smaller budget; this is the last guard. Codex cuts the middle out of anything much longer. */
const MAX_CONTEXT_CHARS = 9_000

export function cutContext(context: string): string {
  // A cut through a surrogate pair would leave half a character at the end.
  return context
    .slice(0, MAX_CONTEXT_CHARS)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
}
