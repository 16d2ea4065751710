import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Mode, readMode } from '../../src/capture/turns.ts'

/** The shipped mode for work on code. */
export function codeMode(): Mode {
  const read = readMode(readFileSync(join(import.meta.dir, '..', '..', 'assets', 'modes', 'code.en.toml'), 'utf8'))
  if (read.kind === 'unusable') throw new Error(read.reason)
  return read.mode
}
