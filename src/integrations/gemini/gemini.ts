import { agentFolder } from '../../platform/agent-folders.ts'
import type { Agent } from '../agent.ts'
import { contextReply, lineDialectAgent, nestedContext } from '../claude-dialect.ts'
import { fileOf, readAction } from './actions.ts'
import { parsePayload } from './payload.ts'
import { readTranscript } from './transcript.ts'

/** Google's Gemini CLI. Its hooks send no ids of tool uses; the session file has them. */
export const gemini: Agent = {
  ...lineDialectAgent,
  name: 'gemini',
  title: 'Gemini CLI',
  parsePayload,
  // Context in Claude Code's form, under Gemini's names of the events.
  hostReply: contextReply(nestedContext, ['SessionStart', 'BeforeAgent', 'AfterTool']),
  readTranscript,
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
}
