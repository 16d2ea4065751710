import { join } from 'node:path'
import { foldersIn, removeTree } from '../platform/folder.ts'
import type { Home } from '../platform/paths.ts'
import { isRunning } from '../platform/processes.ts'

/** A folder for one run of backup or restore. It is named by the process, so that the next run can remove what a killed one left. */
export const workFolder = (home: Home, kind: 'backup' | 'restore'): string => join(home.run, `${kind}-${process.pid}`)

/** Removes the work folders of processes that were killed: they hold copies of memories. */
export function removeLeftovers(home: Home): void {
  for (const name of foldersIn(home.run) ?? []) {
    const pid = /^(?:backup|restore)-(\d+)$/.exec(name)?.[1]
    if (pid && (Number(pid) === process.pid || !isRunning(Number(pid)))) removeTree(join(home.run, name))
  }
}
