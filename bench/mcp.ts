/** The round trip of an MCP call: a real client, the process it starts, and the worker. Compared with a request to the worker's socket. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { parseArguments } from '../scripts/arguments.ts'
import { aTestHome } from '../test/support/test-home.ts'
import { medianTimes, printRatios, spawnWith } from './measure.ts'

parseArguments('bench/mcp.ts', {})
await using home = await aTestHome()
await home.run('start')
await home.run('capture', 'The tide table is read once a day.')
const client = new Client({ name: 'a bench', version: '1' })
const recollect = new URL('../bin/recollect', import.meta.url).pathname
await client.connect(new StdioClientTransport({ command: recollect, args: ['mcp'], env: home.env, cwd: home.project, stderr: 'ignore' }))
try {
  const recall = () => client.callTool({ name: 'memory_recall', arguments: { query: 'tide table', project: 'all' } })
  if (!JSON.stringify(await recall()).includes('tide table')) throw new Error('the MCP server does not find the note')
  const times = await medianTimes(60, {
    'node -e 0': async () => void (await spawnWith(['node', '-e', '0'], '', {})),
    'MCP: list the tools': async () => void (await client.listTools()),
    'MCP: recall': async () => void (await recall()),
    'the same search over the socket': async () => void (await (await home.ask('GET', '/api/search?query=tide%20table')).text()),
  })
  printRatios('MCP round trip', times, 'node -e 0')
} finally {
  await client.close()
}
