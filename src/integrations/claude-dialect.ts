/**
 * Several agents send Claude Code's payloads with small differences. Such an agent names its differences, and Claude Code's parser does the
 * rest.
 */
import type { AgentName } from '../core/agent.ts'
import type { AgentEvent, SessionEvent } from '../core/event.ts'
import type { Agent, ReceivedPayload } from './agent.ts'
import { claudeCode } from './claude-code/claude-code.ts'
import { compactSummary, eventName, isRecord, isTranscript, noticeText, parsePayload, transcriptPath } from './claude-code/payload.ts'
import { cutContext } from './claude-code/reply.ts'

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

/** What agents of the dialect have in common when their transcripts are lines of JSON that complete what hooks leave out. */
export const lineDialectAgent = {
  eventName,
  transcriptPath,
  isTranscript,
  noticeText,
  compactSummary,
  subagentTranscripts: async () => [],
  completesFromTranscript: true,
  transcriptsBelow: claudeCode.transcriptsBelow,
} satisfies Partial<Agent>

/**
 * Answers with nothing but context, in the form that the agent reads. `events` are those whose context reaches the model; tested with the real
 * clients. Codex cuts the middle out of anything much longer than `cutContext` leaves.
 */
export function contextReply(
  form: (event: string, context: string) => Record<string, unknown>,
  events = ['SessionStart', 'UserPromptSubmit', 'PostToolUse'],
): Agent['hostReply'] {
  return (event, { context }) => (context && events.includes(event) ? form(event, cutContext(context)) : {})
}

/** Context for the model in Claude Code's form, for agents that read it there. */
export const nestedContext = (hookEventName: string, additionalContext: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext },
})

export const topLevelContext = (_event: string, additionalContext: string) => ({ additionalContext })

/** The lines of a unified diff, without those that name the file. */
export const diffLines = (diff: string): string[] =>
  diff.split('\n').filter((line) => /^[ +-]/.test(line) && !/^(?:---|\+\+\+) /.test(line))
