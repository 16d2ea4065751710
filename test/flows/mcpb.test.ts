import { expect } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installJudge, orSkip } from '../harness/client.ts'
import { temporaryFolder } from '../support/builders.ts'
import { noteThroughMcp } from '../support/installed-program.ts'

const root = join(import.meta.dir, '..', '..')
const judge = () => installJudge('@anthropic-ai/mcpb', '2.1.2')
const test = await orSkip('the tool for MCP bundles', judge)

test('the MCP bundle is valid, can be packed and unpacked, and its server saves and finds a note', async () => {
  using folder = temporaryFolder()
  const tool = ['node', join(await judge(), 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js')]
  const run = (command: string[]) => {
    const ran = Bun.spawnSync(command, { cwd: folder.path, stdout: 'pipe', stderr: 'pipe' })
    return { code: ran.exitCode, output: `${ran.stdout}${ran.stderr}` }
  }
  const bundle = join(folder.path, 'bundle')
  const built = run([process.execPath, join(root, 'scripts/mcpb.ts'), `bun-${process.platform}-${process.arch}`, bundle])
  expect([built.code, built.code === 0 ? '' : built.output]).toEqual([0, ''])
  expect(run([...tool, 'validate', join(bundle, 'manifest.json')])).toEqual({
    code: 0,
    output: expect.stringContaining('Manifest schema validation passes'),
  })
  const file = join(folder.path, 'recollect.mcpb')
  expect(run([...tool, 'pack', bundle, file]).code).toBe(0)

  const installed = join(folder.path, 'installed')
  expect(run([...tool, 'unpack', file, installed]).code).toBe(0)
  const { server, tools } = JSON.parse(readFileSync(join(installed, 'manifest.json'), 'utf8'))
  // The program that installs a bundle replaces this name by the folder.
  const command = server.mcp_config.command.replace(/^\$\{__dirname\}/, installed)
  const home = join(folder.path, 'home')
  mkdirSync(home)
  const env = { PATH: '/usr/bin:/bin', HOME: home, RECOLLECT_WORKER_PORT: '0' }
  try {
    const found = await noteThroughMcp({ command, args: server.mcp_config.args, env, cwd: home })
    expect(found).toContain('Moorings are numbered from the east')
  } finally {
    Bun.spawnSync([command, 'stop'], { env, cwd: home })
  }
  expect(tools).toHaveLength(12)
}, 300_000)
