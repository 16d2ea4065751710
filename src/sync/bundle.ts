import { join } from 'node:path'
import { SYNCED_FOLDER } from '../notes/notes.ts'
import { fileKindAt } from '../platform/files.ts'
import { alignIndex, headOf } from './commit.ts'
import { gitErrorLine, gitIn, openRepository } from './git.ts'

/** A history of years may take this long to pack. */
const BUNDLE_TIMEOUT_MS = 30 * 60_000

/** Writes the notes' git history to one file, without the repository's settings. False when there is no history. Throws if git fails. */
export async function bundleHistory(home: string, to: string): Promise<boolean> {
  const folder = join(home, SYNCED_FOLDER)
  const gitFolder = join(folder, '.git')
  if (fileKindAt(gitFolder) !== 'folder') return false
  const { tryGit } = gitIn(gitFolder, folder, 'backup', 0)
  const refs = await tryGit(['for-each-ref', '--count=1'])
  if (refs.code === null) throw new Error('git is not installed, so the history of the notes cannot be read; install it and try again')
  if (refs.code === 0 && refs.stdout === '') return false
  const made = await tryGit(['bundle', 'create', '--quiet', to, '--all'], { timeoutMs: BUNDLE_TIMEOUT_MS })
  if (made.code !== 0) throw new Error(`git could not copy the history of the notes (${gitErrorLine(made.stderr)})`)
  return true
}

/** Creates the repository of the notes in a home that has none, with the history from a bundle. Throws if git fails. */
export async function restoreHistory(home: string, bundle: string, machine: string, now: number): Promise<void> {
  const repository = await openRepository(home, machine, now)
  if (typeof repository === 'string') throw new Error(repository)
  const refs = ['heads', 'tags', 'recollect'].map((kind) => `+refs/${kind}/*:refs/${kind}/*`)
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--update-head-ok', bundle, ...refs]
  const fetched = await repository.tryGit(fetch, { timeoutMs: BUNDLE_TIMEOUT_MS })
  if (fetched.code !== 0) throw new Error(`git cannot read the history of the notes (${gitErrorLine(fetched.stderr)})`)
  await alignIndex(repository, await headOf(repository))
}
