/**
 * Syncs the notes of one person between several machines over git. `memory/` in the home is a repository of markdown files. Only those are
 * synced: never the database, never `local/`, never a file that contains a secret. This room runs git and writes note files; it announces nothing
 * and returns what happened.
 *
 * A sync commits, fetches, merges and pushes, and then updates the database. The commits are the source of truth and every step can be repeated,
 * so the next sync completes one that was killed.
 */
import { join } from 'node:path'
import type { Change } from '../core/memory.ts'
import type { SyncReport } from '../core/sync.ts'
import { type Notebook, reindex, SYNCED_FOLDER } from '../notes/notes.ts'
import { ensurePrivateFolder, exists, writeFileAtomically } from '../platform/files.ts'
import { filesIn, removeFile } from '../platform/folder.ts'
import { holdLock } from '../store/store.ts'
import { checkOut } from './checkout.ts'
import { alignIndex, commitPendingChanges, findPendingChanges, headOf, moveBranch } from './commit.ts'
import { openRepository, type Repository, SCRATCH_INDEX_PREFIX } from './git.ts'
import { fetchFrom, lastSeenCommit, pushTo, whyNotForNotes } from './remote.ts'
import { rememberSync } from './state.ts'
import { differences, mergeTrees } from './trees.ts'

export { bundleHistory, restoreHistory } from './bundle.ts'
export { eraseFromHistory, pushedNotes } from './erase.ts'
export { noteAt, noteHistory } from './history.ts'
export { eraseFromMirrors, type MirrorOptions, mirroredNotes, mirrorNotes } from './mirror.ts'
export { importFromMirror } from './mirror-import.ts'
export { whyRemoteUnusable } from './remote.ts'
export { resolveConflict } from './resolve.ts'
export { rememberSync, syncState } from './state.ts'

export type SyncOptions = {
  /** The address of the remote. If empty, notes are only committed. */
  remote: string
  fetch: boolean
  push: boolean
  /** Only reports what would happen; files, branch and remote stay unchanged. */
  dryRun?: boolean
}

export type Synced = { report: SyncReport; changes: Change[] }

const MAX_SYNC_ATTEMPTS = 3
const RETRY_PAUSE_MS = 200

/** Syncs once. Problems with the remote, the network or another sync are reported; only a broken disk or git throws. */
export async function syncNotes(book: Notebook, options: SyncOptions, now: number): Promise<Synced> {
  const report: SyncReport = {
    outcome: options.remote ? 'synced' : 'local',
    reason: null,
    committed: [],
    received: [],
    kept: [],
    pushed: false,
    withheld: [],
    mirrored: [],
    at: now,
  }
  ensurePrivateFolder(join(book.folder, 'run'))
  const lock = holdLock(join(book.folder, 'run', 'sync.lock'))
  if (!lock) return { report: { ...report, outcome: 'busy', reason: 'another sync is running' }, changes: [] }
  try {
    const repository = await openRepository(book.folder, book.machine, now)
    if (typeof repository === 'string') {
      const refused: SyncReport = { ...report, outcome: 'refused', reason: repository }
      await rememberSync(book, refused)
      return { report: refused, changes: [] }
    }
    if (options.dryRun) {
      const ending = await cycle(book, repository, options, report)
      return { report: { ...report, ...ending }, changes: [] }
    }
    // This file exists while the database may not know about changed files. If it is left over from a killed sync, all files are read again.
    const unfinished = join(book.folder, 'run', 'sync-unfinished')
    const wasKilled = exists(unfinished)
    if (!wasKilled) writeFileAtomically(unfinished, '')
    const ending = await cycle(book, repository, options, report)
    const touched = [...new Set([...report.received, ...report.kept, ...report.committed])]
    const changes = await reindex(book, wasKilled ? undefined : touched)
    removeFile(unfinished)
    await tidy(repository)
    await rememberSync(book, { ...report, ...ending })
    return { report: { ...report, ...ending }, changes }
  } finally {
    lock.release()
  }
}

type SyncEnding = Partial<Pick<SyncReport, 'outcome' | 'reason'>>

async function cycle(book: Notebook, repository: Repository, options: SyncOptions, report: SyncReport): Promise<SyncEnding> {
  for (let tried = 1; ; tried++) {
    const ours = await commit(book, repository, options, report)
    if (ours.kind === 'moved') {
      if (tried < MAX_SYNC_ATTEMPTS) continue
      return { outcome: 'refused', reason: 'another program commits to the notes at the same time; the next sync will try again' }
    }
    if (!options.remote) return {}
    const merged = await fetchAndMerge(repository, options, ours.commit, report)
    if (merged.kind === 'ended') return merged.ending
    if (merged.kind === 'merged') {
      const wantsPush = options.push && merged.commit !== null && merged.commit !== merged.theirs
      if (!wantsPush) return {}
      if (options.dryRun) {
        report.pushed = true
        return {}
      }
      const pushed = await pushTo(repository, options.remote, merged.commit as string)
      if (pushed.kind === 'pushed') {
        report.pushed = true
        return {}
      }
      if (pushed.kind !== 'behind') return { outcome: pushed.kind, reason: pushed.reason }
      if (!options.fetch) return { outcome: 'refused', reason: 'the remote has newer notes, but sync.fetch is off; turn it on to push' }
    }
    if (tried === MAX_SYNC_ATTEMPTS)
      return { outcome: 'offline', reason: 'other machines pushed at the same time; the next sync will try again' }
    await Bun.sleep(RETRY_PAUSE_MS * tried * (0.5 + Math.random()))
  }
}

