import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { exists, isMissingFileError, readSmallFile } from './files.ts'
import { isSilent } from './silent-folders.ts'

/** The top folder of the work tree that a folder is in; outside a repository, the folder itself. */
export function workTreeTop(folder: string): string {
  if (isSilent(folder)) return folder
  for (let dir = resolve(folder); ; dir = dirname(dir)) {
    if (exists(join(dir, '.git'))) return dir
    if (dirname(dir) === dir) return resolve(folder)
  }
}

/** The commit that is checked out, read from git's own files; null outside a repository or where it is not found there. */
export function checkedOutCommit(top: string): string | null {
  if (isSilent(top)) return null
  try {
    const own = gitFolderOf(top)
    const head = own && readSmallFile(join(own, 'HEAD'), MAX_GIT_FILE_BYTES)?.trim()
    if (!own || !head) return null
    if (!head.startsWith('ref: ')) return head
    const ref = head.slice(5)
    const pointer = readSmallFile(join(own, 'commondir'), MAX_GIT_FILE_BYTES)?.trim()
    const common = pointer ? resolve(own, pointer) : own
    const loose = readSmallFile(join(common, ref), MAX_GIT_FILE_BYTES)?.trim()
    if (loose) return loose
    const packed = readSmallFile(join(common, 'packed-refs'), MAX_PACKED_BYTES)
    const line = packed?.split('\n').find((one) => one.endsWith(` ${ref}`))
    return line?.split(' ')[0] ?? null
  } catch {
    return null
  }
}

const MAX_GIT_FILE_BYTES = 64 * 1024
const MAX_PACKED_BYTES = 4 * 1024 * 1024

function gitFolderOf(top: string): string | null {
  const path = join(top, '.git')
  try {
    const pointer = /^gitdir:\s*(.+)$/m.exec(readSmallFile(path, MAX_GIT_FILE_BYTES) ?? '')?.[1]
    return pointer ? resolve(top, pointer) : null
  } catch {
    return path // a folder
  }
}

/** A file of a work tree. `refused` is a path that leads out of it, or something that is not a plain file of the allowed size. */
export type WorkTreeFile = { kind: 'file'; realPath: string; size: number; changedAt: number } | { kind: 'missing' } | { kind: 'refused' }

/**
 * Looks at a file without opening it. Links are followed only inside the work tree, so that no other files are read. Synchronous, like the
 * search for the project: with threads, twenty files would take five times as long, and a session waits.
 */
export function findWorkTreeFile(top: string, path: string, maxBytes: number, root = realTop(top)): WorkTreeFile {
  if (!isInnerPath(path)) return { kind: 'refused' }
  try {
    if (root === null) return { kind: 'missing' }
    const realPath = realpathSync(join(root, path))
    if (!realPath.startsWith(root === '/' ? '/' : `${root}/`) || realPath.startsWith(join(root, '.git', '/'))) return { kind: 'refused' }
    const found = statSync(realPath)
    if (!found.isFile() || found.size > maxBytes) return { kind: 'refused' }
    return { kind: 'file', realPath, size: found.size, changedAt: found.mtimeMs }
  } catch (cause) {
    return isMissingFileError(cause) ? { kind: 'missing' } : { kind: 'refused' }
  }
}

/** The folder itself, where a link leads; null if it does not exist. Look it up once for several files. */
export function realTop(top: string): string | null {
  if (isSilent(top)) return null
  try {
    return realpathSync(top)
  } catch {
    return null
  }
}

/** A path below a folder, written plainly. */
function isInnerPath(path: string): boolean {
  const parts = path.split('/')
  return (
    path !== '' &&
    !path.includes('\0') &&
    !path.includes('\\') &&
    !parts.some((part) => part === '' || part === '.' || part === '..' || part === '.git')
  )
}

/** The text of a file that was looked at; null if it has become something else meanwhile. */
export function readWorkTreeFile({ realPath }: { realPath: string }, maxBytes: number): string | null {
  try {
    const file = openSync(realPath, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const found = fstatSync(file)
      return found.isFile() && found.size <= maxBytes ? readFileSync(file, 'utf8') : null
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}
