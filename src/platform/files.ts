import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** A folder only its owner can enter. Refuses one, or a link to one, that somebody else made first. */
export function ensurePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = statSync(path)
  if (!found.isDirectory() || !isOurs(found) || !isOurs(lstatSync(path))) {
    throw new Error(`${path} is not a folder of yours; move it away and try again`)
  }
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700)
}

const isOurs = ({ uid }: Stats) => !process.getuid || uid === process.getuid()

/**
 * Writes a whole file or none of it: a reader sees the old text or the new text, and a crash leaves one of them. Who writes thousands
 * and has the system flush them all at once afterwards (`flushDisks`) need not wait for each.
 */
export function writeFileAtomically(path: string, text: string | Uint8Array, mode = 0o600, flush = true): void {
  const half = `${path}.${crypto.randomUUID()}.tmp`
  try {
    const file = openSync(half, 'wx', mode)
    try {
      writeFileSync(file, text)
      if (flush) fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(half, path)
  } catch (cause) {
    removeQuietly(half)
    throw new Error(`could not write ${path}`, { cause })
  }
}

/** Writes a whole file that is not ours alone: a link is followed instead of replaced, the mode stays, a missing folder is made. */
export function writeInPlace(path: string, text: string): void {
  const target = resolveLink(path)
  const mode = statIfThere(target)?.mode
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  writeFileAtomically(target, text)
  if (mode !== undefined) chmodSync(target, mode & 0o777)
}

/** The file a path leads to in the end. A link may lead to one that is not there yet. */
function resolveLink(path: string): string {
  if (exists(path)) return realpathSync(path)
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
  return isLink ? resolve(dirname(path), readlinkSync(path)) : path
}

/** Clears away after a failure whose reason matters more than this one's would. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // the disk is read-only, say: then there is nothing to clear away
  }
}

/** The text of a file, or null when there is none. Anything else that goes wrong is thrown. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (isMissingFileError(cause)) return null
    throw new Error(`could not read ${path}`, { cause })
  }
}

export function readBytes(path: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(path))
}

/**
 * The bytes of a large file, mapped: the system brings in what is used and may take it back. Mapping wants to open it for writing, so one that is
 * not ours to write, as in an installation for everybody, is read.
 */
export function mapFileBytes(path: string): Uint8Array<ArrayBuffer> {
  try {
    return Bun.mmap(path, { shared: false })
  } catch {
    return readBytes(path)
  }
}

/** The same of a file that is to be written back: one that is not UTF-8 is refused, because reading it would already change it. */
export function readUtf8IfThere(path: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path))
  } catch (cause) {
    if (isMissingFileError(cause)) return null
    throw new Error(`could not read ${path}`, { cause: cause instanceof TypeError ? new Error('it is not UTF-8') : cause })
  }
}

/** The value in a JSON file, or null when there is no file or it holds no JSON (a crash may have left half of it). */
export function readJsonIfThere(path: string): unknown {
  const text = readIfThere(path)
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The secret in a file; made on first use, and readable by its owner only. */
export function readOrCreateSecret(path: string): string {
  const found = readIfThere(path)?.trim()
  if (found) return found
  ensurePrivateFolder(dirname(path))
  const secret = crypto.getRandomValues(Buffer.alloc(32)).toString('hex')
  writeFileAtomically(path, `${secret}\n`)
  return secret
}

export function isFolder(path: string): boolean {
  return statIfThere(path)?.isDirectory() ?? false
}

/** What the disk says of a path, or null when nothing is there. Bun's own way of asking throws when a part of the path is a file. */
export function statIfThere(path: string): Stats | null {
  try {
    return statSync(path)
  } catch (cause) {
    if (isMissingFileError(cause)) return null
    throw new Error(`could not look at ${path}`, { cause })
  }
}

/** Which file is at a path now. It is gone when it was deleted or another took its place, not when the disk cannot be asked. */
export function trackFileIdentity(path: string): { isGone(): boolean } {
  const { dev, ino } = statSync(path)
  const isGone = () => {
    try {
      const now = statIfThere(path)
      return now?.dev !== dev || now.ino !== ino
    } catch {
      return false
    }
  }
  return { isGone }
}

/** What stands at a path itself, where `statIfThere` would follow a link. */
export function fileKindAt(path: string): 'file' | 'folder' | 'link' | 'other' | null {
  try {
    const found = lstatSync(path)
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'other'
  } catch (cause) {
    if (isMissingFileError(cause)) return null
    throw new Error(`could not look at ${path}`, { cause })
  }
}

/** The bytes of a file, or null when there is none. */
export function readBytesIfThere(path: string): Uint8Array | null {
  try {
    return readFileSync(path)
  } catch (cause) {
    if (isMissingFileError(cause)) return null
    throw new Error(`could not read ${path}`, { cause })
  }
}

export function isMissingFileError(cause: unknown): boolean {
  const code = (cause as NodeJS.ErrnoException | null)?.code
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Makes a file readable and writable by its owner only. */
export function makePrivate(path: string): void {
  chmodSync(path, 0o600)
}

export function exists(path: string): boolean {
  return statIfThere(path) !== null
}

export function fileSizeBytes(path: string): number {
  return statIfThere(path)?.size ?? 0
}

/** A second path to something, in a new folder that only we can enter; `remove` takes both away. */
export function createTemporaryLink(target: string, parent: string): { path: string; remove(): void } {
  const folder = mkdtempSync(join(parent, 'recollect-'))
  const path = join(folder, 'link')
  symlinkSync(target, path)
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export function moveFile(from: string, to: string): void {
  renameSync(from, to)
}

/** True when only the owner can read the file. */
export function isPrivate(path: string): boolean {
  return (statSync(path).mode & 0o077) === 0
}

/** What keeps us from writing into a folder, or null when nothing does. Writes enough to notice a full disk. */
export function findWriteProblem(folder: string): Error | null {
  const path = `${folder}/.probe-${crypto.randomUUID()}`
  try {
    writeFileAtomically(path, 'x'.repeat(64 * 1024))
    rmSync(path)
    return null
  } catch (cause) {
    return ((cause as Error).cause as Error | undefined) ?? (cause as Error)
  }
}
