import { route } from './route.ts'

/** @internal */
export const mcp = {
  /** The MCP server (Streamable HTTP). */
  'ANY /mcp': route({ raw: true, unlimited: true }).returns<unknown>(),
}
