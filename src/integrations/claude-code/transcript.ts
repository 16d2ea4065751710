import { z } from 'zod'
import type { SessionEvent } from '../../core/event.ts'
import { asContentSessionId } from '../../core/ids.ts'
import { regularFileBytes } from '../../platform/files.ts'
import type { Checkpoint, TranscriptBatch, TranscriptFacts, TranscriptItem } from '../transcript.ts'
import { answerText, isRecord, parsePromptText, parseToolFailure, SessionIdSchema, usefulOutput, wasInterrupted } from './payload.ts'
import { parseJson, readTranscriptBytes, salvageObjects, splitTranscriptLines } from './transcript-lines.ts'

/**
 * Reads a transcript as the events that hooks would have delivered. Batches of about 256 KB keep memory small. The last batch comes even
 * when it is empty, and contains the provisional ends. A missing file gives no batch; a file that became shorter is read from its start. An
 * incomplete last line waits for the next read.
 */
export async function* readTranscript(path: string, from: Checkpoint | null): AsyncGenerator<TranscriptBatch> {
  const size = await regularFileBytes(path)
  if (size === null) return
  const packed = path.endsWith('.gz')
  const continues = from !== null && !packed && from.offset <= size
  // The checkpoint of an older version may lack fields.
  const state = continues ? { ...freshState(), ...structuredClone(from.state) } : freshState()
  let offset = continues ? from.offset : 0
  let reported = offset
  let resume = checkpointWithoutText(offset, state)
  let items: TranscriptItem[] = []
  const batch = (): TranscriptBatch => {
    const { facts, unreadable } = state
    const done = {
      items,
      checkpoint: structuredClone({ offset, state }),
      resume,
      facts: { ...facts },
      unreadable,
      bytes: offset - reported,
    }
    items = []
    reported = offset
    return done
  }
  for await (const line of splitTranscriptLines(readTranscriptBytes(path, offset, packed), packed)) {
    const [before, start] = [openWork(state), offset]
    offset += line.bytes
    if (line.text === null) state.unreadable++
    else items.push(...readLine(state, line.text, path))
    const open = openWork(state)
    if (open === null) resume = checkpointWithoutText(offset, state)
    else if (open !== before) resume = checkpointWithoutText(start, state)
    if (offset - reported >= BATCH_BYTES) yield batch()
  }
  items.push(...provisionalEnds(state, path))
  await resolveTitle(state, path, packed)
  yield batch()
}

const BATCH_BYTES = 256 * 1024

/**
 * Old clients also wrote the names of other sessions into a file. A name belongs to this session when it refers to a line of this file,
 * which may come before or after it. The newest such name wins; the others stay pending. Only files with such names are searched.
 */
async function resolveTitle(state: TranscriptState, path: string, packed: boolean): Promise<void> {
  if (state.names.length === 0) return
  const wanted = new Set(state.names.map(({ leaf }) => leaf))
  const found = new Set<string>()
  for await (const { text } of splitTranscriptLines(readTranscriptBytes(path, 0, packed), packed))
    for (const leaf of wanted) if (text?.includes(`"uuid":${JSON.stringify(leaf)}`)) found.add(leaf)
  const own = state.names.findLastIndex(({ leaf }) => found.has(leaf))
  state.facts.title = state.names[own]?.title ?? state.facts.title
  state.names = state.names.slice(own + 1)
}

/** The turn, subagent run or command that has begun and may go on. */
const openWork = (state: TranscriptState) => state.turn ?? state.run ?? state.command

/** A checkpoint with the facts about the session, but without any text from it. */
function checkpointWithoutText(offset: number, { facts, titledByPerson, unreadable, promptId }: TranscriptState): Checkpoint {
  const state: TranscriptState = { ...freshState(), facts: { ...facts, title: null }, titledByPerson, unreadable, promptId }
  return { offset, state }
}

/** The transcripts of a session's subagents. A compaction runs as one too, but adds nothing new. */
export async function subagentTranscripts(path: string): Promise<string[]> {
  const folder = `${path.slice(0, path.lastIndexOf('/') + 1)}${sessionNameOf(path)}/subagents`
  const found: string[] = []
  try {
    for await (const name of new Bun.Glob('**/agent-*.jsonl').scan({ cwd: folder })) found.push(`${folder}/${name}`)
  } catch (cause) {
    // Most sessions have no subagents, and so no such folder.
    if (!isRecord(cause) || cause.code !== 'ENOENT') throw new Error(`could not list ${folder}`, { cause })
  }
  return found.filter((file) => !file.includes('/agent-acompact-')).sort()
}

