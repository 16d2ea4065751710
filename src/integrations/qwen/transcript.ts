import { z } from 'zod'
import { isRecord, parsePromptText } from '../claude-code/payload.ts'
import { commandResult, type ReportedToolUse } from '../claude-dialect.ts'
import { resultText, toolError, toolResult } from '../gemini/tool-uses.ts'
import { type LineEvent, type LineReader, type LineState, lineEvent, readLineTranscript, timeOf, turnEnd } from '../line-transcript.ts'
import { withoutOwnContext, withoutTagged } from '../own-context.ts'
import type { Checkpoint, TranscriptBatch, TranscriptFacts } from '../transcript.ts'

/** Reads a chat file: lines like Claude Code's around messages like Gemini's. */
export const readTranscript = (path: string, from: Checkpoint | null): AsyncGenerator<TranscriptBatch> =>
  readLineTranscript('qwen', openReader, path, from)

const text = z.string().optional().catch(undefined)
const ChatLine = z.looseObject({
  uuid: text,
  sessionId: text,
  timestamp: text,
  type: z.string(),
  subtype: text,
  provenance: text,
  cwd: text,
  version: text,
  gitBranch: text,
  isSidechain: z.boolean().optional().catch(undefined),
  message: z
    .object({ parts: z.array(z.unknown()).catch([]) })
    .optional()
    .catch(undefined),
  systemPayload: z.looseObject({ displayText: text }).optional().catch(undefined),
  toolCallResult: z.looseObject({ callId: text, status: text }).optional().catch(undefined),
})
type ChatLine = z.infer<typeof ChatLine>

type ChatState = LineState & {
  pending: Map<string, { tool: string; input: unknown }>
}

function openReader(facts: TranscriptFacts): LineReader {
  const s: ChatState = { facts, turn: null, at: null, pending: new Map() }
  return {
    read: (value) => {
      const line = ChatLine.safeParse(value).data
      if (!line) return false
      s.at = timeOf(s.facts, line.timestamp)
      s.facts.sessionId ??= line.sessionId ?? null
      s.facts.cwd ??= line.cwd ?? null
      s.facts.gitBranch = line.gitBranch || s.facts.gitBranch
      s.facts.version = line.version ?? s.facts.version
      if (line.isSidechain) return []
      switch (line.type) {
        case 'user':
          return prompt(s, line)
        case 'assistant':
          return answer(s, line)
        case 'tool_result':
          return results(s, line)
        default:
          return []
      }
    },
    openTurn: () => s.turn,
    provisionalEnds: () => (s.turn && s.turn.answer !== '' ? [turnEnd(s.turn)] : []),
  }
}

function prompt(s: ChatState, line: ChatLine): LineEvent[] {
  // Older clients write no provenance. What the client says in the person's name has another one.
  if (line.provenance !== undefined && line.provenance !== 'real_user') return []
  const typed = line.systemPayload?.displayText ?? withoutTagged(withoutOwnContext(textOf(line)), 'qwen:user-prompt-submit-context')
  if (typed.trim() === '') return []
  const before = s.turn ? [turnEnd(s.turn)] : []
  s.turn = { prompt: line.uuid ?? null, answer: '', at: s.at }
  s.pending.clear()
  return [...before, lineEvent(s, { kind: 'prompt-submitted', promptId: null, ...parsePromptText(typed) }, line.uuid ?? null)]
}

function answer(s: ChatState, line: ChatLine): LineEvent[] {
  for (const part of line.message?.parts ?? []) {
    const call = isRecord(part) ? part.functionCall : undefined
    if (isRecord(call) && typeof call.id === 'string' && typeof call.name === 'string')
      s.pending.set(call.id, { tool: call.name, input: call.args })
  }
  const said = textOf(line).trim()
  if (s.turn && said !== '') Object.assign(s.turn, { answer: said, at: s.at })
  return []
}

function results(s: ChatState, line: ChatLine): LineEvent[] {
  if (s.turn) s.turn.at = s.at
  return (line.message?.parts ?? []).flatMap((part): LineEvent[] => {
    const response = isRecord(part) && isRecord(part.functionResponse) ? part.functionResponse : {}
    const toolUseId = typeof response.id === 'string' ? response.id : (line.toolCallResult?.callId ?? '')
    const call = s.pending.get(toolUseId)
    if (!call) return []
    s.pending.delete(toolUseId)
    const { output, error } = isRecord(response.response) ? response.response : {}
    const failed = line.toolCallResult?.status === 'error' || typeof error === 'string'
    const outcome = failed
      ? { output: undefined, error: toolError(call.tool, typeof error === 'string' ? error : resultText(output)) }
      : (shellDisplay(line.toolCallResult?.resultDisplay) ?? toolResult(call.tool, resultText(output), line.toolCallResult?.resultDisplay))
    const interrupted = line.toolCallResult?.status === 'cancelled'
    const use: ReportedToolUse = { kind: 'tool-used', promptId: null, toolUseId, ...call, agentId: null, interrupted, ...outcome }
    return [lineEvent(s, use)]
  })
}

/** The output of a command, without the remarks that the client and hooks add for the model. */
function shellDisplay(display: unknown): Pick<ReportedToolUse, 'output' | 'error'> | null {
  if (!isRecord(display) || display.type !== 'shell_result' || typeof display.output !== 'string') return null
  return commandResult(display.output, typeof display.exitCode === 'number' ? display.exitCode : null)
}

/** The text of a message, without what the model thought. */
const textOf = (line: ChatLine) => resultText((line.message?.parts ?? []).filter((part) => isRecord(part) && part.thought !== true))
