import { agentFolder } from '../../platform/agent-folders.ts'
import type { Agent } from '../agent.ts'
import { contextReply, lineDialectAgent, topLevelContext } from '../claude-dialect.ts'
import { fileOf, readAction } from './actions.ts'
import { parsePayload } from './payload.ts'
import { readTranscript } from './transcript.ts'

/** GitHub's Copilot CLI. Its hooks send neither the ids of tool uses nor the answer; `events.jsonl` has both. */
export const copilot: Agent = {
  ...lineDialectAgent,
  name: 'copilot',
  title: 'Copilot CLI',
  parsePayload,
  // Copilot reads context at the top level only.
  hostReply: contextReply(topLevelContext),
  readTranscript,
  fileOf,
  readAction,
  skipTools: new Set(['TodoWrite', 'report_intent', 'update_todo', 'ask_user', 'AskUserQuestion', 'Skill', 'skill']),
  isOwnTool: (tool) => tool.startsWith('recollect-'),
  configFolder: (environment) => agentFolder('copilot', environment),
  transcriptRoots: (configFolder) => [{ folder: `${configFolder}/session-state` }],
}
