import { agentFolder } from '../../platform/agent-folders.ts'
import type { Agent } from '../agent.ts'
import { contextReply, lineDialectAgent, nestedContext } from '../claude-dialect.ts'
import { fileOf, readAction } from './actions.ts'
import { parsePayload } from './payload.ts'
import { readTranscript } from './transcript.ts'

/** Qwen Code. It may never say that a session has ended, and reports tools that it refused to run only in its chat file. */
export const qwen: Agent = {
  ...lineDialectAgent,
  name: 'qwen',
  title: 'Qwen Code',
  parsePayload,
  hostReply: contextReply(nestedContext),
  readTranscript,
  fileOf,
  readAction,
  skipTools: new Set(['todo_write', 'save_memory', 'ask_user_question', 'skill', 'tool_search']),
  isOwnTool: (tool) => tool.startsWith('mcp__recollect__'),
  configFolder: (environment) => agentFolder('qwen', environment),
  transcriptRoots: (configFolder) => [{ folder: `${configFolder}/projects` }],
}
