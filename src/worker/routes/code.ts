import { anchorsNamed } from '../../anchors/anchors.ts'
import { type Anchor, leafOf } from '../../core/anchor.ts'
import type { CodeMark } from '../../core/code-mark.ts'
import type { ProjectKey } from '../../core/ids.ts'
import { parseMemoryId, shortMemoryId } from '../../core/memory-kinds.ts'
import { asNoteId } from '../../core/note.ts'
import { saveNote, setNoteAnchors } from '../../notes/notes.ts'
import { findProject } from '../../platform/project.ts'
import { checkedOutCommit, findWorkTreeFile, readWorkTreeFile } from '../../platform/work-tree.ts'
import { describeHit } from '../../retrieval/search.ts'
import type { DocumentRef } from '../../store/store.ts'
import type { code, StaleMemory, StaleResponse, VerifyReceipt } from '../../wire/contract/code.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import { checkMemories, folderOfProject, markOf, workTreeOf } from '../code-check.ts'
import { resolveMemory } from '../memory-ids.ts'
import { noSuchMemory } from '../missing-memory.ts'
import { resolveProject } from '../request-params.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'
import { deleteNow } from './forget.ts'

export const handlers = {
  'GET /api/stale': listStale,
  'GET /api/code/memories': async (services, request) => (await import('../code-memories.ts')).codeMemories(services, request),
  'POST /api/verify': verify,
} satisfies Handlers<typeof code>

/** A person waits for a list of all memories, and can wait for the whole search. */
const LIST_WAIT = { readMs: 10_000, searchMs: 10_000 }
/** Memories that are compared at a time. */
const BATCH = 200

async function listStale(services: Services, request: ParsedRequest<typeof code, 'GET /api/stale'>): Promise<StaleResponse> {
  const project = await resolveProject(services, request.project)
  if (!project) throw new BadRequest('project is missing; pass the key or a folder of a project')
  const folder = await folderOfProject(services.store, project)
  if (folder === null) return { project, folder, checked: 0, memories: [] }
  const memories: StaleMemory[] = []
  let checked = 0
  for (let before = Number.MAX_SAFE_INTEGER; memories.length < request.limit; ) {
    const refs = await (await services.store.anchors()).inProject(project, before, BATCH)
    if (refs.length === 0) break
    before = refs.at(-1)?.at ?? 0
    checked += refs.length
    for (const one of await checkMemories(services, folder, refs, LIST_WAIT)) {
      const mark = await markOf(services, one)
      const at = refs.find(({ kind, ref }) => kind === one.ref.kind && ref === one.ref.ref)?.at ?? 0
      if (mark) memories.push(await staleMemory(services, one.ref, at, mark))
    }
  }
  const order = (memory: StaleMemory) => (memory.code.isHistory ? 0 : 1)
  return { project, folder, checked, memories: memories.sort((a, b) => order(a) - order(b) || b.at - a.at).slice(0, request.limit) }
}

async function staleMemory({ store }: Services, { kind, ref }: DocumentRef, at: number, mark: CodeMark): Promise<StaleMemory> {
  const location = await store.documents.locationOf(kind, ref)
  const title = (location && (await describeHit(store, location)))?.title ?? ''
  const id = shortMemoryId(kind, ref)
  return { kind, id, title, at, code: mark, suggestion: suggestionFor(id, mark) }
}

function suggestionFor(id: string, { state, isHistory }: CodeMark): string {
  if (state === 'gone' || state === 'unmerged')
    return isHistory ? `if it is of no use any more: recollect verify ${id} wrong` : `if it still holds: recollect verify ${id} ok`
  return `if it still holds: recollect verify ${id} ok; if not: recollect verify ${id} "<correction>"`
}

