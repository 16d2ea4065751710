import { afterEach, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Environment, readEnvironment } from '../../platform/environment.ts'
import { findClient, inspectHooks, install, type RemovalOptions, uninstall } from './install.ts'

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A person's machine with a client of some version, and an installation on it. */
function machine(version: string | null = '2.1.325') {
  const userHome = mkdtempSync(join(tmpdir(), 'recollect-install-'))
  folders.push(userHome)
  const bin = join(userHome, 'bin')
  if (version) client(join(bin, 'claude'), version)
  const environment: Environment = {
    ...readEnvironment(),
    home: join(userHome, '.recollect'),
    claudeConfig: join(userHome, '.claude'),
    claudeBin: null,
    userHome,
    path: bin,
  }
  const options: RemovalOptions = { environment, project: null }
  return { userHome, environment, options, settings: join(userHome, '.claude', 'settings.json') }
}

function client(path: string, version: string): string {
  return put(path, `#!/bin/sh\necho "${version} (Claude Code)"\n`, 0o755)
}

function put(path: string, text: string, mode = 0o644): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const text = (path: string) => readFileSync(path, 'utf8')
const backupsIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('recollect-backup'))

test('a first installation creates folder and file, and makes no backup', async () => {
  const { options, settings } = machine()
  expect(await install(options)).toEqual({ kind: 'installed', file: settings, backup: null })
  expect(Object.keys(JSON.parse(text(settings)).hooks)).toHaveLength(10)
  expect(statSync(settings).mode & 0o777).toBe(0o600)
})

test('installing again changes nothing and makes no backup', async () => {
  const { options, settings } = machine()
  put(settings, '{}')
  await install(options)
  expect(await install(options)).toMatchObject({ kind: 'unchanged', backup: null })
  expect(backupsIn(dirname(settings))).toHaveLength(1)
})

test('uninstalling restores the file byte for byte, and each change makes a backup', async () => {
  const { options, settings } = machine()
  const before = '{\n\t"model": "opus",\n\t"hooks": {}\n}'
  put(settings, before)
  const installed = await install({ ...options, now: new Date('2026-03-04T05:06:07.890Z') })
  const backup = `${settings}.recollect-backup-20260304T050607Z`
  expect(installed).toMatchObject({ kind: 'installed', backup })
  expect(text(backup)).toBe(before)
  expect(statSync(backup).mode & 0o777).toBe(0o600)
  const removed = await uninstall({ ...options, now: new Date('2026-03-04T05:06:07.990Z') })
  expect(removed).toEqual({ kind: 'removed', file: settings, backup: `${backup}-2` })
  expect(text(settings)).toBe(before)
  expect(text(backup)).toBe(before)
})

test('uninstalling one home leaves the hooks of another', async () => {
  const { options, settings, environment } = machine()
  const other = { ...options, environment: { ...environment, home: '/data/memory' } }
  await install(other)
  const before = text(settings)
  expect(await uninstall(options)).toMatchObject({ kind: 'unchanged' })
  expect(text(settings)).toBe(before)
  expect(await uninstall(other)).toMatchObject({ kind: 'removed' })
  expect(text(settings)).not.toContain('claude-code')
})

test('a file that init created is deleted with the hooks, unless something else is in it', async () => {
  const { options, settings } = machine()
  await install(options)
  expect(await uninstall({ ...options, madeByUs: true, dryRun: true })).toMatchObject({ kind: 'planned' })
  expect(await uninstall({ ...options, madeByUs: true })).toEqual({ kind: 'removed', file: settings, backup: null, fileGone: true })
  expect(existsSync(settings)).toBe(false)
  await install(options)
  put(settings, text(settings).replace('{', '{"model": "opus",'))
  expect(await uninstall({ ...options, madeByUs: true })).toMatchObject({ kind: 'removed' })
  expect(JSON.parse(text(settings))).toEqual({ model: 'opus' })
})

