import { isMcpRegistered } from '../integrations/claude-code/mcp-registration.ts'
import { serveStdin, sessionFolder, sessionProject } from '../mcp/shim.ts'
import { readEnvironment } from '../platform/environment.ts'
import { parse } from './parse.ts'
import { CliError, EXIT, printError } from './print.ts'

/** Stdout belongs to the protocol; whatever is for a person goes to stderr. */
export async function run(args: string[]): Promise<number> {
  const { values } = parse('mcp', args)
  switch (values.transport) {
    case 'stdio':
      if (values.plugin && isMcpRegistered(readEnvironment(), sessionFolder()))
        await (await import('../mcp/empty-server.ts')).serveNothing()
      else await serveStdin()
      return EXIT.done
    case 'tcp': {
      const port = Number(values.port)
      if (!Number.isInteger(port) || port < 0 || port > 65535) throw new CliError('--port is a number up to 65535', EXIT.invalid)
      const { serveTcp } = await import('../mcp/tcp.ts')
      const server = await serveTcp(port, sessionProject())
      const address = server.address()
      printError(`MCP on 127.0.0.1:${typeof address === 'object' ? address?.port : port}; the first line must be the token`, false)
      await new Promise((resolve) => server.once('close', resolve))
      return EXIT.done
    }
    default:
      throw new CliError('--transport is stdio or tcp; over HTTP the worker itself answers at /mcp', EXIT.invalid)
  }
}
