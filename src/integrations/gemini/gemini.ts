import { agentFolder } from '../../platform/agent-folders.ts'
import type { Agent } from '../agent.ts'
import { compactSummary, eventName, isTranscript, noticeText, transcriptPath } from '../claude-code/payload.ts'
import { lineTranscriptsBelow } from '../line-transcript.ts'
import { fileOf, readAction } from './actions.ts'
import { parsePayload } from './payload.ts'
import { hostReply } from './reply.ts'
import { readTranscript } from './transcript.ts'

/** Google's Gemini CLI. Its hooks send no ids of tool uses; the session file has them. */
export const gemini: Agent = {
  name: 'gemini',
  title: 'Gemini CLI',
  parsePayload,
  eventName,
  transcriptPath,
  isTranscript,
  noticeText,
  compactSummary,
  hostReply,
  readTranscript,
  subagentTranscripts: async () => [],
  completesFromTranscript: true,
  fileOf,
  readAction,
  skipTools: new Set([
    'write_todos',
    'ask_user',
    'enter_plan_mode',
    'activate_skill',
    'get_internal_docs',
    'save_memory',
    'update_topic',
    'complete_task',
  ]),
  isOwnTool: (tool) => tool.startsWith('mcp_recollect_'),
  configFolder: (environment) => agentFolder('gemini', environment),
  transcriptRoots: (configFolder) => [{ folder: `${configFolder}/tmp` }],
  transcriptsBelow: lineTranscriptsBelow,
}
