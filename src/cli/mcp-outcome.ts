import type { McpOutcome } from '../integrations/install.ts'
import { dim, say } from './print.ts'

/** What became of the MCP server. That it could not be registered is no reason not to go on: the hooks work without it. */
export function sayMcpOutcome(outcome: McpOutcome): undefined {
  switch (outcome.kind) {
    case 'registered':
      return say('MCP server registered: Claude Code can search memory by itself.')
    case 'removed':
      return say('MCP server removed.')
    case 'planned':
      return outcome.changed ? say('Would change the MCP server that Claude Code knows.') : undefined
    case 'refused':
      return say(dim(`The MCP server was left as it is: ${outcome.reason}.`))
    case 'unchanged':
      return
  }
}
