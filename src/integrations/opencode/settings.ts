import { agentFolder } from '../../platform/agent-folders.ts'
import type { Environment } from '../../platform/environment.ts'
import { exists } from '../../platform/files.ts'
import { homePaths } from '../../platform/paths.ts'
import { type AgentSetup, isOwnMcpCommand, mcpCommand, type SetupContext, type SetupFile } from '../agent-setup.ts'
import { isRecord } from '../claude-code/payload.ts'
import { withEntry, withoutEntry } from '../json-entry.ts'
import { PLUGIN_HEAD, pluginText } from './plugin.ts'

export const setup: AgentSetup = {
  agent: 'opencode',
  executable: 'opencode',
  files: (context) => [pluginFile(context.environment), ...(context.mcp ? [mcpFile(context)] : [])],
}

function pluginFile(environment: Environment): SetupFile {
  const { socket, launcher } = homePaths(environment)
  const wanted = pluginText({ socket, launcher })
  return {
    path: `${agentFolder('opencode', environment)}/plugins/recollect.js`,
    holds: 'plugin',
    add: (text) => ({ kind: 'edited', text: wanted, changed: text !== wanted }),
    // The plugin of another home on this machine stays.
    remove: (text) => ({ kind: 'edited', text: '', changed: text.startsWith(PLUGIN_HEAD) && text.includes(JSON.stringify(socket)) }),
  }
}

const MCP_ENTRY = ['mcp', 'recollect'] as const

function mcpFile(context: SetupContext): SetupFile {
  const { environment } = context
  const folder = agentFolder('opencode', environment)
  const isOurs = (entry: unknown) => isRecord(entry) && Array.isArray(entry.command) && isOwnMcpCommand(entry.command, environment)
  const { command, args } = mcpCommand(context)
  return {
    path: exists(`${folder}/opencode.jsonc`) ? `${folder}/opencode.jsonc` : `${folder}/opencode.json`,
    holds: 'MCP server',
    add: (text) => withEntry(text, MCP_ENTRY, { type: 'local', command: [command, ...args], enabled: true }, isOurs),
    remove: (text) => withoutEntry(text, MCP_ENTRY, isOurs),
  }
}
