import { join } from 'node:path'

/** True in a checkout. A package and a single-file executable contain only the bundled program. */
export const RUNS_FROM_SOURCE: boolean = !embeddedArchive() && import.meta.file.endsWith('.ts')

/** How to start this program again: the running Bun with our entry file, or the single-file executable. */
export const PROGRAM: { command: string; args: string[] } = embeddedArchive()
  ? { command: process.execPath, args: [] }
  : { command: process.execPath, args: [join(import.meta.dir, '..', 'cli', RUNS_FROM_SOURCE ? 'main.ts' : 'main.js')] }

/** The command for a person who does not have `recollect` on the PATH. */
export const COMMAND_FILE: string = embeddedArchive() ? process.execPath : join(import.meta.dir, '..', '..', 'bin', 'recollect')

/** The archive that `scripts/compile.ts` put into a single-file executable; undefined elsewhere. */
export function embeddedArchive(): string | undefined {
  return (globalThis as { recollectShipped?: string }).recollectShipped
}
