/**
 * `npm test`: every test, or with `--unit` those that need no client, or with `--flows` only those that do. Words limit the run to
 * files whose path holds one of them; other flags go to `bun test`. The last line printed is the tally.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { inWords, tally } from './tally.ts'

const root = join(import.meta.dir, '..')
const args = process.argv.slice(2)
const words = args.filter((arg) => !arg.startsWith('-'))
const flags = args.filter((arg) => arg.startsWith('-') && arg !== '--unit' && arg !== '--flows')

const isFlow = (file: string) => /^test\/(flows|harness)\//.test(file)
const files = [...new Bun.Glob('{src,test,scripts,bench}/**/*.test.ts').scanSync(root)]
  .filter((file) => (args.includes('--unit') ? !isFlow(file) : args.includes('--flows') ? isFlow(file) : true))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort()

const folder = mkdtempSync(join(tmpdir(), 'recollect-report-'))
const report = join(folder, 'junit.xml')
// A flow keeps two processes busy by itself (client and worker), so more than two at a time only makes them late.
const parallel = Math.min(2, availableParallelism())
const options = ['--timeout=120000', `--parallel=${parallel}`, '--reporter=junit', `--reporter-outfile=${report}`]
const exitCode = files.length === 0 ? 1 : await run([process.execPath, 'test', ...options, ...flags, ...files.map((file) => `./${file}`)])
const outcome = tally(existsSync(report) ? readFileSync(report, 'utf8') : '', files, exitCode)
rmSync(folder, { recursive: true })

console.log(inWords(outcome))
process.exitCode = outcome.failed > 0 || outcome.passed === 0 ? 1 : 0

function run(command: string[]): Promise<number> {
  return Bun.spawn(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).exited
}
