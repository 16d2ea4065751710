import type { Agent } from '../agent.ts'
import { claudeCode } from '../claude-code/claude-code.ts'

/**
 * Programs that we have no integration for, such as an editor's extension. They report their sessions over HTTP, with the names of tools and
 * fields that Claude Code made common, and leave no files that we know of.
 */
export const other: Agent = {
  ...claudeCode,
  name: 'other',
  title: 'Another agent',
  sentBy: () => 'other',
  parsePayload: (json, received) => claudeCode.parsePayload(json, received).map((event) => ({ ...event, agent: 'other' })),
  transcriptPath: () => null,
  isTranscript: () => false,
  async *readTranscript() {},
  subagentTranscripts: async () => [],
  transcriptRoots: () => [],
  transcriptsBelow: () => [],
}
