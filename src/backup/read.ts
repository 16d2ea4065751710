import { fileSizeBytes } from '../platform/files.ts'
import { VERSION } from '../platform/version.ts'
import { BACKUP_FORMAT, type BackupHeader, HEADER_FILE, isBackupPath, parseHeaderFile } from './contents.ts'
import { BackupFailure, diskProblem } from './failure.ts'
import { BadArchive, CUT_OFF, printable, readTar, type TarEntry } from './tar.ts'

export type Progress = (done: number, of: number, what: string) => void

/** More files than any home has: a hostile archive could otherwise fill the disk with empty ones. */
const MAX_FILES = 500_000
const MAX_HEADER_BYTES = 64 * 1024

/** Reads the header of a backup. Throws `BackupFailure` if the file is not a backup that this program can restore. */
export async function readHeader(file: string): Promise<BackupHeader> {
  const opened = await openBackup(file, () => {})
  await opened.entries.return(undefined)
  return opened.header
}

/** Reads a backup to its end and so verifies its checksum. `visit` gets each file; what it does not read is skipped. */
export async function readBackup(
  file: string,
  progress: Progress,
  visit: (entry: TarEntry) => Promise<void>,
): Promise<{ header: BackupHeader; files: number }> {
  const { header, entries } = await openBackup(file, progress)
  const seen = new Set<string>()
  try {
    for await (const entry of entries) {
      const { path } = entry
      const problem = !isBackupPath(path) || path === HEADER_FILE ? 'does not belong in a backup' : seen.has(path) ? 'is in it twice' : null
      if (problem) throw new BackupFailure(`${file} was not made by Recollect: "${printable(path)}" ${problem}. Nothing was changed.`)
      seen.add(path)
      if (seen.size > MAX_FILES) throw new BackupFailure(`${file} contains more than ${MAX_FILES} files, so it was not made by Recollect`)
      await visit(entry)
    }
  } catch (cause) {
    throw readFailure(file, cause, true)
  }
  return { header, files: seen.size }
}

async function openBackup(file: string, progress: Progress): Promise<{ header: BackupHeader; entries: AsyncGenerator<TarEntry> }> {
  try {
    const entries = readTar(unpackedBytes(file, progress))
    const first = (await entries.next()).value as TarEntry | undefined
    if (first?.path !== HEADER_FILE || first.bytes > MAX_HEADER_BYTES) throw new BadArchive('it has no header')
    const header = parseHeaderFile(Buffer.concat(await Array.fromAsync(first.content)).toString())
    if (!header) throw new BadArchive('its header is damaged')
    if (header.format > BACKUP_FORMAT)
      throw new BackupFailure(
        `${file} was made by a newer Recollect (${header.version}; this is ${VERSION}). Update Recollect and try again.`,
      )
    return { header, entries }
  } catch (cause) {
    throw readFailure(file, cause, false)
  }
}

async function* unpackedBytes(file: string, progress: Progress): AsyncGenerator<Uint8Array> {
  const size = fileSizeBytes(file)
  let done = 0
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      done += chunk.length
      progress(done, size, 'reading')
      controller.enqueue(chunk)
    },
  })
  yield* Bun.file(file).stream().pipeThrough(counted).pipeThrough(new DecompressionStream('gzip'))
}

/** Explains an error of the archive or its compression. Other errors, such as an abort, stay what they are. */
function readFailure(file: string, cause: unknown, isBackup: boolean): unknown {
  const disk = diskProblem(cause)
  if (disk) return new BackupFailure(`cannot read ${file}: ${disk}`)
  // The decompression reports its errors as `TypeError`.
  if (!(cause instanceof BadArchive || cause instanceof TypeError)) return cause
  if (cause.message === CUT_OFF || cause.message === 'unexpected end of file')
    return new BackupFailure(`${file} is cut off, so it cannot be restored; copy it again from where you keep it`)
  if (!isBackup) return new BackupFailure(`${file} is not a backup of Recollect; 'recollect backup FILE' makes one`)
  const what = cause instanceof BadArchive ? cause.message : 'its checksum is wrong'
  return new BackupFailure(`${file} is damaged (${what}), so it cannot be restored; copy it again from where you keep it`)
}
