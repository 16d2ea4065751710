import { timingSafeEqual } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { jsonFields } from '../core/json-object.ts'
import { readOrCreateSecret } from '../platform/files.ts'
import { homePaths } from '../platform/paths.ts'
import { openWorkerConnection } from './shim.ts'
import { lineSplitter } from './stdio-lines.ts'

const TOKEN_TIMEOUT_MS = 10_000
/** Far more than a token has. Whoever sends more before the first newline is not a client. */
const MAX_TOKEN_LINE_BYTES = 4096

/**
 * Serves MCP over TCP on this machine, one JSON-RPC message per line. Every program of every user can reach the port, so the first line must be the
 * token (alone, or as `{"token": "…"}`). Other connections get a JSON-RPC error, which answers the request they may have sent instead, and are closed.
 */
export function serveTcp(port: number, project: string | null): Promise<Server> {
  const token = readOrCreateSecret(homePaths().token)
  const server = createServer({ allowHalfOpen: true }, (socket) => serveSocket(socket, token, project))
  const listening = Promise.withResolvers<Server>()
  server.once('error', listening.reject)
  server.listen({ host: '127.0.0.1', port }, () => listening.resolve(server))
  return listening.promise
}

function serveSocket(socket: Socket, token: string, project: string | null): void {
  let connection: ReturnType<typeof openWorkerConnection> | null = null
  const reply = (text: string) => void socket.write(`${text}\n`)
  const refuse = (reason: string, id: string | number | null = null) => {
    socket.end(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32001, message: reason } })}\n`)
    socket.setTimeout(TOKEN_TIMEOUT_MS, () => socket.destroy())
  }
  const tokenTimer = setTimeout(() => refuse('no token arrived within 10 seconds; send it as the first line'), TOKEN_TIMEOUT_MS)
  const split = lineSplitter((text) => {
    if (connection) return connection.send(text)
    clearTimeout(tokenTimer)
    if (!areEqualTokens(tokenIn(text), token))
      return void refuse('the first line must be the token from the file run/token in the Recollect home', requestId(text))
    connection = openWorkerConnection(project, reply)
  }, reply)
  let [bytesBeforeToken, firstLine] = [0, '']
  socket.on('data', (data) => {
    if (socket.writableEnded) return
    const chunk = Buffer.from(data)
    const firstLineEnd = connection ? 0 : chunk.indexOf('\n')
    bytesBeforeToken += connection ? 0 : firstLineEnd < 0 ? chunk.length : firstLineEnd
    if (!connection) firstLine += chunk.toString('utf8').slice(0, MAX_TOKEN_LINE_BYTES)
    if (bytesBeforeToken > MAX_TOKEN_LINE_BYTES) {
      clearTimeout(tokenTimer)
      return refuse(`the first line must be the token; it may have at most ${MAX_TOKEN_LINE_BYTES} bytes`)
    }
    split(chunk)
  })
  // The client has sent everything, but may still wait for replies.
  socket.on('end', async () => {
    clearTimeout(tokenTimer)
    if (!connection && !socket.writableEnded) return refuse('the token is missing; send it as the first line', requestId(firstLine))
    await connection?.finish()
    socket.end()
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    clearTimeout(tokenTimer)
    void connection?.finish()
  })
}

/** The id of a request that was sent instead of the token. */
function requestId(text: string): string | number | null {
  try {
    const { id } = jsonFields(JSON.parse(text))
    return typeof id === 'string' || typeof id === 'number' ? id : null
  } catch {
    return null
  }
}

function tokenIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'token' in value && typeof value.token === 'string' ? value.token : ''
  } catch {
    return text
  }
}

function areEqualTokens(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
