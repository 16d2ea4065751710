import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { temporaryFolder } from './builders.ts'

export const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

/** A new home, and real MCP clients that start `recollect mcp` for it. */
export function anMcpHome(name = 'home') {
  const folder = temporaryFolder()
  const project = join(folder.path, 'project')
  const home = join(folder.path, name)
  mkdirSync(project)
  const env = { HOME: folder.path, RECOLLECT_HOME: home, RECOLLECT_WORKER_PORT: '0', PATH: '/usr/bin:/bin' }
  const worker = () => JSON.parse(readFileSync(join(home, 'run', 'worker.json'), 'utf8')) as { pid: number; port: number }
  const recollect = async (...args: string[]) => {
    const child = Bun.spawn([RECOLLECT, ...args], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [stdout, code] = await Promise.all([child.stdout.text(), child.exited])
    return { stdout, code }
  }
  return {
    env,
    project,
    home,
    worker,
    recollect,
    token: () => readFileSync(join(home, 'run', 'token'), 'utf8').trim(),
    isWorkerThere: () => existsSync(join(home, 'run', 'worker.json')),
    connect: async (mode: 'legacy' | 'auto' | { pin: string } = 'legacy') => {
      const transport = new StdioClientTransport({ command: RECOLLECT, args: ['mcp'], env, cwd: project, stderr: 'ignore' })
      const client = new Client({ name: 'a test', version: '1' }, { versionNegotiation: { mode } })
      await client.connect(transport)
      return { client, pid: transport.pid ?? 0 }
    },
    [Symbol.asyncDispose]: async () => {
      await recollect('stop')
      folder[Symbol.dispose]()
    },
  }
}
