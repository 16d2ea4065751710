import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { environment, temporaryFolder } from '../../../test/support/builders.ts'
import { registerMcp, unregisterMcp } from './mcp.ts'
import { isMcpRegistered, readMcpRegistration } from './mcp-registration.ts'

const program = { command: '/opt/bun', args: ['/opt/recollect/src/cli/main.ts'] }
const ours = (...args: string[]) => ({ type: 'stdio', command: '/opt/bun', args: ['/opt/recollect/src/cli/main.ts', ...args] })

test('a registration is ours, of another home, of another program, or missing', () => {
  using at = aClient()
  expect(at.known()).toEqual({ kind: 'none' })
  at.write(ours('mcp'))
  expect(at.known()).toEqual({ kind: 'ours', home: null, program: ['/opt/bun', ...program.args, 'mcp'] })
  at.write(ours('--home', '/elsewhere', 'mcp'))
  expect(at.known()).toMatchObject({ kind: 'ours', home: '/elsewhere' })
  at.write({ command: 'npx', args: ['recollect-of-others'] })
  expect(at.known()).toEqual({ kind: 'other' })
})

test('a server is recognised as ours by command, single-file executable or address', () => {
  using at = aClient()
  expect(at.isRegistered()).toBeFalse()
  for (const command of ['recollect', '/opt/recollect-linux-x64', '/opt/node_modules/.bin/recollect']) {
    at.write({ command, args: ['mcp'] })
    expect([at.known(), at.isRegistered()]).toEqual([{ kind: 'ours', home: null, program: [command, 'mcp'] }, true])
  }
  at.write({ type: 'http', url: 'http://127.0.0.1:37777/mcp' })
  expect([at.known(), at.isRegistered()]).toEqual([{ kind: 'address' }, true])
  at.write({ type: 'http', url: 'https://recollect.example/mcp' })
  expect([at.known(), at.isRegistered()]).toEqual([{ kind: 'other' }, false])
})

test('a registration by address is left alone', async () => {
  using at = aClient()
  at.write({ type: 'http', url: 'http://127.0.0.1:37777/mcp' })
  expect(await at.register(null)).toEqual({ kind: 'unchanged' })
  expect(await at.unregister(null)).toEqual({ kind: 'unchanged' })
})

test('the server is registered once, and an outdated registration is replaced', async () => {
  using at = aClient()
  const add = ['mcp add --scope user recollect -- /opt/bun /opt/recollect/src/cli/main.ts --home /mine mcp']
  expect(await at.register('/mine')).toEqual({ kind: 'registered' })
  expect(at.calls()).toEqual(add)
  at.write(ours('--home', '/mine', 'mcp'))
  expect(await at.register('/mine')).toEqual({ kind: 'unchanged' })
  expect(at.calls()).toEqual(add)
  at.write({ ...ours('--home', '/mine', 'mcp'), command: '/old/bun' })
  await at.register('/mine')
  expect(at.calls().slice(1)).toEqual(['mcp remove --scope user recollect', ...add])
})

test('a server of another program stays, and uninstalling leaves the server of another home', async () => {
  using at = aClient()
  at.write({ command: 'npx', args: ['recollect-of-others'] })
  expect(await at.register(null)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('claude mcp remove') })
  expect(await at.unregister(null)).toEqual({ kind: 'unchanged' })
  at.write(ours('--home', '/elsewhere', 'mcp'))
  expect(await at.unregister(null)).toEqual({ kind: 'unchanged' })
  expect(at.calls()).toEqual([])
  expect(await at.unregister('/elsewhere')).toEqual({ kind: 'removed' })
})

test('an error of the client is reported', async () => {
  using at = aClient('echo "this is managed by your organisation" >&2; exit 1')
  expect(await at.register(null)).toEqual({ kind: 'refused', reason: 'this is managed by your organisation' })
})

/** A fake client that records the commands it gets. */
function aClient(then = '') {
  const folder = temporaryFolder()
  const seen = environment(join(folder.path, 'home'), { userHome: folder.path, claudeConfig: join(folder.path, '.claude') })
  const file = join(folder.path, '.claude.json')
  const log = join(folder.path, 'calls')
  const client = join(folder.path, 'claude')
  mkdirSync(dirname(client), { recursive: true })
  writeFileSync(client, `#!/bin/sh\necho "$*" >> ${log}\n${then}\n`)
  chmodSync(client, 0o755)
  const options = { environment: seen, project: null, findClient: async () => client }
  return {
    write: (server: object) => writeFileSync(file, JSON.stringify({ mcpServers: { recollect: server } })),
    known: () => readMcpRegistration(seen, null),
    isRegistered: () => isMcpRegistered(seen, '/any/folder'),
    register: (homeFlag: string | null) => registerMcp({ ...options, program, homeFlag }),
    unregister: (homeFlag: string | null) => unregisterMcp({ ...options, homeFlag }),
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
