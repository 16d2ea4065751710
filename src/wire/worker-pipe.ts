import { readEnvironment } from '../platform/environment.ts'
import { createTemporaryLink } from '../platform/files.ts'
import type { Home } from '../platform/paths.ts'

/** Where the worker takes lasting connections of MCP clients. */
export const PIPE_PATH = '/mcp'

/** How a pipe came to its end. `goodbye`: the worker stopped because somebody wanted it to. `lost`: it died, or was not there. */
export type PipeEnd = 'goodbye' | 'lost'

export type WorkerPipe = { send(message: string): void; close(): void }

/** Opens a lasting connection to the worker, a message at a time. Null when nobody answers. */
export function openPipe(
  home: Home,
  project: string | null,
  heard: { message(text: string): void; end(how: PipeEnd): void },
): Promise<WorkerPipe | null> {
  const query = project ? `?${new URLSearchParams({ project })}` : ''
  const opened = Promise.withResolvers<WorkerPipe | null>()
  const address = urlSafeSocketPath(home.socket)
  const socket = new WebSocket(`ws+unix://${address.path}:${PIPE_PATH}${query}`)
  let isOpen = false
  socket.onopen = () => {
    isOpen = true
    address.remove()
    opened.resolve({ send: (message) => socket.send(message), close: () => socket.close() })
  }
  socket.onmessage = ({ data }) => heard.message(String(data))
  socket.onclose = ({ code }) => {
    address.remove()
    if (isOpen) heard.end(code === GOING_AWAY ? 'goodbye' : 'lost')
    opened.resolve(null)
  }
  // A close follows, and says as much.
  socket.onerror = () => {}
  return opened.promise
}

const GOING_AWAY = 1001

/**
 * A path that can stand in the address of a WebSocket, where a space, an umlaut or a colon is escaped and never found again: the socket's own, or
 * for as long as it takes to connect a link to it. The socket stays where everybody else finds it.
 */
function urlSafeSocketPath(socket: string): { path: string; remove(): void } {
  if (URL_SAFE_PATH.test(socket)) return { path: socket, remove: () => {} }
  const { temporaryFolder: temporary } = readEnvironment()
  return createTemporaryLink(socket, URL_SAFE_PATH.test(temporary) ? temporary : '/tmp')
}

const URL_SAFE_PATH = /^[\w/.+-]+$/
