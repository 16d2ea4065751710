import { agentFolder } from '../../platform/agent-folders.ts'
import type { Agent } from '../agent.ts'
import { compactSummary, eventName, isTranscript, noticeText, transcriptPath } from '../claude-code/payload.ts'
import { lineTranscriptsBelow } from '../line-transcript.ts'
import { fileOf, readAction } from './actions.ts'
import { parsePayload } from './payload.ts'
import { hostReply } from './reply.ts'
import { readTranscript } from './transcript.ts'

/** OpenAI's Codex CLI. Its hooks do not say that a command failed; the rollout file does. */
export const codex: Agent = {
  name: 'codex',
  title: 'Codex',
  parsePayload,
  eventName,
  transcriptPath,
  isTranscript,
  noticeText,
  compactSummary,
  hostReply,
  readTranscript,
  // Each subagent has a rollout file of its own beside the others, which names its parent.
  subagentTranscripts: async () => [],
  completesFromTranscript: true,
  fileOf,
  readAction,
  skipTools: new Set(['update_plan', 'write_stdin', 'tool_search', 'wait', 'close_agent', 'send_input', 'list_agents']),
  isOwnTool: (tool) => tool.startsWith('mcp__recollect__'),
  configFolder: (environment) => agentFolder('codex', environment),
  transcriptRoots: (configFolder) => [{ folder: `${configFolder}/sessions` }, { folder: `${configFolder}/archived_sessions` }],
  transcriptsBelow: lineTranscriptsBelow,
}
