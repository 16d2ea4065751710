import { expect } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientOrSkip, WITHOUT_HTTP_HOOKS } from '../harness/client.ts'
import { type ModelRequest, requestText, toolResults } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { runIn } from '../harness/sandbox.ts'
import { aPerson, briefIn, type Person } from '../support/person.ts'
import { fixTheTest, project } from '../support/scripts.ts'

const test = await clientOrSkip()
const old = await clientOrSkip(WITHOUT_HTTP_HOOKS)
const root = join(import.meta.dir, '..', '..')

test('the client validates the plugin and the marketplace without complaints', async () => {
  await using person = await aPerson({ init: null })
  for (const args of [['--profile', 'directory', join(root, 'plugin')], [root]]) {
    const { code, stdout, stderr } = await runIn(person, [person.claude, 'plugin', 'validate', '--strict', ...args])
    expect([args, code, stdout + stderr]).toEqual([args, 0, expect.stringContaining('Validation passed')])
  }
})

test('the plugin of a release works alone: it downloads the runtime, says so, remembers, and gives the agent the command', async () => {
  await using person = await aPerson({ files: project, git: true, init: null, env: withNpm() })
  const shop = join(person.root, 'shop')
  const built = Bun.spawnSync([process.execPath, join(root, 'scripts', 'plugin-package.ts'), shop], { stderr: 'pipe' })
  expect([built.exitCode, built.exitCode === 0 ? '' : String(built.stderr)]).toEqual([0, ''])
  const checked = await runIn(person, [person.claude, 'plugin', 'validate', '--strict', '--profile', 'directory', join(shop, 'plugin')])
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('Validation passed')])
  await claude(person, 'plugin', 'marketplace', 'add', shop)
  await claude(person, 'plugin', 'install', 'recollect@recollect')
  const [installed = ''] = new Bun.Glob('plugins/cache/recollect/recollect/*/run.sh').scanSync({
    cwd: join(person.home, '.claude'),
    absolute: true,
  })

  const start = () => runIn(person, [installed, 'hook', 'claude-code', 'SessionStart', '--plugin'], { input: '{}' })
  const withoutNpm = await runIn(person, [installed, 'hook', 'claude-code', 'SessionStart', '--plugin'], {
    env: { PATH: folderWithoutNpm(person) },
  })
  expect([withoutNpm.code, JSON.parse(withoutNpm.stdout).systemMessage]).toEqual([0, expect.stringContaining('npm is not on your PATH')])
  expect(JSON.parse((await start()).stdout).systemMessage).toContain('downloads its runtime with npm')
  for (let waited = 0; !existsSync(join(person.home, '.recollect', 'run', 'worker.json')); waited += 200) {
    if (waited > 110_000) throw new Error(readFileSync(join(installed, '..', 'program', 'fetch.log'), 'utf8'))
    await Bun.sleep(200)
  }

  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  await person.settled()
  expect((await person.rows('prompts')).map(({ text }) => text)).toEqual(['The login test fails. Find out why and fix it.'])
  const call = { tools: [{ name: 'Bash', input: { command: 'recollect search multiplied --json | head -c 2000' } }] }
  const second = await runClaude({ sandbox: person, prompt: 'What did we do last time?', turns: [call, 'We fixed it.'] })
  const main = second.requests.filter((request) => request.lane === 'main')
  expect(briefIn(requestText(main[0]))).toContain('multiplied by 1000')
  expect(memoryTools(main[0])).toEqual(MEMORY_TOOLS.map((name) => `mcp__plugin_recollect_recollect__${name}`))
  expect(toolResults(main[1])[0]?.text).toContain('multiplied by 1000')
}, 300_000)

test('the plugin of a checkout finds the program in the checkout', async () => {
  await using person = await aPerson({ init: null })
  await claude(person, 'plugin', 'marketplace', 'add', root)
  const { code, stdout } = await runIn(person, [join(root, 'plugin', 'run.sh'), 'version'])
  expect([code, stdout.trim()]).toEqual([0, JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version])
})

test('the plugin works like init, can be updated, disabled and uninstalled, and the memories stay', async () => {
  await using person = await aPerson({ files: project, git: true, init: null, env: { RECOLLECT_BIN: join(root, 'bin', 'recollect') } })
  const shop = await installPlugin(person)
  expect(await person.recollect('doctor').catch(String)).toContain('installed by the plugin recollect@recollect')

  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  await person.settled()
  const second = await runClaude({ sandbox: person, prompt: 'What did we do last time?', turns: ['We fixed it.'] })
  expect(briefIn(requestText(second.requests[0]))).toContain('multiplied by 1000')
  await person.settled()
  const remembered = (await person.rows('prompts')).length

  const manifest = join(shop, 'plugin', '.claude-plugin', 'plugin.json')
  const offers = join(shop, '.claude-plugin', 'marketplace.json')
  for (const file of [manifest, offers])
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/"version": "[^"]+"/g, '"version": "99.0.0"'))
  await claude(person, 'plugin', 'marketplace', 'update', 'recollect')
  expect(await claude(person, 'plugin', 'update', 'recollect@recollect')).toContain('99.0.0')

  await claude(person, 'plugin', 'disable', 'recollect@recollect')
  await runClaude({ sandbox: person, prompt: 'Nobody listens.', turns: ['Right.'] })
  await person.settled()
  expect(await person.rows('prompts')).toHaveLength(remembered)
  await claude(person, 'plugin', 'uninstall', 'recollect@recollect')
  expect(existsSync(join(person.home, '.recollect', 'recollect.db'))).toBe(true)
  expect(await person.rows('prompts')).toHaveLength(remembered)
})