/** Everything from earlier lines that is needed to understand the next one. */
type TranscriptState = {
  facts: TranscriptFacts
  titledByPerson: boolean
  /** Names that may be of this session: each refers to a line that has not been found in this file yet. */
  names: { title: string; leaf: string }[]
  unreadable: number
  /** The newest prompt id on any line of the main conversation, prompts or not. */
  promptId: string | null
  turn: TranscriptTurn | null
  /** The current run, in the file of a subagent. */
  run: SubagentRun | null
  /** Tool uses without a result so far. */
  pending: Record<string, { tool: string; input: unknown }>
  /** A slash command. It is a prompt if the model answers next, and nothing if the client answers it itself. */
  command: { line: TranscriptLineHeader; text: string } | null
}

type TranscriptTurn = {
  promptId: string | null
  /** Id of the line that opened it; null for a turn without a prompt (the model commenting on the output of a `!` command). */
  prompt: string | null
  /** The agent's message since the last tool result, and its text parts: the client writes each part on a line of its own. */
  message: string | null
  texts: string[]
  /** Id of the agent's last line. */
  lastUuid: string | null
  ended: boolean
  /** The last line that counted. */
  last: TranscriptLineHeader
}

type SubagentRun = TranscriptTurn & { agentId: string; agentType: string }

/** The fields of a line that an event needs. */
type TranscriptLineHeader = Pick<ClaudeTranscriptLine, 'uuid' | 'timestamp' | 'sessionId' | 'cwd' | 'promptId'>

function freshState(): TranscriptState {
  const facts = { sessionId: null, cwd: null, gitBranch: null, version: null, entrypoint: null, title: null, firstAt: null, lastAt: null }
  return { facts, titledByPerson: false, names: [], unreadable: 0, promptId: null, turn: null, run: null, pending: {}, command: null }
}

/** Every field is optional, because many versions of the client write these lines and the format is not documented. */
const text = z.string().optional().catch(undefined)
const flag = z.boolean().optional().catch(undefined)

const ClaudeTranscriptLine = z.object({
  type: z.string(),
  subtype: text,
  uuid: text,
  timestamp: text,
  sessionId: SessionIdSchema().optional().catch(undefined),
  cwd: text,
  gitBranch: text,
  version: text,
  entrypoint: text,
  promptId: text,
  agentId: text,
  attributionAgent: text,
  isSidechain: flag,
  isMeta: flag,
  isCompactSummary: flag,
  isApiErrorMessage: flag,
  message: z.object({ id: text, model: text, content: z.unknown().optional() }).optional().catch(undefined),
  toolUseResult: z.unknown().optional(),
  attachment: z.object({ type: text, prompt: z.unknown().optional(), commandMode: text }).optional().catch(undefined),
  customTitle: text,
  aiTitle: text,
  summary: text,
  leafUuid: text,
})
type ClaudeTranscriptLine = z.infer<typeof ClaudeTranscriptLine>

function readLine(state: TranscriptState, written: string, path: string): TranscriptItem[] {
  if (written.trim() === '') return []
  const whole = parseJson(written)
  const { objects, torn } = whole === undefined ? salvageObjects(written) : { objects: [whole], torn: 0 }
  state.unreadable += torn
  return objects.flatMap((object) => {
    const line = ClaudeTranscriptLine.safeParse(object).data
    if (!line) {
      state.unreadable++
      return []
    }
    updateFacts(state, line)
    return eventsOf(state, line).map((event) => toItem(state, event, path, false))
  })
}

function updateFacts(state: TranscriptState, line: ClaudeTranscriptLine): void {
  const { facts } = state
  facts.sessionId ??= line.sessionId ?? null
  facts.cwd ??= line.cwd ?? null
  facts.gitBranch = line.gitBranch || facts.gitBranch
  facts.version = line.version ?? facts.version
  facts.entrypoint ??= line.entrypoint ?? null
  updateTitle(state, line)
  const at = line.timestamp ? Date.parse(line.timestamp) : Number.NaN
  if (Number.isNaN(at)) return
  facts.firstAt = Math.min(facts.firstAt ?? at, at)
  facts.lastAt = Math.max(facts.lastAt ?? at, at)
}

