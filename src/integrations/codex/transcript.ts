import { z } from 'zod'
import { isRecord, parsePromptText } from '../claude-code/payload.ts'
import { parseJson } from '../claude-code/transcript-lines.ts'
import { commandResult, type ReportedToolUse } from '../claude-dialect.ts'
import {
  type LineEvent,
  type LineReader,
  type LineState,
  type LineTurn,
  lineEvent,
  readLineTranscript,
  timeOf,
} from '../line-transcript.ts'
import type { Checkpoint, TranscriptBatch, TranscriptFacts } from '../transcript.ts'
import { codexToolUses } from './tool-uses.ts'

/** Reads a rollout file. The context that our hooks added is in it as messages of the role `developer`, which are never read. */
export const readTranscript = (path: string, from: Checkpoint | null): AsyncGenerator<TranscriptBatch> =>
  readLineTranscript('codex', openReader, path, from)

/** Every field is optional, because many versions wrote these files and the format is not documented. */
const text = z.string().optional().catch(undefined)
const RolloutLine = z.object({ timestamp: text, type: z.string(), payload: z.looseObject({}).catch({}) })
const SessionMeta = z.object({
  id: text,
  session_id: text,
  cwd: text,
  cli_version: text,
  originator: text,
  thread_source: text,
  agent_role: text,
  git: z.object({ branch: text }).optional().catch(undefined),
})
const Item = z.looseObject({
  type: text,
  id: text,
  call_id: text,
  turn_id: text,
  name: text,
  namespace: text,
  role: text,
  message: text,
  last_agent_message: text,
  root_turn_id: text,
})
type Item = z.infer<typeof Item>

/** One turn, from `task_started` to `task_complete`. */
type RolloutTurn = LineTurn & { id: string | null; rootId: string | null }
/** A call that waits for its output, and what a command that runs in the background has printed so far. */
type PendingCall = { tool: string; input: unknown; output: string }

type RolloutState = LineState<RolloutTurn> & {
  pending: Map<string, PendingCall>
  /** Commands that still run, by the number of their process. */
  background: Map<string, { callId: string; call: PendingCall }>
  /** Calls whose outcome is known from a more exact line. */
  done: Set<string>
}

function openReader(facts: TranscriptFacts): LineReader {
  const s: RolloutState = { facts, turn: null, at: null, pending: new Map(), background: new Map(), done: new Set() }
  return {
    read: (value) => {
      const line = RolloutLine.safeParse(value).data
      if (!line) return false
      s.at = timeOf(s.facts, line.timestamp)
      switch (line.type) {
        case 'session_meta':
          return readMeta(s, line.payload)
        case 'response_item':
          return readResponse(s, Item.parse(line.payload))
        case 'event_msg':
          return readEvent(s, Item.parse(line.payload))
        case 'compacted':
          return s.facts.subagent
            ? []
            : [lineEvent(s, { kind: 'compacted', promptId: promptId(s), summary: Item.parse(line.payload).message ?? '' })]
        default:
          return []
      }
    },
    openTurn: () => s.turn,
    provisionalEnds: () => (s.turn && s.turn.answer !== '' ? turnEnd(s, s.turn) : []),
  }
}

const promptId = (s: RolloutState) => (s.facts.subagent ? (s.turn?.rootId ?? null) : (s.turn?.id ?? null))

function used(
  s: RolloutState,
  toolUseId: string,
  tool: string,
  input: unknown,
  result: Pick<ReportedToolUse, 'output' | 'error'>,
): LineEvent[] {
  if (s.done.has(toolUseId)) return []
  s.done.add(toolUseId)
  s.pending.delete(toolUseId)
  const agentId = s.facts.subagent?.id ?? null
  const use: ReportedToolUse = { kind: 'tool-used', promptId: promptId(s), toolUseId, tool, input, interrupted: false, agentId, ...result }
  return codexToolUses(use).map((part) => lineEvent(s, part))
}

function readMeta(s: RolloutState, payload: unknown): LineEvent[] {
  const meta = SessionMeta.parse(payload)
  // A file that continues another session repeats that session's first line.
  if (s.facts.sessionId === null) {
    s.facts.sessionId = meta.session_id ?? meta.id ?? null
    s.facts.cwd = meta.cwd ?? null
  }
  s.facts.gitBranch = meta.git?.branch ?? s.facts.gitBranch
  s.facts.version = meta.cli_version ?? s.facts.version
  s.facts.entrypoint ??= meta.originator ?? null
  if (meta.thread_source === 'subagent') s.facts.subagent = { id: meta.id ?? 'subagent', type: meta.agent_role ?? '' }
  return []
}

function prompt(s: RolloutState, typed: string, uuid: string | null): LineEvent[] {
  if (s.facts.subagent || typed.trim() === '') return []
  s.turn ??= newTurn(s, null, null)
  s.turn.prompt ??= uuid
  return [lineEvent(s, { kind: 'prompt-submitted', promptId: promptId(s), ...parsePromptText(typed) }, uuid)]
}

