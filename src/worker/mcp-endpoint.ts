import type { ServerWebSocket } from 'bun'
import { MAX_MCP_MESSAGE_BYTES } from '../core/limits.ts'
import type { Log } from '../platform/log.ts'
import type { HttpRequest } from '../wire/call.ts'
import { PIPE_PATH } from '../wire/worker-pipe.ts'
import type { PipeAddress, PipeEndpoint } from './server.ts'

type Mcp = ReturnType<typeof import('../mcp/server.ts').openMcp>
type PipeConnection = ReturnType<Mcp['connect']>

/**
 * The MCP server, for HTTP requests and for the pipes of `recollect mcp`. It calls the worker's own routes over `transport`, and is
 * loaded when the first client connects, because many workers never see one.
 */
export function openMcpEndpoint(transport: (request: HttpRequest) => Promise<Response>, log: Log) {
  let opening: Promise<Mcp> | null = null
  const mcp = () => {
    opening ??= import('../mcp/server.ts').then(({ openMcp }) => openMcp({ transport }))
    return opening
  }
  return {
    handleRequest: async (request: Request): Promise<Response> => (await mcp()).handleRequest(request),
    pipes: openPipeEndpoint(mcp, log),
  }
}

function openPipeEndpoint(mcp: () => Promise<Mcp>, log: Log): PipeEndpoint {
  const open = new Map<ServerWebSocket<PipeAddress>, Promise<PipeConnection>>()
  return {
    path: PIPE_PATH,
    handler: {
      maxPayloadLength: MAX_MCP_MESSAGE_BYTES,
      // A client may be silent for hours.
      idleTimeout: 0,
      open: (socket) => {
        const project = socket.data.query.get('project')?.slice(0, 500) || null
        open.set(
          socket,
          mcp().then((server) => server.connect(project, (message) => void socket.send(message))),
        )
      },
      message: async (socket, message) => {
        try {
          const connection = await open.get(socket)
          connection?.receive(String(message))
        } catch (cause) {
          log.warn('an MCP message could not be handled', { error: (cause as Error).name })
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