async function verify(services: Services, request: ParsedRequest<typeof code, 'POST /api/verify'>): Promise<VerifyReceipt> {
  const { store } = services
  const named = parseMemoryId(request.id)
  const ref = named && (await resolveMemory(store, named))
  const location = ref && (await store.documents.locationOf(ref.kind, ref.ref))
  if (!ref || !location) throw noSuchMemory(named?.kind ?? 'observation', named?.ref ?? request.id)
  const id = shortMemoryId(ref.kind, ref.ref)
  const folder = await folderOfProject(store, location.project)
  const commit = folder === null ? null : checkedOutCommit(workTreeOf(services, folder).top)
  const now = Date.now()
  switch (request.verdict) {
    case 'ok':
      await confirm(services, ref, folder, commit, now)
      return { id, outcome: 'ok', commit, replacedBy: null }
    case 'wrong':
      await deleteNow(services, { ids: [request.id], hard: false })
      return { id, outcome: 'wrong', commit, replacedBy: null }
    case 'correct': {
      const body = request.correction?.trim() ?? ''
      if (body === '') throw new BadRequest('correction is missing; pass the corrected text')
      return { id, outcome: 'corrected', commit, replacedBy: await replace(services, ref, location.project, body, folder, commit, now) }
    }
  }
}

/** From now on the memory is compared with the code as it is now. Code that is gone no longer counts: the memory holds without it. */
async function confirm(services: Services, ref: DocumentRef, folder: string | null, commit: string | null, at: number): Promise<void> {
  const anchors = folder === null ? null : await anchorsNow(services, ref, folder, commit)
  if (ref.kind === 'note') {
    const stored = anchors ?? (await (await services.store.anchors()).of([ref])).get(`${ref.kind}:${ref.ref}`) ?? []
    services.announce((await setNoteAnchors(services.notebook, asNoteId(ref.ref), stored, { commit, at })) ?? [])
    return
  }
  const statements = await services.store.anchors()
  await services.store.transaction(async () => {
    if (anchors) await statements.set(ref, anchors)
    await statements.setVerified(ref, { commit, at })
  })
}

/** The anchors of a memory, made again from the code as it is now. */
async function anchorsNow(services: Services, ref: DocumentRef, folder: string, commit: string | null): Promise<Anchor[]> {
  const [memory] = await checkMemories(services, folder, [ref], LIST_WAIT)
  const { top } = workTreeOf(services, folder)
  const { branch } = findProject(top)
  const anchors: Anchor[] = []
  for (const { anchor, check } of memory?.anchors ?? []) {
    if (check.state === 'gone') continue
    if (check.state === 'unknown') {
      anchors.push(anchor)
      continue
    }
    const path = check.movedTo ?? anchor.path
    const name = check.renamedTo ?? anchor.name
    const file = findWorkTreeFile(top, path, MAX_FILE_BYTES)
    const text = file.kind === 'file' ? readWorkTreeFile(file, MAX_FILE_BYTES) : null
    if (text === null || name === null) continue
    const found = anchorsNamed(path, text, (leaf) => leaf === leafOf(name), { commit, branch }, false)
    anchors.push(...found.filter((one) => one.name === name))
  }
  return anchors
}

const MAX_FILE_BYTES = 512 * 1024

/** Saves the right words as a note. An older note is superseded; another memory is hidden, and can be restored for a while. */
async function replace(
  services: Services,
  ref: DocumentRef,
  project: ProjectKey,
  body: string,
  folder: string | null,
  commit: string | null,
  now: number,
): Promise<string> {
  const older = ref.kind === 'note' ? await services.store.notes.get(asNoteId(ref.ref)) : null
  const anchors = folder === null ? [] : await anchorsNow(services, ref, folder, commit)
  const draft = {
    body,
    project: older?.project ?? project,
    source: 'human' as const,
    namespace: older?.namespace ?? 'learnings',
    apart: true,
    ...(older ? { type: older.type, scope: older.scope, tags: older.tags, pinned: older.pinned, supersedes: [older.id] } : {}),
  }
  const { receipt, changes } = await saveNote(services.notebook, draft, now)
  if (receipt.kind === 'refused') throw new BadRequest(`the correction was not saved: ${receipt.reason}`)
  services.announce(changes)
  services.announce((await setNoteAnchors(services.notebook, receipt.note.id, anchors, { commit, at: now })) ?? [])
  if (ref.kind !== 'note') await deleteNow(services, { ids: [shortMemoryId(ref.kind, ref.ref)], hard: false })
  return shortMemoryId('note', receipt.note.id)
}
