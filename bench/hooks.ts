/**
 * The cost of a hook, compared with `node -e 0` in the same run; the milliseconds alone say little about other machines. Measures the shell line in
 * the settings, with the built program that a package contains.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArguments } from '../scripts/arguments.ts'
import { measureHooksInClient } from './client.ts'
import { medianTimes, printRatios, spawnWith } from './measure.ts'

parseArguments('bench/hooks.ts', {})
const root = join(import.meta.dir, '..')
const built = Bun.spawnSync([process.execPath, join(root, 'scripts/build.ts')], { cwd: root })
if (!built.success) throw new Error(`could not build the program: ${built.stderr}`)
const cli = [process.execPath, join(root, 'dist/cli/main.js')]

/** A home with hooks. In `stopped` no worker runs, in `frozen` one that does not answer. */
async function aHome(state: 'running' | 'stopped' | 'frozen') {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-bench-'))
  const env = { HOME: folder, RECOLLECT_WORKER_PORT: '0', RECOLLECT_HOOKS_PRE_TOOL_USE_ENABLED: 'true' }
  const run = (...args: string[]) => spawnWith([...cli, ...args], '', env)
  await run('init', '--yes', '--no-mcp')
  const { pid } = JSON.parse(await run('start', '--json')) as { pid: number }
  if (state === 'stopped') await run('stop')
  if (state === 'frozen') process.kill(pid, 'SIGSTOP')
  const { hooks } = JSON.parse(readFileSync(join(folder, '.claude/settings.json'), 'utf8'))
  const line: string = hooks.PostToolUse[0].hooks[0].command
  const lineBefore: string = hooks.PreToolUse[0].hooks[0].command
  const ask = async (body: object) => {
    const unix = join(folder, '.recollect/run/worker.sock')
    return (await fetch('http://worker/hook/claude-code', { unix, method: 'POST', body: JSON.stringify(body) })).text()
  }
  return {
    hookBefore: async () => void (await spawnWith(['/bin/sh', '-c', lineBefore], starting(), env)),
    ask,
    hook: async () => void (await spawnWith(['/bin/sh', '-c', line], payload(), env)),
    run,
    env,
    remove: async () => {
      if (state === 'frozen') process.kill(pid, 'SIGCONT')
      await run('stop')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

let n = 0
const payload = () =>
  JSON.stringify({
    session_id: 'bench',
    transcript_path: '/nowhere/none.jsonl',
    cwd: root,
    prompt_id: 'p1',
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'ls -la', description: 'look' },
    tool_response: { stdout: 'a line of output\n'.repeat(100), stderr: '', interrupted: false },
    tool_use_id: `toolu_${n++}`,
  })

/** A tool that is about to read a file of which an earlier session knows something. */
const starting = () =>
  JSON.stringify({
    ...session('later'),
    hook_event_name: 'PreToolUse',
    tool_name: 'Read',
    tool_input: { file_path: join(root, 'src/a.ts') },
  })

const session = (id: string) => ({ session_id: id, transcript_path: '/nowhere/none.jsonl', cwd: root, prompt_id: `${id}-1` })

/** One session changes a file; another starts, and the worker prepares what it knows. */
async function prepareFileBrief(ask: (body: object) => Promise<string>): Promise<void> {
  const edit = { file_path: join(root, 'src/a.ts'), old_string: 'const a = 1', new_string: 'const a = 2' }
  const events = [
    { ...session('earlier'), hook_event_name: 'SessionStart', source: 'startup' },
    { ...session('earlier'), hook_event_name: 'UserPromptSubmit', prompt: 'Raise the limit in a.ts.' },
    {
      ...session('earlier'),
      hook_event_name: 'PostToolUse',
      tool_name: 'Edit',
      tool_input: edit,
      tool_response: {},
      tool_use_id: 'toolu_edit',
    },
    { ...session('earlier'), hook_event_name: 'Stop', last_assistant_message: 'The limit is 2 now.' },
    { ...session('later'), hook_event_name: 'SessionStart', source: 'startup' },
  ]
  for (const event of events) await ask(event)
  await Bun.sleep(3000)
  const reply = await ask(JSON.parse(starting()))
  if (!reply.includes('src/a.ts')) throw new Error(`the brief was not prepared: ${reply}`)
}

const [running, stopped, frozen] = [await aHome('running'), await aHome('stopped'), await aHome('frozen')]
try {
  await prepareFileBrief(running.ask)
  const times = await medianTimes(41, {
    'node -e 0': async () => void (await spawnWith(['node', '-e', '0'], '', {})),
    'bun -e 0': async () => void (await spawnWith([process.execPath, '-e', '0'], '', {})),
    'hook, worker running': running.hook,
    'hook before a tool, worker running': running.hookBefore,
    'answer before a tool, in the worker': async () => void (await running.ask(JSON.parse(starting()))),
    'hook, worker stopped (spooled)': stopped.hook,
    'hook, worker frozen (spooled)': frozen.hook,
    'recollect hook, for scripts': async () =>
      void (await spawnWith([join(root, 'bin/recollect'), 'hook', 'claude-code'], payload(), running.env)),
  })
  printRatios('Hooks, spawn to exit', times, 'node -e 0', {
    'hook, worker running': 0.4,
    'hook before a tool, worker running': 0.4,
    // 20 ms, where `node -e 0` takes 40.
    'answer before a tool, in the worker': 0.5,
    'hook, worker stopped (spooled)': 0.8,
    'hook, worker frozen (spooled)': 0.8,
  })
} finally {
  for (const home of [running, stopped, frozen]) await home.remove()
}

const added = await measureHooksInClient(5)
if (added.kind === 'skipped') console.log(`\nHooks in the real client: skipped. ${added.why}`)
else printRatios('Hooks in the real client, for each tool use', added.times, 'node -e 0')
