import { z } from 'zod'
import type { AgentEvent, SessionEvent } from '../../core/event.ts'
import { asContentSessionId } from '../../core/ids.ts'
import { compactSummary, isRecord, parsePromptText, parseToolFailure, SessionIdSchema, usefulOutput, wasInterrupted } from './payload.ts'
import { parseJson, readTranscriptBytes, salvageObjects, splitTranscriptLines } from './transcript-lines.ts'

/** One event of a transcript, and the lines it stands on. */
export type TranscriptItem = {
  event: AgentEvent
  /** The line's own id. A fork copies its parent's lines with their ids and times, so an id seen in another file is a copy. */
  uuid: string | null
  /** The id of the prompt line that opened the turn: in a fork all copied turns share one `promptId`, and old clients have none. */
  turn: string | null
  /** True for an end that was only the end of the file: the turn may go on, and a later read may tell another answer. */
  provisional: boolean
  /** The git branch the client stood on. */
  branch: string | null
}

/** What the lines say about the session as a whole, as far as they have been read. */
export type TranscriptFacts = {
  sessionId: string | null
  /** Where the session began; later lines drift with `cd`. */
  cwd: string | null
  gitBranch: string | null
  version: string | null
  entrypoint: string | null
  /** The name a person gave it, else the newest the client gave it. */
  title: string | null
  firstAt: number | null
  lastAt: number | null
}

/** Where a read stopped. Plain JSON; a later read that is given it goes on as if there had been no pause. */
export type Checkpoint = { offset: number; state: TranscriptState }

export type TranscriptBatch = {
  items: TranscriptItem[]
  checkpoint: Checkpoint
  /**
   * Where to go on after a pause that outlives the process: the beginning of the turn that is open, and nothing that anybody said.
   * What is kept on disk must not hold what the door of capture has not looked at.
   */
  resume: Checkpoint
  facts: TranscriptFacts
  /** Lines no one can read, since the beginning of the file. */
  unreadable: number
  /** How far this batch moved, in bytes (of the unpacked text, for a packed file). */
  bytes: number
}

/**
 * Reads a transcript and tells it as the events its hooks would have sent, in batches of about 256 KB, so that a file of any
 * size needs little memory. The last batch comes even when nothing was new, and holds the provisional ends. A file that is gone
 * gives no batch; one that became shorter is read from its beginning. A last line still being written waits for the next read.
 */
