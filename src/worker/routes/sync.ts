import { changeSettings } from '../../platform/settings.ts'
import { noteAt, noteHistory, resolveConflict, syncState, whyRemoteUnusable } from '../../sync/sync.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import type { SyncHistoryResponse, sync } from '../../wire/contract/sync.ts'
import { syncNow, syncSettings } from '../background-sync.ts'
import { resolveNoteId } from '../memory-ids.ts'
import { noSuchMemory } from '../missing-memory.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'

/** How long a sync waits for another one that is running. */
const MAX_WAIT_MS = 120_000

export const handlers = {
  'GET /api/sync': (services) => syncState(services.notebook, syncSettings(services).remote),
  'POST /api/sync': (services, { dryRun, folder }) => syncNow(services, { dryRun, patienceMs: MAX_WAIT_MS, ...(folder ? { folder } : {}) }),
  'POST /api/sync/remote': (services, { remote }) => {
    setRemote(services, remote)
    return syncNow(services, { dryRun: false, patienceMs: MAX_WAIT_MS })
  },
  'POST /api/sync/resolve': async (services, { id, choice }) => {
    const resolved = await resolveConflict(services.notebook, await resolveNoteId(services.store, id), choice, Date.now())
    if (resolved.kind === 'refused') throw new BadRequest(resolved.reason)
    services.announce(resolved.changes)
    return { kind: resolved.kind, id: resolved.id }
  },
  'GET /api/sync/history': readHistory,
} satisfies Handlers<typeof sync>

async function readHistory(
  { store, notebook }: Services,
  { id, commit }: ParsedRequest<typeof sync, 'GET /api/sync/history'>,
): Promise<SyncHistoryResponse> {
  const note = await store.notes.get(await resolveNoteId(store, id))
  if (!note) throw noSuchMemory('note', id)
  if (!commit) return { id, path: note.path, versions: await noteHistory(notebook, note.path) }
  return { id, path: note.path, commit, text: await noteAt(notebook, note.path, commit) }
}

/** Changes only the remote in the settings file. */
function setRemote(services: Services, remote: string): void {
  const reason = whyRemoteUnusable(remote)
  if (reason) throw new BadRequest(reason)
  const changed = changeSettings(services.environment, [{ name: 'sync.remote', value: remote }])
  if (changed.kind === 'refused') throw new BadRequest(changed.reason)
  if (syncSettings(services).remote !== remote)
    throw new BadRequest(
      'RECOLLECT_SYNC_REMOTE in the environment of the worker overrides the settings file; unset it and restart the worker',
    )
}
