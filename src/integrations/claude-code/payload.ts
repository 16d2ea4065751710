import { z } from 'zod'
import type { AgentEvent, SessionEvent } from '../../core/event.ts'
import { asContentSessionId } from '../../core/ids.ts'

/**
 * Translates Claude Code's payload into our events; `hook_event_name` does not occur past this point. A payload is one event, except that a
 * batch of tool uses becomes several. Accepts any fields, but throws when the session is missing.
 */
export function parsePayload(json: unknown, received: { at: number }): AgentEvent[] {
  const parsed = Payload.safeParse(json)
  if (!parsed.success) throw new Error(`refused a hook payload: ${parsed.error.issues[0]?.message}`)
  const payload = parsed.data
  const common = {
    agent: 'claude-code',
    session: asContentSessionId(payload.session_id),
    at: received.at,
    cwd: payload.cwd ?? null,
    transcript: payload.transcript_path ?? null,
  } as const
  return sessionEvents(payload, received.at).map((event) => ({ ...common, ...event }))
}

/** The client's name of the event, which the reply must repeat. */
export function eventName(json: unknown): string | null {
  return NamedPayload.safeParse(json).data?.hook_event_name ?? null
}

/** The transcript that a payload names. A hook that could not spool a whole payload spools this much of it. */
export function transcriptPath(json: unknown): string | null {
  const path = PayloadHead.safeParse(json).data?.transcript_path
  return path && isTranscript(path) ? path : null
}

/** A path from a payload is read only when it has the suffix of a transcript. */
export const isTranscript = (path: string) => path.endsWith('.jsonl')

/** Optional text. The client changes its fields from version to version; a field with another type counts as missing. */
const text = z.string().optional().catch(undefined)
const flag = z.boolean().optional().catch(undefined)

/** Session ids become file names and keys, so an id that cannot be one is rejected here. */
export const SessionIdSchema = z
  .string({ error: 'session_id is missing' })
  .min(1, 'session_id is empty')
  .max(200, 'session_id is too long')
  .refine(
    (id) => !['\0', '/', '\\'].some((bad) => id.includes(bad)),
    'session_id contains a character that is not allowed (a slash, a backslash or a zero byte)',
  )

const ToolCall = z.object({
  tool_name: z.string(),
  tool_use_id: z.string().min(1),
  tool_input: z.unknown().optional(),
  tool_response: z.unknown().optional(),
})

const NamedPayload = z.object({ hook_event_name: z.string().min(1) })
const PayloadHead = z.object({ transcript_path: z.string() })

const Payload = z.object(
  {
    session_id: SessionIdSchema,
    hook_event_name: text,
    cwd: text,
    transcript_path: text,
    prompt_id: text,
    source: z.enum(['startup', 'resume', 'clear', 'compact', 'fork']).catch('startup'),
    prompt: text,
    tool_name: text,
    tool_use_id: text,
    tool_input: z.unknown().optional(),
    tool_response: z.unknown().optional(),
    tool_calls: z.array(z.unknown()).catch([]),
    error: text,
    is_interrupt: flag,
    agent_id: text,
    agent_type: text,
    last_assistant_message: text,
    compact_summary: text,
    reason: text,
    seconds_since_last_response: z.number().min(0).optional().catch(undefined),
  },
  { error: 'expected an object' },
)
type Payload = z.infer<typeof Payload>

function sessionEvents(payload: Payload, at: number): SessionEvent[] {
  const name = payload.hook_event_name ?? ''
  const promptId = payload.prompt_id ?? null
  const ignored: SessionEvent[] = [{ kind: 'ignored', name }]
  switch (name) {
    case 'SessionStart':
      return [{ kind: 'session-started', source: payload.source, ...lastAnswer(at, payload.seconds_since_last_response) }]
    case 'UserPromptSubmit':
      return payload.prompt === undefined ? ignored : [{ kind: 'prompt-submitted', promptId, ...parsePromptText(payload.prompt) }]
    case 'PostToolUse':
    case 'PostToolUseFailure': {
      // Old clients do not send the id. Their tool uses are read from the transcript, where every one has an id.
      const call = ToolCall.safeParse(payload).data
      if (!call) return ignored
      return [toolUsed(payload, call, name === 'PostToolUse' ? null : parseToolFailure(payload.error ?? '', payload.is_interrupt))]
    }
    case 'PostToolBatch':
      return payload.tool_calls.flatMap((one) => {
        const call = ToolCall.safeParse(one).data
        return call ? [toolUsed(payload, call, failureInBatch(call))] : []
      })
    case 'Stop':
      return [{ kind: 'turn-ended', promptId, answer: payload.last_assistant_message?.trim() ?? '' }]
    case 'StopFailure':
      // The message of a failed turn is the API's error, not text of the agent.
      return [{ kind: 'turn-ended', promptId, answer: '' }]
    case 'SubagentStop': {
      const { agent_id, agent_type, last_assistant_message } = payload
      // A compaction runs in a fork, which stops like a subagent without a type.
      if (!agent_id || agent_type === '') return ignored
      const answer = last_assistant_message?.trim() ?? ''
      return [{ kind: 'subagent-ended', promptId, agentId: agent_id, agentType: agent_type ?? '', answer }]
    }
    case 'PreCompact':
      return [{ kind: 'compacting', promptId }]
    case 'PostCompact':
      return [{ kind: 'compacted', promptId, summary: payload.compact_summary ?? '' }]
    case 'SessionEnd':
      return [{ kind: 'session-ended', reason: payload.reason ?? 'other' }]
    default:
      return ignored
  }
}

const lastAnswer = (at: number, seconds: number | undefined) => (seconds === undefined ? {} : { lastAnswerAt: at - seconds * 1000 })

type ToolFailure = { error: string; interrupted: boolean }

function toolUsed(payload: Payload, call: z.infer<typeof ToolCall>, failure: ToolFailure | null): SessionEvent {
  const used = {
    kind: 'tool-used',
    promptId: payload.prompt_id ?? null,
    toolUseId: call.tool_use_id,
    tool: call.tool_name,
    input: call.tool_input,
    agentId: payload.agent_id ?? null,
  } as const
  if (failure) return { ...used, output: undefined, ...failure }
  return { ...used, output: usefulOutput(call.tool_name, call.tool_response), error: null, interrupted: wasInterrupted(call.tool_response) }
}

/**
 * A batch contains, for each use, only the text shown to the model. A use that was rejected before it ran (an edit that does not match, an
 * unknown tool) causes no other event, so its failure is read from that text.
 */
function failureInBatch({ tool_name, tool_response }: z.infer<typeof ToolCall>): ToolFailure | null {
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
  const text = typed.trim()
  return { origin: MACHINE_TEXT.test(text) ? 'machine' : 'person', text }
}

const MACHINE_TEXT = /^<(?:task-notification|teammate-message|cross-session-message|agent-message)\b/

/** What a cleaned notice says. Hooks and transcripts must give the same text here, or one notice would be stored twice. */
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