function updateTitle(state: TranscriptState, { type, customTitle, aiTitle, summary, leafUuid }: ClaudeTranscriptLine): void {
  const given = type === 'custom-title' ? customTitle : type === 'ai-title' && !state.titledByPerson ? aiTitle : undefined
  if (given) {
    state.facts.title = given
    state.names = []
    state.titledByPerson ||= type === 'custom-title'
  }
  if (type === 'summary' && summary && leafUuid && !state.titledByPerson)
    state.names = [...state.names, { title: summary, leaf: leafUuid }].slice(-MAX_PENDING_TITLES)
}

/** No client wrote more of them, and the checkpoint must stay small. */
const MAX_PENDING_TITLES = 20

/** An event and its line. */
type TranscriptEvent = { event: SessionEvent; line: TranscriptLineHeader; turn: TranscriptTurn | null }

function toItem({ facts }: TranscriptState, { event, line, turn }: TranscriptEvent, path: string, provisional: boolean): TranscriptItem {
  const at = line.timestamp ? Date.parse(line.timestamp) : Number.NaN
  // A subagent's tool uses belong to the session that started it, so this file is not their transcript.
  const ofSession = event.kind !== 'tool-used' || event.agentId === null
  return {
    event: {
      ...event,
      agent: 'claude-code',
      session: asContentSessionId(line.sessionId ?? facts.sessionId ?? sessionNameOf(path)),
      at: Number.isNaN(at) ? (facts.lastAt ?? 0) : at,
      cwd: line.cwd ?? facts.cwd,
      transcript: ofSession ? path : null,
    },
    uuid: line.uuid ?? null,
    turn: turn?.prompt ?? null,
    provisional,
    // `HEAD` means a detached head, which has no branch.
    branch: facts.gitBranch === 'HEAD' ? null : facts.gitBranch,
  }
}

/** The client names a transcript after its session. */
function sessionNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.jsonl(\.gz)?$/, '')
}

function eventsOf(state: TranscriptState, line: ClaudeTranscriptLine): TranscriptEvent[] {
  switch (line.type) {
    case 'user':
      if (line.isSidechain) return subagentUserLine(state, line)
      return line.isCompactSummary ? compactionEvents(state, line) : userLine(state, line)
    case 'assistant':
      return line.isSidechain ? subagentAssistantLine(state, line) : assistantLine(state, line)
    case 'attachment': {
      const { type, commandMode = '', prompt } = line.attachment ?? {}
      const typed = type === 'queued_command' && QUEUED_PROMPTS.has(commandMode) && !line.isSidechain ? textOf(prompt) : ''
      return typed ? promptEvents(state, line, typed) : []
    }
    case 'system':
      if (line.isSidechain) return []
      if (line.subtype === 'stop_hook_summary' || line.subtype === 'turn_duration') return endTurn(state.turn)
      if (line.subtype === 'local_command') state.command = null
      return []
    default:
      return []
  }
}

/** Attachments that wait during a turn and are then shown to the model: prompts of a person, and notices of the client. */
const QUEUED_PROMPTS = new Set(['prompt', 'task-notification'])

function userLine(state: TranscriptState, line: ClaudeTranscriptLine): TranscriptEvent[] {
  state.promptId = line.promptId ?? state.promptId
  const content = line.message?.content
  const used = toolResults(state, line, state.turn)
  if (line.isMeta) return used
  const typed = textOf(content)
  if (typed.startsWith('[Request interrupted by user')) return [...used, ...endTurn(state.turn)]
  if (LOCAL_TEXT.test(typed)) {
    state.command = null
    return used
  }
  const command = commandText(typed)
  if (command !== null) {
    state.command = { line: headerOf(line), text: command }
    return used
  }
  if (typed === '' && !blocksOf(content).some((block) => block.type === 'image')) return used
  // Old clients put a prompt that was typed during a turn beside the next tool result.
  if (blocksOf(content).some((block) => block.type === 'tool_result')) return [...used, ...promptEvents(state, line, typed)]
  return openTurn(state, line, typed)
}

