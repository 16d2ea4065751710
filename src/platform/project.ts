import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { fingerprint } from '../core/hash.ts'
import type { ProjectEvidence, ProjectMarker } from '../core/project.ts'
import { readConfirmedMarkers } from './confirmed-markers.ts'
import { readEnvironment } from './environment.ts'
import { fileKindAt, readSmallFile, statIfThere } from './files.ts'
import { homePaths } from './paths.ts'
import { isSilent } from './silent-folders.ts'

export type FoundProject = ProjectEvidence & { branch: string | null }

/**
 * Finds what identifies a folder's project. Reads git's files instead of running git, because a starting session waits for this. For a folder
 * that is not on this machine (an imported history) or does not answer, only the path is known.
 */
export function findProject(folder: string, userHome = readEnvironment().userHome, home = homePaths()): FoundProject {
  if (isSilent(folder)) return evidenceOfPath(folder)
  const start = realFolder(folder)
  const ownHome = realFolder(userHome)
  let marker: { text: string; folder: string } | null = null
  let git: GitFolder | null = null
  for (const dir of upward(start)) {
    // A marker in the home folder would claim every project below it.
    const text: string | null = marker === null && dir !== ownHome && dir !== '/' ? markerIn(dir) : null
    if (text) marker = { text, folder: dir }
    git ??= gitFolderOf(dir)
    if (git && marker) break
  }
  const root = git?.root ?? repositoryOfWorktree(start)
  return {
    marker: marker && describeMarker(marker, git, readConfirmedMarkers(home)),
    origin: git ? originOf(git.common) : null,
    root,
    fingerprint: fingerprint(root, 6),
    branch: git ? branchOf(git.own) : null,
  }
}

function evidenceOfPath(folder: string): FoundProject {
  const root = repositoryOfWorktree(resolve(folder))
  return { marker: null, origin: null, root, fingerprint: fingerprint(root, 6), branch: null }
}

/** Longer files are not markers. */
const MAX_MARKER_BYTES = 4096
/** Git's own files are smaller. */
const MAX_GIT_FILE_BYTES = 1024 * 1024

/** The folders of markers: ours, and that of Anamnesis. */
const MARKER_FOLDERS = ['.recollect', '.anamnesis']

function markerIn(dir: string): string | null {
  for (const name of MARKER_FOLDERS) {
    const text = markerBelow(join(dir, name))
    if (text) return text
  }
  return null
}

/** The first line of a folder's marker. A link could lead to any file of the person, whose first line would then be synced as a name. */
function markerBelow(folder: string): string | null {
  const path = join(folder, 'project')
  if (nullOnError(() => fileKindAt(folder)) !== 'folder' || nullOnError(() => fileKindAt(path)) !== 'file') return null
  const text = nullOnError(() => readSmallFile(path, MAX_MARKER_BYTES))
  const line = text?.split('\n').find((one) => one.trim())
  return line?.trim() || null
}

function describeMarker(
  { text, folder }: { text: string; folder: string },
  git: GitFolder | null,
  confirmed: Record<string, string>,
): ProjectMarker {
  const below = git ? relative(git.top, folder) : '..'
  const isInRepository = !below.startsWith('..')
  const main = git && isInRepository ? join(git.root, below) : folder
  return { text, folder: main, isInRepository, confirmed: Object.hasOwn(confirmed, main) ? (confirmed[main] ?? null) : null }
}

/** The work tree of a repository that is not on this machine is known by its path: `app/.worktrees/fix` belongs to `app`. */
const repositoryOfWorktree = (folder: string) => /^(.*[^\\/])[\\/](?:\.claude[\\/]worktrees|\.worktrees)[\\/]/.exec(folder)?.[1] ?? folder

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

/** `own` is the git folder of this work tree, whose folder is `top`; `common` is the one all work trees share, `root` the main work tree. */
type GitFolder = { own: string; top: string; common: string; root: string }

function gitFolderOf(dir: string): GitFolder | null {
  const path = join(dir, '.git')
  const found = nullOnError(() => statIfThere(path))
  if (!found) return null
  if (found.isDirectory()) return { own: path, top: dir, common: path, root: dir }
  const pointer = readIfPossible(path)?.match(/^gitdir:\s*(.+)$/m)?.[1]
  if (!pointer) return null
  const own = isAbsolute(pointer) ? pointer : resolve(dir, pointer)
  const shared = readIfPossible(join(own, 'commondir'))?.trim()
  if (!shared) return { own, top: dir, common: own, root: dir } // a submodule: a project of its own
  const common = isAbsolute(shared) ? shared : resolve(own, shared)
  return { own, top: dir, common, root: common.endsWith('/.git') ? dirname(common) : common }
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

const readIfPossible = (path: string) => nullOnError(() => readSmallFile(path, MAX_GIT_FILE_BYTES))

/** Unreadable evidence is ignored: the next kind of evidence then identifies the project. */
function nullOnError<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
