/** `npm run check`: what must hold before a push. Prints a line for each check and, above, what the failed ones said. */
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const tool = (name: string) => join(root, 'node_modules', '.bin', name)

const reading = [
  { name: 'format and lint', command: [tool('biome'), 'check', '--error-on-warnings', '.'] },
  { name: 'types', command: [tool('tsc'), '--noEmit', '-p', '.'] },
  { name: 'types of the viewer', command: [tool('tsc'), '--noEmit', '-p', join('src', 'viewer')] },
  { name: 'dead exports', command: [tool('knip'), '--no-progress'] },
]
const tests = { name: 'house and unit tests', command: [process.execPath, join('scripts', 'test.ts'), '--unit', '--only-failures'] }

// The tests have the machine for themselves: some of them measure time.
const outcomes = [...(await Promise.all(reading.map(run))), await run(tests)]
for (const { name, ok, said } of outcomes) if (!ok) console.log(`── ${name}\n${said.trim()}\n`)
for (const { name, ok, ms } of outcomes) console.log(`${ok ? '✓' : '✗'} ${name.padEnd(22)} ${(ms / 1000).toFixed(1)} s`)
process.exitCode = outcomes.every((outcome) => outcome.ok) ? 0 : 1

async function run({ name, command }: (typeof reading)[number]) {
  const started = performance.now()
  const child = Bun.spawn(command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const [code, ...said] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
  return { name, ok: code === 0, said: said.join('\n'), ms: performance.now() - started }
}
