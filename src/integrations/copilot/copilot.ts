import { agentFolder } from '../../platform/agent-folders.ts'
import type { Agent } from '../agent.ts'
import { compactSummary, eventName, isTranscript, noticeText, transcriptPath } from '../claude-code/payload.ts'
import { lineTranscriptsBelow } from '../line-transcript.ts'
import { fileOf, readAction } from './actions.ts'
import { parsePayload } from './payload.ts'
import { hostReply } from './reply.ts'
import { readTranscript } from './transcript.ts'

/** GitHub's Copilot CLI. Its hooks send neither the ids of tool uses nor the answer; `events.jsonl` has both. */
export const copilot: Agent = {
  name: 'copilot',
  title: 'Copilot CLI',
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
  skipTools: new Set(['TodoWrite', 'report_intent', 'update_todo', 'ask_user', 'AskUserQuestion', 'Skill', 'skill']),
  isOwnTool: (tool) => tool.startsWith('recollect-'),
  configFolder: (environment) => agentFolder('copilot', environment),
  transcriptRoots: (configFolder) => [{ folder: `${configFolder}/session-state` }],
  transcriptsBelow: lineTranscriptsBelow,
}
