import { asNoteId } from '../core/note.ts'
import { changeSettings } from '../platform/settings.ts'
import { noteAt, noteHistory, resolveConflict, syncState, whyRemoteUnusable } from '../sync/sync.ts'
import * as api from '../wire/api.ts'
import { syncNow, syncSettings } from './background-sync.ts'
import { parseBody, parseUrlQuery } from './request-params.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

const PATIENCE_MS = 120_000

/** `/api/sync` and what is below it. Null when there is no such way to ask. */
export async function syncRoute(desk: Services, request: Request, url: URL): Promise<Response | null> {
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /api/sync':
      return Response.json(await syncState(desk.notebook, syncSettings(desk).remote))
    case 'POST /api/sync': {
      const { dryRun } = await parseBody(request, api.readSyncRequest)
      return Response.json(await syncNow(desk, { dryRun, patienceMs: PATIENCE_MS }))
    }
    case 'POST /api/sync/remote': {
      const { remote } = await parseBody(request, api.readRemote)
      setRemote(desk, remote)
      return Response.json(await syncNow(desk, { dryRun: false, patienceMs: PATIENCE_MS }))
    }
    case 'POST /api/sync/resolve': {
      const { id, choice } = await parseBody(request, api.readResolve)
      const resolved = await resolveConflict(desk.notebook, asNoteId(id), choice, Date.now())
      if (resolved.kind === 'refused') throw new BadRequest(resolved.reason)
      desk.announce(resolved.changes)
      return Response.json({ kind: resolved.kind, id: resolved.id })
    }
    case 'GET /api/sync/history': {
      const { id, commit } = parseUrlQuery(url, api.readHistoryQuery)
      const note = await desk.store.notes.get(asNoteId(id))
      if (!note) throw new BadRequest(`there is no note ${id}`)
      if (!commit) return Response.json({ id, path: note.path, versions: await noteHistory(desk.notebook, note.path) })
      return Response.json({ id, path: note.path, commit, text: await noteAt(desk.notebook, note.path, commit) })
    }
  }
  return null
}

/** Writes the remote into the person's settings file. */
function setRemote(desk: Services, remote: string): void {
  const reason = whyRemoteUnusable(remote)
  if (reason) throw new BadRequest(reason)
  const changed = changeSettings(desk.environment, [{ name: 'sync.remote', value: remote }])
  if (changed.kind === 'refused') throw new BadRequest(changed.reason)
  if (syncSettings(desk).remote !== remote)
    throw new BadRequest(
      'RECOLLECT_SYNC_REMOTE is set in the environment of the worker and overrides the file; unset it and run recollect restart',
    )
}