function newTurn(s: RolloutState, id: string | null, rootId: string | null): RolloutTurn {
  return { id, rootId, prompt: null, answer: '', at: s.at }
}

function turnEnd(s: RolloutState, of: RolloutTurn): LineEvent[] {
  if (!s.facts.subagent) return [{ ...lineEvent(s, { kind: 'turn-ended', promptId: of.id, answer: of.answer }), turn: of.prompt }]
  const { id, type } = s.facts.subagent
  return of.answer === ''
    ? []
    : [lineEvent(s, { kind: 'subagent-ended', promptId: of.rootId, agentId: id, agentType: type, answer: of.answer })]
}

function endTurn(s: RolloutState, answer: string | undefined): LineEvent[] {
  const events = [...s.background.values()].flatMap(({ callId, call }) =>
    used(s, callId, call.tool, call.input, { output: call.output, error: null }),
  )
  s.background.clear()
  s.pending.clear()
  if (s.turn) {
    s.turn.answer = answer?.trim() || s.turn.answer
    events.push(...turnEnd(s, s.turn))
  }
  s.turn = null
  return events
}

/** The outcome of a call as the client saw it, with the exit code. In code mode only these lines name the calls that a script made. */
function completedItem(s: RolloutState, item: Record<string, unknown>): LineEvent[] {
  const id = typeof item.id === 'string' ? item.id : ''
  switch (item.type) {
    case 'UserMessage':
      return prompt(s, contentText(item.content), id)
    case 'AgentMessage':
      if (s.turn) s.turn.answer = contentText(item.content).trim() || s.turn.answer
      return []
    case 'CommandExecution': {
      const command = s.pending.get(id)?.input ?? { command: commandLine(item.command) }
      const exitCode = typeof item.exit_code === 'number' ? item.exit_code : null
      return used(s, id, 'Bash', command, commandResult(String(item.aggregated_output ?? ''), exitCode))
    }
    case 'FileChange': {
      const call = s.pending.get(id)
      const failed = item.status !== undefined && item.status !== 'completed'
      const printed = [item.stdout, item.stderr].filter((part) => typeof part === 'string' && part !== '').join('\n')
      const result = failed ? { output: undefined, error: printed || 'The patch was not applied.' } : { output: printed, error: null }
      return used(s, id, 'apply_patch', call?.input ?? { command: patchOfChanges(item.changes, s.facts.cwd) }, result)
    }
    case 'McpToolCall': {
      const tool = `mcp__${String(item.server)}__${String(item.tool)}`
      const error = isRecord(item.error) ? String(item.error.message ?? 'failed') : typeof item.error === 'string' ? item.error : null
      return used(s, id, tool, item.arguments, error === null ? { output: item.result, error: null } : { output: undefined, error })
    }
    default:
      return []
  }
}

function startCall(s: RolloutState, item: Item, input: unknown): LineEvent[] {
  const id = item.call_id
  if (id === undefined || item.name === undefined) return []
  const tool = item.namespace?.startsWith('mcp__') ? `${item.namespace}__${item.name}` : (TOOL_NAMES[item.name] ?? item.name)
  s.pending.set(id, { tool, input: tool === 'Bash' ? { command: commandOf(input) } : input, output: '' })
  return []
}

function endCall(s: RolloutState, item: Item): LineEvent[] {
  const id = item.call_id ?? ''
  const call = s.pending.get(id)
  if (!call || UNREPORTED_TOOLS.has(call.tool)) return call?.tool === 'write_stdin' ? moreOutput(s, call, contentText(item.output)) : []
  const printed = contentText(item.output)
  if (call.tool !== 'Bash') return used(s, id, call.tool, call.input, { output: printed, error: null })
  const ran = shellOutput(printed)
  if (ran.process === null) return used(s, id, 'Bash', call.input, commandResult(ran.output, ran.exitCode))
  s.background.set(ran.process, { callId: id, call: { ...call, output: ran.output } })
  return []
}

/** A command that went on in the background: the agent asks for the rest of its output. */
function moreOutput(s: RolloutState, asked: PendingCall, printed: string): LineEvent[] {
  const process = isRecord(asked.input) ? String(asked.input.session_id) : ''
  const waiting = s.background.get(process)
  if (!waiting) return []
  const ran = shellOutput(printed)
  waiting.call.output += ran.output
  if (ran.process !== null) return []
  s.background.delete(process)
  return used(s, waiting.callId, 'Bash', waiting.call.input, commandResult(waiting.call.output, ran.exitCode))
}

function readResponse(s: RolloutState, item: Item): LineEvent[] {
  switch (item.type) {
    case 'function_call':
      return startCall(s, item, parseJson(String(item.arguments ?? '')) ?? {})
    case 'custom_tool_call':
      return startCall(s, item, { command: String(item.input ?? '') })
    case 'local_shell_call':
      return startCall(s, { ...item, name: 'shell' }, isRecord(item.action) ? item.action : {})
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
      return endCall(s, item)
    case 'message':
      if (item.role === 'assistant' && s.turn) s.turn.answer = contentText(item.content).trim() || s.turn.answer
      return []
    default:
      return []
  }
}

