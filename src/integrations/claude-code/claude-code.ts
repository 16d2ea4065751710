import { filesBelow } from '../../platform/folder.ts'
import type { AgentWithMemory } from '../agent.ts'
import { fileOf, readAction } from './actions.ts'
import { findNativeProjectFolder, listNativeFiles, parseNativeMemory } from './native-memory.ts'
import { compactSummary, eventName, isRecord, isTranscript, noticeText, parsePayload, transcriptPath } from './payload.ts'
import { hostReply } from './reply.ts'

/** Loaded with the first transcript: a hook does not need it. */
const transcripts = () => import('./transcript.ts')

export const claudeCode: AgentWithMemory = {
  name: 'claude-code',
  title: 'Claude Code',
  // Copilot also runs the hooks of a trusted project that were written for Claude Code, which sends no time. Scripts of other tools name the event `hook`.
  sentBy: (json) =>
    isRecord(json) && typeof json.timestamp === 'string' && !('hook' in json) && !('permission_mode' in json) ? 'copilot' : 'claude-code',
  parsePayload,
  eventName,
  transcriptPath,
  isTranscript,
  noticeText,
  compactSummary,
  hostReply,
  readTranscript: async function* (path, from) {
    yield* (await transcripts()).readTranscript(path, from)
  },
  subagentTranscripts: async (path) => (await transcripts()).subagentTranscripts(path),
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
  configFolder: ({ claudeConfig }) => claudeConfig,
  transcriptRoots: (configFolder) => [{ folder: `${configFolder}/projects` }],
  // Transcripts of subagents are read together with the session that started them.
  transcriptsBelow: (folder) => filesBelow(folder, ['.jsonl', '.jsonl.gz']).filter((file) => !file.path.includes('/subagents/')),
  listNativeFiles,
  parseNativeMemory,
  findNativeProjectFolder,
}
