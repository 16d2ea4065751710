import { queueDistill, queueEpisode } from '../capture/capture.ts'
import { distillTurn, rebuildThreads } from '../capture/turns.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Change } from '../core/memory.ts'
import { memoryId, parseMemoryId } from '../core/memory-kinds.ts'
import { asNoteId, isStatement, type NoteId } from '../core/note.ts'
import { restoreNote, restorePlaces } from '../notes/notes.ts'
import type { ForgottenItem, RestoreReport } from '../wire/contract/forget.ts'
import { deletedCommits, findDeletedSession, TABLE_OF, unitItem } from './forget.ts'
import { resolveMemory } from './memory-ids.ts'
import { BadRequest } from './server.ts'
import { readActionWith, type Services } from './services.ts'

/** Undoes deletions by the ids of what was deleted. An id that cannot be restored changes nothing for the others that come before it. */
export async function restore(services: Services, ids: string[], now: number): Promise<RestoreReport> {
  const { store } = services
  const report: RestoreReport = { restored: [], unchanged: [] }
  const changes: Change[] = []
  for (const id of new Set(ids)) {
    const named = parseMemoryId(id)
    const memory = named?.kind === 'note' ? await resolveMemory(store, named) : named
    if (memory?.kind === 'note') {
      const restored = await restoreNote(services.notebook, asNoteId(memory.ref), now)
      if (!restored || restored.receipt.kind === 'refused') throw new BadRequest(await whyNotRestorable(services, id, asNoteId(memory.ref)))
      const { note } = restored.receipt
      if (restored.receipt.kind === 'same') report.unchanged.push(memoryId('note', note.id))
      else
        report.restored.push({
          kind: 'note',
          id: memoryId('note', note.id),
          title: note.title,
          project: note.project,
          at: note.createdAt,
          because: 'chosen',
        })
      changes.push(...restored.changes)
      await store.transaction(async () => (await store.deletions()).restoreInjections(memoryId('note', note.id)))
      continue
    }
    if (memory?.kind === 'commit') {
      const units = await deletedCommits(services, memory.ref)
      for (const unit of units) report.restored.push(await restoreCommit(services, unit))
      if (units.length > 0) continue
      if (!(await store.commits.find(memory.ref))) throw new BadRequest(`${id} was not deleted, or is too long ago to be restored`)
      report.unchanged.push(id)
      continue
    }
    const unit = memory ? await (await store.deletions()).unitOf(TABLE_OF[memory.kind], memory.ref) : await findDeletedSession(services, id)
    if (unit !== null) report.restored.push(await restoreUnit(services, unit, now, changes))
    else if (await isThere(services, memory, id)) report.unchanged.push(id)
    else throw new BadRequest(`${id} was not deleted, or is too long ago to be restored`)
  }
  await store.transaction(() =>
    store.audit.add({ at: now, action: 'restore', subject: report.restored.map(({ id }) => id).join(' '), details: {} }),
  )
  services.announce(changes)
  services.stream.publish({ type: 'memories-deleted', data: {} })
  services.queue.kick()
  return report
}

async function restoreCommit({ store }: Services, unit: string): Promise<ForgottenItem> {
  const deleted = await (await store.deletions()).unit(unit)
  await store.transaction(async () => {
    const row = await (await store.deletions()).takeCommit(unit)
    if (!deleted || !row || !(await store.commits.restore(row))) throw new BadRequest(`${unit} cannot be restored any more`)
    await store.commits.settleReverts(await store.projects.currentKey(asProjectKey(deleted.project)))
    // Makes its vector again.
    await store.jobs.add('embed', 'waiting', {}, Date.now(), Date.now())
  })
  if (!deleted) throw new BadRequest(`${unit} cannot be restored any more`)
  return unitItem(deleted, 'chosen')
}

async function whyNotRestorable({ store }: Services, id: string, note: NoteId): Promise<string> {
  return (await store.tombstones.hasNote(note)) ? `${id} was deleted for good` : `there is no note ${id}`
}

async function isThere({ store }: Services, memory: ReturnType<typeof parseMemoryId>, id: string): Promise<boolean> {
  const ref = Number(memory?.ref)
  if (memory?.kind === 'observation') return (await store.observations.get([ref])).length > 0
  if (memory?.kind === 'summary') return (await store.summaries.get(ref)) !== null
  if (memory?.kind === 'prompt') return (await store.prompts.get(ref)) !== null
  return (await store.sessions.withIdPrefix(id, 1)).length > 0
}

async function restoreUnit(services: Services, unit: string, now: number, changes: Change[]): Promise<ForgottenItem> {
  const { store } = services
  const deleted = await (await store.deletions()).unit(unit)
  if (!deleted) throw new BadRequest('it cannot be restored any more')
  const { sessionId, places } = await store.transaction(async () => {
    const restored = await (await store.deletions()).restoreUnit(unit)
    if (!restored)
      throw new BadRequest(`its session was deleted too, so restore that first; 'recollect restore' lists what can be restored`)
    if (restored.hasSession) {
      for (const table of [store.prompts, store.observations, store.summaries]) await table.reindex(restored.sessionId)
      for (const number of restored.turns) await queueDistill(store, restored.sessionId, number, now)
    } else
      for (const turn of restored.turns) {
        await store.prompts.reindexAround(restored.sessionId, turn)
        await store.observations.reindex(restored.sessionId, turn)
        await store.summaries.reindex(restored.sessionId, turn)
        // Links it to its neighbours again.
        changes.push(...(await distillTurn(store, { sessionId: restored.sessionId, number: turn }, readActionWith(services.agents))))
      }
    await rebuildThreads(store, restored.sessionId)
    for (const { first, bySession, byFirst } of restored.replaced) {
      const thread = await store.threads.ofTurn(restored.sessionId, first)
      const by = await store.threads.ofTurn(bySession, byFirst)
      if (thread && by && thread.replacedBy === null) await store.threads.setReplaced(thread.id, by.id)
    }
    await queueEpisode(store, restored.sessionId, 'session-end', now)
    return restored
  })
  for (const [note, said] of Map.groupBy(places, (place) => place.note))
    changes.push(
      ...(await restorePlaces(
        services.notebook,
        note,
        said.map(({ place }) => place),
        now,
      )),
    )
  // Notes that went with it.
  const session = await store.sessions.get(sessionId)
  for (const note of await store.notes.deletedAt(deleted.at))
    if ((note.session === session?.contentSessionId && !isStatement(note)) || note.source === 'merge' || note.source === 'reflection')
      changes.push(...((await restoreNote(services.notebook, note.id, now))?.changes ?? []))
  for (const observation of deleted.kind === 'observations' ? await store.observations.get([Number(deleted.ref)]) : [])
    changes.push({ kind: 'observation-added', observation })
  return unitItem(deleted, 'chosen')
}
