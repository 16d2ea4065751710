import type { Action } from '../core/action.ts'
import type { AgentEvent, EventReply } from '../core/event.ts'
import type { AgentName } from '../core/memory.ts'
import { fileOf, readAction } from './claude-code/actions.ts'
import {
  findNativeProjectFolder,
  listNativeFiles,
  type NativeFile,
  type NativeMemory,
  parseNativeMemory,
} from './claude-code/native-memory.ts'
import { eventName, parsePayload } from './claude-code/payload.ts'
import { hostReply } from './claude-code/reply.ts'
import {
  type Checkpoint,
  detectTranscriptFormat,
  readTranscript,
  subagentTranscripts,
  type TranscriptBatch,
} from './claude-code/transcript.ts'

/*
 * The agents we serve. An integration turns what its agent says (hook payloads, transcript files, tool uses) into our events and
 * actions, and our replies into what the agent understands. It reads transcripts and the agent's own memory, nothing else: it never writes, never stores,
 * never decides what is worth keeping. The agent's own words stop here.
 */

export type { NativeFile, NativeMemory } from './claude-code/native-memory.ts'
export type { Checkpoint, TranscriptBatch, TranscriptFacts, TranscriptItem } from './claude-code/transcript.ts'

/** One agent we can serve. */
export type Agent = {
  readonly name: AgentName
  /** Throws when the payload does not say which session it belongs to. */
  parsePayload(json: unknown, received: { at: number }): AgentEvent[]
  eventName(json: unknown): string | null
  hostReply(eventName: string, reply: EventReply): Record<string, unknown>
  readTranscript(path: string, from: Checkpoint | null): AsyncGenerator<TranscriptBatch>
  subagentTranscripts(path: string): Promise<string[]>
  /** Which agent wrote a file. */
  detectTranscriptFormat(path: string): Promise<AgentName | 'codex' | 'copilot-cli' | 'unknown'>
  /** The file a tool was pointed at, if it was pointed at one. */
  fileOf(input: unknown): string | null
  readAction(use: { tool: string; input: string; output: string | null; error: string | null }): Action
  /** Tools that manage the session itself; their uses tell nothing about the work. */
  readonly skipTools: ReadonlySet<string>
  /** Our own tools: remembering what memory said would feed memory with itself. */
  isOwnTool(tool: string): boolean
  /** Where the agent keeps its transcripts below its configuration folder, and which files there are sessions. */
  transcriptRoots(configFolder: string): { folder: string; pattern: string }[]
  /** The agent's own memory, which is read and never written; null when there is no place for it. */
  listNativeFiles(configFolder: string): NativeFile[] | null
  parseNativeMemory(name: string, text: string): NativeMemory | null
  findNativeProjectFolder(configFolder: string, projectFolder: string): Promise<string | null>
}

export const claudeCode: Agent = {
  name: 'claude-code',
  parsePayload,
  eventName,
  hostReply,
  readTranscript,
  subagentTranscripts,
  detectTranscriptFormat,
  fileOf,
  readAction,
  skipTools: new Set([
    'AskUserQuestion',
    'EnterPlanMode',
    'ListMcpResourcesTool',
    'Skill',
    'SlashCommand',
    'TaskCreate',
    'TaskGet',
    'TaskList',
    'TaskUpdate',
    'TodoWrite',
    'ToolSearch',
  ]),
  isOwnTool: (tool) => /^mcp__(?:recollect__|plugin_recollect_)/.test(tool),
  listNativeFiles,
  parseNativeMemory,
  findNativeProjectFolder,
  transcriptRoots: (configFolder) => [{ folder: `${configFolder}/projects`, pattern: '*/*.jsonl' }],
}
