/** The agents Recollect serves. Sessions, transcripts and jobs carry one of these names; `integrations` has one entry for each. */
export const AGENT_NAMES = ['claude-code', 'other'] as const

export type AgentName = (typeof AGENT_NAMES)[number]

/** What people call each agent. */
export const AGENT_TITLES: Record<AgentName, string> = { 'claude-code': 'Claude Code', other: 'Another agent' }

/** The agent of a caller that names none, such as a script that calls the HTTP interface. */
export const DEFAULT_AGENT: AgentName = AGENT_NAMES[0]

/** The agent of programs that we have no integration for: they report their sessions over HTTP, and the session keeps their own name as its host. */
export const OTHER_AGENT = 'other' satisfies AgentName

/** Call this where a name enters the program. Null for an agent that this version does not serve. */
export const parseAgentName = (name: string): AgentName | null => AGENT_NAMES.find((known) => known === name) ?? null
