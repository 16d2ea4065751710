import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publint } from 'publint'
import { BUNDLED_PACKAGES } from '../scripts/licences.ts'
import { temporaryFolder } from './support/builders.ts'
import { noteThroughMcp, visitViewer, waitForEmbedding } from './support/installed-program.ts'
import { minilmOrNull } from './support/minilm.ts'

const root = join(import.meta.dir, '..')
const folder = temporaryFolder()
const app = join(folder.path, 'app')
const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }

async function run(command: string[], cwd = app, more: Record<string, string> = {}) {
  const child = Bun.spawn(command, { cwd, env: { ...env, ...more }, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, stdout, stderr }
}
const recollect = (...args: string[]) => run([join(app, 'node_modules', '.bin', 'recollect'), ...args])

/** The package as users get it: packed, and installed into an empty folder without install scripts. */
beforeAll(async () => {
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{"name":"app","type":"module"}')
  // npm uses the cache and settings of the person who runs the tests.
  const own = { HOME: process.env.HOME ?? '' }
  const packed = await run(['npm', 'pack', '--silent', '--pack-destination', folder.path], root, own)
  expect([packed.code, packed.code === 0 ? '' : packed.stderr]).toEqual([0, ''])
  const tarball = join(folder.path, packed.stdout.trim().split('\n').at(-1) ?? '')
  const installed = await run(['npm', 'install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', tarball], app, own)
  expect([installed.code, installed.code === 0 ? '' : installed.stderr]).toEqual([0, ''])
}, 300_000)
afterAll(async () => {
  await recollect('stop')
  folder[Symbol.dispose]()
  rmSync(join(root, 'dist'), { recursive: true, force: true })
})

test('the command works: demo, search, help, embedder, eval and completion', async () => {
  expect((await recollect('demo')).code).toBe(0)
  expect((await recollect('search', 'tide', 'table', '--all')).stdout).toContain('Ask for each tide table once')
  expect((await recollect('help', 'filters')).stdout).toContain('# Filters')
  expect(JSON.parse((await recollect('embedder', '--json')).stdout).inUse).toMatchObject({ provider: 'static', problem: null })
  expect((await recollect('eval')).stdout).toContain('Memories mention 100.0 % of 6 changed files')
  expect((await recollect('completion', 'bash')).stdout).toContain('complete -o default -F _recollect recollect')
}, 300_000)

test('the client library runs on plain Node, and reports an unreachable worker', async () => {
  const script = `
    import { connect, memoryTool, RecollectError } from 'recollect/client'
    const memory = connect({ project: 'tidepool' })
    const hits = await memory.search('tide table cache')
    const { note } = await memory.notes.add({ body: 'Tides are kept in UTC.' })
    const away = await connect({ home: '/nowhere' }).status().catch((cause) => cause)
    const tool = memoryTool(memory, { project: 'tidepool' })
    await tool.run({ command: 'create', path: '/memories/a.md', file_text: 'hello' })
    const view = await tool.run({ command: 'view', path: '/memories/a.md' })
    console.log(JSON.stringify({ hits: hits.length, body: note.body, away: [away instanceof RecollectError, away.kind], view }))`
  writeFileSync(join(app, 'use.mjs'), script)
  const ran = await run(['node', 'use.mjs'])
  expect([ran.code, ran.stderr]).toEqual([0, ''])
  expect(JSON.parse(ran.stdout)).toEqual({
    hits: expect.any(Number),
    body: 'Tides are kept in UTC.',
    away: [true, 'unreachable'],
    view: { text: '     1\thello', isError: false },
  })
  expect(JSON.parse(ran.stdout).hits).toBeGreaterThan(0)
}, 300_000)

test('the client library has types that a strict program can use', async () => {
  const script = `import { connect, type Hit, memoryTool } from 'recollect/client'
const memory = connect()
export const hits: Promise<Hit[]> = memory.search('x', { kind: 'note' })
export const tool = memoryTool(memory).definition.type satisfies 'memory_20250818'
// @ts-expect-error there is no such kind
memory.search('x', { kind: 'nothing' })
`
  writeFileSync(join(app, 'use.ts'), script)
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--moduleResolution', 'nodenext', '--types', '', 'use.ts']
  const ran = await run([join(root, 'node_modules', '.bin', 'tsc'), ...flags])
  expect(ran).toMatchObject({ code: 0, stdout: '' })
}, 300_000)

test('an MCP client saves a note and finds it', async () => {
  const command = join(app, 'node_modules', '.bin', 'recollect')
  expect(await noteThroughMcp({ command, args: ['mcp'], env, cwd: app })).toContain('Moorings are numbered from the east')
}, 300_000)

test('the viewer is included in the package', async () => {
  const { url } = JSON.parse((await recollect('view', '--json')).stdout) as { url: string }
  expect(await visitViewer(url)).toEqual({ page: 200, script: [200, 'text/javascript; charset=utf-8'] })
  expect([...new Bun.Glob('run/viewer-*').scanSync({ cwd: join(folder.path, '.recollect'), onlyFiles: false })]).toEqual([])
}, 300_000)

test('the sentence model works', async () => {
  const minilm = await minilmOrNull()
  if (!minilm) return
  expect((await recollect('embedder', 'use', 'minilm', '--yes', '--from', minilm.tarball)).stdout).toContain('In use: minilm')
  expect(await waitForEmbedding(() => recollect('embedder', '--json').then((ran) => ran.stdout))).toMatchObject({
    provider: 'minilm',
    problem: null,
  })
}, 300_000)

test('the hooks of the packed program call the packed program, and doctor recognises them', async () => {
  expect((await recollect('init', '--yes')).code).toBe(0)
  const doctor = await recollect('doctor')
  expect(doctor.stdout).toContain('ok       Hooks')
  const settings = JSON.parse(readFileSync(join(folder.path, '.claude', 'settings.json'), 'utf8'))
  const launcher = readFileSync(join(folder.path, '.recollect', 'bin', 'recollect-hook'), 'utf8')
  expect(launcher).toContain(join(app, 'node_modules', 'recollect', 'dist', 'cli', 'hook.js'))
  // With a worker and without one: the two files of the hook.
  for (const command of ['restart', 'stop']) {
    await recollect(command)
    const line: string = settings.hooks.Stop[0].hooks[0].command
    const payload = JSON.stringify({ session_id: 's1', cwd: '/p', hook_event_name: 'Stop', last_assistant_message: command })
    const hook = Bun.spawnSync(['/bin/sh', '-c', line], { env, stdin: Buffer.from(payload) })
    expect([hook.exitCode, hook.stdout.toString(), hook.stderr.toString()]).toEqual([0, '{}', ''])
  }
  expect(readdirSync(join(folder.path, '.recollect', 'spool'))).toHaveLength(1)
  expect((await recollect('uninstall')).stdout).toContain('settings.json')
}, 300_000)

test('the package contains no sources or tests, and installs only the runtime', async () => {
  const files = [...new Bun.Glob('**/*').scanSync({ cwd: join(app, 'node_modules', 'recollect'), dot: true })]
  expect(files.filter((file) => /\.test\.ts$|^(?:src|test|bench|eval|scripts)\/|golden/.test(file))).toEqual([])
  expect(files).toContain('plugin/run.sh')
  expect(files).toContain('.claude-plugin/marketplace.json')
  const packages = readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))
  expect(packages.sort()).toEqual(['@oven', 'bun', 'recollect'])
})

test('every bundled package is listed with its licence', () => {
  const dist = join(app, 'node_modules', 'recollect', 'dist')
  const named = readFileSync(join(dist, 'licences.txt'), 'utf8')
  const inside = [...new Bun.Glob('*.js').scanSync(join(dist, 'cli'))].flatMap((file) =>
    [...readFileSync(join(dist, 'cli', file), 'utf8').matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(([, name]) => name),
  )
  expect([...new Set(inside)].sort()).toEqual(['@modelcontextprotocol/core', '@modelcontextprotocol/server', 'zod'])
  for (const name of BUNDLED_PACKAGES) expect(named).toContain(`\n${name} `)
})

test('publint reports nothing', async () => {
  const { messages } = await publint({ pkgDir: join(app, 'node_modules', 'recollect'), level: 'suggestion', strict: true, pack: false })
  expect(messages).toEqual([])
})
