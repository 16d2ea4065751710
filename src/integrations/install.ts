/**
 * How Recollect is connected to an agent and disconnected again: hooks in the agent's settings, and our MCP server in its list. This is
 * the door for `init`, `uninstall` and `doctor`. One agent can be connected today, so none of these functions takes its name yet.
 */
export { describeConnection, duplicateConnectionFix, findConnection, otherMcpRegistrations } from './claude-code/connection.ts'
export {
  findClient,
  type InspectedFile,
  type InstallOutcome,
  inspectHooks,
  install,
  installMcp,
  type McpOutcome,
  uninstall,
  uninstallMcp,
} from './claude-code/install.ts'
