import { VERSION } from '../platform/version.ts'
import { lineSplitter } from './stdio-lines.ts'

/**
 * Serves an MCP server without tools until the client closes stdin: for a session that is kept out of memory, and for the plugin if our server is also
 * registered without it, because the model would see every tool twice. A process that exits at once would be reported to the person as failed.
 */
export async function serveNothing(reason: string): Promise<void> {
  const out = Bun.stdout.writer()
  const split = lineSplitter((line) => {
    const reply = replyToMessage(line, reason)
    if (reply === null) return
    out.write(`${reply}\n`)
    void out.flush()
  })
  for await (const chunk of Bun.stdin.stream()) split(chunk)
}

/** The reply to a message; null for notifications and invalid lines. Clients of the new protocol fall back to `initialize` when `server/discover` fails. */
export function replyToMessage(line: string, reason: string): string | null {
  const { id, method, params } = readMessage(line)
  if (id === undefined || method === undefined) return null
  const reply = (content: object) => JSON.stringify({ jsonrpc: '2.0', id, ...content })
  switch (method) {
    case 'initialize': {
      const title = `Recollect (no tools here: ${reason})`
      const serverInfo = { name: 'recollect', title, version: VERSION }
      return reply({ result: { protocolVersion: requestedVersion(params), capabilities: {}, serverInfo } })
    }
    case 'ping':
      return reply({ result: {} })
    default:
      return reply({ error: { code: -32601, message: 'Method not found' } })
  }
}

function readMessage(line: string): { id?: unknown; method?: unknown; params?: unknown } {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function requestedVersion(params: unknown): unknown {
  return typeof params === 'object' && params !== null && 'protocolVersion' in params ? params.protocolVersion : DEFAULT_PROTOCOL_VERSION
}

const DEFAULT_PROTOCOL_VERSION = '2025-11-25'
