import { agentFolder } from '../platform/agent-folders.ts'
import type { AgentSetup, OtherAgent } from './agent-setup.ts'
import { chain, hookFormat, hookHomeOf, isOwnMcpCommand, mcpCommand } from './agent-setup.ts'
import { isRecord } from './claude-code/payload.ts'
import { withHooks, withoutHooks } from './claude-code/settings.ts'
import { withEntry, withoutEntry } from './json-entry.ts'

/** These agents count in milliseconds, unlike Claude Code. */
const HOOK_TIMEOUT_MS = 5000
const MCP_ENTRY = ['mcpServers', 'recollect'] as const

/** The set-up of an agent that keeps hooks and MCP servers in one `settings.json`, in Claude Code's form. */
export function settingsWithHooksAndMcp(of: { agent: OtherAgent; executable: string; events: string[] }): AgentSetup {
  const { agent, executable, events } = of
  const format = hookFormat(agent, (event) => ({ name: `recollect-${event}`, timeout: HOOK_TIMEOUT_MS }))
  return {
    agent,
    executable,
    files: (context) => {
      const home = hookHomeOf(context.environment)
      const isOurs = (entry: unknown) =>
        isRecord(entry) && isOwnMcpCommand([entry.command, ...(Array.isArray(entry.args) ? entry.args : [])], context.environment)
      return [
        {
          path: `${agentFolder(agent, context.environment)}/settings.json`,
          holds: context.mcp ? 'hooks and MCP server' : 'hooks',
          add: (text) =>
            chain(
              text,
              (current) => withHooks(current, { events, home }, format),
              (current) =>
                context.mcp
                  ? withEntry(current, MCP_ENTRY, mcpCommand(context), isOurs)
                  : { kind: 'edited', text: current, changed: false },
            ),
          remove: (text) =>
            chain(
              text,
              (current) => withoutHooks(current, home, format),
              (current) => withoutEntry(current, MCP_ENTRY, isOurs),
            ),
        },
      ]
    },
  }
}
