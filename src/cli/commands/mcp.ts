import { isSessionOff, readEnvironment } from '../../platform/environment.ts'
import { defineCommand } from '../parse.ts'
import { EXIT, invalidInput, printNotice } from '../print.ts'

export const command = defineCommand({
  name: 'mcp',
  summary: 'run the MCP server, for any MCP client',
  usage: `recollect mcp [--transport stdio|tcp] [--port 3100] [--plugin]
       recollect serve …   is the same

  MCP clients start this command and talk to it over stdin and stdout. It starts the worker if necessary. 'recollect init' registers it with
  Claude Code; docs/guide/mcp.md explains how to set up other clients.`,
  words: null,
  options: {
    transport: {
      type: 'string',
      of: ['stdio', 'tcp'],
      default: 'stdio',
      about: 'tcp: JSON-RPC lines on 127.0.0.1; the first line must be the token in run/token',
    },
    port: { type: 'string', value: 'N', default: '3100', about: 'the port for tcp' },
    plugin: { type: 'boolean', about: "for the plugin: serve nothing if 'recollect init' has registered the server too" },
  },
  /** Stdout belongs to the protocol, so messages for people go to stderr. */
  async run({ values }) {
    const { serveStdin, sessionFolder, sessionProject } = await import('../../mcp/shim.ts')
    if (values.transport === 'stdio') {
      const { isMcpRegistered } = await import('../../integrations/claude-code/mcp-registration.ts')
      const isDouble = values.plugin && isMcpRegistered(readEnvironment(), sessionFolder())
      const reason = isSessionOff() ? 'RECOLLECT=off' : isDouble ? 'it is also registered without the plugin' : null
      if (reason) await (await import('../../mcp/empty-server.ts')).serveNothing(reason)
      else await serveStdin()
      return EXIT.done
    }
    const port = Number(values.port)
    if (!Number.isInteger(port) || port < 0 || port > 65535)
      throw invalidInput(`--port must be a whole number from 0 to 65535, not "${values.port}"`)
    const { serveTcp } = await import('../../mcp/tcp.ts')
    const server = await serveTcp(port, sessionProject())
    const address = server.address()
    printNotice(`MCP on 127.0.0.1:${typeof address === 'object' ? address?.port : port}; the first line must be the token`)
    await new Promise((resolve) => server.once('close', resolve))
    return EXIT.done
  },
})
