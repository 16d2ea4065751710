import type { Environment } from '../../platform/environment.ts'
import { runProgram } from '../../platform/processes.ts'
import type { Program } from '../../platform/program.ts'
import { MCP_SERVER_NAME, readMcpRegistration } from './mcp-registration.ts'

export type McpOptions = {
  environment: Environment
  /** A project's folder, to register the server for that project only; null to register it for all. */
  project: string | null
  /** Finds the client's executable, or null. Slow, so called only when it is needed. */
  findClient(): Promise<string | null>
  dryRun?: boolean
}

export type McpOutcome =
  | { kind: 'registered' | 'removed' | 'unchanged' }
  | { kind: 'planned'; changed: boolean }
  | { kind: 'refused'; reason: string }

/** Registers our server with the client's own command. Replaces an outdated entry of ours, and leaves a server of another program. */
export async function registerMcp(options: McpOptions & { program: Program; homeFlag: string | null }): Promise<McpOutcome> {
  const { environment, project, program, homeFlag } = options
  const known = readMcpRegistration(environment, project)
  const wanted = [program.command, ...program.args, 'mcp']
  if (known.kind === 'other')
    return {
      kind: 'refused',
      reason: `another MCP server is called ${MCP_SERVER_NAME}. To remove it: claude mcp remove ${MCP_SERVER_NAME}`,
    }
  if (known.kind === 'address') return unchanged(options)
  if (known.kind === 'ours' && known.home === homeFlag && Bun.deepEquals(known.program, wanted)) return unchanged(options)
  if (options.dryRun) return { kind: 'planned', changed: true }
  const client = await options.findClient()
  if (!client) return { kind: 'refused', reason: 'Claude Code was not found' }
  if (known.kind === 'ours') await runMcpCommand(client, project, ['remove', '--scope', scopeOf(project), MCP_SERVER_NAME])
  const home = homeFlag ? ['--home', homeFlag] : []
  const added = await runMcpCommand(client, project, [
    'add',
    '--scope',
    scopeOf(project),
    MCP_SERVER_NAME,
    '--',
    program.command,
    ...program.args,
    ...home,
    'mcp',
  ])
  return added ? { kind: 'refused', reason: added } : { kind: 'registered' }
}

/** Removes the server of this home, and no other. */
export async function unregisterMcp(options: McpOptions & { homeFlag: string | null }): Promise<McpOutcome> {
  const { environment, project, homeFlag } = options
  const known = readMcpRegistration(environment, project)
  if (known.kind !== 'ours' || known.home !== homeFlag) return unchanged(options)
  if (options.dryRun) return { kind: 'planned', changed: true }
  const client = await options.findClient()
  if (!client)
    return { kind: 'refused', reason: `Claude Code was not found. To remove the MCP server: claude mcp remove ${MCP_SERVER_NAME}` }
  const removed = await runMcpCommand(client, project, ['remove', '--scope', scopeOf(project), MCP_SERVER_NAME])
  return removed ? { kind: 'refused', reason: removed } : { kind: 'removed' }
}

const unchanged = ({ dryRun }: { dryRun?: boolean }): McpOutcome => (dryRun ? { kind: 'planned', changed: false } : { kind: 'unchanged' })

const scopeOf = (project: string | null) => (project ? 'local' : 'user')

/** Null on success, otherwise the client's error. */
async function runMcpCommand(client: string, project: string | null, args: string[]): Promise<string | null> {
  const ran = await runProgram(client, ['mcp', ...args], { timeoutMs: 20_000, ...(project ? { cwd: project } : {}) })
  return ran.code === 0 ? null : (ran.stderr || ran.stdout).trim().split('\n').at(-1) || `claude mcp ${args[0]} failed`
}
