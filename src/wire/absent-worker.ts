import { ensurePrivateFolder, exists, writeFileAtomically } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import type { Home } from '../platform/paths.ts'
import { startWorker } from './start.ts'

/** Starts the worker for a hook that did not find it, unless the person has stopped it. */
export function wakeWorker(home: Home): void {
  if (!isStopped(home)) startWorker()
}

/** Whether the person stopped the worker with `recollect stop`. A starting worker removes the mark. */
export const isStopped = (home: Home): boolean => exists(home.stopped)

export const markStopped = (home: Home): void => tolerate(() => writeMark(home, home.stopped))

/** Tells the next hooks that the worker does not answer, so that not each of them waits until its deadline. */
export const markLate = (home: Home): void => writeMark(home, home.late)

/** For the worker, which answers again. */
export const unmarkLate = (home: Home): void => tolerate(() => removeFile(home.late))

/** For a worker that starts. */
export const removeMarks = (home: Home): void => tolerate(() => [home.stopped, home.late].forEach(removeFile))

/** A full or read-only disk must not keep a worker from starting, stopping or answering because of a mark. */
function tolerate(change: () => void): void {
  try {
    change()
  } catch {
    // Without the mark a hook waits longer, or starts the worker.
  }
}

function writeMark(home: Home, path: string): void {
  ensurePrivateFolder(home.folder)
  ensurePrivateFolder(home.run)
  writeFileAtomically(path, '', 0o600, false)
}
