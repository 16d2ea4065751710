/** What a program that was built must do as well as the source: asked from outside, as a client, a browser and a person would. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/** Keeps a note through MCP and says what a search for it answers. */
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

/** Visits the viewer by its link, and what its page asks for. */
export async function pageAt(link: string) {
  const { headers } = await fetch(link)
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  const visit = (path: string) => fetch(new URL(path, link), { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  const page = await visit('/')
  const script = await visit(/\/app-\w+\.js/.exec(await page.text())?.[0] ?? '/none')
  return { page: page.status, script: [script.status, script.headers.get('content-type')] }
}

/** The embedder in use, when nothing waits for it any more. */
export async function embedded(list: () => Promise<string>) {
  for (;;) {
    const { inUse } = JSON.parse(await list()) as { inUse: { provider: string; problem: string | null; embedded: number; waiting: number } }
    if (inUse.problem !== null || (inUse.waiting === 0 && inUse.embedded > 0)) return inUse
    await Bun.sleep(100)
  }
}