test('the model calls memory through the plugin and reads the answer', async () => {
  await using person = await aPerson({ files: project, git: true, init: null, env: { RECOLLECT_BIN: join(root, 'bin', 'recollect') } })
  await installPlugin(person)
  const call = (name: string, input: Record<string, unknown>) => ({ tools: [{ name: `mcp__plugin_recollect_recollect__${name}`, input }] })
  const run = await runClaude({
    sandbox: person,
    prompt: 'Remember how tides are kept.',
    turns: [call('memory_capture', { text: 'Tides are kept in UTC.' }), call('memory_recall', { query: 'tides' }), 'Done.'],
  })
  const main = run.requests.filter((request) => request.lane === 'main')
  expect(memoryTools(main[0])).toEqual(MEMORY_TOOLS.map((name) => `mcp__plugin_recollect_recollect__${name}`))
  expect(toolResults(main[1])[0]?.text).toMatch(/Saved as N\w{8}/)
  expect(toolResults(main[2])[1]?.text).toContain('Tides are kept in UTC')
  await person.settled()
  expect(await person.rows('tool-uses')).toEqual([])
})

test('init first, then the plugin: the model sees every tool once, every event is recorded once, and the person gets instructions', async () => {
  await using person = await aPerson({ files: project, git: true, env: { RECOLLECT_BIN: join(root, 'bin', 'recollect') } })
  expect(await person.recollect('status')).toContain(`connected by 'recollect init'`)
  await installPlugin(person)
  const first = await aSession(person)
  expect(memoryTools(first.request)).toEqual(MEMORY_TOOLS.map((name) => `mcp__recollect__${name}`))
  expect(first.instructions).toBe(1)
  expect(first.servers).toEqual({ recollect: 'connected', 'plugin:recollect:recollect': 'connected' })
  expect(await person.rows('prompts')).toHaveLength(1)
  const hook = (...args: string[]) =>
    runIn(person, [join(root, 'plugin', 'run.sh'), 'hook', 'claude-code', ...args, '--plugin'], { input: '{}' })
  expect(JSON.parse((await hook('SessionStart')).stdout).systemMessage).toContain('connected twice')
  expect((await hook('Stop')).stdout).toBe('{}')
  const wayOut = 'recollect uninstall, or: claude plugin disable recollect@recollect'
  expect(await person.recollect('status')).toMatch(new RegExp(`connected twice.*${wayOut}`))
  const findings = (JSON.parse(await person.recollect('doctor', '--json')) as { findings: { what: string; says: string; fix: string }[] })
    .findings
  for (const [what, says] of [
    ['Hooks', 'installed twice'],
    ['MCP server', "the plugin's server stays silent"],
  ] as const)
    expect(findings).toContainEqual(expect.objectContaining({ what, state: 'warning', says: expect.stringContaining(says), fix: wayOut }))

  // After either fix one of the two is complete.
  await person.recollect('uninstall')
  const byPlugin = await aSession(person)
  expect(memoryTools(byPlugin.request)).toEqual(MEMORY_TOOLS.map((name) => `mcp__plugin_recollect_recollect__${name}`))
  expect(await person.rows('prompts')).toHaveLength(2)
  expect(await person.recollect('status')).toContain('connected by the plugin recollect@recollect')
})

test('the plugin first: init and doctor leave hooks and MCP server alone', async () => {
  await using person = await aPerson({ files: project, git: true, init: null, env: { RECOLLECT_BIN: join(root, 'bin', 'recollect') } })
  await installPlugin(person)
  const refused = await runIn(person, [join(root, 'bin', 'recollect'), 'init', '--yes'])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('claude plugin disable recollect@recollect')])
  const fixed = await person.recollect('doctor', '--fix')
  expect(fixed).toContain('MCP server: registered by the plugin recollect@recollect')
  const session = await aSession(person)
  expect(memoryTools(session.request)).toEqual(MEMORY_TOOLS.map((name) => `mcp__plugin_recollect_recollect__${name}`))
  expect(session.servers).toEqual({ 'plugin:recollect:recollect': 'connected' })
  expect(await person.rows('prompts')).toHaveLength(1)
})

