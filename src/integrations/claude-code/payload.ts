import { z } from 'zod'
import type { AgentName } from '../../core/agent.ts'
import { formatDecisions } from '../../core/decision-list.ts'
import { type AgentEvent, NotUnderstood, type SessionEvent } from '../../core/event.ts'
import { fingerprint } from '../../core/hash.ts'
import { asContentSessionId } from '../../core/ids.ts'
import { once } from '../../core/once.ts'
import type { ReceivedPayload } from '../agent.ts'

/**
 * Translates Claude Code's payload into our events; `hook_event_name` does not occur past this point. A payload is one event, except that a
 * batch of tool uses becomes several. Accepts any fields, but throws when the session is missing.
 */
export function parsePayload(json: unknown, received: ReceivedPayload, agent: AgentName = 'claude-code'): AgentEvent[] {
  const parsed = Payload().safeParse(json)
  if (!parsed.success) throw new NotUnderstood(parsed.error.issues[0]?.message)
  const payload = parsed.data
  const name = eventName(json, received.event)
  if (name === null) throw new NotUnderstood('neither the payload nor the command line names the event')
  const common = {
    agent,
    session: asContentSessionId(payload.session_id),
    at: received.at,
    cwd: payload.cwd ?? payload.project_path ?? null,
    transcript: payload.transcript_path ?? null,
  }
  return sessionEvents(name, payload, received.at).map((event) => ({ ...common, ...event }))
}

/** The client's name of the event, which the reply must repeat. Scripts of other tools call the field `hook`, or name it on the command line. */
export function eventName(json: unknown, fallback: string | null = null): string | null {
  const named = NamedPayload().safeParse(json).data
  return named?.hook_event_name || named?.hook || fallback || null
}

/** The transcript that a payload names. A hook that could not spool a whole payload spools this much of it. */
export function transcriptPath(json: unknown): string | null {
  const path = PayloadHead().safeParse(json).data?.transcript_path
  return path && isTranscript(path) ? path : null
}

/** A path from a payload is read only when it has the suffix of a transcript. */
export const isTranscript = (path: string) => path.endsWith('.jsonl')

/** Optional text. The client changes its fields from version to version; a field with another type counts as missing. */
const text = once(() => z.string().optional().catch(undefined))
/** Text that would be lost if it counted as missing. */
const content = (name: string) => z.string(`${name} is not text`).nullish()

/** Session ids become file names and keys, so an id that cannot be one is rejected here. */
export const SessionIdSchema = once(() =>
  z
    .string({ error: 'session_id is missing' })
    .min(1, 'session_id is empty')
    .max(200, 'session_id is too long')
    .refine(
      (id) => !['\0', '/', '\\'].some((bad) => id.includes(bad)),
      'session_id contains a character that is not allowed (a slash, a backslash or a zero byte)',
    ),
)

const ToolCall = once(() =>
  z.object({
    tool_name: z.string().min(1),
    /** Missing in the payloads of old clients and of other tools' scripts. */
    tool_use_id: z.string().min(1).optional().catch(undefined),
    tool_input: z.unknown().optional(),
    tool_response: z.unknown().optional(),
    /** Another name of `tool_response`. */
    tool_output: z.unknown().optional(),
  }),
)

type ToolCall = z.infer<ReturnType<typeof ToolCall>>

const NamedPayload = once(() => z.object({ hook_event_name: text(), hook: text() }))
const PayloadHead = once(() => z.object({ transcript_path: z.string() }))

