import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { createFile, ensurePrivateFolder, exists, fileSizeBytes, moveFile, statIfThere } from '../platform/files.ts'
import { allFilesBelow, type FolderEntry, filesIn, freeBytes, removeFile, removeTree } from '../platform/folder.ts'
import { machineName } from '../platform/machine.ts'
import type { Home } from '../platform/paths.ts'
import { isRunning } from '../platform/processes.ts'
import { VERSION } from '../platform/version.ts'
import { copyDatabase } from '../store/store.ts'
import { bundleHistory } from '../sync/sync.ts'
import {
  BACKUP_FORMAT,
  type BackupHeader,
  DATABASE_FILE,
  HEADER_FILE,
  HISTORY_FILE,
  isBackupPath,
  isGitFolder,
  NOTE_FOLDERS,
  SETTINGS_FILES,
  SETTINGS_FOLDER,
  SPOOL_FOLDER,
} from './contents.ts'
import { BackupFailure, diskProblem } from './failure.ts'
import { removeLeftovers, workFolder } from './leftovers.ts'
import { type Progress, readBackup } from './read.ts'
import { type TarEntry, writeTar } from './tar.ts'

export type BackupReport = {
  file: string
  bytes: number
  header: BackupHeader
  files: number
  /** Links and special files in the folders of the notes, which are not in the backup. */
  skipped: string[]
  /** Parts that could not be saved, for a person. */
  problems: string[]
}

type BackupRun = { now: number; progress: Progress; signal: AbortSignal }

/**
 * Writes the memories, notes and settings of a home to one file, while the worker runs. The file appears under its name when it is complete and
 * was read back. Replaces an existing file; the caller has asked. Throws `BackupFailure`, `CorruptDatabase`, or the error of the disk.
 */
export async function backUp(home: Home, file: string, run: BackupRun): Promise<BackupReport> {
  if (!exists(home.database)) throw new BackupFailure(`nothing to back up: ${home.folder} does not contain a database`)
  removeLeftovers(home)
  const work = workFolder(home, 'backup')
  const partial = `${file}.${process.pid}.partial`
  removeStalePartials(file)
  try {
    ensurePrivateFolder(work)
    const { header, entries, skipped, problems } = await collect(home, work, run)
    const files = await writeArchive(partial, header, entries, run)
    await verify(partial, files, run)
    run.signal.throwIfAborted()
    moveFile(partial, file)
    return { file, bytes: fileSizeBytes(file), header, files, skipped, problems }
  } catch (cause) {
    const problem = diskProblem(cause)
    const where = (cause as Error).cause ? ` (${(cause as Error).message})` : ''
    throw problem ? new BackupFailure(`${file} could not be written: ${problem}${where}`, { cause }) : cause
  } finally {
    removeTree(work)
    removeFile(partial)
  }
}

/** Removes the partial files of killed backups to the same file. */
function removeStalePartials(file: string): void {
  for (const { name, path } of filesIn(dirname(file), '.partial')) {
    const pid = name.startsWith(`${basename(file)}.`) ? /\.(\d+)\.partial$/.exec(name)?.[1] : undefined
    if (pid && !isRunning(Number(pid))) removeFile(path)
  }
}

/** A file of the home, or a copy of it, and its path in the backup. */
type BackupEntry = FolderEntry & { at: string }

/**
 * Copies what the worker is writing, and lists the rest. The order matters. The spool comes before the database: a payload that is stored meanwhile is
 * then in both, and a receipt keeps it from being stored twice. Notes come after the database: the worker indexes a note file it does not know, but
 * forgets a note whose file is missing.
 */
