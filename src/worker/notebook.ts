import { join } from 'node:path'
import { cleanText } from '../core/clean-text.ts'
import { LOCAL_FOLDER, type Notebook, reindex, SYNCED_FOLDER } from '../notes/notes.ts'
import { ensurePrivateFolder } from '../platform/files.ts'
import { machineName } from '../platform/machine.ts'
import type { Home } from '../platform/paths.ts'
import { type FolderWatch, watchFolder } from '../platform/watch.ts'
import type { Store } from '../store/store.ts'
import type { Services } from './services.ts'

/** The notes of this home. Private parts and secrets are removed from every note; `patterns` is null when redaction is off. */
export function openNotebook(store: Store, home: Home, patterns: RegExp[] | null): Notebook {
  for (const folder of [SYNCED_FOLDER, LOCAL_FOLDER]) ensurePrivateFolder(join(home.folder, folder))
  return notebookOf(store, home, patterns, machineName(home.folder))
}

/** The same without creating folders, for a home that may only be read. */
export function notebookOf(store: Store, home: Home, patterns: RegExp[] | null, machine: string): Notebook {
  return {
    store,
    folder: home.folder,
    machine,
    clean: (text) => cleanText(text, { redactPatterns: patterns }).text,
  }
}

/** Indexes notes that people or git change on the disk: at once where the system reports changes, and at every round. */
export function followNotes(services: Services): { round(): Promise<void>; stop(): void } {
  let last: Promise<unknown> = Promise.resolve()
  const index = (only?: string[]) => {
    const work = last.then(async () => {
      const changes = await reindex(services.notebook, only)
      services.announce(changes)
      if (changes.length > 0) services.log.info('notes changed on the disk', { changes: changes.length })
    })
    last = work.catch((cause) => services.log.warn('changed notes could not be indexed', { error: (cause as Error).message.slice(0, 300) }))
    return last
  }
  const watchers: FolderWatch[] = [SYNCED_FOLDER, LOCAL_FOLDER].flatMap((top) => {
    const onChange = (paths: string[]) => void index(paths.filter((path) => path.endsWith('.md')).map((path) => `${top}/${path}`))
    const watching = watchFolder(join(services.home.folder, top), onChange)
    return watching ? [watching] : []
  })
  return {
    round: async () => {
      await index()
    },
    stop: () => {
      for (const watcher of watchers) watcher.stop()
    },
  }
}