test('uninstalling where nothing is installed does nothing', async () => {
  const { options, settings } = machine()
  expect(await uninstall(options)).toEqual({ kind: 'unchanged', file: settings, backup: null })
  expect(existsSync(settings)).toBe(false)
})

test('five backups are kept: the first one and the newest', async () => {
  const { options, settings, environment } = machine()
  put(settings, '{}')
  for (let day = 1; day <= 8; day++)
    await install({ ...options, environment: { ...environment, home: `/home${day}` }, now: new Date(Date.UTC(2026, 0, day)) })
  const days = [1, 5, 6, 7, 8].map((day) => `settings.json.recollect-backup-2026010${day}T000000Z`)
  expect(backupsIn(dirname(settings)).sort()).toEqual(days)
  expect(text(join(dirname(settings), days[0] ?? ''))).toBe('{}')
})

test('the file keeps its mode', async () => {
  const { options, settings } = machine()
  put(settings, '{}', 0o664)
  await install(options)
  expect(statSync(settings).mode & 0o777).toBe(0o664)
})

test('a settings file that is a symbolic link stays one, and its target is written', async () => {
  for (const there of [true, false]) {
    const { options, settings, userHome } = machine()
    const target = join(userHome, 'dotfiles', 'settings.json')
    if (there) put(target, '{}')
    mkdirSync(dirname(settings), { recursive: true })
    symlinkSync('../dotfiles/settings.json', settings)
    expect(await install(options)).toMatchObject({ kind: 'installed' })
    expect(lstatSync(settings).isSymbolicLink()).toBe(true)
    expect(text(target)).toContain('recollect-hook')
  }
})

test('a dry run shows the text and writes nothing', async () => {
  const { options, settings } = machine()
  const outcome = await install({ ...options, dryRun: true })
  expect(outcome).toMatchObject({ kind: 'planned', file: settings, changed: true })
  expect(existsSync(dirname(settings))).toBe(false)
  put(settings, outcome.kind === 'planned' ? outcome.text : '')
  expect(await install({ ...options, dryRun: true })).toMatchObject({ kind: 'planned', changed: false })
})

test('a file that is not JSON is left alone, and the error names line and column', async () => {
  const { options, settings } = machine()
  put(settings, '{\n  // mine\n}')
  expect(await install(options)).toMatchObject({
    kind: 'unreadable',
    file: settings,
    reason: 'line 2, column 3: expected a name in double quotes',
  })
  expect(await uninstall(options)).toMatchObject({ kind: 'unreadable' })
  expect(text(settings)).toBe('{\n  // mine\n}')
  expect(backupsIn(dirname(settings))).toEqual([])
})

test('settings that cannot be read or written are reported, not thrown', async () => {
  const { options, settings, userHome } = machine()
  mkdirSync(settings, { recursive: true })
  expect(await install(options)).toMatchObject({ kind: 'unreadable', file: settings })
  put(join(userHome, 'project'), 'a file where a folder is expected')
  expect(await install({ ...options, project: join(userHome, 'project') })).toMatchObject({ kind: 'unwritable' })
})

test("a project's hooks go into its personal settings", async () => {
  const { options, settings, userHome } = machine()
  const project = join(userHome, 'code', 'app')
  const file = join(project, '.claude', 'settings.local.json')
  expect(await install({ ...options, project })).toMatchObject({ kind: 'installed', file })
  expect(existsSync(settings)).toBe(false)
  expect(await uninstall({ ...options, project })).toMatchObject({ kind: 'removed', file })
  expect(text(file)).toBe('{}\n')
})

test('the hooks call the launcher of the home that they were installed for', async () => {
  const { options, settings, environment } = machine()
  await install({ ...options, environment: { ...environment, home: '/data/memory' } })
  expect(text(settings)).toContain('. /data/memory/bin/recollect-hook)')
  await install(options)
  expect(text(settings)).not.toContain('/data/memory')
})

