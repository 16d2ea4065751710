/**
 * `npm test` runs every test; `--unit` only those that are quick, `--flows` only the rest (the real client, the entrances). Words limit the run to files
 * whose path contains one of them. `--agents` runs the real clients of the other agents instead, which takes minutes and is a lane of its own. Other flags are passed to `bun test`. The last line is the tally.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addTallies, describeTally, tally } from './tally.ts'

const root = join(import.meta.dir, '..')
const args = process.argv.slice(2)
const words = args.filter((arg) => !arg.startsWith('-'))
const flags = args.filter((arg) => arg.startsWith('-') && !['--unit', '--flows', '--agents'].includes(arg))

const files = [...new Bun.Glob('{src,test,scripts,bench}/**/*.test.ts').scanSync(root)]
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .filter((file) => isOfAgent(file) === args.includes('--agents'))
  .sort()
function isOfAgent(file: string): boolean {
  return file.startsWith('test/agents/')
}
const isFlow = (file: string) => /^test\/(flows|harness|privacy|seeds)\//.test(file)
const unit = args.includes('--flows') || args.includes('--agents') ? [] : files.filter((file) => !isFlow(file))
const flows = args.includes('--unit') ? [] : files.filter((file) => isFlow(file) || isOfAgent(file))

// Unit tests run one by one, because some of them measure time. Flows mostly wait for the client, so two can run at once; with more they
// would slow each other down.
const outcome = addTallies([await run(unit, []), await run(flows, ['--parallel=2'])])
console.log(describeTally(outcome))
process.exitCode = outcome.failed > 0 || outcome.passed === 0 ? 1 : 0

async function run(files: string[], extraFlags: string[]) {
  if (files.length === 0) return addTallies([])
  const folder = mkdtempSync(join(tmpdir(), 'recollect-report-'))
  const report = join(folder, 'junit.xml')
  const options = ['--timeout=120000', '--reporter=junit', `--reporter-outfile=${report}`, ...extraFlags, ...flags]
  const command = [process.execPath, 'test', ...options, ...files.map((file) => `./${file}`)]
  const exitCode = await Bun.spawn(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).exited
  const outcome = tally(existsSync(report) ? readFileSync(report, 'utf8') : '', files, exitCode)
  rmSync(folder, { recursive: true })
  return outcome
}
