import { openMcp } from '../../src/mcp/server.ts'
import { openRouter } from '../../src/worker/router.ts'
import { inProcessTransport } from '../../src/worker/server.ts'
import type { Services } from '../../src/worker/services.ts'
import { aControl } from './control.ts'
import { someServices } from './services.ts'

export type McpAnswer = {
  id?: number
  result?: {
    content?: { text: string }[]
    isError?: boolean
    tools?: { name: string }[]
    contents?: { text: string }[]
    resources?: { uri: string; name: string; title?: string }[]
    messages?: { content: { text: string } }[]
    completion?: { values: string[] }
  }
  error?: { message: string }
}

/** The services of a worker, with an MCP client that works in the project `app`. */
export async function servicesWithMcp() {
  const at = await someServices({ RECOLLECT_EMBEDDER_PROVIDER: 'none' })
  const client = anMcpClient(at.desk, 'app')
  const dispose = async () => {
    client.close()
    await at[Symbol.asyncDispose]()
  }
  return { ...at, client, [Symbol.asyncDispose]: dispose }
}

/** A client of the MCP server, in this process and without a socket. */
export function anMcpClient(desk: Services, project: string | null) {
  const waiting = new Map<number, (answer: McpAnswer) => void>()
  const connection = openMcp({ transport: inProcessTransport(openRouter(desk, aControl()), desk.log) }).connect(project, (text) => {
    const answer: McpAnswer = JSON.parse(text)
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer)
  })
  let last = 0
  const send = (message: object) => connection.receive(JSON.stringify({ jsonrpc: '2.0', ...message }))
  const ask = (method: string, params: object): Promise<McpAnswer> =>
    new Promise((resolve) => {
      waiting.set(++last, resolve)
      send({ id: last, method, params })
    })
  const ready = ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'a test', version: '1' },
  }).then(() => send({ method: 'notifications/initialized' }))
  const request = async (method: string, params: object = {}): Promise<McpAnswer> => {
    await ready
    return ask(method, params)
  }
  return {
    request,
    receive: connection.receive,
    /** The text of a tool for the model, and whether it is an error. */
    call: async (name: string, args: object = {}) => {
      const { result, error } = await request('tools/call', { name, arguments: args })
      return {
        text: error?.message ?? result?.content?.map(({ text }) => text).join('\n') ?? '',
        isError: error !== undefined || result?.isError === true,
      }
    },
    /** The text of a resource, or the error. */
    read: async (uri: string): Promise<string> => {
      const { result, error } = await request('resources/read', { uri })
      return error?.message ?? result?.contents?.[0]?.text ?? ''
    },
    close: connection.close,
  }
}
