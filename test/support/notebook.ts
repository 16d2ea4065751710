import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ProjectKey } from '../../src/core/ids.ts'
import type { Note } from '../../src/core/note.ts'
import { withoutPrivate } from '../../src/core/privacy.ts'
import { redact } from '../../src/core/secrets.ts'
import type { Notebook } from '../../src/notes/notes.ts'
import { readIfThere } from '../../src/platform/files.ts'
import type { NoteFilter } from '../../src/store/store.ts'
import { temporaryStore } from './builders.ts'

/** A notebook in a temporary home. */
export async function aNotebook(machine = 'here') {
  const t = await temporaryStore()
  const folder = dirname(t.store.path)
  const book: Notebook = { store: t.store, folder, machine, clean: (text) => redact(withoutPrivate(text).text) }
  return {
    book,
    store: t.store,
    folder,
    read: (path: string) => readIfThere(join(folder, path)),
    write: (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    },
    remove: (path: string) => rmSync(join(folder, path)),
    /** The ids of notes that contain the words. */
    find: async (words: string, project: ProjectKey | null): Promise<string[]> => {
      const within = { project, kinds: ['note' as const], since: 0, before: Number.MAX_SAFE_INTEGER, limit: 20 }
      return (await t.store.documents.match(words.split(' '), within)).map((match) => match.ref)
    },
    list: (given: Partial<NoteFilter> = {}): Promise<Note[]> => t.store.notes.list({ project: null, now: 10_000, limit: 100, ...given }),
    [Symbol.dispose]: () => t[Symbol.dispose](),
  }
}
