import { readMcpRegistration } from '../integrations/claude-code/mcp-registration.ts'
import { homeFlagOf, type Inspection, inspectHooks } from '../integrations/install.ts'
import type { Environment } from '../platform/environment.ts'

/**
 * Who connects Claude Code in this folder, part by part. What both bring, the plugin leaves to the others. `byHand` are the scopes in which a
 * person registered our MCP server in a way that `uninstall` leaves alone: by the worker's address, or for another home.
 */
export type ClaudeCodeConnection = { plugin: string | null; init: { hooks: boolean; mcp: boolean }; byHand: ('user' | 'local')[] }

export function findConnection(
  environment: Environment,
  inspected: Inspection = inspectHooks(environment, process.cwd()),
): ClaudeCodeConnection {
  const hooks = inspected.files.some((file) => file.kind === 'read' && file.own.length > 0)
  const registered = (['user', 'local'] as const).flatMap((scope) => {
    const known = readMcpRegistration(environment, scope === 'user' ? null : process.cwd())
    if (known.kind === 'none' || known.kind === 'other') return []
    return [{ scope, isInits: known.kind === 'ours' && known.home === homeFlagOf(environment) }]
  })
  return {
    plugin: inspected.plugin?.name ?? null,
    init: { hooks, mcp: registered.some(({ isInits }) => isInits) },
    byHand: registered.flatMap(({ scope, isInits }) => (isInits ? [] : [scope])),
  }
}

/** The two ways out for somebody who is connected twice. */
export function duplicateConnectionFix({ plugin, init, byHand }: ClaudeCodeConnection): string {
  const others = [
    ...(init.hooks || init.mcp ? ['recollect uninstall'] : []),
    ...byHand.map((scope) => `claude mcp remove --scope ${scope} recollect`),
  ]
  return `${others.join(' and ')}, or: claude plugin disable ${plugin}`
}

/** Who registered our MCP server beside the plugin; null when nobody did. */
export function otherMcpRegistrations({ init, byHand }: ClaudeCodeConnection): string | null {
  const who = [...(init.mcp ? [`'recollect init'`] : []), ...(byHand.length > 0 ? [`'claude mcp add'`] : [])]
  return who.join(' and ') || null
}

/** For `status`: who connects, and what to do when it is nobody or both. */
export function describeConnection(connected: ClaudeCodeConnection): { says: string; fix: string | null } {
  const { plugin, init, byHand } = connected
  if (plugin && (init.hooks || init.mcp))
    return {
      says: `connected twice, by 'recollect init' and by the plugin ${plugin}, which stays silent`,
      fix: duplicateConnectionFix(connected),
    }
  if (plugin && byHand.length > 0)
    return {
      says: `connected by the plugin ${plugin}, whose MCP server stays silent beside the one of 'claude mcp add'`,
      fix: duplicateConnectionFix(connected),
    }
  if (plugin) return { says: `connected by the plugin ${plugin}`, fix: null }
  if (init.hooks) return { says: `connected by 'recollect init'`, fix: null }
  return { says: 'not connected', fix: 'recollect init' }
}
