/**
 * What an agent did with a tool, in our words. Each agent names its tools differently; `integrations` translates, so that the
 * distiller, the brief and search never hear of `tool_input` or `structuredPatch`.
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

/** One tool use as the distiller reads it. */
export type PerformedAction = {
  /** The host's tool-use id. */
  id: string
  tool: string
  at: number
  failed: boolean
  /** What went wrong, when it failed; for a command, its output. */
  error: string | null
  /** Set when a person stopped it (Esc): neither a success nor a finding. */
  interrupted: boolean
  /** The subagent that did it, or null for the main conversation. */
  agentId: string | null
  action: Action
}