function readEvent(s: RolloutState, item: Item): LineEvent[] {
  switch (item.type) {
    case 'task_started': {
      const before = endTurn(s, undefined)
      s.turn = newTurn(s, item.turn_id ?? null, item.root_turn_id ?? null)
      return before
    }
    case 'user_message':
      // Old clients wrote no id, but no two lines of a file have the same time.
      return prompt(s, item.message ?? '', s.facts.sessionId && s.at ? `${s.facts.sessionId}:${s.at}` : null)
    case 'agent_message':
      if (s.turn) s.turn.answer = item.message?.trim() || s.turn.answer
      return []
    case 'item_completed':
      return isRecord(item.item) ? completedItem(s, item.item) : []
    case 'web_search_end':
      return used(s, item.call_id ?? '', 'web_search', { query: String(item.query ?? '') }, { output: '', error: null })
    case 'mcp_tool_call_end':
      return endMcpCall(s, item)
    case 'patch_apply_end': {
      const call = s.pending.get(item.call_id ?? '')
      const printed = [item.stdout, item.stderr].filter((part) => typeof part === 'string' && part !== '').join('\n')
      if (!call) return []
      const result = item.success === false ? { output: undefined, error: printed || 'failed' } : { output: printed, error: null }
      return used(s, item.call_id ?? '', call.tool, call.input, result)
    }
    case 'task_complete':
      return endTurn(s, item.last_agent_message)
    case 'turn_aborted':
      return endTurn(s, undefined)
    default:
      return []
  }
}

function endMcpCall(s: RolloutState, item: Item): LineEvent[] {
  const call = s.pending.get(item.call_id ?? '')
  if (!call || !isRecord(item.result)) return []
  const { Ok, Err } = item.result
  return used(
    s,
    item.call_id ?? '',
    call.tool,
    call.input,
    Err === undefined ? { output: Ok, error: null } : { output: undefined, error: String(Err) },
  )
}

/** What hooks call the tools that run commands. */
const TOOL_NAMES: Record<string, string> = { exec_command: 'Bash', shell: 'Bash', shell_command: 'Bash', local_shell: 'Bash' }

/** The outer call of a script (its inner calls are reported on their own), and calls that only wait for a command. */
const UNREPORTED_TOOLS = new Set(['exec', 'write_stdin', 'wait'])

function commandOf(input: unknown): string {
  const fields = isRecord(input) ? input : {}
  return commandLine(fields.cmd ?? fields.command)
}

/** A command is text, or a list of words that ends with what a shell is to run. */
function commandLine(command: unknown): string {
  if (!Array.isArray(command)) return typeof command === 'string' ? command : ''
  const words = command.map(String)
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '')
  return isShell ? (words[2] ?? '') : words.join(' ')
}

/** The text of a message or of an output, which may come in parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : [])).join('\n')
}

/** Parses the shell tool's report to the model: a few lines about the run, then the output. `process` is its number while it still runs. */
function shellOutput(printed: string): { output: string; exitCode: number | null; process: string | null } {
  const start = printed.indexOf('Output:\n')
  const head = start < 0 ? '' : printed.slice(0, start)
  if (!/^(?:Chunk ID|Wall time|Exit code|Process )/.test(head)) return { ...parsedShellJson(printed), process: null }
  const code = /(?:Process exited with code|Exit code:) (-?\d+)/.exec(head)?.[1]
  const process = /Process running with session ID (\d+)/.exec(head)?.[1] ?? null
  return { output: printed.slice(start + 'Output:\n'.length), exitCode: code === undefined ? null : Number(code), process }
}

/** An older form: JSON with the output and the exit code. */
function parsedShellJson(printed: string): { output: string; exitCode: number | null } {
  const value = printed.startsWith('{') ? parseJson(printed) : undefined
  if (!isRecord(value) || typeof value.output !== 'string') return { output: printed, exitCode: null }
  const code = isRecord(value.metadata) ? value.metadata.exit_code : undefined
  return { output: value.output, exitCode: typeof code === 'number' ? code : null }
}

/** The patch of a script's call, which has no text of its own, from the changes that it made. */
function patchOfChanges(changes: unknown, folder: string | null): string {
  if (!isRecord(changes)) return ''
  const parts = Object.entries(changes).map(([path, change]) => {
    const file = folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
    const fields = isRecord(change) ? change : {}
    if (fields.type === 'add') return `*** Add File: ${file}\n${prefixed('+', fields.content)}`
    if (fields.type === 'delete') return `*** Delete File: ${file}\n`
    return `*** Update File: ${file}\n${String(fields.unified_diff ?? '')}`
  })
  return `*** Begin Patch\n${parts.join('')}*** End Patch\n`
}

const prefixed = (mark: string, content: unknown) =>
  String(content ?? '')
    .split('\n')
    .map((line) => `${mark}${line}\n`)
    .join('')