export async function* readTranscript(path: string, from: Checkpoint | null): AsyncGenerator<TranscriptBatch> {
  const file = Bun.file(path)
  if (!(await file.exists())) return
  const packed = path.endsWith('.gz')
  const goesOn = from !== null && !packed && from.offset <= file.size
  // What an older version kept knows less.
  const state = goesOn ? { ...freshState(), ...structuredClone(from.state) } : freshState()
  let offset = goesOn ? from.offset : 0
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
 * Old clients wrote names of other sessions into a file too, often on its first line. The newest that names a line of this file, which may
 * come before or behind it, is the session's own; the others wait for their line. Only a file with such names is looked through for it.
 */
async function resolveTitle(state: TranscriptState, path: string, packed: boolean): Promise<void> {
  if (state.names.length === 0) return
  const sought = new Set(state.names.map(({ leaf }) => leaf))
  const found = new Set<string>()
  for await (const { text } of splitTranscriptLines(readTranscriptBytes(path, 0, packed), packed))
    for (const leaf of sought) if (text?.includes(`"uuid":${JSON.stringify(leaf)}`)) found.add(leaf)
  const own = state.names.findLastIndex(({ leaf }) => found.has(leaf))
  state.facts.title = state.names[own]?.title ?? state.facts.title
  state.names = state.names.slice(own + 1)
}

/** What has begun and may go on. */
const openWork = (state: TranscriptState) => state.turn ?? state.run ?? state.command

/** A place to go on from, with what is known of the session and without a word of what was said in it. */
function checkpointWithoutText(offset: number, { facts, titledByPerson, unreadable, promptId }: TranscriptState): Checkpoint {
  return { offset, state: { ...freshState(), facts: { ...facts, title: null }, titledByPerson, unreadable, promptId } }
}

/** The transcripts of the subagents a session started. A compaction runs as one too, and has nothing of its own to tell. */
export async function subagentTranscripts(path: string): Promise<string[]> {
  const folder = `${path.slice(0, path.lastIndexOf('/') + 1)}${sessionNameOf(path)}/subagents`
  const found: string[] = []
  try {
    for await (const name of new Bun.Glob('**/agent-*.jsonl').scan({ cwd: folder })) found.push(`${folder}/${name}`)
  } catch (cause) {
    // Most sessions have no subagents, and then no folder for them.
    if (!isRecord(cause) || cause.code !== 'ENOENT') throw new Error(`could not list ${folder}`, { cause })
  }
  return found.filter((file) => !file.includes('/agent-acompact-')).sort()
}

/** Which agent wrote a file; packed files are looked into. */
export async function detectTranscriptFormat(path: string): Promise<ReturnType<typeof transcriptFormat>> {
  const decoder = new TextDecoder()
  let head = ''
  for await (const chunk of readTranscriptBytes(path, 0, path.endsWith('.gz'))) {
    head += decoder.decode(chunk, { stream: true })
    if (head.length >= 4096) break
  }
  return transcriptFormat(head)
}

/** Which agent wrote a file, by its first lines (they may be cut off). People keep transcripts of several agents side by side. */
export function transcriptFormat(firstLines: string): 'claude-code' | 'codex' | 'copilot-cli' | 'unknown' {
  for (const line of firstLines.split('\n')) {
    // Inside a string the quotes would be escaped, so these can only be fields.
    if (/"type":\s*"(?:session_meta|response_item|event_msg|turn_context)"/.test(line)) return 'codex'
    if (/"type":\s*"[a-z]+\.[a-z_]+","data":/.test(line)) return 'copilot-cli'
    if (/"(?:sessionId|leafUuid|isSnapshotUpdate)":/.test(line)) return 'claude-code'
  }
  return 'unknown'
}

/** Everything that must be known of earlier lines to understand the next one. */
type TranscriptState = {
  facts: TranscriptFacts
  titledByPerson: boolean
  /** Names the client gave since the title, each to the conversation that ends with a line; nobody knows yet whether it is one of this file. */
  names: { title: string; leaf: string }[]
  unreadable: number
  /** The newest prompt id on any line of the main conversation, prompts or not. */
  promptId: string | null
  turn: TranscriptTurn | null
  /** The run of the subagent, in a subagent's own file. */
  run: SubagentRun | null
  /** Tool uses that have no result yet. */
  pending: Record<string, { tool: string; input: unknown }>
  /** A slash command that is a prompt if the model is asked next, and nothing if the client answers it by itself. */
  command: { place: TranscriptLineHeader; text: string } | null
}

type TranscriptTurn = {
  promptId: string | null
  /** Id of the line that opened it; null when no prompt did (a `!` command whose output the model then spoke about). */
  prompt: string | null
  /** What the agent said since the last tool result, by message: the client writes one line for each part of a message. */
  message: string | null
  said: string[]
  /** The agent's line that was heard last. */
  heard: string | null
  ended: boolean
  /** The last line that counted. */
  last: TranscriptLineHeader
}

type SubagentRun = TranscriptTurn & { agentId: string; agentType: string }

/** What an event takes from the line it stands on. */
type TranscriptLineHeader = Pick<ClaudeTranscriptLine, 'uuid' | 'timestamp' | 'sessionId' | 'cwd' | 'promptId'>

function freshState(): TranscriptState {
  const facts = { sessionId: null, cwd: null, gitBranch: null, version: null, entrypoint: null, title: null, firstAt: null, lastAt: null }
  return { facts, titledByPerson: false, names: [], unreadable: 0, promptId: null, turn: null, run: null, pending: {}, command: null }
}

/** Optional everywhere: many versions of the client have written such lines, and none of them promised a thing. */
const text = z.string().optional().catch(undefined)
const flag = z.boolean().optional().catch(undefined)

const ClaudeTranscriptLine = z.object({
  type: z.string(),
  subtype: text,
  uuid: text,
  timestamp: text,
  sessionId: SessionIdSchema.optional().catch(undefined),
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
    return eventsOf(state, line).map((told) => toItem(state, told, path, false))
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

/** More names of other sessions no client wrote; the checkpoint must stay small. */
const MAX_PENDING_TITLES = 20

/** An event and the line it stands on. */
type TranscriptEvent = { event: SessionEvent; line: TranscriptLineHeader; turn: TranscriptTurn | null }

function toItem({ facts }: TranscriptState, { event, line, turn }: TranscriptEvent, path: string, provisional: boolean): TranscriptItem {
  const at = line.timestamp ? Date.parse(line.timestamp) : Number.NaN
  // A subagent's file is the transcript of its own end only: its tool uses belong to the session that started it.
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
    // A detached head is on no branch.
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

/** What can wait while a turn runs and is then told to the model: words of a person, and notices of the client. */
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
    state.command = { place: headerOf(line), text: command }
    return used
  }
  if (typed === '' && !blocksOf(content).some((block) => block.type === 'image')) return used
  // Old clients put what a person typed during a turn beside the next tool result.
  if (blocksOf(content).some((block) => block.type === 'tool_result')) return [...used, ...promptEvents(state, line, typed)]
  return openTurn(state, line, typed)
}

/** What the client printed, or ran for the person without asking the model: no prompt, and no command waits behind it. */
const LOCAL_TEXT = /^<(?:local-command-|bash-|user-memory-input)/

/** `/review src/a.ts` out of the tags in which a transcript keeps a slash command; null for anything else. */
function commandText(typed: string): string | null {
  if (!/^<command-(?:name|message)>/.test(typed)) return null
  const tagged = (tag: string) => {
    const start = typed.indexOf(`<${tag}>`)
    const end = typed.lastIndexOf(`</${tag}>`)
    return start < 0 || end < start ? '' : typed.slice(start + tag.length + 2, end)
  }
  return `${tagged('command-name').trim()} ${tagged('command-args').trim()}`.trim()
}

/** A prompt that starts a turn ends the one before it; a result of that one can no longer come. */
function openTurn(state: TranscriptState, line: TranscriptLineHeader, typed: string): TranscriptEvent[] {
  const before = endTurn(state.turn)
  state.command = null
  state.pending = {}
  state.turn = newTurn(line, line.promptId ?? null, line.uuid ?? null)
  return [...before, ...promptEvents(state, line, typed)]
}

function newTurn(line: TranscriptLineHeader, promptId: string | null, prompt: string | null): TranscriptTurn {
  return { promptId, prompt, message: null, said: [], heard: null, ended: false, last: headerOf(line) }
}

function headerOf({ uuid, timestamp, sessionId, cwd, promptId }: TranscriptLineHeader): TranscriptLineHeader {
  return { uuid, timestamp, sessionId, cwd, promptId }
}

/** A prompt of the running turn: the one that opened it, or one that was typed while it ran. */
function promptEvents(state: TranscriptState, line: TranscriptLineHeader, typed: string): TranscriptEvent[] {
  const promptId = line.promptId ?? state.turn?.promptId ?? null
  return [{ event: { kind: 'prompt-submitted', promptId, ...parsePromptText(typed) }, line, turn: state.turn }]
}

function compactionEvents(state: TranscriptState, line: ClaudeTranscriptLine): TranscriptEvent[] {
  const promptId = line.promptId ?? state.turn?.promptId ?? null
  const summary = compactSummary(textOf(line.message?.content))
  return [{ event: { kind: 'compacted', promptId, summary }, line, turn: state.turn }]
}

function assistantLine(state: TranscriptState, line: ClaudeTranscriptLine): TranscriptEvent[] {
  if (line.message?.model === '<synthetic>' && !line.isApiErrorMessage) return []
  const told: TranscriptEvent[] = []
  if (state.command) told.push(...openTurn(state, state.command.place, state.command.text))
  // The model speaks although nobody prompted it: the turn of a `!` command, which has an id of its own.
  if (!state.turn || (state.turn.ended && state.promptId !== state.turn.promptId)) state.turn = newTurn(line, state.promptId, null)
  recordAssistantLine(state, state.turn, line)
  return told
}

/** Takes in what the agent said and which tools it called. */
function recordAssistantLine(state: TranscriptState, turn: TranscriptTurn, line: ClaudeTranscriptLine): void {
  // A client that was interrupted while writing can write the same line again.
  const again = line.uuid !== undefined && line.uuid === turn.heard
  turn.heard = line.uuid ?? null
  turn.ended = false
  turn.last = headerOf(line)
  if (line.isApiErrorMessage || again) return
  for (const block of blocksOf(line.message?.content)) {
    if (block.type === 'tool_use' && typeof block.id === 'string' && typeof block.name === 'string') {
      state.pending[block.id] = { tool: block.name, input: block.input }
      // Uses that nobody answers must not pile up in the checkpoint; a turn never has this many open at once.
      const [oldest, ...others] = Object.keys(state.pending)
      if (oldest !== undefined && others.length >= MAX_PENDING_TOOL_USES) delete state.pending[oldest]
    } else if (block.type === 'text' && typeof block.text === 'string') {
      const message = line.message?.id ?? null
      turn.said = message !== null && message === turn.message ? [...turn.said, block.text] : [block.text]
      turn.message = message
    }
  }
}

const MAX_PENDING_TOOL_USES = 200

/** The uses whose results stand on this line. A result that answers no use we saw says too little to keep. */
function toolResults(state: TranscriptState, line: ClaudeTranscriptLine, turn: TranscriptTurn | null): TranscriptEvent[] {
  const results = blocksOf(line.message?.content).filter((block) => block.type === 'tool_result')
  const told = results.flatMap((result): TranscriptEvent[] => {
    const toolUseId = typeof result.tool_use_id === 'string' ? result.tool_use_id : ''
    const use = Object.hasOwn(state.pending, toolUseId) ? state.pending[toolUseId] : undefined
    if (!use) return []
    delete state.pending[toolUseId]
    const answer = textOf(result.content)
    // One structured result stands beside all results of the line, so it is only sure to be this one's when there is one.
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
  if (turn && results.length > 0) Object.assign(turn, { message: null, said: [], last: headerOf(line) })
  return told
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
  return turn.said.join('\n').trim()
}

/** A subagent's lines name it; very old clients mixed nameless ones into the main file, where only their tool uses count. */
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

/** What a subagent is told is no prompt of a person, but a new task ends the run before it. */
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

/** How the turn that is open would end if nothing more came. The state is left as it is, so that a later read can end it. */
function provisionalEnds(state: TranscriptState, path: string): TranscriptItem[] {
  const { turn, run } = state
  const ends = [...(turn && !turn.ended && answerOf(turn) ? [turnEnd(turn)] : []), ...(run && answerOf(run) ? [runEnd(run)] : [])]
  return ends.map((end) => toItem(state, end, path, true))
}

/** The text of a message or a tool result: its text parts, without those the client put beside the person's own. */
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