old(`${WITHOUT_HTTP_HOOKS} loads the whole plugin, records sessions, and shows every tool once together with init`, async () => {
  const env = { RECOLLECT_BIN: join(root, 'bin', 'recollect') }
  await using person = await aPerson({ client: WITHOUT_HTTP_HOOKS, files: project, git: true, init: null, env })
  await installPlugin(person)
  expect(await claude(person, 'plugin', 'list')).toContain('enabled')
  await runClaude({ sandbox: person, prompt: 'The login test fails. Find out why and fix it.', turns: fixTheTest(person.project) })
  await person.settled()
  const second = await aSession(person)
  expect(briefIn(requestText(second.request))).toContain('multiplied by 1000')
  expect(memoryTools(second.request)).toEqual(MEMORY_TOOLS.map((name) => `mcp__plugin_recollect_recollect__${name}`))
  await claude(person, 'plugin', 'disable', 'recollect@recollect')
  await person.recollect('init', '--yes')
  await claude(person, 'plugin', 'enable', 'recollect@recollect')
  expect(memoryTools((await aSession(person)).request)).toEqual(MEMORY_TOOLS.map((name) => `mcp__recollect__${name}`))
  expect(await person.rows('prompts')).toHaveLength(3)
})

test('without the program, the start of a session says so, and the other hooks are silent; without the plugin itself, all are', async () => {
  await using person = await aPerson({ init: null })
  const { hooks } = JSON.parse(readFileSync(join(root, 'plugin', 'hooks', 'hooks.json'), 'utf8'))
  for (const folder of [join(root, 'plugin'), '/nowhere'])
    for (const event of Object.keys(hooks)) {
      const line: string = hooks[event][0].hooks[0].command
      const ran = await runIn(person, ['/bin/sh', '-c', line], { env: { CLAUDE_PLUGIN_ROOT: folder }, input: '{}' })
      const isTold = event === 'SessionStart' && folder !== '/nowhere'
      expect([event, ran.code, ran.stderr]).toEqual([event, 0, ''])
      if (isTold) expect(JSON.parse(ran.stdout)).toEqual({ systemMessage: expect.stringContaining('the program is missing') })
      else expect([event, ran.stdout]).toEqual([event, ''])
    }
  const mcp = await runIn(person, [join(root, 'plugin', 'run.sh'), 'mcp', '--plugin'])
  expect([mcp.code, mcp.stderr]).toEqual([1, expect.stringContaining('npm ci && npm install -g .')])
})

/** The registry and the cache of the person who runs the tests: a program in a sandbox has no network. */
function withNpm(): Record<string, string> {
  const { stdout } = Bun.spawnSync(['npm', 'config', 'get', 'cache'])
  return {
    HTTPS_PROXY: process.env.HTTPS_PROXY ?? '',
    npm_config_cache: stdout.toString().trim(),
    npm_config_prefer_offline: 'true',
    ...Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (/^npm_config_registry$/i.test(name) && value ? [[name, value]] : [])),
    ),
  }
}

/** A folder for the PATH with the programs that a shell script needs, and without npm. */
function folderWithoutNpm({ root }: Person): string {
  const folder = join(root, 'without-npm')
  mkdirSync(folder)
  for (const name of ['sh', 'find', 'mkdir', 'rmdir', 'sed']) symlinkSync(Bun.which(name) ?? '', join(folder, name))
  return folder
}

const MEMORY_TOOLS = [
  'memory_capture',
  'memory_configure',
  'memory_consolidate',
  'memory_forget',
  'memory_get',
  'memory_graph',
  'memory_recall',
  'memory_status',
  'memory_sync',
  'memory_timeline',
  'memory_update',
  'memory_verify',
]

/** Every memory tool in a request: with its schema, or in the list of deferred tools. */
function memoryTools(request: ModelRequest | undefined): string[] {
  return [...new Set(JSON.stringify(request?.body).match(/mcp__\w+__memory_\w+/g) ?? [])].sort()
}

/** Runs a short session and waits until it is distilled: its first request, and the state of its MCP servers. */
async function aSession(person: Person) {
  const run = await runClaude({ sandbox: person, prompt: 'What did we do last time?', turns: ['Much.'] })
  await person.settled()
  const servers = run.events.flatMap((event) => (event.mcp_servers ?? []) as { name: string; status: string }[])
  const [request] = run.requests.filter((candidate) => candidate.lane === 'main')
  return {
    request,
    servers: Object.fromEntries(servers.map(({ name, status }) => [name, status])),
    instructions: requestText(request).split('Recollect remembers what earlier sessions').length - 1,
  }
}

/** Installs from a copy of the marketplace, so that a test can publish another version. */
async function installPlugin(person: Person): Promise<string> {
  const shop = join(person.root, 'shop')
  for (const folder of ['.claude-plugin', 'plugin']) cpSync(join(root, folder), join(shop, folder), { recursive: true })
  await claude(person, 'plugin', 'marketplace', 'add', shop)
  await claude(person, 'plugin', 'install', 'recollect@recollect')
  return shop
}

async function claude(person: Person, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runIn(person, [person.claude, ...args])
  if (code !== 0) throw new Error(`claude ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return stdout + stderr
}
