import type { McpOutcome } from '../integrations/install.ts'
import { dim, print } from './print.ts'

/** Reports what happened to the MCP server. A failure is only a remark: the hooks work without it. */
export function printMcpOutcome(outcome: McpOutcome): undefined {
  switch (outcome.kind) {
    case 'registered':
      return print('MCP server registered: Claude Code can search memory.')
    case 'removed':
      return print('MCP server removed.')
    case 'planned':
      return outcome.changed ? print("Would change Claude Code's registration of the MCP server.") : undefined
    case 'refused':
      return print(dim(`The MCP server was not changed: ${outcome.reason}.`))
    case 'unchanged':
      return
  }
}
