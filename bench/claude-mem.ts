/**
 * claude-mem, the reference product, beside `node -e 0` in the same run: its hook after a tool use, the start and the memory of its worker. Runs the package
 * from npm in a temporary folder. Its model calls go to a closed port on this machine. What cannot be run is recorded with the reason.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArguments } from '../scripts/arguments.ts'
import { closedPort } from '../test/support/ports.ts'
import { medianTimes, printRatios, spawnClean, spawnWith } from './measure.ts'
import { recordResult } from './result.ts'

parseArguments('bench/claude-mem.ts', {})
const VERSION = '13.25.3'
const PART = 'claude-mem'
const folder = mkdtempSync(join(tmpdir(), 'bench-claude-mem-'))
const plugin = join(folder, 'package', 'plugin')
const port = closedPort()
const env = {
  HOME: join(folder, 'home'),
  PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  CLAUDE_PLUGIN_ROOT: plugin,
  CLAUDE_MEM_WORKER_PORT: String(port),
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
}
let uses = 0
const service = [process.execPath, join(plugin, 'scripts', 'worker-service.cjs')]

process.on('SIGTERM', async () => {
  await stop()
  rmSync(folder, { recursive: true, force: true })
  process.exit(143)
})

try {
  const packed = Bun.spawnSync(['npm', 'pack', '--silent', '--pack-destination', folder, `claude-mem@${VERSION}`], { cwd: folder })
  const tarball = join(folder, `claude-mem-${VERSION}.tgz`)
  if (!packed.success || !existsSync(tarball)) notRun('all of it', 'the package cannot be downloaded')
  else await measure(tarball)
} finally {
  if (existsSync(plugin)) await stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function measure(tarball: string): Promise<void> {
  Bun.spawnSync(['tar', 'xzf', tarball], { cwd: folder })
  for (const name of ['home', 'bin']) mkdirSync(join(folder, name))
  symlinkSync(process.execPath, join(folder, 'bin', 'bun'))
  measureInstallSize()
  const { hooks } = JSON.parse(readFileSync(join(plugin, 'hooks', 'hooks.json'), 'utf8'))
  const line: string = hooks.PostToolUse[0].hooks[0].command
  await start()
  if (!(await isHealthy())) return void notRun('hook and worker', 'its worker does not start')
  await stop()
  const times = await medianTimes(5, {
    'node -e 0': async () => void (await spawnWith(['node', '-e', '0'], '', {})),
    'worker, cold start to first answer': start,
    'hook, worker running': async () => void (await spawnWith(['/bin/bash', '-c', line], payload(), env)),
    '(stop)': stop,
  })
  delete times['(stop)']
  printRatios(PART, times, 'node -e 0')
  await start()
  const health = (await (await fetch(`http://127.0.0.1:${port}/api/health`)).json()) as { pid?: number }
  if (health.pid) {
    const megabytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${health.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
    console.log(`  idle memory of its worker ${megabytes.toFixed(0)} MB`)
    recordResult({ part: PART, name: 'idle memory', value: megabytes, unit: 'MB' })
  }
  notRun('brief, search and model tokens', 'they need memories, which only a real model makes for it')
}

/** Its dependencies come in addition to the package. */
function measureInstallSize(): void {
  const ran = Bun.spawnSync(
    ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', join(folder, 'installed'), `claude-mem@${VERSION}`],
    {
      cwd: folder,
      timeout: 240_000,
    },
  )
  if (!ran.success) {
    notRun('install size', /notarget No matching version found for \S+/.exec(String(ran.stderr))?.[0] ?? 'npm install failed')
    return
  }
  const files = [...new Bun.Glob('**/*').scanSync({ cwd: join(folder, 'installed'), dot: true })]
  const megabytes = files.reduce((sum, file) => sum + Bun.file(join(folder, 'installed', file)).size, 0) / 1e6
  console.log(`  installed ${megabytes.toFixed(0)} MB, before Python`)
  recordResult({ part: PART, name: 'installed package with its dependencies', value: megabytes, unit: 'MB' })
}

async function start(): Promise<void> {
  const child = spawnClean([...service, 'start'], null, env)
  for (const until = Date.now() + 30_000; Date.now() < until && !(await isHealthy()); ) await Bun.sleep(2)
  await child.exited
}

async function stop(): Promise<void> {
  await spawnWith([...service, 'stop'], '', env)
}

async function isHealthy(): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/api/health`)).ok
  } catch {
    return false
  }
}

function payload(): string {
  const common = { session_id: 'bench', transcript_path: '/nowhere/none.jsonl', cwd: folder, hook_event_name: 'PostToolUse' }
  const tool_response = { stdout: 'a line of output\n'.repeat(100), stderr: '', interrupted: false }
  return JSON.stringify({ ...common, tool_name: 'Bash', tool_input: { command: 'ls -la' }, tool_response, tool_use_id: `toolu_${uses++}` })
}

function notRun(what: string, reason: string): void {
  console.log(`  not run: ${what}: ${reason}`)
  recordResult({ part: PART, name: `${what}: ${reason}`, value: 0, unit: 'not run' })
}
