import { existsSync } from 'node:fs'
import { chmod, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { OtherAgent } from '../../src/integrations/agent-setup.ts'
import { installFromNpm, orSkip } from './client.ts'

/** The versions of the other agents' clients that we test with. */
export const AGENT_CLIENTS: Record<OtherAgent, { package: string; version: string; executable: string }> = {
  codex: { package: '@openai/codex', version: '0.166.0', executable: 'codex' },
  copilot: { package: '@github/copilot', version: '1.0.102', executable: 'copilot' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0', executable: 'gemini' },
  qwen: { package: '@qwen-code/qwen-code', version: '0.24.4', executable: 'qwen' },
  opencode: { package: 'opencode-ai', version: '1.18.33', executable: 'opencode' },
}

/** Qwen Code needs Node 22, and VS Code Node 24. On an older Node, npm would silently install an old Qwen Code. */
const NODE_FOR_TESTS = '24.9.0'

/** A folder with the real client of an agent, for the PATH. Downloaded from npm into the person's cache the first time. */
export async function agentClient(agent: OtherAgent): Promise<string> {
  const { package: name, version, executable } = AGENT_CLIENTS[agent]
  const folder = await installFromNpm(`${agent}-${version}`, [`${name}@${version}`], async (partial) => {
    const installed = JSON.parse(await Bun.file(join(partial, 'node_modules', name, 'package.json')).text()) as { version: string }
    if (installed.version !== version) throw new Error(`npm installed ${name} ${installed.version} instead of ${version}`)
    if (agent === 'opencode') await linkOpencode(partial)
  })
  const bin = join(folder, 'bin')
  if (agent !== 'opencode') return dirname(join(folder, 'node_modules', '.bin', executable))
  return bin
}

/** Its install script, which we do not run, would put the program of this platform in place. */
async function linkOpencode(folder: string): Promise<void> {
  const packages = join(folder, 'node_modules')
  const native = (await readdir(packages)).find(
    (name) => /^opencode-(?:linux|darwin)-(?:x64|arm64)$/.test(name) && existsSync(join(packages, name, 'bin', 'opencode')),
  )
  if (!native) throw new Error('npm installed no program of OpenCode for this platform')
  await Bun.$`mkdir -p ${join(folder, 'bin')}`.quiet()
  await symlink(join('..', 'node_modules', native, 'bin', 'opencode'), join(folder, 'bin', 'opencode'))
}

/** The folder of a Node that is new enough for every client. npm's package `node` would only download this one in its install script. */
export async function nodeForTests(): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`
  const folder = await installFromNpm(`node-${NODE_FOR_TESTS}`, [`${name}@${NODE_FOR_TESTS}`], async (partial) => {
    const node = join(partial, 'node')
    await writeFile(node, `#!/bin/sh\nexec "$(dirname "$0")/node_modules/${name}/bin/node" "$@"\n`)
    await chmod(node, 0o755)
  })
  return folder
}

/** `test` if the client of the agent is available, otherwise a `test` that skips and says why. In CI a missing client is an error. */
export const agentOrSkip = (agent: OtherAgent) =>
  orSkip(`${agent} ${AGENT_CLIENTS[agent].version}`, async () => {
    await agentClient(agent)
    if (agent === 'qwen') await nodeForTests()
  })
