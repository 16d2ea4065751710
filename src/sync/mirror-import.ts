import { z } from 'zod'
import { GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import type { Change } from '../core/memory.ts'
import { asNoteId, isNamespace, type NoteState } from '../core/note.ts'
import { ulidOf } from '../core/ulid.ts'
import { removeCopy } from '../notes/copies.ts'
import { importNote, type Notebook, type NoteSaveResult, saveNoteUnderId } from '../notes/notes.ts'
import { copyId, copyNotes, isOwn, type PlacedRecord, recordsIn } from './mirror-copies.ts'
import { authorIn, fetchTheirs, type MirrorRepository, mergeTheirs, OURS, openMirror } from './mirror-repository.ts'

export type MirrorImport = {
  /** Notes of the person, and memories that another program left in git notes. */
  saved: NoteSaveResult[]
  /** What became of the notes of others. */
  copied: Change[]
  /** Memories of another program that were not imported, each by its ref and commit. */
  left: { what: string; reason: string }[]
  /** Why origin's notes may be missing. */
  problem: string | null
}

/**
 * Imports the notes in a repository's mirror: the person's own as they were, those of others as copies. Own notes are those that name the person's
 * address in this repository; whoever can push could have written it, so nothing that this home has is changed, and rules wait to be accepted.
 * Throws when the folder has no repository that can have a mirror.
 */
export async function importFromMirror(book: Notebook, project: ProjectKey, folder: string, now: number): Promise<MirrorImport> {
  const repository = await openMirror(book, folder, now)
  if (typeof repository === 'string') throw new Error(repository)
  const offline = repository.hasOrigin ? await fetchTheirs(repository) : null
  const problem = (await mergeTheirs(repository)) ?? offline
  const records = await recordsIn(repository, now)
  const own = await importOwn(book, repository, project, records)
  const others = await importOtherPrograms(book, repository, project, now)
  const copied = await copyNotes(book, repository, project, records)
  return { saved: [...own, ...others.saved], copied, left: others.left, problem }
}

async function importOwn(
  book: Notebook,
  repository: MirrorRepository,
  project: ProjectKey,
  records: PlacedRecord[],
): Promise<NoteSaveResult[]> {
  const me = addressIn(await authorIn(repository))
  const isMine = ({ author, machine }: PlacedRecord) => (author ? addressIn(author) === me && me !== '' : machine === book.machine)
  const missing: PlacedRecord[] = []
  for (const record of records)
    if (record.content !== null && isMine(record) && !(await isOwn(book, asNoteId(record.id)))) missing.push(record)
  const ids = new Set(missing.map(({ id }) => id))
  const saved: NoteSaveResult[] = []
  for (const { id, updated, machine, namespace, content } of missing) {
    if (content === null) continue
    const isRule = namespace === 'rules'
    const result = await importNote(book, {
      ...content,
      id: asNoteId(id),
      namespace,
      project,
      scope: project === GLOBAL_PROJECT ? 'global' : 'project',
      machine,
      author: null,
      source: isRule ? 'import' : content.source,
      state: stateOf(namespace),
      createdAt: Math.min(content.created, updated),
      updatedAt: updated,
      // A note that was here before must not be hidden by one that comes now.
      supersedes: content.supersedes.filter((older) => ids.has(older)).map(asNoteId),
      session: null,
      model: null,
      conflictOf: null,
      said: [],
      pinned: false,
      expiresAt: null,
      deletedAt: null,
      unknown: [],
    })
    const copy = result.receipt.kind === 'refused' ? [] : await removeCopy(book, copyId(repository, id))
    saved.push({ ...result, changes: [...result.changes, ...copy] })
  }
  return saved
}

/** A rule holds when the person has said or accepted it. */
const stateOf = (namespace: string): NoteState => (namespace === 'rules' ? 'proposed' : 'accepted')

const addressIn = (author: string) => (/<([^<>]+)>\s*$/.exec(author)?.[1] ?? author).trim().toLowerCase()

/** More than this is not a person's memory. */
const MAX_MEMORY_BYTES = 256 * 1024
const MAX_IMPORTED_NOTES = 5000

/** Imports memories that Subcog left in git notes: front matter and a text, attached to any commit. */
async function importOtherPrograms(
  book: Notebook,
  repository: MirrorRepository,
  project: ProjectKey,
  now: number,
): Promise<Pick<MirrorImport, 'saved' | 'left'>> {
  const { git, root } = repository
  const refs = (await git.git(['for-each-ref', '--format=%(refname)', `${OURS}/`, 'refs/notes/subcog'])).split('\n').filter(Boolean)
  const saved: NoteSaveResult[] = []
  const left: MirrorImport['left'] = []
  for (const ref of refs) {
    const listed = await git.tryGit(['notes', `--ref=${ref}`, 'list'])
    const lines = listed.stdout.split('\n').filter(Boolean)
    if (lines.length > MAX_IMPORTED_NOTES) left.push({ what: ref, reason: `only its first ${MAX_IMPORTED_NOTES} notes are read` })
    for (const line of lines.slice(0, MAX_IMPORTED_NOTES)) {
      const [blob = '', object = ''] = line.split(' ')
      const memory = await readMemory(repository, blob, ref)
      // The lines of our own mirror are attached to the first commit.
      if (memory === MIRROR_LINES && object === root) continue
      if (typeof memory === 'string') {
        left.push({ what: `${ref} ${object.slice(0, 12)}`, reason: memory })
        continue
      }
      const { id, createdAt = now, ...fields } = memory
      const noteId = asNoteId(ulidOf(`subcog\n${root}\n${id ?? `${ref} ${object}`}`, createdAt))
      const draft = { ...fields, id: noteId, project, createdAt, source: 'import', state: stateOf(fields.namespace) } as const
      saved.push(await saveNoteUnderId(book, { ...draft, updatedAt: fields.updatedAt ?? createdAt }, now))
    }
  }
  return { saved, left }
}

const HIDDEN_IN_SUBCOG = new Set(['deleted', 'tombstoned', 'superseded'])
const NO_FRONT_MATTER = 'it does not start with front matter between two lines of ---'
const MIRROR_LINES = 'it has lines of a mirror, which belong to the first commit'

async function readMemory({ git }: MirrorRepository, blob: string, ref: string) {
  if (Number((await git.tryGit(['cat-file', '-s', blob])).stdout) > MAX_MEMORY_BYTES)
    return `it is larger than ${MAX_MEMORY_BYTES / 1024} KB`
  const [bytes = new Uint8Array()] = await git.read([blob])
  return parseMemory(new TextDecoder().decode(bytes), ref.slice(ref.lastIndexOf('/') + 1))
}

const time = z
  .union([z.string(), z.number(), z.date()])
  .transform((given) => (typeof given === 'number' && given < 1e11 ? given * 1000 : new Date(given).getTime()))
  .refine((at) => Number.isFinite(at) && at >= 0)
  .optional()
  .catch(undefined)
const FrontMatter = z.object({
  id: z.string().min(1).max(200).optional().catch(undefined),
  namespace: z.string().refine(isNamespace).optional().catch(undefined),
  tags: z.array(z.string().min(1).max(80)).max(50).catch([]),
  status: z.string().catch('active'),
  created_at: time,
  updated_at: time,
})

/** A memory of Subcog; or the reason if the text is none that can be imported. */
function parseMemory(text: string, refName: string) {
  const [head, front] = /^---[ \t]*\r?\n([\s\S]{0,65536}?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text.trimStart()) ?? []
  if (head === undefined || front === undefined) return text.startsWith('{"id":') ? MIRROR_LINES : NO_FRONT_MATTER
  const body = text.trimStart().slice(head.length).trim()
  let values: unknown
  try {
    values = Bun.YAML.parse(front)
  } catch (cause) {
    return `its front matter is not valid YAML (${(cause as Error).message.split('\n')[0]})`
  }
  const read = FrontMatter.safeParse(values)
  if (!read.success) return 'its front matter is not a list of fields'
  if (body === '') return 'it has no text'
  const { id, namespace, tags, status, created_at, updated_at } = read.data
  if (HIDDEN_IN_SUBCOG.has(status)) return `it is ${status} in Subcog`
  const place = namespace ?? (isNamespace(refName) && refName !== 'subcog' ? refName : 'context')
  return { id, namespace: place, tags, createdAt: created_at, updatedAt: updated_at, body }
}
