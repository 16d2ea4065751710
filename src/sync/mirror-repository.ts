import { join } from 'node:path'
import { isNamespace } from '../core/note.ts'
import type { Notebook } from '../notes/notes.ts'
import { isFolder } from '../platform/files.ts'
import { findProject } from '../platform/project.ts'
import { gitErrorLine, gitIn, networkOptions, type Repository } from './git.ts'

/** A project's own repository, as far as the mirror uses it. Its files, branches and index are never touched. */
export type MirrorRepository = {
  git: Omit<Repository, 'folder'>
  /** The main work tree. */
  folder: string
  hasOrigin: boolean
  /** The first commit, to which all notes are attached. */
  root: string
}

export const OURS = 'refs/notes/mem'
/** The refs of origin are stored here while they are merged. */
const THEIRS = 'refs/notes/mem-origin'
/** Whoever can push to the repository decides what a ref contains. More than this is neither merged nor read. */
const MAX_REF_BYTES = 16 * 1024 * 1024

/** The repository of a folder; or why there is none, or none that can have a mirror. */
export async function openMirror(book: Notebook, folder: string, now: number): Promise<MirrorRepository | string> {
  const found = findProject(folder)
  const gitFolder = join(found.root, '.git')
  if (!isFolder(gitFolder)) return `${found.root} is not a git repository with a .git folder of its own`
  const git = gitIn(gitFolder, null, book.machine, now)
  const root = await rootOf(git)
  if (!root) return `${found.root} has no commits or is a shallow clone; notes need the first commit`
  return { git, folder: found.root, hasOrigin: found.origin !== null, root }
}

/** The first commit, which is the same in every clone. If there are several, the one with the lowest id. Null in a shallow clone. */
async function rootOf(git: MirrorRepository['git']): Promise<string | null> {
  const shallow = await git.tryGit(['rev-parse', '--is-shallow-repository'])
  if (shallow.stdout.trim() !== 'false') return null
  const roots = await git.tryGit(['rev-list', '--max-parents=0', 'HEAD'])
  return roots.code === 0 ? (roots.stdout.trim().split('\n').sort()[0] ?? null) : null
}

/** Fetches the refs of origin. Returns why that failed, or null. It also succeeds if origin has no notes yet. */
export async function fetchTheirs({ git }: MirrorRepository): Promise<string | null> {
  const options = ['--quiet', '--prune', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules']
  const ran = await git.tryGit(['fetch', ...options, 'origin', `+${OURS}/*:${THEIRS}/*`], await networkOptions(git))
  return ran.code === 0 ? null : gitErrorLine(ran.stderr)
}

/** Merges the lines of origin into ours, ref by ref: one that cannot be merged does not stop the others. Returns the first problem. */
export async function mergeTheirs(repository: MirrorRepository): Promise<string | null> {
  let problem: string | null = null
  for (const name of await namesBelow(repository, THEIRS)) {
    const bytes = await sizeOf(repository, `${THEIRS}/${name}`)
    if (bytes > MAX_REF_BYTES) {
      problem ??= `${OURS}/${name} of origin has ${Math.round(bytes / 1024 / 1024)} MB; at most ${MAX_REF_BYTES / 1024 / 1024} MB are read`
      continue
    }
    const merge = ['notes', `--ref=${OURS}/${name}`, 'merge', '--quiet', '--strategy=cat_sort_uniq', `${THEIRS}/${name}`]
    const ran = await repository.git.tryGit(merge)
    if (ran.code !== 0) problem ??= `${OURS}/${name} cannot be merged (${gitErrorLine(ran.stderr)})`
  }
  return problem
}

/** The namespaces that have a ref. */
export const mirroredNamespaces = (repository: MirrorRepository): Promise<string[]> => namesBelow(repository, OURS)

async function namesBelow({ git }: MirrorRepository, ref: string): Promise<string[]> {
  const listed = await git.git(['for-each-ref', '--format=%(refname)', `${ref}/`])
  return listed
    .split('\n')
    .flatMap((line) => (line.startsWith(`${ref}/`) ? [line.slice(ref.length + 1)] : []))
    .filter(isNamespace)
}

async function sizeOf(repository: MirrorRepository, ref: string): Promise<number> {
  const blob = await blobOf(repository, ref)
  return blob === null ? 0 : Number(await repository.git.git(['cat-file', '-s', blob]))
}

/** The id of the text that is attached to the first commit. It changes with the text. */
async function blobOf({ git, root }: MirrorRepository, ref: string): Promise<string | null> {
  const listed = await git.tryGit(['notes', `--ref=${ref}`, 'list', root])
  return listed.code === 0 ? listed.stdout.trim() || null : null
}

/** Changes whenever a ref of ours does. */
export async function mirrorState({ git }: MirrorRepository): Promise<string> {
  return (await git.git(['for-each-ref', '--format=%(objectname) %(refname)', `${OURS}/`])).trim()
}

/** Reads a namespace. Bytes that are not UTF-8 would be changed by writing the lines back, so each line is bytes until `textOf` reads it. */
export async function readLines(repository: MirrorRepository, namespace: string): Promise<string[]> {
  const ref = `${OURS}/${namespace}`
  const blob = await blobOf(repository, ref)
  if (blob === null || (await sizeOf(repository, ref)) > MAX_REF_BYTES) return []
  const [bytes = new Uint8Array()] = await repository.git.read([blob])
  return Buffer.from(bytes).toString('latin1').split('\n').filter(Boolean)
}

export const textOf = (line: string) => Buffer.from(line, 'latin1').toString('utf8')
export const lineOf = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

/** Replaces the lines of a namespace. */
export async function writeLines({ git, root }: MirrorRepository, namespace: string, lines: string[]): Promise<void> {
  const stdin = Buffer.from(`${[...new Set(lines)].sort().join('\n')}\n`, 'latin1')
  // An object is taken as it is; from a file git would strip white space, also from the lines of others.
  const blob = (await git.git(['hash-object', '-w', '--stdin'], { stdin })).trim()
  await git.git(['notes', `--ref=${OURS}/${namespace}`, 'add', '--force', '-C', blob, root])
}

/** The person as commits in this repository name them; empty when git does not know. */
export async function authorIn({ git }: MirrorRepository): Promise<string> {
  const value = async (name: string) => (await git.tryGit(['config', '--get', name])).stdout.trim()
  const [name, email] = [await value('user.name'), await value('user.email')]
  return [name, email && `<${email}>`].filter(Boolean).join(' ')
}
