import { type Dirent, readdirSync, rmdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { isMissingFileError, statIfThere } from './files.ts'

export type FolderEntry = { name: string; path: string; bytes: number; changedAt: number }

/** The files of a folder, sorted by name; empty when the folder does not exist. */
export function filesIn(folder: string, suffix: string): FolderEntry[] {
  return fileNamesIn(folder, suffix).flatMap((name) => {
    const path = join(folder, name)
    const found = statIfThere(path)
    return found?.isFile() ? [{ name, path, bytes: found.size, changedAt: found.mtimeMs }] : []
  })
}

/** The names of the files of a folder, without the cost of a stat for each. */
export function fileNamesIn(folder: string, suffix: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(suffix))
      .sort()
  } catch (cause) {
    if (isMissingFileError(cause)) return []
    throw new Error(`could not list ${folder}`, { cause })
  }
}

/** The names of the folders in a folder; null when it does not exist. */
export function foldersIn(folder: string): string[] | null {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort()
  } catch (cause) {
    if (isMissingFileError(cause)) return null
    throw new Error(`could not list ${folder}`, { cause })
  }
}

export function removeFile(path: string): void {
  rmSync(path, { force: true })
}

/** All files below a folder, or the file itself, with one of these suffixes. Folders without access are skipped. */
export function filesBelow(root: string, suffixes: string[]): FolderEntry[] {
  const found: FolderEntry[] = []
  const visit = (path: string, name: string) => {
    const entry = statIfThere(path)
    if (entry?.isFile() && suffixes.some((suffix) => name.endsWith(suffix))) {
      found.push({ name, path, bytes: entry.size, changedAt: entry.mtimeMs })
    }
    if (!entry?.isDirectory()) return
    try {
      for (const child of readdirSync(path, { withFileTypes: true })) {
        // A link could lead in circles, or out of the folder that the person named.
        if (!child.isSymbolicLink()) visit(join(path, child.name), child.name)
      }
    } catch {
      // No access to this folder.
    }
  }
  visit(root, root)
  return found
}

/**
 * All regular files below a folder, with their paths relative to it. Links and special files are listed as `skipped`. Throws when something
 * cannot be read: a copy that silently lacks files would be worse.
 */
export function allFilesBelow(root: string, isWanted: (name: string) => boolean): { files: FolderEntry[]; skipped: string[] } {
  const found: { files: FolderEntry[]; skipped: string[] } = { files: [], skipped: [] }
  const visit = (below: string) => {
    for (const child of listFolder(join(root, below))) {
      const name = below ? `${below}/${child.name}` : child.name
      if (!isWanted(child.name)) continue
      if (child.isDirectory()) visit(name)
      else if (!child.isFile()) found.skipped.push(name)
      else {
        const path = join(root, name)
        const entry = statIfThere(path)
        if (entry) found.files.push({ name, path, bytes: entry.size, changedAt: entry.mtimeMs })
      }
    }
  }
  visit('')
  return found
}

function listFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (cause) {
    if (isMissingFileError(cause)) return []
    throw new Error(`could not list ${folder}`, { cause })
  }
}

/** Removes the entries of a folder with one of these names (also `name.…` and `name-…`), and the folder if it is then empty. True when it is gone. */
export function removeOwnFiles(folder: string, names: string[]): boolean {
  if (!statIfThere(folder)) return true
  for (const name of readdirSync(folder)) {
    if (names.some((ours) => name === ours || name.startsWith(`${ours}.`) || name.startsWith(`${ours}-`)))
      rmSync(join(folder, name), { recursive: true, force: true })
  }
  if (readdirSync(folder).length > 0) return false
  rmdirSync(folder)
  return true
}

/** The free space on the disk of this folder, in bytes. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Removes a folder and everything in it. */
export function removeTree(path: string): void {
  rmSync(path, { recursive: true, force: true })
}

/** Removes the entries of a folder that start with `prefix`, except one. */
export function removeAllExcept(folder: string, prefix: string, kept: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith(prefix) && name !== kept) removeTree(join(folder, name))
}
