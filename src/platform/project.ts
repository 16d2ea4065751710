import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { fingerprint } from '../core/hash.ts'
import type { ProjectEvidence } from '../core/project.ts'
import { readEnvironment } from './environment.ts'
import { readIfThere, statIfThere } from './files.ts'

export type FoundProject = ProjectEvidence & { branch: string | null }

/**
 * Finds what identifies a folder's project. Reads git's files instead of running git, because a starting session waits for this. For a folder
 * that is not on this machine (an imported history), only the path is known.
 */
export function findProject(folder: string, userHome = readEnvironment().userHome): FoundProject {
  const start = realFolder(folder)
  const home = realFolder(userHome)
  let marker: string | null = null
  let git: GitFolder | null = null
  for (const dir of upward(start)) {
    // A marker in the home folder would claim every project below it.
    if (marker === null && dir !== home && dir !== '/') marker = firstLineOf(join(dir, '.recollect', 'project'))
    git ??= gitFolderOf(dir)
    if (git && marker) break
  }
  const root = git?.root ?? start
  return {
    marker,
    origin: git ? originOf(git.common) : null,
    root,
    fingerprint: fingerprint(root, 6),
    branch: git ? branchOf(git.own) : null,
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder) // deleted, or from another machine
  }
}

function* upward(folder: string): Generator<string> {
  for (let dir = folder; ; dir = dirname(dir)) {
    yield dir
    if (dirname(dir) === dir) return
  }
}

/** `own` is this work tree's git folder, `common` the one all work trees share, `root` the main work tree. */
type GitFolder = { own: string; common: string; root: string }

function gitFolderOf(dir: string): GitFolder | null {
  const path = join(dir, '.git')
  const found = nullOnError(() => statIfThere(path))
  if (!found) return null
  if (found.isDirectory()) return { own: path, common: path, root: dir }
  const pointer = readIfPossible(path)?.match(/^gitdir:\s*(.+)$/m)?.[1]
  if (!pointer) return null
  const own = isAbsolute(pointer) ? pointer : resolve(dir, pointer)
  const shared = readIfPossible(join(own, 'commondir'))?.trim()
  if (!shared) return { own, common: own, root: dir } // a submodule: a project of its own
  const common = isAbsolute(shared) ? shared : resolve(own, shared)
  return { own, common, root: common.endsWith('/.git') ? dirname(common) : common }
}

function originOf(gitFolder: string): string | null {
  const config = readIfPossible(join(gitFolder, 'config'))
  const section = config?.split(/^\s*\[/m).find((part) => /^remote\s+"origin"\s*\]/.test(part))
  return section?.match(/^\s*url\s*=\s*(.+)$/m)?.[1]?.trim() ?? null
}

function branchOf(gitFolder: string): string | null {
  return (
    readIfPossible(join(gitFolder, 'HEAD'))
      ?.match(/^ref:\s*refs\/heads\/(.+)$/m)?.[1]
      ?.trim() ?? null
  )
}

function firstLineOf(path: string): string | null {
  return (
    readIfPossible(path)
      ?.split('\n')
      .find((line) => line.trim())
      ?.trim() ?? null
  )
}

const readIfPossible = (path: string) => nullOnError(() => readIfThere(path))

/** Unreadable evidence is ignored: the next kind of evidence then identifies the project. */
function nullOnError<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
