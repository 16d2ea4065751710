/**
 * A home in one file, and back: memories, notes with their git history, settings, and payloads that were not stored yet. The file is a compressed
 * tar archive. This room reads the home while the worker writes to it, and replaces it only while it holds the worker's lock. It starts and
 * stops nothing.
 */
import { join } from 'node:path'
import { ensurePrivateFolder, exists } from '../platform/files.ts'
import { allFilesBelow, removeTree } from '../platform/folder.ts'
import { machineName } from '../platform/machine.ts'
import type { Home } from '../platform/paths.ts'
import { flushDisks } from '../platform/processes.ts'
import { CorruptDatabase, countStored, holdLock, type StoredAmounts } from '../store/store.ts'
import { type BackupHeader, NOTE_FOLDERS, SETTINGS_FILES } from './contents.ts'
import { BackupFailure } from './failure.ts'
import { removeLeftovers, workFolder } from './leftovers.ts'
import { type Progress, readBackup } from './read.ts'
import { putInPlace, UNPACKED } from './swap.ts'
import { unpack } from './unpack.ts'

export { CorruptDatabase, type StoredAmounts } from '../store/store.ts'
export type { BackupHeader } from './contents.ts'
export { BackupFailure } from './failure.ts'
export { removeLeftovers } from './leftovers.ts'
export { readHeader } from './read.ts'
export { finishRestore } from './swap.ts'
export { backUp } from './write.ts'

/** Reads a whole backup without writing anything. Throws `BackupFailure` if it cannot be restored. */
export async function verifyBackup(file: string, progress: Progress): Promise<void> {
  await readBackup(file, progress, async () => {})
}

/** The data that a restore would replace. `stored` is null when the database cannot be read. */
export type HomeContents = { isEmpty: boolean; stored: StoredAmounts | null; noteFiles: number; settings: string[] }

export function homeContents(home: Home): HomeContents {
  const noteFiles = NOTE_FOLDERS.flatMap((top) => allFilesBelow(join(home.folder, top), (name) => name !== '.git').files).length
  const settings = SETTINGS_FILES.filter((name) => exists(join(home.folder, name)))
  const stored = countHome(home)
  const isEmpty = stored !== null && Object.values(stored).every((count) => count === 0) && noteFiles === 0 && settings.length === 0
  return { isEmpty, stored, noteFiles, settings }
}

function countHome(home: Home): StoredAmounts | null {
  if (!exists(home.database)) return { sessions: 0, prompts: 0, observations: 0, summaries: 0, notes: 0 }
  try {
    return countStored(home.database)
  } catch (cause) {
    if (cause instanceof CorruptDatabase) return null
    throw cause
  }
}

export type RestoreRun = {
  now: number
  progress: Progress
  signal: AbortSignal
  /** Stops the worker and waits until it has exited. */
  stopWorker: () => Promise<unknown>
}

export type RestoreResult = {
  header: BackupHeader
  /** The folder with the replaced data; null if the home was empty. */
  setAside: string | null
  /** Parts that could not be restored, for a person. */
  problems: string[]
}

/**
 * Replaces the data of a home by that of a backup. The backup is unpacked and checked first; until then nothing is changed. The replaced data is
 * moved to a folder of its own. Throws `BackupFailure`.
 */
export async function restoreBackup(home: Home, file: string, run: RestoreRun): Promise<RestoreResult> {
  ensurePrivateFolder(home.folder)
  ensurePrivateFolder(home.run)
  removeLeftovers(home)
  const work = workFolder(home, 'restore')
  try {
    const unpacked = join(work, UNPACKED)
    ensurePrivateFolder(unpacked)
    const { header, problems } = await unpack(file, unpacked, { ...run, machine: machineName(home.folder) })
    await flushDisks()
    run.signal.throwIfAborted()
    const lock = await lockHome(home, run.stopWorker)
    try {
      const { isEmpty } = homeContents(home)
      const replaced = putInPlace(home, work, run.now)
      await flushDisks()
      if (replaced && isEmpty) removeTree(replaced)
      return { header, problems, setAside: isEmpty ? null : replaced }
    } finally {
      lock.release()
    }
  } finally {
    removeTree(work)
  }
}

const MAX_LOCK_TRIES = 20

/** Stops the worker and takes its lock, so that none can start. A session may start a new worker in between; then that one is stopped too. */
async function lockHome(home: Home, stopWorker: () => Promise<unknown>) {
  for (let tried = 1; tried <= MAX_LOCK_TRIES; tried++) {
    await stopWorker()
    const lock = holdLock(home.lock)
    if (lock) return lock
    await Bun.sleep(50)
  }
  throw new BackupFailure("another program uses the home, so nothing was changed. Stop it with 'recollect stop' and try again.")
}
