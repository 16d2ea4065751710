/**
 * Finds the program `recollect`. The extension runs nothing else, and nothing that a workspace could have brought along: only absolute paths
 * count, from the person's own settings or from absolute folders of the PATH, and never one inside an open folder.
 */
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, sep } from 'node:path'

export type FoundProgram = { path: string } | { problem: string }

export function findProgram(given: string, path: string, folders: readonly string[]): FoundProgram {
  if (given !== '') {
    if (!isAbsolute(given)) return { problem: `The setting recollect.path must be an absolute path, and is ${given}.` }
    const problem = problemWith(given, folders)
    return problem === null ? { path: given } : { problem: `The setting recollect.path names ${given}, which ${problem}.` }
  }
  for (const folder of path.split(':')) {
    const candidate = join(folder, 'recollect')
    if (isAbsolute(folder) && problemWith(candidate, folders) === null) return { path: candidate }
  }
  return { problem: 'The program recollect is not on the PATH. Install it, or name it in the setting recollect.path.' }
}

/** Why a file must not be run; null if it may be. */
function problemWith(file: string, folders: readonly string[]): string | null {
  try {
    const real = realpathSync(file)
    if (!statSync(real).isFile()) return 'is not a file'
    accessSync(real, constants.X_OK)
    if (
      folders.some((folder) =>
        [file, real].some((path) => path.startsWith(withSlash(folder)) || path.startsWith(withSlash(realOf(folder)))),
      )
    )
      return 'is inside an open folder'
    return null
  } catch {
    return 'does not exist or cannot be run'
  }
}

const withSlash = (folder: string) => (folder.endsWith(sep) ? folder : folder + sep)

function realOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
