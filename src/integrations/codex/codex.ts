import { agentFolder } from '../../platform/agent-folders.ts'
import type { Agent } from '../agent.ts'
import { contextReply, lineDialectAgent, nestedContext } from '../claude-dialect.ts'
import { fileOf, readAction } from './actions.ts'
import { parsePayload } from './payload.ts'
import { readTranscript } from './transcript.ts'

/**
 * OpenAI's Codex CLI. Its hooks do not say that a command failed; the rollout file does. Each subagent has a rollout file of its own beside the
 * others, which names its parent.
 */
export const codex: Agent = {
  ...lineDialectAgent,
  name: 'codex',
  title: 'Codex',
  parsePayload,
  // Context arrives as a message of its own. Codex drops an answer that has it at the top level too.
  hostReply: contextReply(nestedContext),
  readTranscript,
  fileOf,
  readAction,
  skipTools: new Set(['update_plan', 'write_stdin', 'tool_search', 'wait', 'close_agent', 'send_input', 'list_agents']),
  isOwnTool: (tool) => tool.startsWith('mcp__recollect__'),
  configFolder: (environment) => agentFolder('codex', environment),
  transcriptRoots: (configFolder) => [{ folder: `${configFolder}/sessions` }, { folder: `${configFolder}/archived_sessions` }],
}
