import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { asNoteId, type Note, type NoteId, noteUrn } from '../core/note.ts'
import { changeNote, forgetNote, type NoteSaveResult, purgeNote, restoreNote, saveNote } from '../notes/notes.ts'
import type { Store } from '../store/store.ts'
import * as api from '../wire/api.ts'
import { parseBody, parseUrlQuery, resolveProject } from './request-params.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

/** `/api/notes` and what is below it. Null when there is no such way to ask. */
export async function noteRoute(
  desk: Services,
  request: Request,
  url: URL,
  id: string | null,
  restoring: boolean,
): Promise<Response | null> {
  const asked = `${request.method} ${id === null ? 'notes' : restoring ? 'restore' : 'note'}`
  const note = await meant(desk.store, id ?? '')
  switch (asked) {
    case 'GET notes': {
      const { project, type, namespace, hidden, limit, offset } = parseUrlQuery(url, api.readNotesQuery)
      const filter = { project: await resolveProject(desk, project), hidden: hidden === '1', now: Date.now(), limit, offset }
      const notes = await desk.store.notes.list({ ...filter, ...(type ? { types: [type] } : {}), ...(namespace ? { namespace } : {}) })
      return Response.json({ notes: notes.map(withUrn), counts: await desk.store.notes.counts(Date.now()) })
    }
    case 'POST notes': {
      const { project, supersedes, ...draft } = await parseBody(request, api.readNewNote)
      refusePast(draft.expiresAt)
      const key = await projectOf(desk, project, draft.scope)
      const older = await known(desk.store, supersedes ?? [])
      return kept(desk, await saveNote(desk.notebook, given({ ...draft, project: key, source: 'human', supersedes: older }), Date.now()))
    }
    case 'GET note':
      return Response.json((await noteInFull(desk.store, note)) ?? missing(note))
    case 'PATCH note': {
      const { project, supersedes, bodyWas, ...patch } = await parseBody(request, api.readNoteChange)
      refusePast(patch.expiresAt)
      const older = supersedes && (await known(desk.store, supersedes))
      if (older?.includes(note)) throw new BadRequest('a note cannot take its own place')
      const changed = {
        ...patch,
        ...(project ? { project: await projectOf(desk, project, patch.scope) } : {}),
        ...(older ? { supersedes: older } : {}),
      }
      return kept(desk, (await changeNote(desk.notebook, note, given(changed), Date.now(), bodyWas)) ?? missing(note))
    }
    case 'DELETE note': {
      if (url.searchParams.get('hard') !== '1') return kept(desk, (await forgetNote(desk.notebook, note, Date.now())) ?? missing(note))
      if (!(await desk.store.notes.get(note))) missing(note)
      desk.announce(await desk.store.withSecureDelete(() => purgeNote(desk.notebook, note)))
      return Response.json({ kind: 'purged', id: note })
    }
    case 'POST restore':
      return kept(desk, (await restoreNote(desk.notebook, note, Date.now())) ?? missing(note))
  }
  return null
}

/** Lists show an id with an N before it; whoever copies that means the note. */
async function meant(store: Store, id: string): Promise<NoteId> {
  const bare = id.replace(/^N(?=.)/i, '')
  return (await store.notes.get(asNoteId(id))) === null && (await store.notes.get(asNoteId(bare))) !== null ? asNoteId(bare) : asNoteId(id)
}

/** A note with everything one may ask of it; null when there is none. */
export async function noteInFull(store: Store, id: NoteId) {
  const note = await store.notes.get(id)
  return note ? { ...withUrn(note), supersededBy: await store.notes.supersededBy(id) } : null
}

const withUrn = (note: Note) => ({ ...note, urn: noteUrn(note) })

function kept(desk: Services, { receipt, changes }: NoteSaveResult): Response {
  if (receipt.kind === 'refused' && receipt.isOutdated) return Response.json({ error: receipt.reason }, { status: 409 })
  if (receipt.kind === 'refused') throw new BadRequest(receipt.reason)
  desk.announce(changes)
  if (changes.length > 0) desk.queue.kick()
  return Response.json({ ...receipt, note: withUrn(receipt.note) })
}

/** One that is over already would be hidden as soon as it is kept. */
function refusePast(expiresAt: number | null | undefined): void {
  if (typeof expiresAt === 'number' && expiresAt <= Date.now())
    throw new BadRequest(`${new Date(expiresAt).toISOString()} is over; a note lasts until a time to come`)
}

function missing(id: NoteId): never {
  throw new BadRequest(`there is no note ${id}`)
}

async function projectOf(desk: Services, name: string | undefined, scope: Note['scope'] | undefined): Promise<ProjectKey> {
  const project = await resolveProject(desk, name)
  if (project) return project
  if (scope === 'project') throw new BadRequest('which project? give "project" with its key or a folder of it')
  return scope === 'local' ? asProjectKey('global') : GLOBAL_PROJECT
}

async function known(store: Store, ids: string[]): Promise<NoteId[]> {
  const notes = await Promise.all(ids.map((id) => meant(store, id)))
  for (const id of notes) if (!(await store.notes.get(id))) throw new BadRequest(`there is no note ${id} to supersede`)
  return notes
}

/** Without the fields that nobody gave. */
function given<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> }
}
