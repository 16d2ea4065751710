import { join } from 'node:path'

/** True in a checkout. A package and a single-file executable contain only the bundled program. */
export const RUNS_FROM_SOURCE: boolean = !embeddedArchive() && import.meta.file.endsWith('.ts')

export type Program = { command: string; args: string[] }

/** Agents start us in the folder of a project, and Bun would run its bunfig.toml and read its .env. */
const BUN_FLAGS = ['--no-env-file', '--config=/dev/null']

/** How to start this program again: the running Bun with our entry file, or the single-file executable. */
export const PROGRAM: Program = programAt(join('cli', RUNS_FROM_SOURCE ? 'main.ts' : 'main.js'), [])

/** The same for a hook, which has an entry of its own. */
export const HOOK_PROGRAM: Program = programAt(RUNS_FROM_SOURCE ? join('hooks', 'main.ts') : join('cli', 'hook.js'), ['hook'])

/** The same for the worker. */
export const WORKER_PROGRAM: Program = programAt(join('cli', RUNS_FROM_SOURCE ? 'worker-process.ts' : 'worker-process.js'), ['worker'])

function programAt(entry: string, compiledArgs: string[]): Program {
  if (embeddedArchive()) return { command: process.execPath, args: compiledArgs }
  return { command: process.execPath, args: [...BUN_FLAGS, join(import.meta.dir, '..', entry)] }
}

/** The command for a person who does not have `recollect` on the PATH. */
export const COMMAND_FILE: string = embeddedArchive() ? process.execPath : join(import.meta.dir, '..', '..', 'bin', 'recollect')

/** The archive that `scripts/compile.ts` put into a single-file executable; undefined elsewhere. */
export function embeddedArchive(): string | undefined {
  return (globalThis as { recollectShipped?: string }).recollectShipped
}