test('every client gets the same commands, for the events that it knows', async () => {
  const commands = async (version: string | null) => {
    const { options, settings } = machine(version)
    expect(await install(options)).toMatchObject({ kind: 'installed' })
    return JSON.parse(text(settings)).hooks as Record<string, object>
  }
  const recent = await commands('2.1.325')
  for (const version of ['2.1.50', '1.0.85', null]) {
    const older = await commands(version)
    expect(recent).toMatchObject(older)
    expect(Object.keys(older).length).toBeLessThan(Object.keys(recent).length)
  }
  expect(await install(machine('1.0.30').options)).toEqual({ kind: 'too-old', version: '1.0.30' })
})

test('when the client is no longer found, its events stay', async () => {
  const { options, environment } = machine()
  await install(options)
  expect(await install({ ...options, environment: { ...environment, path: '' } })).toMatchObject({ kind: 'unchanged' })
})

test('the client is the one that CLAUDE_BIN names, else the first that answers', async () => {
  const { environment, userHome } = machine('2.1.100')
  const named = client(join(userHome, 'elsewhere', 'claude'), '2.1.200')
  expect(await findClient({ ...environment, claudeBin: named })).toEqual({ path: named, version: '2.1.200' })
  expect(await findClient({ ...environment, claudeBin: join(userHome, 'nowhere') })).toBe(null)
  expect(await findClient(environment)).toMatchObject({ version: '2.1.100' })
  put(join(userHome, 'bin', 'claude'), '#!/bin/sh\nexit 1\n', 0o755)
  expect(await findClient(environment)).toBe(null)
  const local = client(join(userHome, '.local', 'bin', 'claude'), '2.1.90')
  expect(await findClient({ ...environment, path: '' })).toEqual({ path: local, version: '2.1.90' })
})

test('an inspection finds the files with our hooks, and reports a double installation', async () => {
  const { environment, options, userHome, settings } = machine()
  const project = join(userHome, 'app')
  expect(inspectHooks(environment, project)).toMatchObject({ isInstalledTwice: false, otherMemory: [], hooksOff: false })
  await install(options)
  await install({ ...options, project })
  put(join(project, '.claude', 'settings.json'), '{oops')
  const { files, isInstalledTwice: twice } = inspectHooks(environment, project)
  expect(twice).toBe(true)
  expect(files.slice(0, 3)).toMatchObject([
    { scope: 'user', file: settings, kind: 'read' },
    { scope: 'project', kind: 'unreadable', reason: 'line 1, column 2: expected a name in double quotes' },
    { scope: 'project-local', kind: 'read' },
  ])
  const user = files[0]?.kind === 'read' ? files[0].own : []
  expect(user[0]).toEqual({ event: 'SessionStart', kind: 'current', home: null })
})

test('in the home folder the person’s own settings are not counted twice', async () => {
  const { environment, options, userHome } = machine()
  await install(options)
  expect(inspectHooks(environment, userHome).isInstalledTwice).toBe(false)
})

test('an inspection notices Context Graph by the scripts that its hooks call', () => {
  const { environment, userHome } = machine()
  const project = join(userHome, 'project')
  const inProject = join(project, '.claude', 'settings.json')
  put(inProject, JSON.stringify({ hooks: { SessionEnd: [{ hooks: [{ type: 'command', command: '.claude/hooks/session_end.sh' }] }] } }))
  expect(inspectHooks(environment, project).otherMemory).toEqual([])
  put(join(project, '.claude', 'hooks', 'session_end.sh'), 'CONTEXT_GRAPH_CLI="./target/release/context-graph-cli"\n')
  expect(inspectHooks(environment, project).otherMemory).toEqual([{ kind: 'hooks', name: 'Context Graph', file: inProject }])
})

test('an inspection notices another memory tool and hooks that are switched off', () => {
  const { environment, settings } = machine()
  put(settings, '{"disableAllHooks": true, "enabledPlugins": {"claude-mem@thedotmack": true}}')
  const otherMemory = [{ kind: 'plugin', name: 'claude-mem@thedotmack', file: settings }]
  expect(inspectHooks(environment, null)).toMatchObject({ otherMemory, hooksOff: true })
})
