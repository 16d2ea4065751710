import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { environment, temporaryFolder } from '../../test/support/builders.ts'
import { SERVED_AGENTS } from '../core/agent.ts'
import { connectedAgents } from '../platform/installs.ts'
import { homePaths } from '../platform/paths.ts'
import { connectAgent, disconnectAgent, inspectAgent, type OtherAgent, planAgent, type SetupContext } from './agent-setup.ts'
import { loadSetup } from './setups.ts'

const OTHERS = SERVED_AGENTS.filter((name): name is OtherAgent => name !== 'claude-code')

/** Settings of people, in every layout that matters: with other entries, empty containers, tabs, Windows line ends, no last newline. */
const SETTINGS: Record<string, string[]> = {
  '.codex/hooks.json': [
    '{}',
    '{ "hooks": {} }\n',
    '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{ "hooks": [{ "type": "command", "command": "say done" }] }\n\t\t]\n\t}\n}\n',
    '{\r\n  "hooks": {\r\n    "SessionStart": []\r\n  }\r\n}\r\n',
  ],
  '.codex/config.toml': ['model = "x"', '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "a"\n', '[a]\nb = 1\n\n\n'],
  '.copilot/mcp-config.json': ['{}', '{"mcpServers":{}}', '{\n  "mcpServers": {\n    "other": { "command": "a" }\n  }\n}'],
  '.gemini/settings.json': ['{"hooks":{}}', '{\n    "mcpServers": {},\n    "theme": "dark"\n}\n'],
  '.qwen/settings.json': ['{ }\n', '{\n  "hooks": { "Stop": [] }\n}\n'],
  '.config/opencode/opencode.json': ['{"$schema":"x"}', '{\n  "mcp": {}\n}\n'],
}

describe.each(OTHERS)('%s', (agent) => {
  const own = Object.entries(SETTINGS).filter(([path]) => path.startsWith(agent === 'opencode' ? '.config/opencode' : `.${agent}/`))
  const variants = Math.max(...own.map(([, texts]) => texts.length))

  test('connecting and disconnecting leaves every byte of the settings, and no file of ours', async () => {
    for (let i = 0; i < variants; i++) {
      using at = aHome()
      const files = Object.fromEntries(own.map(([path, texts]) => [path, texts[i % texts.length] ?? '']))
      at.write(files)
      const setup = await loadSetup(agent)
      const written = connectAgent(setup, at.context)
      expect(written.map(({ kind }) => kind)).toEqual(written.map(() => 'written'))
      expect(connectedAgents(at.home)).toContain(agent)
      expect(inspectAgent(setup, at.context)).toMatchObject({ connected: true, missing: [] })
      expect(connectAgent(setup, at.context).map(({ kind }) => kind)).toEqual(written.map(() => 'unchanged'))
      disconnectAgent(setup, at.context, false)
      expect(at.settings()).toEqual(files)
      expect(connectedAgents(at.home)).not.toContain(agent)
    }
  })

  test('without settings of the person, disconnecting deletes the files that init created', async () => {
    using at = aHome()
    const setup = await loadSetup(agent)
    connectAgent(setup, at.context)
    expect(Object.keys(at.settings()).length).toBeGreaterThan(0)
    disconnectAgent(setup, at.context, false)
    expect(at.settings()).toEqual({})
  })

  test('changes that the person made after init survive when the agent is disconnected', async () => {
    using at = aHome()
    const setup = await loadSetup(agent)
    at.write(Object.fromEntries(own.map(([path, texts]) => [path, texts[0] ?? ''])))
    connectAgent(setup, at.context)
    const [path = ''] = own.at(-1) ?? []
    const changed = path.endsWith('.toml')
      ? `${at.read(path)}\n[mine]\nadded = true\n`
      : at.read(path).replace(/\}\s*$/, ', "added": { "by": "me" } }\n')
    at.write({ [path]: changed })
    disconnectAgent(setup, at.context, false)
    expect(at.read(path)).toMatch(/added/)
    expect(at.read(path)).not.toMatch(/recollect/)
    if (path.endsWith('.json')) expect(JSON.parse(at.read(path)).added).toEqual({ by: 'me' })
    else expect(Bun.TOML.parse(at.read(path))).toMatchObject({ mine: { added: true } })
  })

  test('a plan and a dry run write nothing', async () => {
    using at = aHome()
    const setup = await loadSetup(agent)
    expect(planAgent(setup, at.context).every((file) => file.kind === 'planned' && file.changed)).toBeTrue()
    expect(at.settings()).toEqual({})
    connectAgent(setup, at.context)
    const before = at.settings()
    expect(disconnectAgent(setup, at.context, true).every((file) => file.kind === 'planned' && file.changed)).toBeTrue()
    expect(at.settings()).toEqual(before)
  })

  test('settings that cannot be read are left alone, and the reason is given', async () => {
    using at = aHome()
    const [path = ''] = own.at(-1) ?? []
    at.write({ [path]: '{ "not: closed' })
    const setup = await loadSetup(agent)
    const outcome = connectAgent(setup, at.context).find((file) => file.path.endsWith(path))
    expect(outcome).toMatchObject({ kind: 'unreadable' })
    expect(at.read(path)).toBe('{ "not: closed')
  })

  test('a server of another program under our name stays', async () => {
    using at = aHome()
    const files: Record<OtherAgent, [string, string]> = {
      codex: ['.codex/config.toml', '[mcp_servers.recollect]\ncommand = "/opt/other"\n'],
      copilot: ['.copilot/mcp-config.json', '{"mcpServers":{"recollect":{"command":"/opt/other"}}}'],
      gemini: ['.gemini/settings.json', '{"mcpServers":{"recollect":{"command":"/opt/other"}}}'],
      qwen: ['.qwen/settings.json', '{"mcpServers":{"recollect":{"command":"/opt/other"}}}'],
      opencode: ['.config/opencode/opencode.json', '{"mcp":{"recollect":{"command":["/opt/other"]}}}'],
    }
    const [path, text] = files[agent]
    at.write({ [path]: text })
    const setup = await loadSetup(agent)
    connectAgent(setup, at.context)
    expect(at.read(path)).toContain('/opt/other')
    disconnectAgent(setup, at.context, false)
    expect(at.read(path)).toBe(text)
  })
})

