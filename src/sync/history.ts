import { join } from 'node:path'
import type { NoteCommit } from '../core/sync.ts'
import { type Notebook, SYNCED_FOLDER } from '../notes/notes.ts'
import { exists } from '../platform/files.ts'
import { isSyncable } from './commit.ts'
import { BRANCH, gitIn } from './git.ts'

const MAX_NOTE_VERSIONS = 200

/** The versions of a note's file, newest first. `path` is relative to the home. Local notes have no history. */
export async function noteHistory(book: Notebook, path: string): Promise<NoteCommit[]> {
  const found = locateInRepository(book, path)
  if (!found) return []
  const format = ['%H', '%at', '%an', '%s'].join('%x1f')
  const ran = await found.tryGit(['log', '-z', `--max-count=${MAX_NOTE_VERSIONS}`, `--format=${format}`, BRANCH, '--', found.path])
  return ran.stdout.split('\0').flatMap((line) => {
    const [commit = '', at = '', machine = '', subject = ''] = line.split('\x1f')
    return commit ? [{ commit, at: Number(at) * 1000, machine, subject }] : []
  })
}

/** The text of a note's file in a commit; null if the commit does not contain it. */
export async function noteAt(book: Notebook, path: string, commit: string): Promise<string | null> {
  const found = /^[0-9a-f]{7,40}$/.test(commit) ? locateInRepository(book, path) : null
  const ran = await found?.tryGit(['cat-file', 'blob', `${commit}:${found.path}`])
  return ran?.code === 0 ? ran.stdout : null
}

function locateInRepository(book: Notebook, path: string) {
  const [top, ...rest] = path.split('/')
  const folder = join(book.folder, SYNCED_FOLDER)
  if (top !== SYNCED_FOLDER || !isSyncable(rest.join('/')) || !exists(join(folder, '.git'))) return null
  return { ...gitIn(join(folder, '.git'), folder, book.machine, 0), path: rest.join('/') }
}
