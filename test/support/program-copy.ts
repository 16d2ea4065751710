import { constants, cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..', '..')

/** Copies the program with its Bun, so that a test can move or delete it. Returns the command and Bun. */
export function copyProgram(folder: string): { command: string; bun: string } {
  for (const part of ['src', 'bin', 'package.json', 'assets']) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  const bun = join(folder, 'node_modules', 'bun', 'bin', 'bun.exe')
  mkdirSync(join(bun, '..'), { recursive: true })
  cpSync(process.execPath, bun, { mode: constants.COPYFILE_FICLONE })
  for (const name of ['zod', '@modelcontextprotocol']) symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  return { command: join(folder, 'bin', 'recollect'), bun }
}