test('the settings contain neither a token nor a port, and the command of a hook is the same for every place of the program', async () => {
  using at = aHome()
  for (const agent of OTHERS) {
    for (const file of planAgent(await loadSetup(agent), at.context)) {
      if (file.kind !== 'planned') throw new Error(file.kind)
      expect(file.text).not.toMatch(/37777|127\.0\.0\.1|token/i)
      if (file.holds.startsWith('hooks')) expect(file.text).toContain('\\"$HOME\\"/.recollect/bin/recollect-hook')
    }
  }
})

test('Codex skips hooks until the person trusts them, and doctor reports this', async () => {
  using at = aHome()
  at.write({ '.codex/hooks.json': '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}' })
  const setup = await loadSetup('codex')
  connectAgent(setup, at.context)
  expect(inspectAgent(setup, at.context).obstacle?.problem).toBe('Codex skips our hooks, because they are not trusted yet')
  const { hooks } = JSON.parse(at.read('.codex/hooks.json')) as { hooks: Record<string, unknown[]> }
  const trusted = (events: string[]) =>
    events.map((event) => {
      const name = event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
      // Ours is the second group where the person has a hook too.
      return `\n[hooks.state."${at.path('.codex/hooks.json')}:${name}:${event === 'Stop' ? 1 : 0}:0"]\ntrusted_hash = "sha256:x"\n`
    })
  const events = Object.keys(hooks)
  const config = at.read('.codex/config.toml')
  at.write({ '.codex/config.toml': config + trusted(events).join('') })
  expect(inspectAgent(setup, at.context).obstacle).toBeNull()
  at.write({ '.codex/config.toml': config + trusted(events.filter((event) => event !== 'Stop')).join('') })
  expect(inspectAgent(setup, at.context).obstacle?.problem).toBe('Codex skips our hooks for Stop, because they are not trusted yet')
})

/** A person's home without agents. */
function aHome() {
  const folder = temporaryFolder()
  const seen = environment(folder.path)
  const context: SetupContext = {
    environment: { ...seen, userHome: folder.path, home: join(folder.path, '.recollect') },
    program: { command: '/opt/bun', args: ['/opt/recollect/dist/cli/main.js'] },
    mcp: true,
  }
  const path = (name: string) => join(folder.path, name)
  return {
    context,
    home: homePaths(context.environment),
    path,
    read: (name: string) => readFileSync(path(name), 'utf8'),
    write: (files: Record<string, string>) => {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(path(name)), { recursive: true })
        writeFileSync(path(name), text)
      }
    },
    /** Every file of the agents, without backups. */
    settings: (): Record<string, string> => {
      const names = existsSync(folder.path) ? readdirSync(folder.path, { recursive: true, encoding: 'utf8' }) : []
      const files = names.filter((name) => /\.(?:json|toml|js)$/.test(name) && !name.startsWith('.recollect'))
      return Object.fromEntries(files.map((name) => [name, readFileSync(path(name), 'utf8')]))
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
