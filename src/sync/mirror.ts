import { join } from 'node:path'
import { z } from 'zod'
import type { ProjectKey } from '../core/ids.ts'
import { isNamespace, type Note, type NoteId } from '../core/note.ts'
import type { ProjectMirrorReport } from '../core/sync.ts'
import type { Notebook } from '../notes/notes.ts'
import { exists } from '../platform/files.ts'
import { findProject } from '../platform/project.ts'
import { gitErrorLine, gitIn, networkOptions, type Repository } from './git.ts'

type Git = Omit<Repository, 'folder'>

const OURS = 'refs/notes/mem'
/** The refs of origin are stored here while they are merged. */
const THEIRS = 'refs/notes/mem-origin'
const MAX_MIRROR_ATTEMPTS = 3

/**
 * Mirrors the notes of a project into the project's own repository, as git notes on the root commit: one ref per namespace, and one line of JSON
 * for every version of a note. Lines are only added, so several clones are merged by combining their lines; of several lines with one id the newest
 * wins. The files, branches and index of the repository are not touched.
 */
export async function mirrorNotes(
  book: Notebook,
  project: ProjectKey,
  folder: string,
  options: { fetch: boolean; push: boolean },
  now: number,
): Promise<ProjectMirrorReport> {
  const found = findProject(folder)
  const gitFolder = join(found.root, '.git')
  const skipped = (problem: string): ProjectMirrorReport => ({ project, written: 0, pushed: false, problem })
  if (!exists(gitFolder)) return skipped(`${found.root} is not a git repository`)
  const git = gitIn(gitFolder, null, book.machine, now)
  const root = await rootOf(git)
  if (!root) return skipped(`${found.root} has no commits or is a shallow clone; notes need the first commit`)
  let written = 0
  for (let tried = 1; ; tried++) {
    const problem = options.fetch && found.origin ? await fetchTheirs(git) : null
    const namespaces = await mergeTheirs(git)
    written += await writeRecords(book, git, root, project, namespaces, now)
    if (problem || !options.push || !found.origin) return { project, written, pushed: false, problem }
    if ((await namesBelow(git, OURS)).length === 0) return { project, written, pushed: false, problem: null }
    const pushed = await git.tryGit(['push', '--quiet', '--no-verify', 'origin', `${OURS}/*:${OURS}/*`], await networkOptions(git))
    if (pushed.code === 0) return { project, written, pushed: true, problem: null }
    if (tried === MAX_MIRROR_ATTEMPTS || !options.fetch) return { project, written, pushed: false, problem: gitErrorLine(pushed.stderr) }
  }
}

/** The repositories among these folders whose mirror contains one of these notes. */
export async function mirroredNotes(book: Notebook, folders: string[], ids: NoteId[]): Promise<string[]> {
  const found: string[] = []
  for (const folder of folders)
    if (ids.length > 0 && (await mirrorsWith(book, folder, ids)).length > 0) found.push(findProject(folder).root)
  return found
}

/**
 * Removes all lines about these notes from the mirrors in these folders, except one tombstone each, and the history of the refs that had them.
 * The repository is the person's: git drops the old versions when it next cleans up.
 */
export async function eraseFromMirrors(book: Notebook, folders: string[], ids: NoteId[], now: number): Promise<void> {
  for (const folder of folders) {
    for (const { git, root, ref, lines } of await mirrorsWith(book, folder, ids)) {
      const tombstones = ids
        .filter((id) => lines.some((line) => isAbout(line, [id])))
        .map((id) => JSON.stringify({ id, updated: now, deleted: now, machine: book.machine }))
      const stdin = `${[...lines.filter((line) => !isAbout(line, ids)), ...tombstones].sort().join('\n')}\n`
      await git.git(['update-ref', '-d', ref])
      await git.git(['notes', `--ref=${ref}`, 'add', '--force', '--file=-', root], { stdin })
    }
  }
}

async function mirrorsWith(book: Notebook, folder: string, ids: NoteId[]) {
  const gitFolder = join(findProject(folder).root, '.git')
  if (!exists(gitFolder)) return []
  const git = gitIn(gitFolder, null, book.machine, 0)
  const root = await rootOf(git)
  if (!root) return []
  const found: { git: Git; root: string; ref: string; lines: string[] }[] = []
  for (const name of await namesBelow(git, OURS)) {
    const ref = `${OURS}/${name}`
    const shown = await git.tryGit(['notes', `--ref=${ref}`, 'show', root])
    const lines = shown.code === 0 ? shown.stdout.split('\n').filter(Boolean) : []
    if (lines.some((line) => isAbout(line, ids) && !isTombstone(line))) found.push({ git, root, ref, lines })
  }
  return found
}

const isAbout = (line: string, ids: NoteId[]) => ids.some((id) => line.startsWith(`{"id":"${id}"`))
const isTombstone = (line: string) => !line.includes('"body":')

