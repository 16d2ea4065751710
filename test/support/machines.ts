import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asProjectKey } from '../../src/core/ids.ts'
import { asNoteId, type NoteId } from '../../src/core/note.ts'
import { changeNote, type NoteDraft, type NotePatch, saveNote } from '../../src/notes/notes.ts'
import { type SyncOptions, syncNotes } from '../../src/sync/sync.ts'
import { temporaryFolder } from './builders.ts'
import { aNotebook } from './notebook.ts'

/** A repository in a folder that several machines share. */
export function aRemote() {
  const folder = temporaryFolder()
  const path = join(folder.path, 'notes.git')
  runGit(folder.path, 'init', '--quiet', '--bare', '-b', 'main', path)
  return { path, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

/** A machine: a home with notes that syncs with the remote. */
export async function aMachine(name: string, remote: string) {
  const at = await aNotebook(name)
  let now = 1_000_000
  const folder = join(at.folder, 'memory')
  mkdirSync(folder)
  return {
    ...at,
    name,
    /** The folder of the notes. */
    memory: folder,
    sync: async (given: Partial<SyncOptions> = {}) =>
      (await syncNotes(at.book, { remote, fetch: true, push: true, ...given }, Date.now())).report,
    git: (...args: string[]) => runGit(folder, ...args),
    /** Saves a note and returns its id. */
    note: async (body: string, given: Partial<NoteDraft> = {}): Promise<NoteId> => {
      const { receipt } = await saveNote(at.book, { body, project: asProjectKey('app'), source: 'human', ...given }, ++now)
      if (receipt.kind === 'refused') throw new Error(receipt.reason)
      return receipt.note.id
    },
    edit: (id: NoteId, patch: NotePatch, when = ++now) => changeNote(at.book, id, patch, when),
    body: async (id: string) => (await at.store.notes.get(asNoteId(id)))?.body ?? null,
    conflicts: () => at.store.notes.conflicts(),
    /** All note files, by path. */
    files: () => filesOf(folder),
    [Symbol.dispose]: () => at[Symbol.dispose](),
  }
}

export type Machine = Awaited<ReturnType<typeof aMachine>>

/** All markdown files below a folder, by path. */
function filesOf(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.md') && !path.startsWith('.git/'),
  )
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

/** Runs git as a person would, without their settings. */
export function runGit(folder: string, ...args: string[]): string {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, 'dev'],
        [`GIT_${who}_EMAIL`, 'dev@example.com'],
      ]),
    ),
  }
  const ran = Bun.spawnSync(['git', '-C', folder, ...args], { env })
  if (ran.exitCode !== 0) throw new Error(`git ${args[0]}: ${ran.stderr.toString()}`)
  return ran.stdout.toString()
}
