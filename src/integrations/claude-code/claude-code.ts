import { filesBelow } from '../../platform/folder.ts'
import type { Agent } from '../agent.ts'
import { fileOf, readAction } from './actions.ts'
import { findNativeProjectFolder, listNativeFiles, parseNativeMemory } from './native-memory.ts'
import { compactSummary, eventName, isTranscript, noticeText, parsePayload, transcriptPath } from './payload.ts'
import { hostReply } from './reply.ts'
import { detectTranscriptFormat, readTranscript, subagentTranscripts } from './transcript.ts'

export const claudeCode: Agent = {
  name: 'claude-code',
  title: 'Claude Code',
  parsePayload,
  eventName,
  transcriptPath,
  isTranscript,
  noticeText,
  compactSummary,
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
  configFolder: ({ claudeConfig }) => claudeConfig,
  transcriptRoots: (configFolder) => [{ folder: `${configFolder}/projects` }],
  // Transcripts of subagents are read together with the session that started them.
  transcriptsBelow: (folder) => filesBelow(folder, ['.jsonl', '.jsonl.gz']).filter((file) => !file.path.includes('/subagents/')),
  listNativeFiles,
  parseNativeMemory,
  findNativeProjectFolder,
}
