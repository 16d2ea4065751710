import { isRegistered } from '../integrations/claude-code/registered.ts'
import { type Inspection, inspect } from '../integrations/install.ts'
import type { Environment } from '../platform/environment.ts'

/** Who connects Claude Code in this folder, part by part. What both bring, the plugin leaves to `init`. */
export type Connected = { plugin: string | null; init: { hooks: boolean; mcp: boolean } }

export function connectedHere(environment: Environment, inspected: Inspection = inspect(environment, process.cwd())): Connected {
  const hooks = inspected.files.some((file) => file.kind === 'read' && file.own.length > 0)
  return { plugin: inspected.plugin?.name ?? null, init: { hooks, mcp: isRegistered(environment, process.cwd()) } }
}

/** The two ways out for somebody who is connected twice. */
export const waysOut = (plugin: string) => `recollect uninstall, or: claude plugin disable ${plugin}`

/** For `status`: who connects, and what to do when it is nobody or both. */
export function connectedWords({ plugin, init }: Connected): { says: string; fix: string | null } {
  const byInit = init.hooks || init.mcp
  if (plugin && byInit)
    return { says: `connected twice, by 'recollect init' and by the plugin ${plugin}, which stays silent`, fix: waysOut(plugin) }
  if (plugin) return { says: `connected by the plugin ${plugin}`, fix: null }
  if (init.hooks) return { says: `connected by 'recollect init'`, fix: null }
  return { says: 'not connected', fix: 'recollect init' }
}
