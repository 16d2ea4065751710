/**
 * `npm run bench`: measures everything in one run and writes docs/benchmarks.md with its curves. Each part is a program of its own with a time limit. A run
 * that was interrupted goes on where it stopped, within a day and on the same commit; `--fresh` starts again. `--full` adds stores of a million
 * observations, `--only hooks,worker` measures these parts, `--try` writes the page to the temporary folder instead of docs.
 */
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, platform, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { exitWithUsageError, parseArguments } from '../scripts/arguments.ts'
import { type BenchMachine, benchPage, withMeasuredPart } from './page.ts'
import { RESULTS_VARIABLE, readResults } from './result.ts'

const option = { type: 'boolean', default: false } as const
const { values } = parseArguments('bench/run.ts [--full] [--fresh] [--try] [--only parts] [--minutes 30]', {
  full: option,
  fresh: option,
  try: option,
  only: { type: 'string' },
  minutes: { type: 'string', default: '30' },
})
const minutes = Number(values.minutes) > 0 ? Number(values.minutes) : exitWithUsageError('--minutes must be a number above 0')
const sizes = ['10000', '100000', ...(values.full ? ['1000000'] : [])]

/** Its arguments, and the minutes after which a part is given up. The quick ones go first. */
const PARTS: Record<string, { args: string[]; minutes: number }> = {
  hooks: { args: [], minutes: 5 },
  'claude-mem': { args: [], minutes: 6 },
  mcp: { args: [], minutes: 2 },
  viewer: { args: [], minutes: 2 },
  import: { args: ['20'], minutes: 4 },
  install: { args: [], minutes: 5 },
  worker: { args: ['--events', values.full ? '100000' : '20000'], minutes: 8 },
  anchors: { args: [], minutes: 4 },
  brief: { args: sizes, minutes: values.full ? 40 : 8 },
  search: { args: sizes, minutes: values.full ? 40 : 8 },
}
const wanted = values.only?.split(',') ?? Object.keys(PARTS)
for (const name of wanted) if (!PARTS[name]) exitWithUsageError(`"${name}" is not a part; use ${Object.keys(PARTS).join(', ')}`)

const root = join(import.meta.dir, '..')
const commit = Bun.spawnSync(['git', 'rev-parse', '--short', 'HEAD'], { cwd: root }).stdout.toString().trim()
const date = new Date().toISOString().slice(0, 10)
const folder = join(tmpdir(), 'recollect-bench', `run-${date}-${commit}${values.full ? '-full' : ''}`)
if (values.fresh) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const [resultFile, doneFile] = [join(folder, 'results.jsonl'), join(folder, 'done')]
const machineFile = join(folder, 'machine.json')
if (!existsSync(machineFile)) writeFileSync(machineFile, JSON.stringify(thisMachine()))

const until = Date.now() + minutes * 60_000
let isComplete = true
for (const name of wanted) {
  const part = PARTS[name]
  const done = existsSync(doneFile) ? readFileSync(doneFile, 'utf8').split('\n') : []
  if (!part || done.includes(name)) continue
  const left = Math.min(part.minutes * 60_000, until - Date.now())
  if (left <= 0 || !(await runPart(name, part.args, left))) isComplete = false
  else appendFileSync(doneFile, `${name}\n`)
}
writePage()
if (!isComplete) console.log(`\nNot every part was measured. Run it again to go on: npm run bench`)
process.exitCode = isComplete ? 0 : 1

async function runPart(name: string, args: string[], limitMs: number): Promise<boolean> {
  console.log(`\n── ${name}`)
  // Homes are in a folder of their own. When it is removed, workers that an interrupted part left behind stop by themselves.
  const homes = mkdtempSync(join(tmpdir(), 'rcb-'))
  const env = { ...process.env, [RESULTS_VARIABLE]: resultFile, ...(usesSampleStore(name) ? {} : { TMPDIR: homes }) }
  const child = Bun.spawn([process.execPath, join(import.meta.dir, `${name}.ts`), ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const timer = setTimeout(() => child.kill('SIGTERM'), limitMs)
  const code = await child.exited
  clearTimeout(timer)
  rmSync(homes, { recursive: true, force: true, maxRetries: 5 })
  if (code !== 0) console.log(`${name} ended with ${child.signalCode ?? code}`)
  return code === 0
}

/** These keep their stores in the temporary folder for the next run, and start no worker. */
function usesSampleStore(name: string): boolean {
  return ['brief', 'search', 'anchors'].includes(name)
}

function writePage(): void {
  const machine = JSON.parse(readFileSync(machineFile, 'utf8')) as BenchMachine
  const { markdown, curves } = benchPage(readResults(resultFile), machine)
  const docs = values.try ? join(folder, 'docs') : join(root, 'docs')
  mkdirSync(join(docs, 'img'), { recursive: true })
  writeFileSync(join(docs, 'benchmarks.md'), withMeasuredPart(readFileSync(join(root, 'docs', 'benchmarks.md'), 'utf8'), markdown))
  for (const [name, svg] of Object.entries(curves)) writeFileSync(join(docs, 'img', name), svg)
  console.log(`\nwrote ${join(docs, 'benchmarks.md')} and ${Object.keys(curves).length} curves`)
}

function thisMachine(): BenchMachine {
  const [first] = cpus()
  return {
    date,
    commit,
    cpu: first?.model.trim() ?? 'unknown processor',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release().split('-')[0]}`,
    load: loadavg()[0] ?? 0,
  }
}
