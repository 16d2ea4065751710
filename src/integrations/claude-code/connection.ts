import type { Environment } from '../../platform/environment.ts'
import { homeFlagOf } from '../../platform/launcher.ts'
import { type Inspection, inspectHooks } from './install.ts'
import { readMcpRegistration } from './mcp-registration.ts'

/**
 * How the agent is connected in this folder. If `init` has installed the same part as the plugin, the plugin stays silent. `byHand` lists the
 * scopes in which a person registered our MCP server in a way that `uninstall` does not remove: by the worker's address, or for another home.
 */
export type AgentConnection = { plugin: string | null; init: { hooks: boolean; mcp: boolean }; byHand: ('user' | 'local')[] }

export function findConnection(
  environment: Environment,
  inspected: Inspection = inspectHooks(environment, process.cwd()),
): AgentConnection {
  const hooks = inspected.files.some((file) => file.kind === 'read' && file.own.length > 0)
  const registered = (['user', 'local'] as const).flatMap((scope) => {
    const known = readMcpRegistration(environment, scope === 'user' ? null : process.cwd())
    if (known.kind === 'none' || known.kind === 'other') return []
    return [{ scope, isFromInit: known.kind === 'ours' && known.home === homeFlagOf(environment) }]
  })
  return {
    plugin: inspected.plugin?.name ?? null,
    init: { hooks, mcp: registered.some(({ isFromInit }) => isFromInit) },
    byHand: registered.flatMap(({ scope, isFromInit }) => (isFromInit ? [] : [scope])),
  }
}

/** The two ways to end a double connection. */
export function duplicateConnectionFix({ plugin, init, byHand }: AgentConnection): string {
  const others = [
    ...(init.hooks || init.mcp ? ['recollect uninstall'] : []),
    ...byHand.map((scope) => `claude mcp remove --scope ${scope} recollect`),
  ]
  return `${others.join(' and ')}, or: claude plugin disable ${plugin}`
}

/** The commands that registered our MCP server in addition to the plugin; null if none did. */
export function otherMcpRegistrations({ init, byHand }: AgentConnection): string | null {
  const commands = [...(init.mcp ? [`'recollect init'`] : []), ...(byHand.length > 0 ? [`'claude mcp add'`] : [])]
  return commands.join(' and ') || null
}

/** For `status`: how the agent is connected, and how to fix a missing or double connection. */
export function describeConnection(connection: AgentConnection): { says: string; fix: string | null } {
  const { plugin, init, byHand } = connection
  if (plugin && (init.hooks || init.mcp))
    return {
      says: `connected twice, by 'recollect init' and by the plugin ${plugin}, which stays silent`,
      fix: duplicateConnectionFix(connection),
    }
  if (plugin && byHand.length > 0)
    return {
      says: `connected by the plugin ${plugin}; its MCP server stays silent because 'claude mcp add' registered another`,
      fix: duplicateConnectionFix(connection),
    }
  if (plugin) return { says: `connected by the plugin ${plugin}`, fix: null }
  if (init.hooks) return { says: `connected by 'recollect init'`, fix: null }
  return { says: 'not connected', fix: 'recollect init' }
}
