import { type FSWatcher, watch } from 'node:fs'

export type FolderWatch = { stop(): void }

/**
 * Reports the changed paths below a folder, relative to it, once nothing has changed for `quietMs`. Null when the system cannot watch it (no such
 * folder, too many watches): then the caller must poll.
 */
export function watchFolder(folder: string, report: (paths: string[]) => void, quietMs = 150): FolderWatch | null {
  const changed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const reportSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const paths = [...changed]
      changed.clear()
      report(paths)
    }, quietMs)
  }
  let watcher: FSWatcher
  try {
    watcher = watch(folder, { recursive: true }, (_, path) => {
      if (path === null) return
      changed.add(String(path))
      reportSoon()
    })
  } catch {
    return null
  }
  // If the folder is removed, watching ends; the caller's own checks notice it.
  watcher.on('error', () => watcher.close())
  return {
    stop: () => {
      clearTimeout(timer)
      watcher.close()
    },
  }
}
