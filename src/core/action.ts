import type { AgentName } from './agent.ts'
import type { ToolUse } from './memory.ts'

/**
 * A tool use, the same for every agent. Agents name their tools differently; `integrations` translates, so the distiller, the brief and
 * search never see field names such as `tool_input`.
 */
export type Action =
  | { kind: 'read'; file: string }
  | { kind: 'edit'; file: string; removed: string; added: string; patch: string[] }
  | { kind: 'write'; file: string; content: string; created: boolean; patch: string[] }
  | { kind: 'search'; pattern: string; where: string | null }
  | { kind: 'command'; command: string; purpose: string | null; output: string; exitCode: number | null }
  | { kind: 'delegate'; task: string; agentType: string | null; answer: string | null }
  | { kind: 'fetch'; target: string; answer: string }
  | { kind: 'plan'; text: string }
  | { kind: 'other'; text: string }

/** Translates a stored tool use of the given agent. */
export type ReadAction = (use: ToolUse, agent: AgentName) => Action | Promise<Action>

/** One tool use as the distiller reads it. */
export type PerformedAction = {
  /** The host's tool-use id. */
  id: string
  tool: string
  at: number
  failed: boolean
  /** Why it failed, or null; for a command, its output. */
  error: string | null
  /** True when the person stopped it (Esc): it neither succeeded nor failed. */
  interrupted: boolean
  /** The subagent that did it, or null for the main conversation. */
  agentId: string | null
  action: Action
}
