import { timingSafeEqual } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { readOrCreateSecret } from '../platform/files.ts'
import { homePaths } from '../platform/paths.ts'
import { openWorkerConnection } from './shim.ts'
import { lineSplitter } from './stdio-lines.ts'

const TOKEN_TIMEOUT_MS = 10_000

/**
 * A line of JSON-RPC a message, over TCP on this machine. Everybody on it can reach the port, so the first line must be the token
 * (alone, or as `{"token": "…"}`); whoever says anything else is sent away.
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
  let line: ReturnType<typeof openWorkerConnection> | null = null
  const reply = (text: string) => void socket.write(`${text}\n`)
  const sendAway = (reason: string) => {
    socket.end(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message: reason } })}\n`)
    socket.setTimeout(TOKEN_TIMEOUT_MS, () => socket.destroy())
  }
  const late = setTimeout(() => sendAway('no token came'), TOKEN_TIMEOUT_MS)
  const split = lineSplitter((text) => {
    if (line) return line.send(text)
    clearTimeout(late)
    if (!areEqualTokens(tokenIn(text), token))
      return void sendAway('the first line must be the token; it is in run/token in the Recollect home')
    line = openWorkerConnection(project, reply)
  }, reply)
  socket.on('data', (chunk) => {
    if (!socket.writableEnded) split(Buffer.from(chunk))
  })
  // Who has said everything may still be waiting for the answers.
  socket.on('end', async () => {
    clearTimeout(late)
    await line?.finish()
    socket.end()
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    clearTimeout(late)
    void line?.finish()
  })
}

function tokenIn(text: string): string {
  try {
    const { token } = JSON.parse(text) as { token?: unknown }
    return typeof token === 'string' ? token : ''
  } catch {
    return text
  }
}

function areEqualTokens(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
