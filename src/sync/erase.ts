import { join } from 'node:path'
import type { NoteId } from '../core/note.ts'
import { type Notebook, parseNote, SYNCED_FOLDER } from '../notes/notes.ts'
import { exists } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import { holdLock } from '../store/store.ts'
import { alignIndex, commitPendingChanges, findPendingChanges, headOf, moveBranch, NULL_OBJECT_ID, splitAtNul } from './commit.ts'
import { BRANCH, gitIn, openRepository, type Repository } from './git.ts'

/** A sync that waits for the network holds the lock for this long at most. */
const MAX_LOCK_WAIT_MS = 180_000
const BLOBS_PER_READ = 500

/**
 * Removes all versions of these notes, except the ones that exist now, from every commit that was never pushed, and the bytes of the removed
 * versions from the repository. Pushed commits stay as they are: other machines have them.
 */
export async function eraseFromHistory(book: Notebook, ids: NoteId[], now: number): Promise<void> {
  if (ids.length === 0 || !exists(join(book.folder, SYNCED_FOLDER, '.git'))) return
  const lock = await waitForLock(join(book.folder, 'run', 'sync.lock'))
  try {
    const repository = await openRepository(book.folder, book.machine, now)
    if (typeof repository === 'string') throw new Error(repository)
    const head = await commitDeletions(repository, book)
    if (head !== null) await rewriteUnpushed(repository, head, new Set(ids))
    for (const name of ['ORIG_HEAD', 'FETCH_HEAD']) removeFile(join(repository.folder, '.git', name))
    await repository.git(['reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all'])
    await repository.git(['gc', '--quiet', '--prune=now'])
  } finally {
    lock.release()
  }
}

/** Which of these notes are in commits that were pushed to a remote. */
export async function pushedNotes(book: Notebook, ids: NoteId[]): Promise<NoteId[]> {
  const folder = join(book.folder, SYNCED_FOLDER)
  if (ids.length === 0 || !exists(join(folder, '.git'))) return []
  const { tryGit } = gitIn(join(folder, '.git'), folder, book.machine, 0)
  const pushed = await pushedRefs({ tryGit })
  if (pushed.length === 0) return []
  // A note's file is named after its id.
  const { stdout } = await tryGit(['log', '--format=', '--name-only', '-z', ...pushed])
  const names = stdout.split('\0')
  return ids.filter((id) => names.some((name) => name.includes(id)))
}

/** The refs that remember what remotes have. */
async function pushedRefs({ tryGit }: Pick<Repository, 'tryGit'>): Promise<string[]> {
  const { stdout } = await tryGit(['for-each-ref', '--format=%(refname)', 'refs/recollect/', 'refs/remotes/'])
  return stdout.split('\n').filter(Boolean)
}

async function waitForLock(path: string) {
  const until = Date.now() + MAX_LOCK_WAIT_MS
  for (;;) {
    const lock = holdLock(path)
    if (lock) return lock
    if (Date.now() > until) throw new Error('a sync is running and does not end; the history of the notes could not be rewritten')
    await Bun.sleep(200)
  }
}

async function commitDeletions(repository: Repository, book: Notebook): Promise<string | null> {
  const head = await headOf(repository)
  await alignIndex(repository, head)
  const made = await commitPendingChanges(repository, head, await findPendingChanges(repository, book), book.machine)
  if (made !== null && made !== head && !(await moveBranch(repository, made, head)))
    throw new Error('another program commits to the notes at the same time')
  return made
}

/** Copies the unpushed commits without the versions that must go, and moves the branch to the copy. */
async function rewriteUnpushed(repository: Repository, head: string, ids: Set<string>): Promise<void> {
  const pushed = await pushedRefs(repository)
  const range = [BRANCH, ...(pushed.length > 0 ? ['--not', ...pushed] : [])]
  const unwanted = await versionsOf(repository, range, ids)
  for (const entry of await treeEntries(repository, head)) unwanted.delete(entry.object)
  if (unwanted.size === 0) return
  const commits = (await repository.git(['rev-list', '--topo-order', '--reverse', ...range])).split('\n').filter(Boolean)
  const copies = new Map<string, string>()
  const trees = new Map<string, string>()
  for (const commit of commits) {
    const raw = await repository.git(['cat-file', 'commit', commit])
    const tree = /^tree (\S+)/.exec(raw)?.[1] ?? ''
    const copiedTree = trees.get(tree) ?? (await treeWithout(repository, tree, unwanted))
    trees.set(tree, copiedTree)
    const copied = raw
      .replace(/^tree \S+/, `tree ${copiedTree}`)
      .replace(/^parent (\S+)$/gm, (line, parent: string) => (copies.has(parent) ? `parent ${copies.get(parent)}` : line))
    copies.set(
      commit,
      copied === raw ? commit : (await repository.git(['hash-object', '-t', 'commit', '-w', '--stdin'], { stdin: copied })).trim(),
    )
  }
  const next = copies.get(head) ?? head
  if (next !== head && !(await moveBranch(repository, next, head))) throw new Error('another program commits to the notes at the same time')
  await alignIndex(repository, next)
}

/** The blobs of these notes in the commits of a range. A conflicting version of a note counts too. */
async function versionsOf(repository: Repository, range: string[], ids: Set<string>): Promise<Set<string>> {
  const listed = (await repository.git(['rev-list', '--objects', ...range])).split('\n')
  const blobs = [...new Set(listed.flatMap((line) => (line.endsWith('.md') ? [line.slice(0, 40)] : [])))]
  const found = new Set<string>()
  for (let from = 0; from < blobs.length; from += BLOBS_PER_READ) {
    const batch = blobs.slice(from, from + BLOBS_PER_READ)
    for (const [at, bytes] of (await repository.read(batch)).entries()) if (isVersionOf(bytes, ids)) found.add(batch[at] as string)
  }
  return found
}

function isVersionOf(bytes: Uint8Array, ids: Set<string>): boolean {
  const parsed = parseNote(new TextDecoder().decode(bytes))
  return parsed.kind === 'note' && (ids.has(parsed.note.id) || (parsed.note.conflictOf !== null && ids.has(parsed.note.conflictOf)))
}

async function treeEntries(repository: Repository, tree: string): Promise<{ path: string; object: string }[]> {
  return splitAtNul(await repository.git(['ls-tree', '-r', '-z', tree])).map((entry) => ({
    path: entry.slice(entry.indexOf('\t') + 1),
    object: entry.slice(0, entry.indexOf('\t')).split(' ')[2] ?? '',
  }))
}

async function treeWithout(repository: Repository, tree: string, unwanted: Set<string>): Promise<string> {
  const removed = (await treeEntries(repository, tree)).filter(({ object }) => unwanted.has(object))
  if (removed.length === 0) return tree
  await repository.git(['read-tree', tree])
  const stdin = removed.map(({ path }) => `0 ${NULL_OBJECT_ID}\t${path}\0`).join('')
  await repository.git(['update-index', '-z', '--index-info'], { stdin })
  return (await repository.git(['write-tree'])).trim()
}
