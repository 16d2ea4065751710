import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { copyProgram } from './support/program-copy.ts'

/** Runs the shell lines that `init` writes into the settings, in a home where something is missing or broken. */
const PAYLOAD = JSON.stringify({ session_id: 's1', cwd: '/p', hook_event_name: 'Stop', last_assistant_message: 'x'.repeat(200_000) })
const SILENT = { code: 0, stdout: '', stderr: '' }

const folder = mkdtempSync('/tmp/recollect-')
/** A program that can be moved and deleted: the source and Bun. */
const program = join(folder, 'program')
const bun = join(program, 'node_modules', 'bun', 'bin', 'bun.exe')
const env = { PATH: '/usr/bin:/bin', HOME: folder, RECOLLECT_WORKER_PORT: '0' }
const home = join(folder, '.recollect')
const launcher = join(home, 'bin', 'recollect-hook')
const run = (command: string[], more: Record<string, string> = {}, cwd = folder) => {
  const ran = Bun.spawnSync(command, { cwd, env: { ...env, ...more }, stdin: Buffer.from(PAYLOAD), stdout: 'pipe', stderr: 'pipe' })
  return { code: ran.exitCode, stdout: ran.stdout.toString(), stderr: ran.stderr.toString() }
}
const recollect = (...args: string[]) => run([join(program, 'bin', 'recollect'), ...args])
const settings = () => JSON.parse(readFileSync(join(folder, '.claude', 'settings.json'), 'utf8'))
const line = (event: string): string => settings().hooks[event][0].hooks[0].command
const hook = (event = 'Stop', more: Record<string, string> = {}, cwd = folder) => run(['/bin/sh', '-c', line(event)], more, cwd)
const spooled = () => (existsSync(join(home, 'spool')) ? readdirSync(join(home, 'spool')).length : 0)

beforeAll(() => {
  copyProgram(program)
  expect(recollect('init', '--yes', '--no-mcp')).toMatchObject({ code: 0 })
  // Otherwise the hooks below would start a worker.
  expect(recollect('stop')).toMatchObject({ code: 0 })
})
afterAll(() => {
  recollect('stop')
  rmSync(folder, { recursive: true, force: true })
})

/** Moves a path away for the time of a test; with `copy`, a copy takes its place. */
function without(path: string, copy = false) {
  renameSync(path, `${path}.away`)
  if (copy) cpSync(`${path}.away`, path, { recursive: true, verbatimSymlinks: true })
  return {
    [Symbol.dispose]: () => {
      rmSync(path, { recursive: true, force: true })
      renameSync(`${path}.away`, path)
    },
  }
}

test('while everything is in place the hook runs the program', () => {
  const before = spooled()
  expect(hook()).toEqual({ code: 0, stdout: '{}', stderr: '' })
  expect(spooled()).toBe(before + 1)
})

test.each([
  ['the home', home],
  ['the launcher', launcher],
  ['the folder of the launcher', dirname(launcher)],
  ['the program', program],
  ['the entry file', join(program, 'src', 'hooks', 'main.ts')],
  ['Bun', bun],
])('without %s every hook is silent and exits with 0', (_, path) => {
  const lines = Object.keys(settings().hooks)
  using _away = without(path)
  for (const event of lines) expect([event, hook(event)]).toEqual([event, SILENT])
  if (path === home) expect(existsSync(home)).toBe(false)
})

test.each([
  ['a file that the entry imports is missing', (at: string) => rmSync(join(at, 'src', 'hooks', 'pipe.ts'))],
  ['the entry is damaged', (at: string) => writeFileSync(join(at, 'src', 'hooks', 'main.ts'), 'import {')],
  ['the entry fails', (at: string) => writeFileSync(join(at, 'src', 'hooks', 'main.ts'), 'console.error("no"); process.exit(2)')],
])('when %s the hook is silent and exits with 0', (_, damage) => {
  using _kept = without(join(program, 'src'), true)
  damage(program)
  expect(hook()).toEqual(SILENT)
})

