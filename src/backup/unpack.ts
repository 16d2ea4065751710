import { basename, dirname, join } from 'node:path'
import { createFile, ensurePrivateFolder, exists } from '../platform/files.ts'
import { freeBytes, removeFile } from '../platform/folder.ts'
import { adoptDatabase, CorruptDatabase, NewerDatabase } from '../store/store.ts'
import { restoreHistory } from '../sync/sync.ts'
import { type BackupHeader, DATABASE_FILE, HISTORY_FILE, NOTE_FOLDERS } from './contents.ts'
import { BackupFailure, diskProblem } from './failure.ts'
import { type Progress, readBackup } from './read.ts'
import type { TarEntry } from './tar.ts'

/** Stays free, so that other programs can go on. */
const RESERVED_BYTES = 16 * 1024 * 1024

/** Unpacks a backup into a folder so that it is a home in which a worker can start. Throws `BackupFailure`. */
export async function unpack(
  file: string,
  folder: string,
  { progress, signal, machine, now }: { progress: Progress; signal: AbortSignal; machine: string; now: number },
): Promise<{ header: BackupHeader; problems: string[] }> {
  for (const name of NOTE_FOLDERS) ensurePrivateFolder(join(folder, name))
  const { header } = await readBackup(file, progress, async (entry) => {
    signal.throwIfAborted()
    await writeEntry(folder, entry)
  })
  if (!exists(join(folder, DATABASE_FILE))) throw new BackupFailure(`${file} has no database, so it cannot be restored`)
  progress(1, 1, 'checking the database')
  await adopt(join(folder, DATABASE_FILE), file, header, now)
  const history = join(folder, HISTORY_FILE)
  if (!exists(history)) return { header, problems: [] }
  progress(1, 1, 'restoring the history of the notes')
  const problem = await restoreHistory(folder, history, machine, now).catch((cause: Error) => {
    throw new BackupFailure(`${cause.message}. Nothing was changed.`, { cause })
  })
  removeFile(history)
  return { header, problems: problem ? [`the history of the notes was not restored: ${problem}`] : [] }
}

async function writeEntry(folder: string, { path, bytes, changedAt, content }: TarEntry): Promise<void> {
  if (freeBytes(folder) < bytes + RESERVED_BYTES)
    throw new BackupFailure(
      `there is not enough space on the disk for ${path} (${bytes} bytes); free some and try again. Nothing was changed.`,
    )
  const target = join(folder, path)
  try {
    ensurePrivateFolder(dirname(target))
    const out = createFile(target, false)
    try {
      for await (const part of content) out.write(part)
    } finally {
      out.close(changedAt)
    }
  } catch (cause) {
    const problem = diskProblem(cause)
    throw problem ? new BackupFailure(`${path} could not be restored: ${problem}. Nothing was changed.`, { cause }) : cause
  }
}

/** Migrates a database of an older version, before anything is replaced. */
async function adopt(path: string, file: string, { version, madeAt, machine }: BackupHeader, now: number): Promise<void> {
  try {
    await adoptDatabase(path, { at: now, action: 'restore', subject: basename(file), details: { version, madeAt, machine } })
  } catch (cause) {
    if (cause instanceof NewerDatabase)
      throw new BackupFailure(`${file} was made by a newer Recollect (${version}). Update Recollect and try again.`, { cause })
    if (cause instanceof CorruptDatabase) throw new BackupFailure(`the database in ${file} is damaged, so it cannot be restored`, { cause })
    throw cause
  }
}
