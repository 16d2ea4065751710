import { join } from 'node:path'
import type { SyncReport, SyncState } from '../core/sync.ts'
import { type Notebook, SYNCED_FOLDER } from '../notes/notes.ts'
import { exists } from '../platform/files.ts'
import { isSyncable, splitAtNul } from './commit.ts'
import { BRANCH, gitIn } from './git.ts'
import { seenRef, withoutCredentials } from './remote.ts'

/** The state of sync, read from the local repository without using the network. */
export async function syncState(book: Notebook, remote: string): Promise<SyncState> {
  const conflicts = await book.store.notes.conflicts()
  const last = await book.store.audit.jsonMark<SyncReport>(LAST_SYNC_MARK)
  const found = exists(join(book.folder, SYNCED_FOLDER, '.git')) ? await countInGit(book, remote) : { ahead: 0, behind: 0, waiting: 0 }
  return {
    remote: withoutCredentials(remote),
    ...found,
    conflicted: conflicts.map(({ id, conflictOf, title, machine }) => ({ id, of: conflictOf ?? '', title, machine })),
    last,
  }
}

const LAST_SYNC_MARK = 'last sync'
/** How many paths of a sync are stored. The git log has all of them. */
const MAX_REMEMBERED_PATHS = 20

/** Stores the report of a sync for `syncState`. */
export async function rememberSync(book: Notebook, report: SyncReport): Promise<void> {
  const short = { ...report }
  for (const list of ['committed', 'received', 'kept'] as const) short[list] = report[list].slice(0, MAX_REMEMBERED_PATHS)
  await book.store.transaction(() => book.store.audit.setMark(LAST_SYNC_MARK, JSON.stringify(short)))
}

async function countInGit(book: Notebook, remote: string): Promise<{ ahead: number; behind: number; waiting: number }> {
  const folder = join(book.folder, SYNCED_FOLDER)
  const { tryGit } = gitIn(join(folder, '.git'), folder, book.machine, 0)
  const status = await tryGit(['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all'])
  const waiting = splitAtNul(status.stdout).filter((entry) => isSyncable(entry.slice(3))).length
  if (!remote) return { ahead: 0, behind: 0, waiting }
  const counted = await tryGit(['rev-list', '--left-right', '--count', `${BRANCH}...${seenRef(remote)}`])
  const alone = counted.code === 0 ? '' : (await tryGit(['rev-list', '--count', BRANCH])).stdout
  const [ahead, behind] = (alone || counted.stdout).trim().split('\t').map(Number)
  return { ahead: ahead ?? 0, behind: behind ?? 0, waiting }
}