test.each([
  ['is not executable', () => chmodSync(launcher, 0o600), '{}'],
  [
    'names an interpreter that is missing',
    () => writeFileSync(launcher, readFileSync(launcher, 'utf8').replace('#!/bin/sh', '#!/no/sh')),
    '{}',
  ],
  ['is cut in the middle of a quote', () => writeFileSync(launcher, "#!/bin/sh\n[ -f 'half"), ''],
  ['is empty', () => writeFileSync(launcher, ''), ''],
  ['contains bytes that are no text', () => writeFileSync(launcher, `\x7fELF${'\0\x80'.repeat(2000)}`), ''],
  [
    'is a folder',
    () => {
      rmSync(launcher)
      mkdirSync(launcher)
    },
    '',
  ],
  [
    'is a link to nowhere',
    () => {
      rmSync(launcher)
      symlinkSync('/nowhere', launcher)
    },
    '',
  ],
  ['names a Bun that is a folder', () => breakBun((path) => mkdirSync(path)), ''],
  ['names a Bun that cannot be executed', () => breakBun((path) => writeFileSync(path, 'x', { mode: 0o600 })), ''],
  ['names a Bun of another machine', () => breakBun((path) => writeFileSync(path, '\x7fELF', { mode: 0o700 })), ''],
])('when the launcher %s, the hook exits with 0 and shows no error', (_, change, stdout) => {
  using _kept = without(launcher, true)
  change()
  expect(hook()).toEqual({ code: 0, stdout, stderr: '' })
})

function breakBun(write: (path: string) => void): void {
  const path = join(home, 'broken-bun')
  rmSync(path, { recursive: true, force: true })
  write(path)
  const text = readFileSync(launcher, 'utf8')
  writeFileSync(launcher, text.replaceAll(bun, path))
  expect(readFileSync(launcher, 'utf8')).toContain(path)
}

test.each(['bash', 'dash', 'zsh', 'ksh', 'busybox'].filter((shell) => Bun.which(shell)))('in %s the line means the same', (shell) => {
  const command = [...(shell === 'busybox' ? ['busybox', 'sh'] : [shell]), '-c', line('Stop')]
  expect(run(command)).toEqual({ code: 0, stdout: '{}', stderr: '' })
  using _away = without(launcher)
  expect(run(command)).toEqual(SILENT)
})

test('after the program moved, the hook runs the one on the PATH, and the next start of a worker updates the launcher', () => {
  const text = line('Stop')
  const moved = join(folder, 'versions', 'v2', 'recollect')
  mkdirSync(dirname(moved), { recursive: true })
  cpSync(program, moved, { recursive: true, verbatimSymlinks: true })
  using _away = without(program)
  const before = spooled()
  expect(hook()).toEqual(SILENT)
  const bin = join(folder, 'versions', 'bin')
  mkdirSync(bin)
  symlinkSync(join(moved, 'bin', 'recollect'), join(bin, 'recollect'))
  const PATH = `${bin}:${env.PATH}`
  expect(hook('Stop', { PATH })).toEqual({ code: 0, stdout: '{}', stderr: '' })
  expect(spooled()).toBe(before + 1)
  expect(run([join(bin, 'recollect'), 'restart'])).toMatchObject({ code: 0 })
  run([join(bin, 'recollect'), 'stop'])
  expect(readFileSync(launcher, 'utf8')).toContain(moved)
  expect(line('Stop')).toBe(text)
  expect(hook()).toEqual({ code: 0, stdout: '{}', stderr: '' })
}, 300_000)

test('a project cannot change where a hook sends its payload, nor run code in it', () => {
  recollect('start')
  recollect('stop')
  const project = join(folder, 'cloned')
  mkdirSync(project)
  writeFileSync(join(project, '.env'), `RECOLLECT_HOME=${join(folder, 'stolen')}\nHOME=${join(folder, 'stolen')}\n`)
  writeFileSync(join(project, 'bunfig.toml'), 'preload = ["./evil.ts"]\n')
  writeFileSync(join(project, 'evil.ts'), `await Bun.write(${JSON.stringify(join(folder, 'evil'))}, 'ran')`)
  const before = spooled()
  expect(hook('Stop', {}, project)).toEqual({ code: 0, stdout: '{}', stderr: '' })
  expect(run([join(program, 'bin', 'recollect'), 'hook', 'claude-code', 'Stop'], {}, project)).toMatchObject({ code: 0, stdout: '{}' })
  expect(spooled()).toBe(before + 2)
  expect([existsSync(join(folder, 'stolen')), existsSync(join(folder, 'evil'))]).toEqual([false, false])
}, 300_000)
