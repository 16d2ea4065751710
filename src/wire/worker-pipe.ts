import { readEnvironment } from '../platform/environment.ts'
import { createTemporaryLink } from '../platform/files.ts'
import type { Home } from '../platform/paths.ts'

/** The path of the WebSocket that connects an MCP client's process to the worker. */
export const PIPE_PATH = '/mcp'

/** How a pipe ended. `goodbye`: the worker was stopped on purpose. `lost`: it crashed, or could not be reached. */
export type PipeEnd = 'goodbye' | 'lost'

export type WorkerPipe = { send(message: string): void; close(): void }

/** Opens a connection that carries messages in both directions. Null when no worker answers. */
export function openPipe(
  home: Home,
  project: string | null,
  listener: { message(text: string): void; end(how: PipeEnd): void },
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
  socket.onmessage = ({ data }) => listener.message(String(data))
  socket.onclose = ({ code }) => {
    address.remove()
    if (isOpen) listener.end(code === GOING_AWAY ? 'goodbye' : 'lost')
    opened.resolve(null)
  }
  // `onclose` follows.
  socket.onerror = () => {}
  return opened.promise
}

const GOING_AWAY = 1001

/**
 * A path to the socket that works in a WebSocket URL, where a space, an umlaut or a colon would be escaped and the socket not found. If the path
 * has such a character, this is a temporary link; call `remove` once connected.
 */
function urlSafeSocketPath(socket: string): { path: string; remove(): void } {
  if (URL_SAFE_PATH.test(socket)) return { path: socket, remove: () => {} }
  const { temporaryFolder } = readEnvironment()
  return createTemporaryLink(socket, URL_SAFE_PATH.test(temporaryFolder) ? temporaryFolder : '/tmp')
}

const URL_SAFE_PATH = /^[\w/.+-]+$/
