import { dirname } from 'node:path'
import { z } from 'zod'
import { readIfThere } from '../../platform/files.ts'
import { isRecord, parsePromptText } from '../claude-code/payload.ts'
import type { ReportedToolUse } from '../claude-dialect.ts'
import { type LineEvent, type LineReader, type LineState, lineEvent, readLineTranscript, timeOf, turnEnd } from '../line-transcript.ts'
import type { Checkpoint, TranscriptBatch, TranscriptFacts } from '../transcript.ts'
import { personsText } from './payload.ts'
import { resultText, toolError, toolResult } from './tool-uses.ts'

/** Reads a session file. A message is written again with its tool calls, so a call counts when it first has a result. */
export const readTranscript = (path: string, from: Checkpoint | null): AsyncGenerator<TranscriptBatch> =>
  readLineTranscript('gemini', openReader, path, from)

const text = z.string().optional().catch(undefined)
const Message = z.looseObject({
  id: text,
  timestamp: text,
  type: text,
  content: z.unknown().optional(),
  toolCalls: z.array(z.unknown()).catch([]),
})
const SessionLine = z.looseObject({
  sessionId: text,
  kind: text,
  startTime: text,
  $set: z
    .looseObject({ messages: z.array(z.unknown()).catch([]), summary: text })
    .optional()
    .catch(undefined),
})
const ToolCallRecord = z.object({
  id: z.string(),
  name: z.string(),
  args: z.unknown().optional(),
  result: z.unknown().optional(),
  status: text,
  timestamp: text,
  resultDisplay: z.unknown().optional(),
})

type SessionState = LineState & {
  /** Prompts and calls that were reported already. */
  done: Set<string>
}

function openReader(facts: TranscriptFacts, path: string): LineReader {
  // The file does not name the project's folder; a file beside it does.
  facts.cwd ??= readIfThere(`${dirname(dirname(path))}/.project_root`)?.trim() || null
  const s: SessionState = { facts, turn: null, at: null, done: new Set() }
  return {
    read: (value) => {
      const line = SessionLine.safeParse(value).data
      if (!line) return false
      if (line.sessionId !== undefined) {
        s.facts.sessionId ??= line.sessionId
        timeOf(s.facts, line.startTime)
        return []
      }
      if (line.$set) {
        s.facts.title = line.$set.summary ?? s.facts.title
        return line.$set.messages.flatMap((message) => readMessage(s, message))
      }
      return readMessage(s, value)
    },
    openTurn: () => s.turn,
    provisionalEnds: () => (s.turn && s.turn.answer !== '' ? [turnEnd(s.turn)] : []),
  }
}

function readMessage(s: SessionState, value: unknown): LineEvent[] {
  const message = Message.safeParse(value).data
  if (!message) return []
  s.at = timeOf(s.facts, message.timestamp) ?? s.at
  if (message.type === 'user') return prompt(s, message.id ?? null, personsText(resultText(message.content)).trim())
  if (message.type !== 'gemini') return []
  const said = resultText(message.content).trim()
  if (s.turn && said !== '') Object.assign(s.turn, { answer: said, at: s.at })
  return message.toolCalls.flatMap((call) => toolUsed(s, call))
}

function prompt(s: SessionState, id: string | null, typed: string): LineEvent[] {
  // Results of tools are messages of the user too, and so is what the client says about the machine.
  if (typed === '' || typed.startsWith('<session_context>') || (id !== null && s.done.has(id))) return []
  if (id !== null) s.done.add(id)
  const before = s.turn ? [turnEnd(s.turn)] : []
  s.turn = { prompt: id, answer: '', at: s.at }
  return [...before, lineEvent(s, { kind: 'prompt-submitted', promptId: null, ...parsePromptText(typed) }, id)]
}

function toolUsed(s: SessionState, value: unknown): LineEvent[] {
  const call = ToolCallRecord.safeParse(value).data
  if (!call || s.done.has(call.id) || call.result === undefined) return []
  s.done.add(call.id)
  s.at = timeOf(s.facts, call.timestamp) ?? s.at
  if (s.turn) s.turn.at = s.at
  const { output, error } = responseOf(call.result)
  const outcome =
    call.status === 'error' || error !== null
      ? { output: undefined, error: toolError(call.name, error ?? output) }
      : toolResult(call.name, output, call.resultDisplay)
  const interrupted = call.status === 'cancelled'
  const use: ReportedToolUse = {
    kind: 'tool-used',
    promptId: null,
    toolUseId: call.id,
    tool: call.name,
    input: call.args,
    agentId: null,
    interrupted,
    ...outcome,
  }
  return [lineEvent(s, use)]
}

/** The text of a result, or of its error. */
function responseOf(result: unknown): { output: string; error: string | null } {
  const parts = Array.isArray(result) ? result : [result]
  const responses = parts.flatMap((part) => (isRecord(part) && isRecord(part.functionResponse) ? [part.functionResponse.response] : []))
  const fields = responses.find(isRecord) ?? {}
  return { output: resultText(fields.output), error: typeof fields.error === 'string' ? fields.error : null }
}