async function collect(home: Home, work: string, { now, progress, signal }: BackupRun) {
  const spooled = await copySpool(home, work)
  const needed = fileSizeBytes(home.database) + fileSizeBytes(`${home.database}-wal`)
  if (freeBytes(work) < needed)
    throw new BackupFailure(`there is no space in ${home.folder} for a copy of the database; free some and try again`)
  progress(0, 1, 'copying the database')
  await Bun.sleep(0) // shows the progress: the copy does not let anything else run
  const stored = copyDatabase(home.database, join(work, DATABASE_FILE))
  signal.throwIfAborted()
  progress(0, 1, 'copying the history of the notes')
  const history = await bundleHistory(home.folder, join(work, HISTORY_FILE))
  // A broken repository must not keep a person from saving everything else.
  const problems = typeof history === 'string' ? [] : [`the history of the notes is not in the backup: ${history.problem}`]
  signal.throwIfAborted()
  const single = [
    ...[DATABASE_FILE, ...(history === 'saved' ? [HISTORY_FILE] : [])].flatMap((name) => fileEntry(join(work, name), name)),
    ...SETTINGS_FILES.flatMap((name) => fileEntry(join(home.folder, name), name)),
  ]
  const below = [...NOTE_FOLDERS, SETTINGS_FOLDER].map((top) => {
    const { files, skipped } = allFilesBelow(join(home.folder, top), (name) => !isGitFolder(name) && !TEMPORARY_FILE.test(name))
    return { files: files.map((entry) => ({ ...entry, at: `${top}/${entry.name}` })), skipped: skipped.map((name) => `${top}/${name}`) }
  })
  const listed: BackupEntry[] = [...spooled, ...single, ...below.flatMap(({ files }) => files)]
  const header: BackupHeader = { format: BACKUP_FORMAT, version: VERSION, madeAt: now, machine: machineName(home.folder), stored }
  return {
    header,
    problems,
    entries: listed.filter(({ at }) => isBackupPath(at)),
    skipped: [...below.flatMap(({ skipped }) => skipped), ...listed.map(({ at }) => at).filter((at) => !isBackupPath(at))],
  }
}

/** A note that is being written has such a name for a moment. */
const TEMPORARY_FILE = /\.[0-9a-f-]{36}\.tmp$/

async function copySpool(home: Home, work: string): Promise<BackupEntry[]> {
  const folder = join(work, SPOOL_FOLDER)
  ensurePrivateFolder(folder)
  for (const { name, path } of filesIn(home.spool, '.json')) {
    try {
      await Bun.write(join(folder, name), Bun.file(path))
    } catch (cause) {
      // The worker has stored it and removed the file.
      if (exists(path)) throw cause
      removeFile(join(folder, name))
    }
  }
  return filesIn(folder, '.json').map((entry) => ({ ...entry, at: `${SPOOL_FOLDER}/${entry.name}` }))
}

function fileEntry(path: string, at: string): BackupEntry[] {
  const found = statIfThere(path)
  return found?.isFile() ? [{ name: at, path, at, bytes: found.size, changedAt: found.mtimeMs }] : []
}

/** Returns the number of files that were written. */
async function writeArchive(path: string, header: BackupHeader, entries: BackupEntry[], { progress, signal }: BackupRun): Promise<number> {
  const total = entries.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  let files = 0
  async function* contents(): AsyncGenerator<TarEntry> {
    const text = Buffer.from(`${JSON.stringify(header, null, 2)}\n`)
    yield { path: HEADER_FILE, bytes: text.length, changedAt: header.madeAt, content: inParts(text) }
    for (const entry of entries) {
      signal.throwIfAborted()
      const read = await openEntry(entry)
      if (!read) continue
      yield { path: entry.at, changedAt: entry.changedAt, bytes: read.bytes, content: counted(read.content, entry.at) }
      files++
    }
  }
  async function* counted(content: AsyncIterable<Uint8Array>, at: string): AsyncGenerator<Uint8Array> {
    for await (const part of content) {
      done += part.length
      progress(done, total * 2, at)
      yield part
    }
  }
  const file = createFile(path)
  try {
    const gzip = createGzip({ level: 3 })
    const source = Readable.from(writeTar(contents()))
    source.on('error', (cause) => gzip.destroy(cause))
    for await (const chunk of source.pipe(gzip)) {
      signal.throwIfAborted()
      file.write(chunk)
    }
  } finally {
    file.close()
  }
  return files
}

/** Small files are read at once, because they may change while they are read. Null when the file was deleted meanwhile. */
async function openEntry({ path, bytes }: BackupEntry): Promise<Pick<TarEntry, 'bytes' | 'content'> | null> {
  try {
    if (bytes > MAX_BYTES_READ_AT_ONCE) return { bytes, content: Bun.file(path).stream() }
    const text = await Bun.file(path).bytes()
    return { bytes: text.length, content: inParts(text) }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw cause
  }
}

const MAX_BYTES_READ_AT_ONCE = 8 * 1024 * 1024

async function* inParts(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function verify(path: string, written: number, { progress, signal }: BackupRun): Promise<void> {
  const { files } = await readBackup(
    path,
    (done, of) => progress(of + done, of * 2, 'verifying'),
    async () => signal.throwIfAborted(),
  )
  if (files !== written) throw new BackupFailure(`the backup could not be verified: ${files} of ${written} files can be read. Try again.`)
}