const Payload = once(() =>
  z.object(
    {
      session_id: SessionIdSchema(),
      hook: text(),
      cwd: text(),
      /** Another name of `cwd`. */
      project_path: text(),
      transcript_path: text(),
      prompt_id: text(),
      source: z.enum(['startup', 'resume', 'clear', 'compact', 'fork']).catch('startup'),
      prompt: text(),
      tool_name: text(),
      tool_use_id: text(),
      tool_input: z.unknown().optional(),
      tool_response: z.unknown().optional(),
      tool_output: z.unknown().optional(),
      tool_calls: z.array(z.unknown()).optional().catch(undefined),
      error: z.unknown().optional(),
      is_interrupt: z.boolean().optional().catch(undefined),
      agent_id: text(),
      agent_type: text(),
      last_assistant_message: content('last_assistant_message'),
      compact_summary: content('compact_summary'),
      conversation_summary: content('conversation_summary'),
      key_decisions: z.array(z.string()).catch([]),
      reason: text(),
      seconds_since_last_response: z.number().min(0).optional().catch(undefined),
    },
    { error: 'expected an object' },
  ),
)
type Payload = z.infer<ReturnType<typeof Payload>>

function sessionEvents(name: string, payload: Payload, at: number): SessionEvent[] {
  const promptId = payload.prompt_id ?? null
  const ignored: SessionEvent[] = [{ kind: 'ignored', name }]
  switch (name) {
    case 'SessionStart':
      return [{ kind: 'session-started', source: payload.source, ...lastAnswer(at, payload.seconds_since_last_response) }]
    case 'UserPromptSubmit':
      return payload.prompt === undefined
        ? notUnderstood('a prompt without its text')
        : [{ kind: 'prompt-submitted', promptId, ...parsePromptText(payload.prompt) }]
    case 'PreToolUse': {
      const call = ToolCall().safeParse(payload).data
      return call
        ? [{ kind: 'tool-starting', tool: call.tool_name, input: call.tool_input, agentId: payload.agent_id ?? null }]
        : notUnderstood('a tool use without the name of the tool')
    }
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return toolUseEvents(payload, payload, () => (name === 'PostToolUse' ? null : reportedFailure(payload)))
    case 'PostToolBatch':
      if (!payload.tool_calls) return notUnderstood('a batch without its tool uses')
      return payload.tool_calls.flatMap((call) => toolUseEvents(payload, call, failureInBatch))
    case 'Stop':
      return stopEvents(payload, promptId)
    case 'StopFailure':
      // The message of a failed turn is the API's error, not text of the agent.
      return [{ kind: 'turn-ended', promptId, answer: '' }]
    case 'SubagentStop':
      return [subagentEnded(name, payload)]
    case 'PreCompact': {
      const summary = summaryBeforeCompaction(payload)
      return [{ kind: 'compacting', promptId }, ...(summary ? [{ kind: 'compacted', promptId, summary } as const] : [])]
    }
    case 'PostCompact':
      return [{ kind: 'compacted', promptId, summary: payload.compact_summary ?? '' }]
    case 'SessionEnd':
      return [{ kind: 'session-ended', reason: payload.reason ?? 'other' }]
    default:
      return UNUSED_EVENTS.has(name) ? ignored : notUnderstood('an unknown event')
  }
}

/** The client ends a turn with this event. Scripts of another tool end the session with it, and say why. */
function stopEvents({ hook, reason, last_assistant_message }: Payload, promptId: string | null): SessionEvent[] {
  const ended: SessionEvent = { kind: 'turn-ended', promptId, answer: answerText(last_assistant_message ?? '') }
  return hook !== undefined && reason !== undefined ? [ended, { kind: 'session-ended', reason }] : [ended]
}

const notUnderstood = (reason: string): SessionEvent[] => [{ kind: 'not-understood', reason }]

/** Events of the client that tell us nothing. Any other name is not understood. */
const UNUSED_EVENTS = new Set([
  'ConfigChange',
  'CwdChanged',
  'DirectoryAdded',
  'Elicitation',
  'ElicitationResult',
  'FileChanged',
  'InstructionsLoaded',
  'MessageDisplay',
  'Notification',
  'PermissionDenied',
  'PermissionRequest',
  'PostModelSwitch',
  'PreModelSwitch',
  'Setup',
  'SubagentStart',
  'TaskCompleted',
  'TaskCreated',
  'TeammateIdle',
  'UserPromptExpansion',
  'WorktreeCreate',
  'WorktreeRemove',
])

