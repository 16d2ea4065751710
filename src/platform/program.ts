import { join } from 'node:path'

/** The program runs from its TypeScript, in a checkout; a package and a single-file executable hold it bundled, without its source. */
export const RUNS_FROM_SOURCE: boolean = !embeddedArchive() && import.meta.file.endsWith('.ts')

/** How the program is started again: the Bun that runs us and our entry, or the executable that holds both. */
export const PROGRAM: { command: string; args: string[] } = embeddedArchive()
  ? { command: process.execPath, args: [] }
  : { command: process.execPath, args: [join(import.meta.dir, '..', 'cli', RUNS_FROM_SOURCE ? 'main.ts' : 'main.js')] }

/** What a person calls when nothing is on their PATH. */
export const COMMAND_FILE: string = embeddedArchive() ? process.execPath : join(import.meta.dir, '..', '..', 'bin', 'recollect')

/** The archive inside a single-file executable, where `scripts/compile.ts` has put it; undefined elsewhere. */
export function embeddedArchive(): string | undefined {
  return (globalThis as { recollectShipped?: string }).recollectShipped
}
