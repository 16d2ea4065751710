/*
 * The agents we serve. An integration translates an agent's hook payloads, transcripts and tool uses into our events and actions, and
 * our replies into the agent's format. It only reads files; storing and choosing what to keep is left to other rooms. Field names
 * and file formats of an agent do not occur outside its folder.
 */
import type { Action } from '../core/action.ts'
import { type AgentName, parseAgentName } from '../core/agent.ts'
import type { AgentEvent, EventReply } from '../core/event.ts'
import type { Environment } from '../platform/environment.ts'
import type { FolderEntry } from '../platform/folder.ts'
import { claudeCode } from './claude-code/claude-code.ts'
import type { NativeFile, NativeMemory } from './claude-code/native-memory.ts'
import { other } from './other/other.ts'
import type { otherAgents } from './other-agents.ts'
import type { Checkpoint, TranscriptBatch } from './transcript.ts'

export { claudeCode } from './claude-code/claude-code.ts'
export type { NativeFile, NativeMemory } from './claude-code/native-memory.ts'
export type { Checkpoint, TranscriptBatch, TranscriptFacts, TranscriptItem } from './transcript.ts'

/** Facts about a payload besides its text. */
export type ReceivedPayload = { at: number; event?: string | null }

/** One agent we can serve. */
export type Agent = {
  readonly name: AgentName
  /** The name in texts for people. */
  readonly title: string
  /** The agent that a payload really comes from: another agent may run this agent's hooks. */
  sentBy?(json: unknown): AgentName
  /** `event` is the event that the hook's command line names; the name in the payload goes first. Throws `NotUnderstood`. */
  parsePayload(json: unknown, received: ReceivedPayload): AgentEvent[]
  eventName(json: unknown, event?: string | null): string | null
  /** The transcript that a payload names; null when it names none, or a file that cannot be one. */
  transcriptPath(json: unknown): string | null
  /** Whether a path can be the transcript of a running session. */
  isTranscript(path: string): boolean
  /** The content of a notice that the client sent in the person's name. The notice must be clean already. */
  noticeText(notice: string): string
  /** The client's summary of a conversation without its wrapping. It must be clean already. */
  compactSummary(wrapped: string): string
  hostReply(eventName: string, reply: EventReply): Record<string, unknown>
  readTranscript(path: string, from: Checkpoint | null): AsyncGenerator<TranscriptBatch>
  subagentTranscripts(path: string): Promise<string[]>
  /** True when hooks leave out a part of a turn (exit codes, the answer, the ids of tool uses), and the transcript is read when the turn has ended. */
  readonly completesFromTranscript?: boolean
  /** The file that a tool's input names, or null. */
  fileOf(input: unknown): string | null
  readAction(use: { tool: string; input: string; output: string | null; error: string | null }): Action
  /** Tools that manage the session itself. Their uses say nothing about the work. */
  readonly skipTools: ReadonlySet<string>
  /** True for Recollect's own tools: storing their output would feed memory with itself. */
  isOwnTool(tool: string): boolean
  /** The folder with the agent's configuration, transcripts and own memory. */
  configFolder(environment: Environment): string
  /** The folders below the configuration folder in which the agent writes its transcripts. */
  transcriptRoots(configFolder: string): { folder: string }[]
  /** The transcripts of sessions below any folder, packed ones included. */
  transcriptsBelow(folder: string): FolderEntry[]
}

/** An agent with a memory of its own in files. We read them and never write them. */
export type AgentWithMemory = Agent & {
  /** Null when the agent has no folder for them. */
  listNativeFiles(configFolder: string): NativeFile[] | null
  parseNativeMemory(name: string, text: string): NativeMemory | null
  findNativeProjectFolder(configFolder: string, projectFolder: string): Promise<string | null>
}

/** The agent of callers that name none. */
export const defaultAgent: AgentWithMemory = claudeCode

/** The agents by name. Claude Code's code is always there; the code of another agent is loaded when that agent is first met. */
export type Agents = Readonly<Record<AgentName, () => Agent | Promise<Agent>>>

export const agents: Agents = {
  'claude-code': () => claudeCode,
  codex: () => load('codex'),
  copilot: () => load('copilot'),
  gemini: () => load('gemini'),
  qwen: () => load('qwen'),
  opencode: () => load('opencode'),
  other: () => other,
}

const load = async (name: keyof typeof otherAgents) => (await import('./other-agents.ts')).otherAgents[name]()

/** The agent with a name that came from outside; null when we do not serve it. */
export function agentNamed(name: string, known: Agents): Agent | Promise<Agent> | null {
  const parsed = parseAgentName(name)
  return parsed && known[parsed]()
}