/** Some scripts hand over the summary before the compaction, with its decisions in a list. */
function summaryBeforeCompaction({ conversation_summary, key_decisions }: Payload): string {
  const decisions = formatDecisions(key_decisions)
  return compactSummary([conversation_summary?.trim(), decisions].filter(Boolean).join('\n'))
}

function subagentEnded(name: string, { prompt_id, agent_id, agent_type, last_assistant_message }: Payload): SessionEvent {
  const answer = last_assistant_message?.trim() ?? ''
  // A compaction runs in a fork, which stops like a subagent without a type.
  if (agent_type === '' || (!agent_id && answer === '')) return { kind: 'ignored', name }
  return {
    kind: 'subagent-ended',
    promptId: prompt_id ?? null,
    agentId: agent_id || fingerprint(answer),
    agentType: agent_type ?? '',
    answer,
  }
}

const lastAnswer = (at: number, seconds: number | undefined) => (seconds === undefined ? {} : { lastAnswerAt: at - seconds * 1000 })

/** The event of one tool use, which is the payload itself or a part of a batch. */
function toolUseEvents(payload: Payload, json: unknown, failureOf: (call: ToolCall) => ToolFailure | null): SessionEvent[] {
  const call = ToolCall().safeParse(json).data
  return call ? [toolUsed(payload, call, failureOf(call))] : notUnderstood('a tool use without the name of the tool')
}

type ToolFailure = { error: string; interrupted: boolean }

function toolUsed(payload: Payload, call: ToolCall, failure: ToolFailure | null): SessionEvent {
  const used = {
    kind: 'tool-used',
    promptId: payload.prompt_id ?? null,
    toolUseId: call.tool_use_id ?? null,
    tool: call.tool_name,
    input: call.tool_input,
    agentId: payload.agent_id ?? null,
  } as const
  if (failure) return { ...used, output: undefined, ...failure }
  const output = call.tool_response ?? call.tool_output
  return { ...used, output: usefulOutput(call.tool_name, output), error: null, interrupted: wasInterrupted(output) }
}

/** The client sends the error as text; a script may send an object, or the output of the failed tool. */
function reportedFailure({ error, tool_response, tool_output, is_interrupt }: Payload): ToolFailure {
  const cause = error ?? tool_response ?? tool_output ?? ''
  return parseToolFailure(typeof cause === 'string' ? cause : JSON.stringify(cause), is_interrupt)
}

/**
 * A batch contains, for each use, only the text shown to the model. A use that was rejected before it ran (an edit that does not match, an
 * unknown tool) causes no other event, so its failure is read from that text.
 */
function failureInBatch({ tool_name, tool_response }: ToolCall): ToolFailure | null {
  if (typeof tool_response !== 'string') return null
  const ranAndFailed = (tool_name === 'Bash' || tool_name === 'PowerShell') && /^Exit code \d+/.test(tool_response)
  if (ranAndFailed || tool_response.startsWith('<tool_use_error>') || STOPPED_BY_PERSON_PATTERN.test(tool_response))
    return parseToolFailure(tool_response)
  return null
}

/** The error without the tags that mark it for the model, and whether a person stopped the tool: by the client's flag or by the text. */
export function parseToolFailure(text: string, interrupted = false): ToolFailure {
  return {
    error: text.replace(/^<tool_use_error>|<\/tool_use_error>$/g, ''),
    interrupted: interrupted || STOPPED_BY_PERSON_PATTERN.test(text),
  }
}

