/**
 * The worker: cold start, idle memory, events per second. The cold start is compared with `node -e 0` and with `bun -e 0`, the start of the runtime
 * itself, in the same run. Measures the program that a package contains, built here or at another place: bench/worker.ts [entry] [--events 3000].
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArguments } from '../scripts/arguments.ts'
import { FRUGAL_RUNTIME } from '../src/platform/processes.ts'
import { medianTimes, printRatios, spawnClean, spawnWith } from './measure.ts'
import { recordResult } from './result.ts'

const { values, positionals } = parseArguments(
  'bench/worker.ts [entry] [--events 3000]',
  { events: { type: 'string', default: '3000' } },
  { words: true },
)
const [entry] = positionals
const events = Number(values.events)
const root = join(import.meta.dir, '..')
const home = mkdtempSync(join(tmpdir(), 'recollect-bench-'))
// As a hook starts it.
const env = { RECOLLECT_HOME: home, RECOLLECT_WORKER_PORT: '0', ...FRUGAL_RUNTIME }
const packaged = [process.execPath, entry ?? buildProgram()]
const checkout = [process.execPath, join(root, 'src/cli/worker-process.ts')]
const socket = join(home, 'run', 'worker.sock')
const get = (path: string) => fetch(`http://worker${path}`, { unix: socket })
const SEARCH = '/api/search?query=tide'
const spawned: ReturnType<typeof Bun.spawn>[] = []

/** Starts a worker and waits for its first answer at this path. */
async function coldStart(path: string, program = packaged): Promise<void> {
  const child = spawnClean(program, null, env)
  spawned.push(child)
  for (;;) {
    try {
      const answer = await get(path)
      await answer.json()
      return
    } catch {
      await Bun.sleep(1)
    }
  }
}

async function stopWorker(): Promise<void> {
  const child = spawned.at(-1)
  child?.kill('SIGTERM')
  await child?.exited
}

const residentMegabytes = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

try {
  const [firstAnswer, firstSearch] = ['worker, cold start to first answer', 'worker, cold start to first search']
  const fromSource = 'worker of a checkout, to first answer'
  await coldStart(SEARCH)
  await stopWorker()
  const times = await medianTimes(9, {
    'node -e 0': async () => void (await spawnWith(['node', '-e', '0'], '', {})),
    'bun -e 0': async () => void (await spawnWith([process.execPath, '-e', '0'], '', {})),
    [firstAnswer]: () => coldStart('/health'),
    '(stop)': stopWorker,
    [firstSearch]: () => coldStart(SEARCH),
    '(stop again)': stopWorker,
    [fromSource]: () => coldStart('/health', checkout),
    '(stop at last)': stopWorker,
  })
  for (const name of ['(stop)', '(stop again)', '(stop at last)']) delete times[name]
  printRatios('Worker', times, 'node -e 0', { [firstAnswer]: 2, [firstSearch]: 2 })
  printRatios('Worker, relative to its runtime', times, 'bun -e 0')

  await coldStart(SEARCH)
  const pid = spawned.at(-1)?.pid ?? 0
  await Bun.sleep(3000)
  recordResult({ part: 'Worker', name: 'idle memory', value: residentMegabytes(pid), unit: 'MB', goal: 60 })
  console.log(`\n  idle memory                                  ${residentMegabytes(pid).toFixed(0).padStart(8)} MB  (goal <= 60 MB)`)

  const send = (body: object) =>
    fetch('http://worker/hook/claude-code', {
      unix: socket,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const common = { session_id: 'bench', transcript_path: join(home, 'none.jsonl'), cwd: root, prompt_id: 'p1' }
  await send({ ...common, hook_event_name: 'UserPromptSubmit', prompt: 'bench' })
  const started = performance.now()
  for (let i = 0; i < events; i++) {
    const answer = await send({
      ...common,
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { command: `echo ${i}` },
      tool_response: { stdout: 'a line of output\n'.repeat(50), stderr: '' },
      tool_use_id: `toolu_${i}`,
    })
    await answer.text()
  }
  const perSecond = events / ((performance.now() - started) / 1000)
  recordResult({ part: 'Worker', name: 'events, one after the other', value: perSecond, unit: 'events/s', goal: 1500 })
  recordResult({ part: 'Worker', name: `memory after ${events} events`, value: residentMegabytes(pid), unit: 'MB', goal: 80 })
  console.log(`  events per second, one after the other       ${perSecond.toFixed(0).padStart(8)}`)
  console.log(`  memory after ${events} events                     ${residentMegabytes(pid).toFixed(0).padStart(8)} MB`)
} finally {
  await stopWorker()
  rmSync(home, { recursive: true, force: true })
}

function buildProgram(): string {
  const built = Bun.spawnSync([process.execPath, join(root, 'scripts/build.ts')], { cwd: root })
  if (!built.success) throw new Error(`could not build the program: ${built.stderr}`)
  return join(root, 'dist/cli/worker-process.js')
}
