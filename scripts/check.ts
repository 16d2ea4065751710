/** `npm run check`: all checks before a push. Prints one line per check, below the output of one that failed. */
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const tool = (name: string) => join(root, 'node_modules', '.bin', name)

const checks = [
  { name: 'format and lint', command: [tool('biome'), 'check', '--error-on-warnings', '.'] },
  { name: 'types', command: [tool('tsc'), '--noEmit', '-p', '.'] },
  { name: 'types of the viewer', command: [tool('tsc'), '--noEmit', '-p', join('src', 'viewer')] },
  { name: 'types of the extension', command: [tool('tsc'), '--noEmit', '-p', 'vscode'] },
  { name: 'dead exports', command: [tool('knip'), '--no-progress'] },
]
const tests = { name: 'house and unit tests', command: [process.execPath, join('scripts', 'test.ts'), '--unit', '--only-failures'] }

const outcomes = await Promise.all(checks.map(run))
outcomes.forEach(report)
// The tests run alone, because some of them measure time. They take minutes, so say that they have begun.
console.log(`  ${tests.name} …`)
const tested = await run(tests)
report(tested)
process.exitCode = [...outcomes, tested].every((outcome) => outcome.ok) ? 0 : 1

function report({ name, ok, output, ms }: Awaited<ReturnType<typeof run>>): void {
  if (!ok) console.log(`── ${name}\n${output.trim()}\n`)
  console.log(`${ok ? '✓' : '✗'} ${name.padEnd(22)} ${(ms / 1000).toFixed(1)} s`)
}

async function run({ name, command }: (typeof checks)[number]) {
  const started = performance.now()
  const child = Bun.spawn(command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const [code, ...outputs] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
  return { name, ok: code === 0, output: outputs.join('\n'), ms: performance.now() - started }
}
