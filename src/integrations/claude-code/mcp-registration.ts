import { join } from 'node:path'
import type { Environment } from '../../platform/environment.ts'
import { exists, readJsonIfThere } from '../../platform/files.ts'

/*
 * What the client knows of our MCP server. A door of its own and free of packages: the process that the plugin starts for a session
 * asks it first.
 */

/** What the client calls our server; tools are `mcp__recollect__…` by it. */
export const MCP_SERVER_NAME = 'recollect'

/** What the client has under our name. `home` is null for the usual one; `address` is a worker's `/mcp`, which a person wrote there. */
type McpRegistration = { kind: 'ours'; home: string | null; program: string[] } | { kind: 'none' | 'address' | 'other' }

/** Reads what the client keeps; writing is left to its own command. */
export function readMcpRegistration(environment: Environment, project: string | null): McpRegistration {
  const known = readJsonIfThere(claudeConfigPath(environment)) as ClaudeConfigFile | null
  const servers = project ? known?.projects?.[project]?.mcpServers : known?.mcpServers
  const entry = servers?.[MCP_SERVER_NAME]
  if (!entry) return { kind: 'none' }
  if (isWorkerAddress(entry.url)) return { kind: 'address' }
  const program = [entry.command ?? '', ...(entry.args ?? [])]
  const flag = program.indexOf('--home')
  const words = flag < 0 ? program : program.filter((_, at) => at !== flag && at !== flag + 1)
  if (words.at(-1) !== 'mcp' || !OWN_PROGRAM_PATTERN.test(words.at(-2) ?? '')) return { kind: 'other' }
  return { kind: 'ours', home: flag < 0 ? null : (program[flag + 1] ?? null), program: words }
}

/** Whether a session in this folder has our server without the plugin: `init` or a person registered it. */
export function isMcpRegistered(environment: Environment, folder: string): boolean {
  return [null, folder].some((project) => ['ours', 'address'].includes(readMcpRegistration(environment, project).kind))
}

/** What is called when we are: the command, a single-file executable, the entry of the source or of the package. */
export const OWN_PROGRAM_PATTERN: RegExp = /(^|\/)(recollect(-(linux|darwin)-\w+)?|src\/cli\/main\.ts|dist\/cli\/main\.js)$/

function isWorkerAddress(address: string | undefined): boolean {
  const url = URL.parse(address ?? '')
  return url?.pathname === '/mcp' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
}

type McpServerEntry = { command?: string; args?: string[]; url?: string }
type ClaudeConfigFile = {
  mcpServers?: Record<string, McpServerEntry>
  projects?: Record<string, { mcpServers?: Record<string, McpServerEntry> }>
}

/** Beside the client's folder, unless a person moved that; then inside it. */
function claudeConfigPath({ claudeConfig, userHome }: Environment): string {
  const inside = join(claudeConfig, '.claude.json')
  return claudeConfig === join(userHome, '.claude') && !exists(inside) ? join(userHome, '.claude.json') : inside
}
