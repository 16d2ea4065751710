import { agentFolder, opencodeDataFolder } from '../../platform/agent-folders.ts'
import { readEnvironment } from '../../platform/environment.ts'
import type { Agent } from '../agent.ts'
import { compactSummary, eventName, noticeText } from '../claude-code/payload.ts'
import { contextReply, topLevelContext } from '../claude-dialect.ts'
import { fileOf, readAction } from './actions.ts'
import { parsePayload } from './payload.ts'
import { readTranscript, transcriptsBelow } from './transcript.ts'

/** OpenCode. Our plugin runs inside it and reports everything; its database is read only when a person imports history. */
export const opencode: Agent = {
  name: 'opencode',
  title: 'OpenCode',
  parsePayload,
  eventName,
  transcriptPath: () => null,
  isTranscript: () => false,
  noticeText,
  compactSummary,
  // Our plugin puts the context where OpenCode takes it.
  hostReply: contextReply(topLevelContext),
  readTranscript,
  subagentTranscripts: async () => [],
  fileOf,
  readAction,
  skipTools: new Set(['todowrite', 'todoread', 'question', 'skill', 'plan_enter', 'plan_exit', 'invalid']),
  isOwnTool: (tool) => tool.startsWith('recollect_'),
  configFolder: (environment) => agentFolder('opencode', environment),
  transcriptRoots: () => [{ folder: opencodeDataFolder(readEnvironment()) }],
  transcriptsBelow,
}