/** Output of the client, or of a command that it ran without the model: not a prompt, and it ends a waiting slash command. */
const LOCAL_TEXT = /^<(?:local-command-|bash-|user-memory-input)/

/** `/review src/a.ts` from the tags in which a transcript stores a slash command; null for other text. */
function commandText(typed: string): string | null {
  if (!/^<command-(?:name|message)>/.test(typed)) return null
  const tagged = (tag: string) => {
    const start = typed.indexOf(`<${tag}>`)
    const end = typed.lastIndexOf(`</${tag}>`)
    return start < 0 || end < start ? '' : typed.slice(start + tag.length + 2, end)
  }
  return `${tagged('command-name').trim()} ${tagged('command-args').trim()}`.trim()
}

/** A new turn ends the one before it, whose pending tool uses can no longer get a result. */
function openTurn(state: TranscriptState, line: TranscriptLineHeader, typed: string): TranscriptEvent[] {
  const before = endTurn(state.turn)
  state.command = null
  state.pending = {}
  state.turn = newTurn(line, line.promptId ?? null, line.uuid ?? null)
  return [...before, ...promptEvents(state, line, typed)]
}

function newTurn(line: TranscriptLineHeader, promptId: string | null, prompt: string | null): TranscriptTurn {
  return { promptId, prompt, message: null, texts: [], lastUuid: null, ended: false, last: headerOf(line) }
}

function headerOf({ uuid, timestamp, sessionId, cwd, promptId }: TranscriptLineHeader): TranscriptLineHeader {
  return { uuid, timestamp, sessionId, cwd, promptId }
}

/** A prompt of the current turn: the one that opened it, or one that was typed while it ran. */
function promptEvents(state: TranscriptState, line: TranscriptLineHeader, typed: string): TranscriptEvent[] {
  const promptId = line.promptId ?? state.turn?.promptId ?? null
  return [{ event: { kind: 'prompt-submitted', promptId, ...parsePromptText(typed) }, line, turn: state.turn }]
}

function compactionEvents(state: TranscriptState, line: ClaudeTranscriptLine): TranscriptEvent[] {
  const promptId = line.promptId ?? state.turn?.promptId ?? null
  const summary = textOf(line.message?.content)
  return [{ event: { kind: 'compacted', promptId, summary }, line, turn: state.turn }]
}

function assistantLine(state: TranscriptState, line: ClaudeTranscriptLine): TranscriptEvent[] {
  if (line.message?.model === '<synthetic>' && !line.isApiErrorMessage) return []
  const events: TranscriptEvent[] = []
  if (state.command) events.push(...openTurn(state, state.command.line, state.command.text))
  // The model answers without a prompt: this is the turn of a `!` command, which has an id of its own.
  if (!state.turn || (state.turn.ended && state.promptId !== state.turn.promptId)) state.turn = newTurn(line, state.promptId, null)
  recordAssistantLine(state, state.turn, line)
  return events
}

/** Records the agent's text and its tool calls. */
function recordAssistantLine(state: TranscriptState, turn: TranscriptTurn, line: ClaudeTranscriptLine): void {
  // A client that was interrupted while writing may write the same line twice.
  const isRepeated = line.uuid !== undefined && line.uuid === turn.lastUuid
  turn.lastUuid = line.uuid ?? null
  turn.ended = false
  turn.last = headerOf(line)
  if (line.isApiErrorMessage || isRepeated) return
  for (const block of blocksOf(line.message?.content)) {
    if (block.type === 'tool_use' && typeof block.id === 'string' && typeof block.name === 'string') {
      state.pending[block.id] = { tool: block.name, input: block.input }
      // Uses that never get a result must not pile up in the checkpoint. No turn has this many open at once.
      const [oldest, ...others] = Object.keys(state.pending)
      if (oldest !== undefined && others.length >= MAX_PENDING_TOOL_USES) delete state.pending[oldest]
    } else if (block.type === 'text' && typeof block.text === 'string') {
      const message = line.message?.id ?? null
      turn.texts = message !== null && message === turn.message ? [...turn.texts, block.text] : [block.text]
      turn.message = message
    }
  }
}

const MAX_PENDING_TOOL_USES = 200

