import { z } from 'zod'
import { isRecord, parsePromptText } from '../claude-code/payload.ts'
import type { ReportedToolUse } from '../claude-dialect.ts'
import { type LineEvent, type LineReader, type LineState, lineEvent, readLineTranscript, timeOf, turnEnd } from '../line-transcript.ts'
import type { Checkpoint, TranscriptBatch, TranscriptFacts } from '../transcript.ts'
import { copilotToolUse } from './tool-uses.ts'

/** Reads an `events.jsonl`. What our hooks added is in `transformedContent` and at the end of results, which are not read. */
export const readTranscript = (path: string, from: Checkpoint | null): AsyncGenerator<TranscriptBatch> =>
  readLineTranscript('copilot', openReader, path, from)

const text = z.string().optional().catch(undefined)
const EventLine = z.object({ type: z.string(), data: z.looseObject({}).catch({}), id: text, timestamp: text })
const EventData = z.looseObject({
  sessionId: text,
  copilotVersion: text,
  content: text,
  source: text,
  toolCallId: text,
  parentToolCallId: text,
  toolName: text,
  summaryContent: text,
  title: text,
  context: z.object({ cwd: text, branch: text }).optional().catch(undefined),
  success: z.boolean().optional().catch(undefined),
  agentName: text,
})
type EventData = z.infer<typeof EventData>

type EventsState = LineState & {
  pending: Map<string, { tool: string; input: unknown }>
  /** The last text of each subagent, by the call that started it. */
  reports: Map<string, string>
}

function openReader(facts: TranscriptFacts): LineReader {
  const s: EventsState = { facts, turn: null, at: null, pending: new Map(), reports: new Map() }
  return {
    read: (value) => {
      const line = EventLine.safeParse(value).data
      if (!line) return false
      s.at = timeOf(s.facts, line.timestamp)
      return readEvent(s, line.type, EventData.parse(line.data), line.id ?? null)
    },
    openTurn: () => s.turn,
    provisionalEnds: () => (s.turn && s.turn.answer !== '' ? [turnEnd(s.turn)] : []),
  }
}

function endTurn(s: EventsState): LineEvent[] {
  const ended = s.turn ? [turnEnd(s.turn)] : []
  s.turn = null
  s.pending.clear()
  return ended
}

function toolEnded(s: EventsState, data: EventData): LineEvent[] {
  const id = data.toolCallId ?? ''
  const call = s.pending.get(id)
  s.pending.delete(id)
  if (!call) return []
  const result = isRecord(data.result) ? data.result : {}
  const error = isRecord(data.error) && typeof data.error.message === 'string' ? data.error.message : 'The tool failed.'
  const outcome =
    data.success === false ? { output: undefined, error } : { output: withoutGuidance(String(result.content ?? '')), error: null }
  const agentId = data.parentToolCallId ?? null
  const use: ReportedToolUse = { kind: 'tool-used', promptId: null, toolUseId: id, ...call, interrupted: false, agentId, ...outcome }
  return [lineEvent(s, copilotToolUse(use))]
}

function sessionStarted({ facts }: EventsState, data: EventData): LineEvent[] {
  facts.sessionId ??= data.sessionId ?? null
  facts.cwd ??= data.context?.cwd ?? null
  facts.gitBranch = data.context?.branch ?? facts.gitBranch
  facts.version = data.copilotVersion ?? facts.version
  return []
}

function prompt(s: EventsState, data: EventData, id: string | null): LineEvent[] {
  // Messages that the client writes in the person's name say where they come from.
  if (data.parentToolCallId !== undefined || (data.source !== undefined && data.source !== 'user')) return []
  const before = endTurn(s)
  s.turn = { prompt: id, answer: '', at: s.at }
  return [...before, lineEvent(s, { kind: 'prompt-submitted', promptId: null, ...parsePromptText(data.content ?? '') }, id)]
}

function answer(s: EventsState, { content, parentToolCallId }: EventData): LineEvent[] {
  const said = content?.trim() ?? ''
  if (said === '') return []
  if (parentToolCallId !== undefined) s.reports.set(parentToolCallId, said)
  else if (s.turn) Object.assign(s.turn, { answer: said, at: s.at })
  return []
}

function readEvent(s: EventsState, type: string, data: EventData, id: string | null): LineEvent[] {
  switch (type) {
    case 'session.start':
    case 'session.resume':
      return sessionStarted(s, data)
    case 'session.title_changed':
      s.facts.title = data.title ?? s.facts.title
      return []
    case 'user.message':
      return prompt(s, data, id)
    case 'assistant.message':
      return answer(s, data)
    case 'tool.execution_start':
      if (data.toolCallId && data.toolName) s.pending.set(data.toolCallId, { tool: data.toolName, input: data.arguments })
      return []
    case 'tool.execution_complete': {
      if (s.turn) s.turn.at = s.at
      return toolEnded(s, data)
    }
    case 'subagent.completed': {
      const answer = s.reports.get(data.toolCallId ?? '')
      if (answer === undefined || !data.toolCallId) return []
      return [lineEvent(s, { kind: 'subagent-ended', promptId: null, agentId: data.toolCallId, agentType: data.agentName ?? '', answer })]
    }
    case 'session.compaction_complete':
      return data.summaryContent ? [lineEvent(s, { kind: 'compacted', promptId: null, summary: data.summaryContent })] : []
    case 'session.shutdown':
      return endTurn(s)
    default:
      return []
  }
}

/** A result without what hooks added to it. */
function withoutGuidance(content: string): string {
  const added = /\n\nTool "[^"\n]*" (?:succeeded|failed)\. Additional guidance from postToolUse\w* hooks:\n/.exec(content)
  return added ? content.slice(0, added.index) : content
}
