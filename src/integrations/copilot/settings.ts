import { agentFolder } from '../../platform/agent-folders.ts'
import type { Environment } from '../../platform/environment.ts'
import { type AgentSetup, hookCommand, hookHomeOf, isOwnMcpCommand, mcpCommand, type SetupContext, type SetupFile } from '../agent-setup.ts'
import { isRecord } from '../claude-code/payload.ts'
import { withEntry, withoutEntry } from '../json-entry.ts'

/** Written as Claude Code writes them: then Copilot sends payloads in Claude Code's form. */
const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'SubagentStop', 'Stop', 'SessionEnd']
const HOOK_TIMEOUT_SECONDS = 5

export const setup: AgentSetup = {
  agent: 'copilot',
  executable: 'copilot',
  files: (context) => [hooksFile(context.environment), ...(context.mcp ? [mcpFile(context)] : [])],
}

/** Copilot reads every file of a folder, so we have one of our own. */
function hooksFile(environment: Environment): SetupFile {
  const home = hookHomeOf(environment)
  const hook = (event: string) => ({ type: 'command', bash: hookCommand('copilot', event, home), timeoutSec: HOOK_TIMEOUT_SECONDS })
  const content = { version: 1, hooks: Object.fromEntries(EVENTS.map((event) => [event, [hook(event)]])) }
  const wanted = `${JSON.stringify(content, null, 2)}\n`
  return {
    path: copilotHooksPath(environment),
    holds: 'hooks',
    add: (text) => ({ kind: 'edited', text: wanted, changed: text !== wanted }),
    remove: (text) => ({ kind: 'edited', text: '', changed: text.includes('/bin/recollect-hook copilot ') }),
  }
}

export const copilotHooksPath = (environment: Environment): string => `${agentFolder('copilot', environment)}/hooks/recollect.json`

const MCP_ENTRY = ['mcpServers', 'recollect'] as const

function mcpFile(context: SetupContext): SetupFile {
  const isOurs = (entry: unknown) =>
    isRecord(entry) && isOwnMcpCommand([entry.command, ...(Array.isArray(entry.args) ? entry.args : [])], context.environment)
  return {
    path: `${agentFolder('copilot', context.environment)}/mcp-config.json`,
    holds: 'MCP server',
    add: (text) => withEntry(text, MCP_ENTRY, { type: 'local', ...mcpCommand(context), tools: ['*'] }, isOurs),
    remove: (text) => withoutEntry(text, MCP_ENTRY, isOurs),
  }
}
