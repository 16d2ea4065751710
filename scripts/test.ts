/**
 * `npm test`: every test, or with `--unit` those that need no client, or with `--flows` only those that do. Words limit the run to
 * files whose path holds one of them; other flags go to `bun test`. The last line printed is the tally.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inWords, sum, tally } from './tally.ts'

const root = join(import.meta.dir, '..')
const args = process.argv.slice(2)
const words = args.filter((arg) => !arg.startsWith('-'))
const flags = args.filter((arg) => arg.startsWith('-') && arg !== '--unit' && arg !== '--flows')

const files = [...new Bun.Glob('{src,test,scripts,bench}/**/*.test.ts').scanSync(root)]
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort()
const isFlow = (file: string) => /^test\/(flows|harness)\//.test(file)
const unit = args.includes('--flows') ? [] : files.filter((file) => !isFlow(file))
const flows = args.includes('--unit') ? [] : files.filter(isFlow)

// Unit tests run one by one, because some of them measure time. A flow mostly waits for the client, so two of them share the
// machine well; more would only make each other late.
const outcome = sum([await run(unit, []), await run(flows, ['--parallel=2'])])
console.log(inWords(outcome))
process.exitCode = outcome.failed > 0 || outcome.passed === 0 ? 1 : 0

async function run(files: string[], how: string[]) {
  if (files.length === 0) return sum([])
  const folder = mkdtempSync(join(tmpdir(), 'recollect-report-'))
  const report = join(folder, 'junit.xml')
  const options = ['--timeout=120000', '--reporter=junit', `--reporter-outfile=${report}`, ...how, ...flags]
  const command = [process.execPath, 'test', ...options, ...files.map((file) => `./${file}`)]
  const exitCode = await Bun.spawn(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).exited
  const outcome = tally(existsSync(report) ? readFileSync(report, 'utf8') : '', files, exitCode)
  rmSync(folder, { recursive: true })
  return outcome
}
