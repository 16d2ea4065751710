/** A command hook that appends its payload to `<log>` and prints `<output>`. */
import { appendFileSync } from 'node:fs'
import type { RecordedHook } from './hooks.ts'

const [log, output] = process.argv.slice(2)
if (!log) throw new Error('usage: record-hook.ts <log> [<output>]')
const recorded: RecordedHook = {
  payload: await Bun.stdin.json(),
  env: Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (name.startsWith('CLAUDE') && value ? [[name, value]] : [])),
  ),
  pid: process.pid,
  at: Date.now(),
}
// A single write for the whole line, because hooks of a parallel batch append at the same time.
appendFileSync(log, `${JSON.stringify(recorded)}\n`)
if (output) process.stdout.write(output)
