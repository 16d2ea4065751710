import type { ProjectKey } from '../core/ids.ts'
import type { Change } from '../core/memory.ts'
import type { Note, NoteId } from '../core/note.ts'
import type { ProjectMirrorReport } from '../core/sync.ts'
import type { Notebook } from '../notes/notes.ts'
import { gitErrorLine, networkOptions } from './git.ts'
import { copyNotes, recordsIn } from './mirror-copies.ts'
import { isAbout, isTombstone, newestRecords, recordOf, tombstoneOf } from './mirror-records.ts'
import {
  authorIn,
  fetchTheirs,
  lineOf,
  type MirrorRepository,
  mergeTheirs,
  mirroredNamespaces,
  mirrorState,
  OURS,
  openMirror,
  readLines,
  textOf,
  writeLines,
} from './mirror-repository.ts'

const MAX_MIRROR_ATTEMPTS = 3

export type MirrorOptions = {
  fetch: boolean
  push: boolean
  /** Also mirror the notes of sessions, which contain what the person typed. */
  sessions: boolean
}

export type Mirrored = { report: ProjectMirrorReport; changes: Change[] }

/**
 * Mirrors the notes of a project into the project's own repository, as git notes on the root commit, and copies the notes of others from there: one
 * ref per namespace, and one line of JSON for every version of a note. Lines are only added, so several clones are merged by combining their
 * lines; of several lines with one id the newest wins. The files, branches and index of the repository are not touched.
 */
export async function mirrorNotes(
  book: Notebook,
  project: ProjectKey,
  folder: string,
  options: MirrorOptions,
  now: number,
): Promise<Mirrored> {
  const report: ProjectMirrorReport = { project, written: 0, copied: 0, pushed: false, problem: null }
  const repository = await openMirror(book, folder, now)
  if (typeof repository === 'string') return { report: { ...report, problem: repository }, changes: [] }
  const hasOrigin = repository.hasOrigin
  for (let tried = 1; ; tried++) {
    const offline = options.fetch && hasOrigin ? await fetchTheirs(repository) : null
    const unmerged = await mergeTheirs(repository)
    const { written, problem } = await writeRecords(book, repository, project, options, now)
    report.written += written
    report.problem = unmerged ?? offline ?? problem
    if (offline || !options.push || !hasOrigin || (await mirroredNamespaces(repository)).length === 0) break
    const push = ['push', '--quiet', '--no-verify', 'origin', `${OURS}/*:${OURS}/*`]
    const pushed = await repository.git.tryGit(push, await networkOptions(repository.git))
    report.pushed = pushed.code === 0
    if (pushed.code === 0) break
    report.problem ??= gitErrorLine(pushed.stderr)
    if (tried === MAX_MIRROR_ATTEMPTS || !options.fetch) break
  }
  const changes = await copyNewNotes(book, repository, project, now)
  report.copied = changes.length
  return { report, changes }
}

/** Copies the notes of others, if the mirror has changed. A record of the near future is ignored, so the mirror is read again after a while. */
async function copyNewNotes(book: Notebook, repository: MirrorRepository, project: ProjectKey, now: number): Promise<Change[]> {
  const mark = `copied, ${repository.root}`
  const state = `${Math.floor(now / READ_AGAIN_AFTER_MS)} ${await mirrorState(repository)}`
  if ((await book.store.audit.mark(mark)) === state) return []
  const changes = await copyNotes(book, repository, project, await recordsIn(repository, now))
  await book.store.transaction(() => book.store.audit.setMark(mark, state))
  return changes
}

const READ_AGAIN_AFTER_MS = 3_600_000

/** The repositories among these folders whose mirror contains one of these notes. */
export async function mirroredNotes(book: Notebook, folders: string[], ids: NoteId[]): Promise<string[]> {
  const found: string[] = []
  for (const folder of folders) {
    const [first] = ids.length > 0 ? await mirrorsWith(book, folder, ids, 0) : []
    if (first) found.push(first.repository.folder)
  }
  return found
}

/**
 * Removes all lines about these notes from the mirrors in these folders, except one tombstone each, and the history of the refs that had them.
 * The repository is the person's: git drops the old versions when it next cleans up.
 */