const STOPPED_BY_PERSON_PATTERN = /^(?:The user doesn't want to|\[Request interrupted by user|User rejected tool use)/

export function wasInterrupted(output: unknown): boolean {
  return isRecord(output) && output.interrupted === true
}

/**
 * Who wrote a prompt: the person, or the client in the person's name (a background agent has finished). The text is complete, because it still
 * contains private parts and secrets; `noticeText` reads it once they are removed.
 */
export function parsePromptText(typed: string): { origin: 'person' | 'machine'; text: string } {
  const whole = typed.trim()
  const text = whole.replace(ADDED_BY_EDITOR, '').trim()
  const isMachine = MACHINE_TEXT.test(text) || isJsonNotice(text) || (text === '' && whole !== '')
  return { origin: isMachine ? 'machine' : 'person', text: text === '' ? whole : text }
}

const MACHINE_TEXT =
  /^(?:<(?:task-notification|teammate-message|cross-session-message|agent-message)\b|Operation stopped by hook: |\[Request interrupted by user)/
/** An editor puts the open file, the selection and its diagnostics before the person's words. */
const ADDED_BY_EDITOR = /<(ide_opened_file|ide_selection|ide_diagnostics)>[\s\S]*?<\/\1>/g
const MAX_NOTICE_JSON_CHARS = 4000

/** An agent of a team reports as JSON: `{"type":"idle_notification",…}`. People paste JSON too, but with a word about it. */
function isJsonNotice(text: string): boolean {
  if (!/^\{\s*"type"\s*:\s*"[\w-]+"[\s\S]*\}$/.test(text) || text.length > MAX_NOTICE_JSON_CHARS) return false
  try {
    return isRecord(JSON.parse(text))
  } catch {
    return false
  }
}

/** The agent's answer; empty if the client wrote it in the agent's place. */
export function answerText(answer: string): string {
  const text = answer.trim()
  return text.length <= MAX_CLIENT_ANSWER_CHARS && WRITTEN_BY_CLIENT.test(text) ? '' : text
}

const MAX_CLIENT_ANSWER_CHARS = 300
const WRITTEN_BY_CLIENT =
  /^(?:No response requested\.$|\[Request interrupted by user|API Error: |Prompt is too long$|Credit balance is too low|Execution error$|Claude(?: AI)? usage limit reached|You['’]ve hit your (?:\w+ )?limit\b)/

/** The content of a cleaned notice. Hooks and transcripts must give the same text here, or one notice would be stored twice. */
export function noticeText(notice: string): string {
  return between(notice, '<summary>', '</summary>') ?? notice.slice(0, 2_000).replace(/<[^<>]*>/g, ' ')
}

/**
 * The client's summary of a compacted conversation, already cleaned, without its wrapping: the hook puts it in tags after an analysis, the
 * transcript between instructions to the model.
 */
export function compactSummary(wrapped: string): string {
  return bareSummary(wrapped).trim()
}

function bareSummary(wrapped: string): string {
  if (!wrapped.startsWith('This session is being continued from a previous conversation')) {
    return between(wrapped, '<summary>', '</summary>') ?? wrapped
  }
  const body = wrapped.slice(wrapped.indexOf('\n') + 1)
  const heading = /^Summary:[ \t]*$/m.exec(body)
  const summary = heading ? body.slice(heading.index + heading[0].length) : body
  const after = /^(?:If you need specific details from before compaction|Please continue the conversation|Continue the conversation)/m
  return summary.slice(0, after.exec(summary)?.index)
}

/** A tool's output without its large and useless parts: the whole file before an edit, pictures, the cost of a subagent. */
export function usefulOutput(tool: string, output: unknown): unknown {
  if (Array.isArray(output)) return output.map((block) => (isRecord(block) && block.type === 'image' ? { type: 'image' } : block))
  if (!isRecord(output)) return output
  switch (tool) {
    case 'Edit':
    case 'MultiEdit':
    case 'Write':
    case 'NotebookEdit': {
      const { originalFile: _, original_file: __, updated_file: ___, ...useful } = output
      return useful
    }
    case 'Read': {
      const { type, file } = output
      return isRecord(file) && 'base64' in file ? { type, file: { filePath: file.filePath } } : output
    }
    case 'Bash':
    case 'PowerShell':
      return output.isImage === true ? { ...output, stdout: '' } : output
    case 'Task':
    case 'Agent': {
      const { status, agentId, agentType, content } = output
      return { status, agentId, agentType, content }
    }
    default:
      return output
  }
}

function between(text: string, opening: string, closing: string): string | null {
  const start = text.indexOf(opening)
  const end = start < 0 ? -1 : text.indexOf(closing, start)
  return end < 0 ? null : text.slice(start + opening.length, end)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
