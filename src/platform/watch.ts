import { type FSWatcher, watch } from 'node:fs'

export type FolderWatch = { stop(): void }

/**
 * Tells what changes below a folder, by paths relative to it, some moments after it has become quiet. Null when the system cannot
 * watch it (no such folder, too many watches): then whoever asks has to look from time to time.
 */
export function watchFolder(folder: string, tell: (paths: string[]) => void, quietMs = 150): FolderWatch | null {
  const changed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const soon = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const paths = [...changed]
      changed.clear()
      tell(paths)
    }, quietMs)
  }
  let watcher: FSWatcher
  try {
    watcher = watch(folder, { recursive: true }, (_, path) => {
      if (path === null) return
      changed.add(String(path))
      soon()
    })
  } catch {
    return null
  }
  // A folder that is taken away ends the watching; the next look from time to time finds out.
  watcher.on('error', () => watcher.close())
  return {
    stop: () => {
      clearTimeout(timer)
      watcher.close()
    },
  }
}