/** The tool uses whose results are on this line. A result without a known use says too little to keep. */
function toolResults(state: TranscriptState, line: ClaudeTranscriptLine, turn: TranscriptTurn | null): TranscriptEvent[] {
  const results = blocksOf(line.message?.content).filter((block) => block.type === 'tool_result')
  const events = results.flatMap((result): TranscriptEvent[] => {
    const toolUseId = typeof result.tool_use_id === 'string' ? result.tool_use_id : ''
    const use = Object.hasOwn(state.pending, toolUseId) ? state.pending[toolUseId] : undefined
    if (!use) return []
    delete state.pending[toolUseId]
    const answer = textOf(result.content)
    // A line has one structured result at most. It surely belongs to this result only when the line has no other.
    const structured = typeof line.toolUseResult === 'object' && line.toolUseResult !== null && results.length === 1
    const interrupted = wasInterrupted(line.toolUseResult)
    const outcome =
      result.is_error === true
        ? { output: undefined, ...parseToolFailure(answer, interrupted) }
        : { output: structured ? usefulOutput(use.tool, line.toolUseResult) : answer, error: null, interrupted }
    const event: SessionEvent = {
      kind: 'tool-used',
      promptId: line.promptId ?? turn?.promptId ?? null,
      toolUseId,
      ...use,
      ...outcome,
      agentId: line.isSidechain ? (line.agentId ?? 'subagent') : null,
    }
    return [{ event, line, turn }]
  })
  if (turn && results.length > 0) Object.assign(turn, { message: null, texts: [], last: headerOf(line) })
  return events
}

function endTurn(turn: TranscriptTurn | null): TranscriptEvent[] {
  if (!turn || turn.ended) return []
  turn.ended = true
  return [turnEnd(turn)]
}

function turnEnd(turn: TranscriptTurn): TranscriptEvent {
  return { event: { kind: 'turn-ended', promptId: turn.promptId, answer: answerOf(turn) }, line: turn.last, turn }
}

function answerOf(turn: TranscriptTurn): string {
  return answerText(turn.texts.join('\n'))
}

/** A subagent's lines carry its id. Very old clients mixed lines without one into the main file; of those only the tool uses count. */
function subagentAssistantLine(state: TranscriptState, line: ClaudeTranscriptLine): TranscriptEvent[] {
  const { agentId } = line
  if (agentId === undefined) {
    recordAssistantLine(state, newTurn(line, null, null), line)
    return []
  }
  const before = state.run && state.run.agentId !== agentId ? endRun(state) : []
  state.run ??= { ...newTurn(line, line.promptId ?? state.promptId, null), agentId, agentType: '' }
  state.run.agentType ||= line.attributionAgent ?? ''
  recordAssistantLine(state, state.run, line)
  return before
}

/** A subagent's task is not a prompt of a person, but a new task ends the run before it. */
function subagentUserLine(state: TranscriptState, line: ClaudeTranscriptLine): TranscriptEvent[] {
  state.promptId = line.promptId ?? state.promptId
  const used = toolResults(state, line, state.run)
  return used.length > 0 || line.isMeta ? used : endRun(state)
}

function endRun(state: TranscriptState): TranscriptEvent[] {
  const { run } = state
  state.run = null
  return run && answerOf(run) ? [runEnd(run)] : []
}

function runEnd(run: SubagentRun): TranscriptEvent {
  const { promptId, agentId, agentType, last } = run
  return {
    event: { kind: 'subagent-ended', promptId, agentId, agentType, answer: answerOf(run) },
    line: last,
    turn: null,
  }
}

/** How the open turn would end if nothing more came. The state stays unchanged, so a later read can end the turn. */
function provisionalEnds(state: TranscriptState, path: string): TranscriptItem[] {
  const { turn, run } = state
  const ends = [...(turn && !turn.ended && answerOf(turn) ? [turnEnd(turn)] : []), ...(run && answerOf(run) ? [runEnd(run)] : [])]
  return ends.map((end) => toItem(state, end, path, true))
}

/** The text parts of a message or a tool result, without those that the client added. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content.trim()
  const texts = blocksOf(content).flatMap((block) => (block.type === 'text' && typeof block.text === 'string' ? [block.text] : []))
  return texts
    .filter((part) => !/^\s*<(?:ide_|system-reminder>)/.test(part))
    .join('\n')
    .trim()
}

function blocksOf(content: unknown): Record<string, unknown>[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isRecord) : []
}
