/** Independent checks: the protocol's own conformance suite and the MCP Inspector. */
import { describe, expect } from 'bun:test'
import { join } from 'node:path'
import { installJudge, orSkip } from '../harness/client.ts'
import { anMcpHome, RECOLLECT } from '../support/mcp.ts'

const suite = () => installJudge('@modelcontextprotocol/conformance', '0.2.0-alpha.12')
const inspector = () => installJudge('@modelcontextprotocol/inspector', '2.12.0')
const conforms = await orSkip('the MCP conformance suite', suite)
const inspects = await orSkip('the MCP Inspector', inspector)

/** The scenarios that work with any server; the others call tools, resources and prompts of the suite's own server. */
const ALWAYS = ['tools-list', 'resources-list', 'prompts-list']
const WITH_SESSIONS = ['server-initialize', 'server-session-lifecycle', 'ping', 'resources-subscribe', 'resources-unsubscribe']
const SCENARIOS = {
  '2025-06-18': [...ALWAYS, ...WITH_SESSIONS],
  '2025-11-25': [...ALWAYS, ...WITH_SESSIONS, 'server-sse-multiple-streams', 'dns-rebinding-protection'],
  '2026-07-28': [
    ...ALWAYS,
    'server-stateless',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'sep-2164-resource-not-found',
  ],
}

describe.each(Object.entries(SCENARIOS))('the conformance suite for %s', (version, scenarios) => {
  conforms('finds nothing wrong', async () => {
    await using at = anMcpHome()
    await at.recollect('start')
    const { port } = at.worker()
    // The suite cannot send a token; this proxy adds ours and changes nothing else.
    await using proxy = withToken(port, at.token())
    const program = join(await suite(), 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
    for (const scenario of scenarios) {
      const args = ['server', '--url', `http://127.0.0.1:${proxy.port}/mcp`, '--scenario', scenario, '--spec-version', version]
      const { out } = await ran([process.execPath, program, ...args], at.project)
      const [, passed = 0, all = 0, failed = 0] = (/Passed: (\d+)\/(\d+), (\d+) failed/.exec(out) ?? []).map(Number)
      // A few checks of `server-stateless` need tools of the suite's own server and count as failed without them.
      const untestable = out.match(/Error: Not testable: server does not list the diagnostic tool/g)?.length ?? 0
      expect([scenario, passed > 0, passed + untestable, failed - untestable, out]).toEqual([scenario, true, all, 0, out])
    }
  })
})

describe.each(['legacy', 'modern'])('the inspector, with the %s protocol', (era) => {
  inspects('validates every tool and calls one', async () => {
    await using at = anMcpHome()
    const program = join(await inspector(), 'node_modules/.bin/mcp-inspector')
    const inspect = (...args: string[]) => {
      const variables = Object.entries(at.env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
      const base = ['--cli', RECOLLECT, 'mcp', '--protocol-era', era, '--format', 'json', '-q', '--cwd', at.project, ...variables]
      return ran(['node', program, ...base, ...args], at.project)
    }
    const listed = await inspect('--method', 'tools/list', '--strict')
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining('memory_recall')])
    const called = await inspect(
      '--method',
      'tools/call',
      '--tool-name',
      'memory_capture',
      '--tool-args-json',
      '{"text":"Herons log poison."}',
    )
    expect([called.code, called.out]).toEqual([0, expect.stringMatching(/Saved as N\w{8}/)])
    const resources = await inspect('--method', 'resources/list')
    expect([resources.code, resources.out]).toEqual([0, expect.stringMatching(/recollect:\/\/project\/\w+\/\w{26}/)])
    const prompts = await inspect('--method', 'prompts/list')
    expect([prompts.code, prompts.out]).toEqual([0, expect.stringContaining('handoff')])
  })
})

async function ran(command: string[], cwd: string): Promise<{ code: number; out: string }> {
  const child = Bun.spawn(command, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out: stdout + stderr }
}

function withToken(port: number, token: string) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${token}`)
      for (const name of ['host', 'origin']) {
        const value = headers.get(name)
        if (value) headers.set(name, value.replace(`:${server.port}`, `:${port}`))
      }
      const { pathname, search } = new URL(request.url)
      return fetch(`http://127.0.0.1:${port}${pathname}${search}`, { method: request.method, headers, body: request.body })
    },
  })
  return { port: server.port, [Symbol.asyncDispose]: () => server.stop(true) }
}
