import { basename, dirname } from 'node:path'
import { isSyncable, NULL_OBJECT_ID, splitAtNul, writeBlobs } from './commit.ts'
import { EMPTY_TREE, type Repository } from './git.ts'
import { type CommitTimes, mergeBytes } from './merge.ts'

/** A file in a git tree; null if the tree does not contain it. */
export type TreeEntry = { mode: string; object: string } | null
type Differences = Map<string, { before: TreeEntry; after: TreeEntry }>

/** Every path that differs between two commits, with its entry on either side. Null means an empty commit. */
export async function differences(repository: Repository, from: string | null, to: string | null): Promise<Differences> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from ?? EMPTY_TREE, to ?? EMPTY_TREE]
  const parts = splitAtNul(await repository.git(args))
  const found: Differences = new Map()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [beforeMode = '', afterMode = '', before = '', after = ''] = (parts[at] ?? '').slice(1).split(' ')
    found.set(parts[at + 1] as string, { before: treeEntry(beforeMode, before), after: treeEntry(afterMode, after) })
  }
  return found
}

const treeEntry = (mode: string, object: string): TreeEntry => (object === NULL_OBJECT_ID ? null : { mode, object })

/** Whether an entry is a plain file. Links and submodules stay in git but are never read or written. */
export const isFile = (found: TreeEntry): found is NonNullable<TreeEntry> => found?.mode === '100644' || found?.mode === '100755'

export type MergedTree = {
  tree: string
  /** Paths of versions that were saved next to the file they belong to. */
  kept: string[]
}

type DivergedFile = {
  path: string
  base: TreeEntry
  ours: NonNullable<TreeEntry>
  theirs: NonNullable<TreeEntry>
  /** The path on each side: one of them may have moved the file. */
  at: { ours: string; theirs: string }
}

/**
 * Merges what both sides did since their last common commit into one tree. A path that only one side changed is taken from that side; if both
 * changed it, the contents are merged. Nothing on disk is touched.
 */
export async function mergeTrees(
  repository: Repository,
  commits: { base: string | null; ours: string; theirs: string },
  index: string,
): Promise<MergedTree> {
  const mine = await differences(repository, commits.base, commits.ours)
  const others = await differences(repository, commits.base, commits.theirs)
  const { result, diverged } = decide(mine, others)
  const kept = await mergeDivergedFiles(repository, commits, diverged, result)
  await repository.git(['read-tree', commits.ours], { index })
  const lines = [...result].map(([path, leaf]) => (leaf ? `${leaf.mode} ${leaf.object}\t${path}\0` : `0 ${NULL_OBJECT_ID}\t${path}\0`))
  await repository.git(['update-index', '-z', '--index-info'], { index, stdin: lines.join('') })
  return { tree: (await repository.git(['write-tree'], { index })).trim(), kept }
}

/** The result for each path that the other side changed, and the files whose contents must be merged. */
function decide(mine: Differences, others: Differences): { result: Map<string, TreeEntry>; diverged: DivergedFile[] } {
  const result = new Map<string, TreeEntry>()
  const diverged: DivergedFile[] = []
  const [movedHere, movedThere] = [addedNames(mine), addedNames(others)]
  for (const [path, { before, after: theirs }] of others) {
    const own = mine.get(path)
    const ours = own?.after ?? null
    if (!own) result.set(path, theirs)
    else if (theirs?.object === ours?.object) continue
    else if (theirs && ours) {
      if (isSyncable(path) && isFile(theirs) && isFile(ours))
        diverged.push({ path, base: before, ours, theirs, at: { ours: path, theirs: path } })
      else result.set(path, theirs.object > ours.object ? theirs : ours)
    } else {
      // One side changed a file that the other removed. If the other only moved it, the change is merged at the new path; otherwise the file is kept.
      const to = (ours ? movedThere : movedHere).get(basename(path))
      const there = to === undefined ? null : ((ours ? others : mine).get(to)?.after ?? null)
      const sides = ours ? { ours, theirs: there } : { ours: there, theirs }
      if (to !== undefined && isFile(sides.ours) && isFile(sides.theirs) && !(mine.has(to) && others.has(to))) {
        const at = ours ? { ours: path, theirs: to } : { ours: to, theirs: path }
        diverged.push({ path: to, base: before, ours: sides.ours, theirs: sides.theirs, at })
        result.set(path, null)
      } else result.set(path, theirs ?? ours)
    }
  }
  return { result, diverged }
}

/** New files by name. A note's file is named after its id, so a moved file can be recognised by its name. */
function addedNames(differences: Differences): Map<string, string> {
  const added = [...differences].filter(([path, { before, after }]) => !before && after && isSyncable(path))
  return new Map(added.map(([path]) => [basename(path), path]))
}

async function mergeDivergedFiles(
  repository: Repository,
  { ours, theirs }: { ours: string; theirs: string },
  diverged: DivergedFile[],
  result: Map<string, TreeEntry>,
): Promise<string[]> {
  if (diverged.length === 0) return []
  const texts = await repository.read(diverged.flatMap((one) => [one.base ?? one.ours, one.ours, one.theirs].map(({ object }) => object)))
  const text = (at: number) => texts[at] as Uint8Array
  // Without a common version, the times in the notes decide.
  const times: (CommitTimes | undefined)[] = []
  for (const { base, at } of diverged)
    times.push(
      isFile(base)
        ? { ours: await committedAt(repository, ours, at.ours), theirs: await committedAt(repository, theirs, at.theirs) }
        : undefined,
    )
  const files = diverged.flatMap((one, at) => {
    const base = isFile(one.base) ? text(3 * at) : null
    const merged = mergeBytes(basename(one.path), base, text(3 * at + 1), text(3 * at + 2), times[at])
    const beside = merged.beside && { path: join(dirname(one.path), merged.beside.name), text: merged.beside.text, isBeside: true }
    return [{ path: one.path, text: merged.text, isBeside: false }, ...(beside ? [beside] : [])]
  })
  // A version that one machine has already saved may have been edited since, so it is not overwritten.
  const besides = files.filter((file) => file.isBeside).map(({ path }) => path)
  const known = new Set([...(await namesIn(repository, ours, besides)), ...(await namesIn(repository, theirs, besides))])
  const wanted = files.filter((file) => !file.isBeside || !known.has(file.path))
  const blobs = await writeBlobs(
    repository,
    wanted.map((file) => file.text),
  )
  for (const [at, file] of wanted.entries()) result.set(file.path, { mode: '100644', object: blobs[at] as string })
  return wanted.flatMap((file) => (file.isBeside ? [file.path] : []))
}

/** When a side last committed a path. The commits are the same on every machine, and so are their times. */
async function committedAt(repository: Repository, commit: string, path: string): Promise<number> {
  return 1000 * Number(await repository.git(['log', '-1', '--format=%at', commit, '--', `:(literal)${path}`]))
}

const join = (folder: string, name: string) => (folder === '.' ? name : `${folder}/${name}`)

async function namesIn(repository: Repository, commit: string, paths: string[]): Promise<string[]> {
  return paths.length === 0 ? [] : splitAtNul(await repository.git(['ls-tree', '-z', '--name-only', commit, ...paths]))
}