/** The first commit, which is the same in every clone. If there are several, the one with the lowest id. Null in a shallow clone. */
async function rootOf(git: Git): Promise<string | null> {
  const shallow = await git.tryGit(['rev-parse', '--is-shallow-repository'])
  if (shallow.stdout.trim() !== 'false') return null
  const roots = await git.tryGit(['rev-list', '--max-parents=0', 'HEAD'])
  return roots.code === 0 ? (roots.stdout.trim().split('\n').sort()[0] ?? null) : null
}

/** Returns why the fetch failed, or null. It also succeeds if origin has no notes yet. */
async function fetchTheirs(git: Git): Promise<string | null> {
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', 'origin', `+${OURS}/*:${THEIRS}/*`]
  const ran = await git.tryGit(fetch, await networkOptions(git))
  return ran.code === 0 ? null : gitErrorLine(ran.stderr)
}

/** Merges the lines of origin into ours and returns all namespaces. */
async function mergeTheirs(git: Git): Promise<string[]> {
  const theirs = await namesBelow(git, THEIRS)
  for (const name of theirs)
    await git.git(['notes', `--ref=${OURS}/${name}`, 'merge', '--quiet', '--strategy=cat_sort_uniq', `${THEIRS}/${name}`])
  return [...new Set([...theirs, ...(await namesBelow(git, OURS))])]
}

async function namesBelow(git: Git, ref: string): Promise<string[]> {
  const listed = await git.git(['for-each-ref', '--format=%(refname)', `${ref}/`])
  return listed
    .split('\n')
    .flatMap((line) => (line.startsWith(`${ref}/`) ? [line.slice(ref.length + 1)] : []))
    .filter(isNamespace)
}

async function writeRecords(book: Notebook, git: Git, root: string, project: ProjectKey, known: string[], now: number): Promise<number> {
  // Notes that a person has not accepted stay on their own machines.
  const notes = [...book.store.notes.each(project)].filter((note) => note.scope === 'project' && note.state === 'accepted')
  const byNamespace = Map.groupBy(notes, (note) => note.namespace)
  let written = 0
  for (const namespace of new Set([...known, ...byNamespace.keys()])) {
    const shown = await git.tryGit(['notes', `--ref=${OURS}/${namespace}`, 'show', root])
    const lines = shown.code === 0 ? shown.stdout.split('\n').filter(Boolean) : []
    const fresh = newRecords(lines, byNamespace.get(namespace) ?? [], book, now).filter((line) => !lines.includes(line))
    if (fresh.length === 0) continue
    const stdin = `${[...new Set([...lines, ...fresh])].sort().join('\n')}\n`
    await git.git(['notes', `--ref=${OURS}/${namespace}`, 'add', '--force', '--file=-', root], { stdin })
    written += fresh.length
  }
  return written
}

const MirrorRecord = z.object({ id: z.string(), updated: z.number(), deleted: z.number().nullable(), machine: z.string().default('') })

/** The missing lines: versions that are not mirrored yet, and tombstones for notes of this machine that no longer exist. */
function newRecords(lines: string[], notes: Note[], book: Pick<Notebook, 'machine' | 'clean'>, now: number): string[] {
  const newest = newestOf(lines)
  const here = new Set(notes.map((note) => note.id as string))
  const versions = notes.flatMap((note) => {
    const line = recordOf(note)
    const known = newest.get(note.id)
    // A note that contains a secret, pasted by hand, is not mirrored.
    return (known && known.updated >= note.updatedAt) || book.clean(line) !== line ? [] : [line]
  })
  const gone = [...newest.values()].filter((record) => !here.has(record.id) && record.deleted === null && record.machine === book.machine)
  const tombstones = gone.map(({ id, updated, machine }) => {
    const at = Math.max(now, updated + 1)
    return JSON.stringify({ id, updated: at, deleted: at, machine })
  })
  return [...versions, ...tombstones]
}

/** The newest record for each id. Lines that are not records are ignored. */
function newestOf(lines: string[]): Map<string, z.infer<typeof MirrorRecord>> {
  const newest = new Map<string, z.infer<typeof MirrorRecord>>()
  for (const line of lines) {
    const read = MirrorRecord.safeParse(parsed(line))
    const known = read.success ? newest.get(read.data.id) : undefined
    if (read.success && (!known || known.updated < read.data.updated)) newest.set(read.data.id, read.data)
  }
  return newest
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

/** The id comes first, so that sorting groups the lines of one note. */
const recordOf = (note: Note) =>
  JSON.stringify({
    id: note.id,
    updated: note.updatedAt,
    deleted: note.deletedAt,
    machine: note.machine,
    type: note.type,
    title: note.title,
    tags: note.tags,
    source: note.source,
    confidence: note.confidence,
    supersedes: note.supersedes,
    created: note.createdAt,
    body: note.body,
  })
