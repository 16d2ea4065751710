/** The cost of a hook, compared with `node -e 0` in the same run; the milliseconds alone say little about other machines. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArguments } from '../scripts/arguments.ts'
import { measureHooksInClient } from './client.ts'
import { medianTimes, printRatios, spawnWith } from './measure.ts'

parseArguments('bench/hooks.ts', {})
const root = join(import.meta.dir, '..')
const home = mkdtempSync(join(tmpdir(), 'recollect-bench-'))
const downHome = mkdtempSync(join(tmpdir(), 'recollect-bench-'))
const env = { RECOLLECT_HOME: home, RECOLLECT_WORKER_PORT: '0' }
const cli = [process.execPath, join(root, 'src/cli/main.ts')]
const run = async (...args: string[]) => JSON.parse(await spawnWith([...cli, ...args, '--json'], '', env)) as { port: number }

let n = 0
const payload = () =>
  JSON.stringify({
    session_id: 'bench',
    transcript_path: join(home, 'none.jsonl'),
    cwd: root,
    prompt_id: 'p1',
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'ls -la', description: 'look' },
    tool_response: { stdout: 'a line of output\n'.repeat(100), stderr: '', interrupted: false },
    tool_use_id: `toolu_${n++}`,
  })

try {
  const { port } = await run('start')
  const token = readFileSync(join(home, 'run/hook-token'), 'utf8').trim()
  const times = await medianTimes(25, {
    'node -e 0': async () => void (await spawnWith(['node', '-e', '0'], '', {})),
    'bun -e 0': async () => void (await spawnWith([process.execPath, '-e', '0'], '', {})),
    'command hook, worker up': async () => void (await spawnWith([...cli, 'hook', 'claude-code'], payload(), env)),
    'command hook through bin/recollect': async () =>
      void (await spawnWith([join(root, 'bin/recollect'), 'hook', 'claude-code'], payload(), env)),
    'command hook, worker down (spooled)': async () =>
      void (await spawnWith([...cli, 'hook', 'claude-code'], payload(), { RECOLLECT_HOME: downHome })),
    'http hook': async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/hook/claude-code`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: payload(),
      })
      await answer.text()
    },
  })
  printRatios('Hooks, spawn to exit', times, 'node -e 0', {
    'command hook, worker up': 0.6,
    'command hook, worker down (spooled)': 1,
    'http hook': 0.3,
  })
} finally {
  await run('stop')
  rmSync(home, { recursive: true, force: true })
  rmSync(downHome, { recursive: true, force: true })
}

const added = await measureHooksInClient(5)
if (added.kind === 'skipped') console.log(`\nHooks in the real client: skipped. ${added.why}`)
else
  printRatios('Hooks in the real client, for each tool use', added.times, 'node -e 0', {
    'added by http hooks': 0.3,
    'added by command hooks': 0.6,
  })
