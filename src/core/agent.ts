/** The agent of a caller that names none, such as a script that calls the HTTP interface. */
export const DEFAULT_AGENT = 'claude-code'

/** The agents that Recollect can be connected to; `integrations` has a folder for each. */
export const SERVED_AGENTS = [DEFAULT_AGENT, 'codex', 'copilot', 'gemini', 'qwen', 'opencode'] as const

export type ServedAgent = (typeof SERVED_AGENTS)[number]

/** Sessions, transcripts and jobs carry one of these names. Written out, so that a hook, which needs only the first, does not load the lists. */
export const AGENT_NAMES = [DEFAULT_AGENT, 'codex', 'copilot', 'gemini', 'qwen', 'opencode', 'other'] as const

export type AgentName = (typeof AGENT_NAMES)[number]

/** What people call each agent. */
export const AGENT_TITLES: Record<AgentName, string> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  copilot: 'Copilot CLI',
  gemini: 'Gemini CLI',
  qwen: 'Qwen Code',
  opencode: 'OpenCode',
  other: 'Another agent',
}

/** The agent of programs that we have no integration for: they report their sessions over HTTP, and the session keeps their own name as its host. */
export const OTHER_AGENT = 'other' satisfies AgentName

/** Call this where a name enters the program. Null for an agent that this version does not serve. */
export const parseAgentName = (name: string): AgentName | null => AGENT_NAMES.find((known) => known === name) ?? null

/** What people call the agent of a session: for a program that we have no integration for, the name that it gives itself. */
export const sessionAgentTitle = ({ agent, host }: { agent: string; host?: string | null }): string =>
  agent === OTHER_AGENT && host ? host : agentTitle(agent)

/** What people call an agent; for one that this version does not know, its name. */
export const agentTitle = (name: string): string => {
  const known = parseAgentName(name)
  return known ? AGENT_TITLES[known] : name
}
