import { VERSION } from '../platform/version.ts'
import { lineSplitter } from './stdio-lines.ts'

/**
 * A server that offers nothing, until its client closes stdin: for the plugin, when the client has our server already. The model would
 * be shown every tool twice, and a server that ends at once would be shown to the person as one that failed.
 */
export async function serveNothing(): Promise<void> {
  const out = Bun.stdout.writer()
  const split = lineSplitter((line) => {
    const answer = replyToMessage(line)
    if (answer === null) return
    out.write(`${answer}\n`)
    void out.flush()
  })
  for await (const chunk of Bun.stdin.stream()) split(chunk)
}

/** What is answered to a message; null when nobody waits. A client of the new protocol falls back to `initialize`, which old ones know. */
export function replyToMessage(line: string): string | null {
  const { id, method, params } = readMessage(line)
  if (id === undefined || method === undefined) return null
  const answer = (said: object) => JSON.stringify({ jsonrpc: '2.0', id, ...said })
  switch (method) {
    case 'initialize': {
      const title = 'Recollect (silent: it is registered beside the plugin too)'
      const serverInfo = { name: 'recollect', title, version: VERSION }
      return answer({ result: { protocolVersion: params?.protocolVersion ?? '2025-11-25', capabilities: {}, serverInfo } })
    }
    case 'ping':
      return answer({ result: {} })
    default:
      return answer({ error: { code: -32601, message: 'Method not found' } })
  }
}

type EmptyServerMessage = { id?: string | number; method?: string; params?: { protocolVersion?: string } }

function readMessage(line: string): EmptyServerMessage {
  try {
    return (JSON.parse(line) ?? {}) as EmptyServerMessage
  } catch {
    return {}
  }
}
