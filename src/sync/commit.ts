import { dirname, join } from 'node:path'
import type { WithheldFile } from '../core/sync.ts'
import { isLeftover, type Notebook, SYNCED_FOLDER } from '../notes/notes.ts'
import { fileKindAt, readBytesIfThere, statIfThere } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import { BRANCH, type Repository } from './git.ts'

/** Changes in the folder since the last commit. Paths are relative to the folder of the notes. */
export type PendingChanges = {
  added: { path: string; bytes: Uint8Array }[]
  removed: string[]
  withheld: WithheldFile[]
  /** Changed files that the last commit contains; the others in `added` are new. */
  known: Set<string>
}

/** Only markdown files are synced, and no hidden ones. A folder must not be named like a note, because the two could not coexist. */
export function isSyncable(path: string): boolean {
  const parts = path.split('/')
  const name = parts.pop() ?? ''
  return /^[^.].*\.md$/.test(name) && parts.every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.md'))
}

/** The commit that the branch points to; null before the first commit. */
export async function headOf(repository: Repository): Promise<string | null> {
  const found = await repository.tryGit(['rev-parse', '--verify', '--quiet', `${BRANCH}^{commit}`])
  return found.code === 0 ? found.stdout.trim() : null
}

/** Resets git's index to the commit. The index is only a cache here, so anything that a killed sync left in it can go. */
export async function alignIndex(repository: Repository, head: string | null): Promise<void> {
  await repository.git(head ? ['read-tree', '--reset', head] : ['read-tree', '--empty'])
  await repository.tryGit(['update-index', '-q', '--refresh'])
}

/** Finds the changes since the last commit. Secrets are searched in exactly the bytes that would be committed. */
export async function findPendingChanges(repository: Repository, book: Pick<Notebook, 'clean'>): Promise<PendingChanges> {
  const waiting: PendingChanges = { added: [], removed: [], withheld: [], known: new Set() }
  const tracked = filesIn(await repository.git(['diff-files', '-z', '--raw']))
  const untracked = splitAtNul(await repository.git(['ls-files', '-z', '--others']))
  waiting.known = new Set(tracked)
  for (const path of untracked) if (path.endsWith('.tmp')) removeLeftover(join(repository.folder, path))
  for (const path of [...tracked, ...untracked].filter(isSyncable)) {
    if (leadsThroughLink(repository.folder, path)) continue
    const kind = fileKindAt(join(repository.folder, path))
    if (kind === null) waiting.removed.push(path)
    const bytes = kind === 'file' ? readBytesIfThere(join(repository.folder, path)) : null
    if (!bytes) continue
    const line = firstUncleanLine(new TextDecoder().decode(bytes), book)
    if (line === null) waiting.added.push({ path, bytes })
    else waiting.withheld.push({ path: `${SYNCED_FOLDER}/${path}`, line })
  }
  return waiting
}

function removeLeftover(path: string): void {
  const found = fileKindAt(path) === 'file' ? statIfThere(path) : null
  if (found && isLeftover(path, found.mtimeMs)) removeFile(path)
}

/** The paths in the output of `git diff-files`, without links and submodules, which are never on disk. */
function filesIn(listed: string): string[] {
  const parts = splitAtNul(listed)
  return parts.flatMap((part, at) => (at % 2 === 1 && parts[at - 1]?.startsWith(':100') ? [part] : []))
}

export const splitAtNul = (listed: string) => listed.split('\0').filter(Boolean)

/** Whether a folder on the path is a symbolic link. Such files are not in this folder, and do not count as removed either. */
export function leadsThroughLink(folder: string, path: string): boolean {
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    if (fileKindAt(join(folder, parent)) === 'link') return true
  }
  return false
}

/** The number of the first line with a secret or private text; null if there is none. */
function firstUncleanLine(text: string, book: Pick<Notebook, 'clean'>): number | null {
  const clean = book.clean(text)
  if (clean === text) return null
  const cleanLines = clean.split('\n')
  const at = text.split('\n').findIndex((line, index) => line !== cleanLines[index])
  return Math.max(0, at) + 1
}

/** Commits the pending changes and returns the new commit, or the old one if there are none. Does not move the branch. */
export async function commitPendingChanges(
  repository: Repository,
  head: string | null,
  waiting: PendingChanges,
  machine: string,
  index?: string,
): Promise<string | null> {
  if (waiting.added.length + waiting.removed.length === 0) return head
  const given = index ? { index } : {}
  const blobs = await writeBlobs(
    repository,
    waiting.added.map(({ bytes }) => bytes),
  )
  const lines = [
    ...waiting.removed.map((path) => `0 ${NULL_OBJECT_ID}\t${path}\0`),
    ...waiting.added.map(({ path }, at) => `100644 ${blobs[at]}\t${path}\0`),
  ]
  await repository.git(['update-index', '-z', '--index-info'], { stdin: lines.join(''), ...given })
  const tree = (await repository.git(['write-tree'], given)).trim()
  if (head && tree === (await treeOf(repository, head))) return head
  const subject = `${describePendingChanges(waiting)} from ${machine}`
  return (await repository.git(['commit-tree', tree, ...(head ? ['-p', head] : [])], { stdin: `${subject}\n` })).trim()
}

export const NULL_OBJECT_ID = '0'.repeat(40)

async function treeOf(repository: Repository, commit: string): Promise<string> {
  return (await repository.git(['rev-parse', '--verify', `${commit}^{tree}`])).trim()
}

/** Moves the branch, unless it has been moved meanwhile. */
export async function moveBranch(repository: Repository, to: string, from: string | null): Promise<boolean> {
  return (await repository.tryGit(['update-ref', '-m', 'recollect', BRANCH, to, from ?? NULL_OBJECT_ID])).code === 0
}

/** Writes all texts into the repository with one git call, because single calls would take minutes for a large history. Returns their ids. */
export async function writeBlobs(repository: Repository, texts: Uint8Array[]): Promise<string[]> {
  if (texts.length === 0) return []
  const parts = texts.flatMap((bytes) => [Buffer.from(`blob\ndata ${bytes.length}\n`), bytes, Buffer.from('\n')])
  await repository.git(['fast-import', '--quiet', '--done'], { stdin: Buffer.concat([...parts, Buffer.from('done\n')]) })
  return texts.map(blobId)
}

/** The id that git gives to a text. */
export function blobId(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

function describePendingChanges({ added, removed, known }: PendingChanges): string {
  const fresh = added.filter(({ path }) => !known.has(path)).length
  const parts = [
    [fresh, 'new'],
    [added.length - fresh, 'changed'],
    [removed.length, 'removed'],
  ] as const
  const count = added.length + removed.length
  const present = parts.filter(([n]) => n > 0)
  const detail = present.length === 1 ? present[0]?.[1] : present.map(([n, what]) => `${n} ${what}`).join(', ')
  return `${count} ${count === 1 ? 'note' : 'notes'} (${detail})`
}
