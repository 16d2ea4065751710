import { basename, dirname, join } from 'node:path'
import { ensurePrivateFolder, fileKindAt, readBytesIfThere, writeFileAtomically } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import { flushDisks } from '../platform/processes.ts'
import { blobId, isSyncable, leadsThroughLink } from './commit.ts'
import type { Repository } from './git.ts'
import { mergeBytes } from './merge.ts'
import { differences, isFile } from './trees.ts'

/**
 * Brings the files from one commit to another, each written whole. A file that somebody changed meanwhile, or that was withheld, is
 * not overwritten: what came in is merged into it where it stands, and the next commit takes it from there. Killed half-way, the
 * next sync finds files that say what the commit says, and merges them to the same end. Returns the paths that were written.
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
  const torn: typeof wanted = []
  for (const entry of wanted) {
    const [path, { before, after }] = entry
    const full = join(repository.folder, path)
    // What lies behind a link is not ours to write.
    if (leadsThroughLink(repository.folder, path) || !['file', null].includes(fileKindAt(full))) continue
    const found = readBytesIfThere(full)
    const name = found && blobId(found)
    const wants = isFile(after) ? after.object : null
    if (name === wants) continue
    if (name !== (isFile(before) ? before.object : null)) {
      torn.push(entry)
      continue
    }
    if (wants === null) removeFile(full)
    else put(repository.folder, path, contents.get(wants) as Uint8Array, !isMany)
    changed.push(path)
  }
  // Before the branch says that they are there.
  if (isMany) await flushDisks()
  return [...changed, ...(await mergeIntoFiles(repository, torn, contents))]
}

/** With more files than this, one flush of the disks at the end is quicker than one for each. */
const MAX_FILES_FLUSHED_SINGLY = 100

type CheckoutChange = [string, { before: { object: string } | null; after: { object: string } | null }]

/** The file on the disk is a third version: both it and the commit changed what was there before. */
async function mergeIntoFiles(repository: Repository, torn: CheckoutChange[], contents: Map<string, Uint8Array>): Promise<string[]> {
  const bases = await textsOf(
    repository,
    torn.flatMap(([, { before }]) => (before ? [before.object] : [])),
  )
  return torn.flatMap(([path, { before, after }]) => {
    const theirs = after && contents.get(after.object)
    // Taken away there and changed here: the change is kept.
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
