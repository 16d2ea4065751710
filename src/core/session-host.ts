import { type AgentName, DEFAULT_AGENT, OTHER_AGENT, parseAgentName } from './agent.ts'

/** The agent that a host names itself as. One that names nothing is the default one, and an unknown host is some other agent. */
export function agentOfHost(host: string | null): AgentName {
  const name =
    host
      ?.trim()
      .toLowerCase()
      .replace(/[\s_]+/g, '-') ?? ''
  if (name === '' || name === 'claude') return DEFAULT_AGENT
  return parseAgentName(name) ?? OTHER_AGENT
}
