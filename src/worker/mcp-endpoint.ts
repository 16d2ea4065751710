import type { ServerWebSocket } from 'bun'
import { MAX_MCP_MESSAGE_BYTES } from '../core/limits.ts'
import type { Log } from '../platform/log.ts'
import { PIPE_PATH } from '../wire/worker-pipe.ts'
import { type Handler, inProcessClient, type PipeAddress, type PipeEndpoint } from './server.ts'

type Mcp = ReturnType<typeof import('../mcp/server.ts').openMcp>
type PipeConnection = ReturnType<Mcp['connect']>

/**
 * MCP, served by the worker: `/mcp` over HTTP in front of its other routes, and the pipes of the shims. Loaded when the first
 * client comes; to many workers none ever does.
 */
export function openMcpEndpoint(routes: Handler, log: Log): { answer: Handler; pipes: PipeEndpoint } {
  let opening: Promise<Mcp> | null = null
  const mcp = () => {
    opening ??= import('../mcp/server.ts').then(({ openMcp }) => openMcp({ ask: askRoutes(routes, log) }))
    return opening
  }
  const answer: Handler = async (request, url, caller, server) => {
    if (url.pathname !== PIPE_PATH || caller !== 'owner') return routes(request, url, caller, server)
    server.timeout(request, 0)
    return (await mcp()).handleRequest(request)
  }
  return { answer, pipes: openPipeEndpoint(mcp, log) }
}

function askRoutes(routes: Handler, log: Log): Parameters<typeof import('../mcp/server.ts').openMcp>[0]['ask'] {
  const ask = inProcessClient(routes, log)
  return (path, { method = 'GET', body, signal } = {}) =>
    ask(
      new Request(`http://worker${path}`, {
        method,
        ...(signal ? { signal } : {}),
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
    )
}

function openPipeEndpoint(mcp: () => Promise<Mcp>, log: Log): PipeEndpoint {
  const open = new Map<ServerWebSocket<PipeAddress>, Promise<PipeConnection>>()
  return {
    path: PIPE_PATH,
    handler: {
      maxPayloadLength: MAX_MCP_MESSAGE_BYTES,
      // A shim keeps quiet for as long as its person does.
      idleTimeout: 0,
      open: (socket) => {
        const project = socket.data.query.get('project')?.slice(0, 500) || null
        open.set(
          socket,
          mcp().then((door) => door.connect(project, (message) => void socket.send(message))),
        )
      },
      message: async (socket, message) => {
        try {
          const connection = await open.get(socket)
          connection?.receive(String(message))
        } catch (cause) {
          log.warn('a message over MCP could not be taken', { error: (cause as Error).name })
        }
      },
      close: async (socket) => {
        const connection = open.get(socket)
        open.delete(socket)
        ;(await connection)?.close()
      },
    },
    closeAll: () => {
      for (const socket of open.keys()) socket.close(GOING_AWAY, 'the worker stops')
    },
  }
}

const GOING_AWAY = 1001
