/** The agent of a caller that names none, such as a script that calls the HTTP interface. */
export const DEFAULT_AGENT = 'claude-code'

/** The agents Recollect serves. Sessions, transcripts and jobs carry one of these names; `integrations` has a folder for each. */
export const AGENT_NAMES = [DEFAULT_AGENT, 'codex', 'copilot', 'gemini', 'qwen', 'opencode'] as const

export type AgentName = (typeof AGENT_NAMES)[number]

/** What people call each agent. */
export const AGENT_TITLES: Record<AgentName, string> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  copilot: 'Copilot CLI',
  gemini: 'Gemini CLI',
  qwen: 'Qwen Code',
  opencode: 'OpenCode',
}

/** Call this where a name enters the program. Null for an agent that this version does not serve. */
export const parseAgentName = (name: string): AgentName | null => AGENT_NAMES.find((known) => known === name) ?? null
