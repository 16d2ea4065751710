import { join } from 'node:path'
import { jsonFields } from '../../core/json-object.ts'
import type { Environment } from '../../platform/environment.ts'
import { exists, readJsonIfThere } from '../../platform/files.ts'

/*
 * How our MCP server is registered with the client. A door of its own without packages, because the process that the plugin starts for
 * each session reads this first.
 */

/** The name of our server in the client. Its tools are called `mcp__recollect__…`. */
export const MCP_SERVER_NAME = 'recollect'

/** The entry under our name. `home` is null for the default home; `address` is the `/mcp` address of a worker, which a person entered. */
type McpRegistration = { kind: 'ours'; home: string | null; program: string[] } | { kind: 'none' | 'address' | 'other' }

/** Reads the client's configuration. Only the client's own command writes it. */
export function readMcpRegistration(environment: Environment, project: string | null): McpRegistration {
  const config = jsonFields(readJsonIfThere(claudeConfigPath(environment)))
  const { mcpServers } = project === null ? config : jsonFields(jsonFields(config.projects)[project])
  const entry = jsonFields(mcpServers)[MCP_SERVER_NAME]
  if (!entry) return { kind: 'none' }
  const { url, command, args } = jsonFields(entry)
  if (isWorkerAddress(url)) return { kind: 'address' }
  const program = [command, ...(Array.isArray(args) ? args : [])].map((word) => (typeof word === 'string' ? word : ''))
  const flag = program.indexOf('--home')
  const words = flag < 0 ? program : program.filter((_, at) => at !== flag && at !== flag + 1)
  if (words.at(-1) !== 'mcp' || !OWN_PROGRAM_PATTERN.test(words.at(-2) ?? '')) return { kind: 'other' }
  return { kind: 'ours', home: flag < 0 ? null : (program[flag + 1] ?? null), program: words }
}

/** Whether a session in this folder has our server even without the plugin, because `init` or a person registered it. */
export function isMcpRegistered(environment: Environment, folder: string): boolean {
  return [null, folder].some((project) => ['ours', 'address'].includes(readMcpRegistration(environment, project).kind))
}

/** Matches the path of our program: the command, a single-file executable, or the entry of the source or the package. */
export const OWN_PROGRAM_PATTERN: RegExp = /(^|\/)(recollect(-(linux|darwin)-\w+)?|src\/cli\/main\.ts|dist\/cli\/main\.js)$/

function isWorkerAddress(address: unknown): boolean {
  const url = typeof address === 'string' ? URL.parse(address) : null
  return url?.pathname === '/mcp' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
}

/** Beside the client's folder; inside it when a person moved the folder. */
function claudeConfigPath({ claudeConfig, userHome }: Environment): string {
  const inside = join(claudeConfig, '.claude.json')
  return claudeConfig === join(userHome, '.claude') && !exists(inside) ? join(userHome, '.claude.json') : inside
}