/** Commits local changes. `moved`: someone committed by hand meanwhile. */
async function commit(
  book: Notebook,
  repository: Repository,
  { dryRun = false }: SyncOptions,
  report: SyncReport,
): Promise<{ kind: 'committed'; commit: string | null } | { kind: 'moved' }> {
  const head = await headOf(repository)
  await alignIndex(repository, head)
  const waiting = await findPendingChanges(repository, book)
  report.withheld = waiting.withheld
  const made = dryRun
    ? await withScratchIndex(repository, (index) => commitPendingChanges(repository, head, waiting, book.machine, index), head)
    : await commitPendingChanges(repository, head, waiting, book.machine)
  if (made === head || made === null) return { kind: 'committed', commit: head }
  if (!dryRun && !(await moveBranch(repository, made, head))) return { kind: 'moved' }
  report.committed.push(...[...waiting.added.map(({ path }) => path), ...waiting.removed].map(inHome))
  return { kind: 'committed', commit: made }
}

type MergeOutcome =
  | { kind: 'merged'; commit: string | null; theirs: string | null }
  | { kind: 'again' }
  | { kind: 'ended'; ending: SyncEnding }

async function fetchAndMerge(repository: Repository, options: SyncOptions, ours: string | null, report: SyncReport): Promise<MergeOutcome> {
  const { remote, dryRun = false } = options
  let theirs = await lastSeenCommit(repository, remote)
  if (options.fetch) {
    const fetched = await fetchFrom(repository, remote, theirs !== null)
    if (fetched.kind === 'offline' || fetched.kind === 'refused')
      return { kind: 'ended', ending: { outcome: fetched.kind, reason: fetched.reason } }
    theirs = fetched.kind === 'fetched' ? fetched.commit : null
  }
  if (theirs === null || theirs === ours) return { kind: 'merged', commit: ours, theirs }
  const base = ours ? await commonBase(repository, ours, theirs) : null
  if (base === theirs) return { kind: 'merged', commit: ours, theirs }
  if (base === null) {
    const reason = await whyNotForNotes(repository, theirs, remote)
    if (reason) return { kind: 'ended', ending: { outcome: 'refused', reason } }
  }
  const next = ours === null || base === ours ? { commit: theirs, kept: [] } : await mergeCommits(repository, { base, ours, theirs })
  report.kept.push(...next.kept.map(inHome))
  if (dryRun) {
    const paths = [...(await differences(repository, ours, next.commit)).keys()]
    report.received.push(...paths.filter((path) => !next.kept.includes(path)).map(inHome))
    return { kind: 'merged', commit: next.commit, theirs }
  }
  // Files first, then the branch: if this is killed in between, the next sync commits the same files and merges to the same result.
  const written = await checkOut(repository, ours, next.commit)
  report.received.push(...written.filter((path) => !next.kept.includes(path)).map(inHome))
  if (!(await moveBranch(repository, next.commit, ours))) return { kind: 'again' }
  await alignIndex(repository, next.commit)
  return { kind: 'merged', commit: next.commit, theirs }
}

async function commonBase(repository: Repository, ours: string, theirs: string): Promise<string | null> {
  const found = await repository.tryGit(['merge-base', ours, theirs])
  return found.code === 0 ? found.stdout.trim() : null
}

async function mergeCommits(repository: Repository, commits: { base: string | null; ours: string; theirs: string }) {
  const { tree, kept } = await withScratchIndex(repository, (index) => mergeTrees(repository, commits, index), null)
  const theirs = await repository.git(['log', '-1', '--format=%an', commits.theirs])
  const subject = `merge with ${theirs.trim()}${kept.length > 0 ? `, ${kept.length} with both versions` : ''}`
  const args = ['commit-tree', tree, '-p', commits.ours, '-p', commits.theirs]
  return { commit: (await repository.git(args, { stdin: `${subject}\n` })).trim(), kept }
}

/** Runs `work` with a temporary index, so that the repository's own index stays untouched. What a killed git leaves of it, the next sync removes. */
async function withScratchIndex<T>(repository: Repository, work: (index: string) => Promise<T>, from: string | null): Promise<T> {
  const index = join(repository.folder, '.git', `${SCRATCH_INDEX_PREFIX}${crypto.randomUUID()}`)
  try {
    if (from) await repository.git(['read-tree', from], { index })
    return await work(index)
  } finally {
    removeFile(index)
  }
}

/** Git spreads loose objects evenly over 256 folders, so one folder shows how many there are: eight mean about two thousand. */
const MAX_LOOSE_OBJECTS_PER_FOLDER = 8

/** Runs `git gc` when there are many loose objects. Letting git decide would take as long as a commit. */
async function tidy(repository: Repository): Promise<void> {
  if (filesIn(join(repository.folder, '.git', 'objects', '17'), '').length <= MAX_LOOSE_OBJECTS_PER_FOLDER) return
  await repository.tryGit(['gc', '--quiet'])
}

const inHome = (path: string) => `${SYNCED_FOLDER}/${path}`
