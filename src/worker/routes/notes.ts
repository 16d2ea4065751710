import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../../core/ids.ts'
import { memoryId } from '../../core/memory-kinds.ts'
import type { Note, NoteId } from '../../core/note.ts'
import { changeNote, forgetNote, type NoteSaveResult, restoreNote, saveNote } from '../../notes/notes.ts'
import type { Store } from '../../store/store.ts'
import type { NoteList, NoteReceipt, NoteVersions, notes } from '../../wire/contract/notes.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import { resolveNoteId } from '../memory-ids.ts'
import { noSuchMemory } from '../missing-memory.ts'
import { resolveProject } from '../request-params.ts'
import type { Handlers } from '../router.ts'
import { BadRequest, Conflict } from '../server.ts'
import type { Services } from '../services.ts'
import { deleteNow } from './forget.ts'
import { fullNote, withUrn } from './full-note.ts'

export const handlers = {
  'GET /api/notes': listNotes,
  'POST /api/notes': addNote,
  'GET /api/notes/:id': async ({ store }, { id }) => {
    const note = await resolveNoteId(store, id)
    return (await fullNote(store, note)) ?? missing(note)
  },
  'PATCH /api/notes/:id': patchNote,
  'DELETE /api/notes/:id': deleteNote,
  'POST /api/notes/:id/restore': async (services, { id }) => {
    const note = await resolveNoteId(services.store, id)
    return publish(services, (await restoreNote(services.notebook, note, Date.now())) ?? missing(note))
  },
  'GET /api/notes/:id/history': async ({ store }, { id }) => noteVersions(store, await resolveNoteId(store, id)),
} satisfies Handlers<typeof notes>

async function listNotes(services: Services, request: ParsedRequest<typeof notes, 'GET /api/notes'>): Promise<NoteList> {
  const { project, type, namespace, state, hidden, limit, offset } = request
  const filter = { project: await resolveProject(services, project), hidden, now: Date.now(), limit, offset }
  const notes = await services.store.notes.list({
    ...filter,
    ...(type ? { types: [type] } : {}),
    ...(namespace ? { namespace } : {}),
    ...(state ? { state } : {}),
  })
  return { notes: notes.map(withUrn), counts: await services.store.notes.counts(Date.now()) }
}

async function addNote(
  services: Services,
  { project, supersedes, ...draft }: ParsedRequest<typeof notes, 'POST /api/notes'>,
): Promise<NoteReceipt> {
  refusePast(draft.expiresAt)
  const key = await projectOfNote(services, project, draft.scope)
  const older = await existingNotes(services.store, supersedes ?? [])
  const complete = withoutUndefined({ ...draft, project: key, source: 'human' as const, supersedes: older })
  const saved = await saveNote(services.notebook, complete, Date.now())
  await anchorNote(services, saved)
  return publish(services, saved)
}

/** A note that names code of its project is tied to it. */
async function anchorNote(services: Services, { receipt }: NoteSaveResult): Promise<void> {
  if (receipt.kind !== 'added' && receipt.kind !== 'restated') return
  const { folderOfProject } = await import('../code-check.ts')
  const folder = await folderOfProject(services.store, receipt.note.project)
  if (folder !== null) await (await import('../anchor-turn.ts')).anchorNotes(services, [receipt.note], folder, null)
}

async function patchNote(services: Services, request: ParsedRequest<typeof notes, 'PATCH /api/notes/:id'>): Promise<NoteReceipt> {
  const { id, project, supersedes, bodyWas, ...patch } = request
  const note = await resolveNoteId(services.store, id)
  refusePast(patch.expiresAt)
  const older = supersedes && (await existingNotes(services.store, supersedes))
  if (older?.includes(note)) throw new BadRequest('a note cannot supersede itself')
  const changes = withoutUndefined({
    ...patch,
    ...(project ? { project: await projectOfNote(services, project, patch.scope) } : {}),
    ...(older ? { supersedes: older } : {}),
  })
  return publish(services, (await changeNote(services.notebook, note, changes, Date.now(), bodyWas)) ?? missing(note))
}

async function deleteNote(services: Services, { id, hard }: ParsedRequest<typeof notes, 'DELETE /api/notes/:id'>) {
  const { store, notebook } = services
  const note = await resolveNoteId(store, id)
  if (!hard) return publish(services, (await forgetNote(notebook, note, Date.now())) ?? missing(note))
  if (!(await store.notes.get(note))) missing(note)
  await deleteNow(services, { ids: [memoryId('note', note)], hard: true })
  return { kind: 'purged' as const, id: note }
}

async function noteVersions(store: Store, id: NoteId): Promise<NoteVersions> {
  const note = (await store.notes.get(id)) ?? missing(id)
  const older = await Promise.all(note.supersedes.map((one) => store.notes.get(one)))
  return {
    versions: await store.notes.versions(id),
    older: older.flatMap((one) => (one ? [{ id: one.id, title: one.title, body: one.body, at: one.updatedAt }] : [])),
  }
}

/** Announces the changes of a saved note and returns its receipt. Throws when the note was refused. */
function publish(services: Services, { receipt, changes }: NoteSaveResult): NoteReceipt {
  if (receipt.kind === 'refused') throw receipt.isOutdated ? new Conflict(receipt.reason) : new BadRequest(receipt.reason)
  services.announce(changes)
  if (changes.length > 0) services.queue.kick()
  return { ...receipt, note: withUrn(receipt.note) }
}

async function existingNotes(store: Store, ids: string[]): Promise<NoteId[]> {
  const notes = await Promise.all(ids.map((id) => resolveNoteId(store, id)))
  for (const id of notes) if (!(await store.notes.get(id))) throw new BadRequest(`note ${id} does not exist, so it cannot be superseded`)
  return notes
}

/** A note that has already expired would be hidden as soon as it is saved. */
function refusePast(expiresAt: number | null | undefined): void {
  if (typeof expiresAt === 'number' && expiresAt <= Date.now())
    throw new BadRequest(`expiresAt is ${new Date(expiresAt).toISOString()}, which is in the past; use a later time or null`)
}

function missing(id: NoteId): never {
  throw noSuchMemory('note', id)
}

async function projectOfNote(services: Services, name: string | undefined, scope: Note['scope'] | undefined): Promise<ProjectKey> {
  const project = await resolveProject(services, name)
  if (project) return project
  if (scope === 'project') throw new BadRequest('project is missing; pass its key or one of its folders')
  return scope === 'local' ? asProjectKey('global') : GLOBAL_PROJECT
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as Defined<T>
}
