import { basename, dirname, join } from 'node:path'
import { ensurePrivateFolder, fileKindAt, readBytesIfThere, writeFileAtomically } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import { flushDisks } from '../platform/processes.ts'
import { blobId, isSyncable, leadsThroughLink } from './commit.ts'
import type { Repository } from './git.ts'
import { mergeBytes } from './merge.ts'
import { differences, isFile } from './trees.ts'

/**
 * Updates the files from one commit to another; each is written atomically. A file that was edited meanwhile, or that was withheld, is not
 * overwritten: the incoming version is merged into it, and the next commit picks up the result. If this is killed halfway, the next sync finds
 * the files that were already updated and merges to the same result. Returns the paths that were written.
 */
export async function checkOut(repository: Repository, from: string | null, to: string): Promise<string[]> {
  const wanted = [...(await differences(repository, from, to))].filter(
    ([path, { before, after }]) => isSyncable(path) && (isFile(before) || isFile(after)),
  )
  const contents = await textsOf(
    repository,
    wanted.flatMap(([, { after }]) => (isFile(after) ? [after.object] : [])),
  )
  const changed: string[] = []
  const isMany = wanted.length > MAX_FILES_FLUSHED_SINGLY
  const diverged: typeof wanted = []
  for (const entry of wanted) {
    const [path, { before, after }] = entry
    const full = join(repository.folder, path)
    // Do not write through links.
    if (leadsThroughLink(repository.folder, path) || !['file', null].includes(fileKindAt(full))) continue
    const found = readBytesIfThere(full)
    const name = found && blobId(found)
    const target = isFile(after) ? after.object : null
    if (name === target) continue
    if (name !== (isFile(before) ? before.object : null)) {
      diverged.push(entry)
      continue
    }
    if (target === null) removeFile(full)
    else put(repository.folder, path, contents.get(target) as Uint8Array, !isMany)
    changed.push(path)
  }
  // The files must be on disk before the branch is moved.
  if (isMany) await flushDisks()
  return [...changed, ...(await mergeIntoFiles(repository, diverged, contents))]
}

/** With more files, one flush of all disks at the end is faster than one flush per file. */
const MAX_FILES_FLUSHED_SINGLY = 100

type CheckoutChange = [string, { before: { object: string } | null; after: { object: string } | null }]

/** Merges files that changed both on disk and in the new commit. */
async function mergeIntoFiles(repository: Repository, diverged: CheckoutChange[], contents: Map<string, Uint8Array>): Promise<string[]> {
  const bases = await textsOf(
    repository,
    diverged.flatMap(([, { before }]) => (before ? [before.object] : [])),
  )
  return diverged.flatMap(([path, { before, after }]) => {
    const theirs = after && contents.get(after.object)
    // Removed in the commit but changed on disk: keep the file.
    if (!theirs) return []
    const ours = readBytesIfThere(join(repository.folder, path))
    if (!ours) {
      put(repository.folder, path, theirs)
      return [path]
    }
    const merged = mergeBytes(basename(path), (before && bases.get(before.object)) ?? null, ours, theirs)
    const beside = merged.beside && join(dirname(path), merged.beside.name)
    if (beside && merged.beside && fileKindAt(join(repository.folder, beside)) === null) put(repository.folder, beside, merged.beside.text)
    if (merged.text !== ours) put(repository.folder, path, merged.text)
    return beside ? [path, beside] : [path]
  })
}

async function textsOf(repository: Repository, objects: string[]): Promise<Map<string, Uint8Array>> {
  const all = [...new Set(objects)]
  const texts = await repository.read(all)
  return new Map(all.map((object, at) => [object, texts[at] as Uint8Array]))
}

function put(folder: string, path: string, bytes: Uint8Array, flush = true): void {
  let parent = folder
  for (const part of path.split('/').slice(0, -1)) {
    parent = join(parent, part)
    ensurePrivateFolder(parent)
  }
  writeFileAtomically(join(folder, path), bytes, 0o600, flush)
}