export async function eraseFromMirrors(book: Notebook, folders: string[], ids: NoteId[], now: number): Promise<void> {
  for (const folder of folders) {
    for (const { repository, namespace, lines } of await mirrorsWith(book, folder, ids, now)) {
      const tombstones = ids
        .filter((id) => lines.some((line) => isAbout(line, [id])))
        .map((id) => lineOf(tombstoneOf(id, now, book.machine)))
      await repository.git.git(['update-ref', '-d', `${OURS}/${namespace}`])
      await writeLines(repository, namespace, [...lines.filter((line) => !isAbout(line, ids)), ...tombstones])
    }
  }
}

async function mirrorsWith(book: Notebook, folder: string, ids: NoteId[], now: number) {
  const repository = await openMirror(book, folder, now)
  if (typeof repository === 'string') return []
  const found: { repository: MirrorRepository; namespace: string; lines: string[] }[] = []
  for (const namespace of await mirroredNamespaces(repository)) {
    const lines = await readLines(repository, namespace)
    if (lines.some((line) => isAbout(line, ids) && !isTombstone(line))) found.push({ repository, namespace, lines })
  }
  return found
}

/** Adds the lines that are missing. Returns how many, and why a namespace was left out. */
async function writeRecords(
  book: Notebook,
  repository: MirrorRepository,
  project: ProjectKey,
  options: MirrorOptions,
  now: number,
): Promise<{ written: number; problem: string | null }> {
  const { store } = book
  const notes = [...store.notes.each(project)].filter((note) => isMirrored(note, options))
  const byNamespace = Map.groupBy(notes, (note) => note.namespace)
  const author = await authorIn(repository)
  const before = new Set((await store.audit.jsonMark<string[]>(mirroredMark(repository))) ?? [])
  let [written, problem]: [number, string | null] = [0, null]
  for (const namespace of new Set([...(await mirroredNamespaces(repository)), ...byNamespace.keys()])) {
    const lines = await readLines(repository, namespace)
    const fresh = newLines(lines, byNamespace.get(namespace) ?? [], { book, author, before, now })
    if (fresh.length === 0) continue
    // Sorted among ours, its lines would make no sense any more.
    if (lines[0] === '---') {
      problem ??= `${OURS}/${namespace} has a memory of another program on the first commit; import it (recollect import --from git-notes), then remove it: git notes --ref=mem/${namespace} remove ${repository.root.slice(0, 12)}`
      continue
    }
    await writeLines(repository, namespace, [...lines, ...fresh])
    written += fresh.length
  }
  const ids = JSON.stringify(notes.map((note) => note.id))
  if (ids !== JSON.stringify([...before])) await store.transaction(() => store.audit.setMark(mirroredMark(repository), ids))
  return { written, problem }
}

/** Notes that a person has not accepted stay on their own machines. */
function isMirrored(note: Note, { sessions }: MirrorOptions): boolean {
  const isOwnAccepted = note.scope === 'project' && note.state === 'accepted' && note.author === null
  return isOwnAccepted && (sessions || note.type !== 'episodic')
}

/** The notes that this home has mirrored. One of these that is gone was deleted here; a home that never had it, such as a new one, deletes nothing. */
const mirroredMark = ({ root }: MirrorRepository) => `mirrored, ${root}`

type LineContext = { book: Notebook; author: string; before: Set<string>; now: number }

/** The missing lines: versions that are not mirrored yet, and tombstones for notes that this home had and has no longer. */
function newLines(lines: string[], notes: Note[], { book, author, before, now }: LineContext): string[] {
  const newest = newestRecords(lines.map(textOf), now)
  const here = new Set<string>(notes.map((note) => note.id))
  const versions = notes.flatMap((note) => {
    const text = recordOf(note, author)
    const known = newest.get(note.id)
    // A note that contains a secret, pasted by hand, is not mirrored.
    return (known && known.updated >= note.updatedAt) || book.clean(text) !== text ? [] : [text]
  })
  const gone = [...newest.values()].filter((record) => record.deleted === null && !here.has(record.id) && before.has(record.id))
  const tombstones = gone.map(({ id, updated }) => tombstoneOf(id, Math.max(now, updated + 1), book.machine))
  const known = new Set(lines)
  return [...versions, ...tombstones].map(lineOf).filter((line) => !known.has(line))
}
