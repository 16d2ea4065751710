/** Compares the code that memories speak of with the working tree, just before they are shown. Loaded with the first such request. */
import { dirname, join } from 'node:path'
import { type CheckWait, openWorkTree, type WorkTree } from '../anchors/anchors.ts'
import { type Anchor, type AnchorCheck, UNKNOWN_CHECK } from '../core/anchor.ts'
import { type CheckedAnchor, type CodeMark, codeMark, isLastingNote, isLastingObservation } from '../core/code-mark.ts'
import { exclusionOf } from '../core/exclusion.ts'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import { asNoteId } from '../core/note.ts'
import { isFolder } from '../platform/files.ts'
import { isSilent, lookAtFolders } from '../platform/silent-folders.ts'
import { workTreeTop } from '../platform/work-tree.ts'
import type { DocumentRef, Store } from '../store/store.ts'
import type { Services } from './services.ts'

/** Memories that are checked at once. */
const MAX_CHECKED_MEMORIES = 20
/** Anchors of one memory that are looked at. */
const MAX_ANCHORS_PER_MEMORY = 6

/** What comparing memories with code needs of the worker. */
export type CodeServices = Pick<Services, 'store' | 'settings' | 'environment'> & { notebook: Pick<Services['notebook'], 'clean'> }

/** The longest wait of a hook: too short for a person to notice, long enough for a worker that has just started and reads slowly. */
const HOOK_WAIT: CheckWait = { readMs: 60, searchMs: 10 }

export async function marksForHook(
  services: CodeServices,
  place: { folder: string } | { project: ProjectKey },
  refs: DocumentRef[],
): Promise<Map<string, CodeMark>> {
  const folder = 'folder' in place ? place.folder : await folderOfProject(services.store, place.project)
  return folder === null ? new Map() : marksOf(services, folder, refs, HOOK_WAIT)
}

/** The marks of memories by `kind:ref`; those without a mark are left out. `wait` is how long the caller can wait. */
export async function marksOf(
  services: CodeServices,
  folder: string,
  refs: DocumentRef[],
  wait: CheckWait,
): Promise<Map<string, CodeMark>> {
  const checked = await checkMemories(services, folder, refs, wait)
  const marks = new Map<string, CodeMark>()
  for (const memory of checked) {
    const mark = await markOf(services, memory)
    if (mark) marks.set(`${memory.ref.kind}:${memory.ref.ref}`, mark)
  }
  return marks
}

/** The mark of a memory. What is shown is recorded, so that a secret in the code must not get into it. */
export async function markOf({ store, notebook }: CodeServices, { ref, anchors }: CheckedMemory): Promise<CodeMark | null> {
  const mark = codeMark(await isLasting(store, ref), anchors)
  return mark && { ...mark, text: notebook.clean(mark.text) }
}

/** A memory with what was found of its code. */
export type CheckedMemory = { ref: DocumentRef; anchors: CheckedAnchor[] }

/** Checks the memories that have anchors. */
export async function checkMemories(
  services: CodeServices,
  folder: string,
  refs: DocumentRef[],
  wait: CheckWait,
): Promise<CheckedMemory[]> {
  const stored = refs.length === 0 ? new Map() : await (await services.store.anchors()).of(refs)
  if (stored.size === 0) return []
  await lookAtFolders([folder])
  if (isSilent(folder)) return []
  const tree = workTreeOf(services, folder)
  const memories = refs.flatMap((ref) => {
    const anchors: (Anchor & { isAbandoned: boolean })[] = stored.get(`${ref.kind}:${ref.ref}`)?.slice(0, MAX_ANCHORS_PER_MEMORY) ?? []
    return anchors.length === 0 ? [] : [{ ref, anchors }]
  })
  const all = memories.flatMap(({ anchors }) => anchors)
  const checks: AnchorCheck[] = await tree.check(all, wait)
  let at = 0
  const checked: CheckedMemory[] = []
  for (const { ref, anchors } of memories) {
    const found: CheckedAnchor[] = []
    for (const anchor of anchors) found.push({ anchor, check: await believed(tree, ref, anchor, checks[at++] ?? UNKNOWN_CHECK) })
    checked.push({ ref, anchors: found })
  }
  return checked
}

/** A note may come from another machine, and speak of code that never was here: a difference counts only if its commit is here. */
async function believed(tree: WorkTree, { kind }: DocumentRef, { commit }: Anchor, check: AnchorCheck): Promise<AnchorCheck> {
  if (kind !== 'note' || check.state === 'same' || check.state === 'unknown') return check
  return commit !== null && (await tree.contains(commit)) ? check : UNKNOWN_CHECK
}

const trees = new WeakMap<Store, Map<string, WorkTree>>()
/** Work trees that are kept open: results are remembered for each. */
const MAX_WORK_TREES = 16

export function workTreeOf({ store, settings, environment }: CodeServices, folder: string): WorkTree {
  const top = workTreeTop(folder)
  const open = trees.get(store) ?? new Map<string, WorkTree>()
  trees.set(store, open)
  const known = open.get(top)
  if (known) return known
  for (const oldest of open.keys()) if (open.size >= MAX_WORK_TREES) open.delete(oldest)
  const tree = openWorkTree(top, excludedPaths(settings, environment.userHome, top))
  open.set(top, tree)
  return tree
}

/** Files that the person's settings keep out of memory are not read either. */
export function excludedPaths(settings: Services['settings'], userHome: string, top: string): (path: string) => boolean {
  const exclusion = exclusionOf(settings.privacy.exclude_projects, userHome)
  const globs = settings.hooks.post_tool_use.exclude_patterns.map(
    (pattern) => new Bun.Glob(/^[~/]/.test(pattern) ? pattern.replace(/^~(?=\/)/, userHome) : `**/${pattern}`),
  )
  return (path) => {
    const file = join(top, path)
    return exclusion.isExcluded(asProjectKey(''), dirname(file)) || globs.some((glob) => glob.match(file))
  }
}

export async function isLasting(store: Store, { kind, ref }: DocumentRef): Promise<boolean> {
  if (kind === 'observation') {
    const [observation] = await store.observations.get([Number(ref)])
    return observation !== undefined && isLastingObservation(observation)
  }
  const note = kind === 'note' ? await store.notes.get(asNoteId(ref)) : null
  return note !== null && isLastingNote(note)
}

/** How long a person or a model waits for a search. */
const REQUEST_WAIT: CheckWait = { readMs: 300, searchMs: 200 }

/** Marks for memories of several projects, each compared with the folder where its project was last worked on. */
export async function marksByProject(
  services: CodeServices,
  memories: { kind: DocumentRef['kind']; id: string; project: ProjectKey }[],
): Promise<Map<string, CodeMark>> {
  const marks = new Map<string, CodeMark>()
  for (const [project, ofProject] of Map.groupBy(memories, (memory) => memory.project)) {
    const folder = await folderOfProject(services.store, project)
    const refs = ofProject.map(({ kind, id }) => ({ kind, ref: id }))
    for (let at = 0; folder !== null && at < refs.length; at += MAX_CHECKED_MEMORIES)
      for (const [key, mark] of await marksOf(services, folder, refs.slice(at, at + MAX_CHECKED_MEMORIES), REQUEST_WAIT))
        marks.set(key, mark)
  }
  return marks
}

/** A folder of a project on this machine: where its newest session ran. Null if there is none any more. */
export async function folderOfProject(store: Store, project: ProjectKey): Promise<string | null> {
  for (const folder of await (await store.anchors()).foldersOf(project, 5)) if (isFolder(folder)) return folder
  return null
}
