import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
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
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Makes a folder that only its owner can enter. Throws if another user owns the folder, or a link to it. */
export function ensurePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = statSync(path)
  if (!found.isDirectory() || !isOurs(found) || !isOurs(lstatSync(path))) {
    throw new Error(`${path} is not a folder, or belongs to another user; move it away and try again`)
  }
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700)
}

const isOurs = ({ uid }: Stats) => !process.getuid || uid === process.getuid()

/**
 * Writes a file completely or not at all: a reader sees the old text or the new one, also after a crash. Pass `flush = false` when writing
 * thousands of files, and call `flushDisks` once afterwards.
 */
export function writeFileAtomically(path: string, text: string | Uint8Array, mode = 0o600, flush = true): void {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`
  try {
    const file = openSync(temporary, 'wx', mode)
    try {
      writeFileSync(file, text)
      if (flush) fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (cause) {
    removeQuietly(temporary)
    throw new Error(`could not write ${path}`, { cause })
  }
}

/** A file that is written piece by piece. `close` can set the time of its last change. */
export type NewFile = { write(bytes: Uint8Array): void; close(changedAt?: number): void }

/** Creates a file, readable only by its owner; throws if there is one. `close` flushes it to the disk unless `flush` is false. */
export function createFile(path: string, flush = true): NewFile {
  const file = openSync(path, 'wx', 0o600)
  return {
    write: (bytes) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    },
    close: (changedAt) => {
      if (flush) fsyncSync(file)
      closeSync(file)
      if (changedAt !== undefined) utimesSync(path, changedAt / 1000, changedAt / 1000)
    },
  }
}

/** Like `writeFileAtomically`, for a person's file: follows a link instead of replacing it, keeps the mode, makes a missing folder. */
export function writeInPlace(path: string, text: string): void {
  const target = resolveLink(path)
  const mode = statIfThere(target)?.mode
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  writeFileAtomically(target, text)
  if (mode !== undefined) chmodSync(target, mode & 0o777)
}

/** The target of a link, which may not exist yet; else the path itself. */
function resolveLink(path: string): string {
  if (exists(path)) return realpathSync(path)
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
  return isLink ? resolve(dirname(path), readlinkSync(path)) : path
}

/** Cleans up after a failure. Errors are ignored, because the first failure matters more. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // On a read-only disk, for example, the file was never created.
  }
}

/**
 * Opens a regular file. Opening a FIFO would wait for its writer, and a device never ends; neither waits with O_NONBLOCK, and both are refused.
 * Close the file afterwards.
 */
function openRegularFile(path: string): { file: number; bytes: number } {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const found = fstatSync(file)
  if (found.isFile()) return { file, bytes: found.size }
  closeSync(file)
  throw new Error('it is not a regular file')
}

function readRegularFile(path: string): Buffer {
  // A file inside the single-file executable has no descriptor.
  if (path.startsWith(EMBEDDED_FILES)) return readFileSync(path)
  const { file } = openRegularFile(path)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

const EMBEDDED_FILES = '/$bunfs/'

/** The size of a regular file; null when there is nothing, or something else. Asynchronous, because a dead network mount does not answer. */
export async function regularFileBytes(path: string): Promise<number | null> {
  try {
    const { stat } = await import('node:fs/promises')
    const found = await stat(path)
    return found.isFile() ? found.size : null
  } catch (cause) {
    if (isMissingFileError(cause)) return null
    throw new Error(`could not look at ${path}`, { cause })
  }
}

/** The bytes of a regular file of any size from an offset on, in chunks. Asynchronous for the same reason. */
export async function* readRegularFileFrom(path: string, offset: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { open } = await import('node:fs/promises')
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw new Error('it is not a regular file')
    for (let at = offset; ; ) {
      const chunk = new Uint8Array(READ_CHUNK_BYTES)
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield chunk.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

const READ_CHUNK_BYTES = 256 * 1024

/** The text of a small file, or null when it does not exist. Throws when it is larger, and on any other failure. */
export function readSmallFile(path: string, maxBytes: number): string | null {
  try {
    const { file, bytes } = openRegularFile(path)
    try {
      if (bytes > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`)
      return readFileSync(file, 'utf8')
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    if (isMissingFileError(cause)) return null
    throw new Error(`could not read ${path}`, { cause })
  }
}

/** The text of a file, or null when it does not exist. Throws on any other failure. */
export function readIfThere(path: string): string | null {
  try {
    return readRegularFile(path).toString('utf8')
  } catch (cause) {
    if (isMissingFileError(cause)) return null
    throw new Error(`could not read ${path}`, { cause })
  }
}

export function readBytes(path: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readRegularFile(path))
}

/**
 * The bytes of a large file, mapped into memory: the system loads only the pages that are used. Mapping needs write access, so a file that we
 * cannot write, as in a system-wide installation, is read instead.
 */
export function mapFileBytes(path: string): Uint8Array<ArrayBuffer> {
  try {
    return Bun.mmap(path, { shared: false })
  } catch {
    return readBytes(path)
  }
}

/** Like `readIfThere`, for a file that will be written back. Throws when it is not UTF-8, because decoding would change it. */
export function readUtf8IfThere(path: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readRegularFile(path))
  } catch (cause) {
    if (isMissingFileError(cause)) return null
    throw new Error(`could not read ${path}`, { cause: cause instanceof TypeError ? new Error('it is not UTF-8') : cause })
  }
}

/** The value in a JSON file, or null when there is no file or it is not valid JSON (a crash may have left half of it). */
export function readJsonIfThere(path: string): unknown {
  const text = readIfThere(path)
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The secret in a file. It is created on first use, readable only by its owner. */
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

/** The stat of a path, or null when nothing is there, even if a part of the path is a file. */
export function statIfThere(path: string): Stats | null {
  try {
    return statSync(path)
  } catch (cause) {
    if (isMissingFileError(cause)) return null
    throw new Error(`could not look at ${path}`, { cause })
  }
}

/** Remembers the file at a path. `isGone` is true once it was deleted or replaced, but not when the disk cannot be read. */
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

/** The kind of a path. Unlike `statIfThere`, it does not follow links. */
export function fileKindAt(path: string): 'file' | 'folder' | 'link' | 'other' | null {
  try {
    const found = lstatSync(path)
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'other'
  } catch (cause) {
    if (isMissingFileError(cause)) return null
    throw new Error(`could not look at ${path}`, { cause })
  }
}

/** The bytes of a file, or null when it does not exist. */
export function readBytesIfThere(path: string): Uint8Array | null {
  try {
    return readRegularFile(path)
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

/** Makes a link in a new private folder; `remove` deletes both. */
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

/** Why a folder cannot be written to, or null when it can. Writes enough to notice a full disk. */
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
