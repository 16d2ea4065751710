/** Checks of a built program from outside, as an MCP client, a browser and a person use it. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/** Saves a note through MCP and returns what a search for it finds. */
export async function noteThroughMcp(server: ConstructorParameters<typeof StdioClientTransport>[0]): Promise<string> {
  const client = new Client({ name: 'a test', version: '1' })
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }))
  try {
    await client.callTool({ name: 'memory_capture', arguments: { text: 'Moorings are numbered from the east.', scope: 'global' } })
    const found = await client.callTool({ name: 'memory_recall', arguments: { query: 'moorings', project: 'all' } })
    return JSON.stringify(found.content)
  } finally {
    await client.close()
  }
}

/** Opens the viewer by its link and loads the page and its script. */
export async function visitViewer(link: string) {
  const { headers } = await fetch(link)
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  const visit = (path: string) => fetch(new URL(path, link), { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  const page = await visit('/')
  const script = await visit(/\/app-\w+\.js/.exec(await page.text())?.[0] ?? '/none')
  return { page: page.status, script: [script.status, script.headers.get('content-type')] }
}

/** Waits until everything is embedded and returns the embedder in use. */
export async function waitForEmbedding(list: () => Promise<string>) {
  for (;;) {
    const { inUse } = JSON.parse(await list()) as { inUse: { provider: string; problem: string | null; embedded: number; waiting: number } }
    if (inUse.problem !== null || (inUse.waiting === 0 && inUse.embedded > 0)) return inUse
    await Bun.sleep(100)
  }
}
