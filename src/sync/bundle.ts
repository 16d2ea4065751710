import { join } from 'node:path'
import { SYNCED_FOLDER } from '../notes/notes.ts'
import { fileKindAt } from '../platform/files.ts'
import { alignIndex, headOf } from './commit.ts'
import { gitErrorLine, gitIn, openRepository } from './git.ts'

/** A history of years may take this long to pack. */
const BUNDLE_TIMEOUT_MS = 30 * 60_000

/** Writes the notes' git history to one file, without the repository's settings. `none` when there is no history; else a message says why it failed. */
export async function bundleHistory(home: string, to: string): Promise<'saved' | 'none' | { problem: string }> {
  const folder = join(home, SYNCED_FOLDER)
  const gitFolder = join(folder, '.git')
  if (fileKindAt(gitFolder) !== 'folder') return 'none'
  const { tryGit } = gitIn(gitFolder, folder, 'backup', 0)
  const refs = await tryGit(['for-each-ref', '--count=1'])
  if (refs.code === null) return { problem: 'git is not installed' }
  if (refs.code === 0 && refs.stdout === '') return 'none'
  const made = await tryGit(['bundle', 'create', '--quiet', to, '--all'], { timeoutMs: BUNDLE_TIMEOUT_MS })
  return made.code === 0 ? 'saved' : { problem: gitErrorLine(made.stderr) }
}

/** Creates the repository of the notes in a home that has none, with the history from a bundle. Returns a message when there is no git; throws if git cannot read the bundle. */
export async function restoreHistory(home: string, bundle: string, machine: string, now: number): Promise<string | null> {
  const repository = await openRepository(home, machine, now)
  if (typeof repository === 'string') return repository
  const refs = ['heads', 'tags', 'recollect'].map((kind) => `+refs/${kind}/*:refs/${kind}/*`)
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--update-head-ok', bundle, ...refs]
  const fetched = await repository.tryGit(fetch, { timeoutMs: BUNDLE_TIMEOUT_MS })
  if (fetched.code !== 0) throw new Error(`git cannot read the history of the notes (${gitErrorLine(fetched.stderr)})`)
  await alignIndex(repository, await headOf(repository))
  return null
}
