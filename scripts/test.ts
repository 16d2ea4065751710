/**
 * `npm test` runs every test; `--unit` only those that are quick, `--flows` only the rest (the real client, the entrances). Words limit the run to files
 * whose path contains one of them. A flag of `LANES` runs that lane instead, which takes minutes. Other flags are passed to `bun test`. Tests run in the
 * time zone UTC. The last line is the tally.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timings } from './long-tests.ts'
import { addTallies, describeTally, tally } from './tally.ts'

const root = join(import.meta.dir, '..')
/** The folders of tests that run only when their flag is given. */
const LANES: Record<string, string> = {
  '--agents': 'test/agents/',
  '--hub': 'test/hub/',
  '--vscode': 'test/vscode/',
  '--faults': 'test/faults/lane/',
}
const args = process.argv.slice(2)
const words = args.filter((arg) => !arg.startsWith('-'))
const flags = args.filter((arg) => arg.startsWith('-') && !['--unit', '--flows', ...Object.keys(LANES)].includes(arg))

const lane = Object.keys(LANES).find((flag) => args.includes(flag))
const files = [...new Bun.Glob('{src,test,scripts,bench,vscode}/**/*.test.ts').scanSync(root)]
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .filter((file) => laneOf(file) === lane)
  .sort()
const isFlow = (file: string) => lane !== undefined || /^test\/(flows|harness|privacy|seeds)\//.test(file)
const asked = files.filter((file) => !args.includes(isFlow(file) ? '--unit' : '--flows'))

// Tests that measure time run one by one, all others two at a time: a session with the client uses most of a processor.
const outcome = addTallies([await run(asked.filter(measuresTime), []), await runInPairs(asked.filter((file) => !measuresTime(file)))])
console.log(describeTally(outcome))
process.exitCode = outcome.failed > 0 || outcome.passed === 0 ? 1 : 0

/** The flag of the lane that a test belongs to. */
function laneOf(file: string): string | undefined {
  return Object.keys(LANES).find((flag) => file.startsWith(LANES[flag] ?? ''))
}

/** Whether a unit test compares times. Flows allow for a busy machine. */
function measuresTime(file: string): boolean {
  return !isFlow(file) && /support\/growth\.ts|performance\.now\(\)/.test(readFileSync(join(root, file), 'utf8'))
}

async function runInPairs(files: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-timings-'))
  const path = join(folder, 'timings.json')
  writeFileSync(path, timings(files))
  const outcome = await run(files, ['--parallel=2', `--timings=${path}`])
  rmSync(folder, { recursive: true })
  return outcome
}

async function run(files: string[], extraFlags: string[]) {
  if (files.length === 0) return addTallies([])
  const folder = mkdtempSync(join(tmpdir(), 'recollect-report-'))
  const report = join(folder, 'junit.xml')
  const options = ['--timeout=300000', '--reporter=junit', `--reporter-outfile=${report}`, ...extraFlags, ...flags]
  const command = [process.execPath, 'test', ...options, ...files.map((file) => `./${file}`)]
  const exitCode = await Bun.spawn(command, { cwd: root, env: { ...process.env, TZ: 'UTC' }, stdio: ['ignore', 'inherit', 'inherit'] })
    .exited
  const outcome = tally(existsSync(report) ? readFileSync(report, 'utf8') : '', files, exitCode)
  rmSync(folder, { recursive: true })
  return outcome
}
