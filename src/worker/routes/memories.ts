import { parseMemoryId } from '../../core/memory-kinds.ts'
import { asNoteId } from '../../core/note.ts'
import { outcomeOf } from '../../retrieval/outcomes.ts'
import { describeHit } from '../../retrieval/search.ts'
import type { DocumentRef } from '../../store/store.ts'
import type { MemoryResponse, memories } from '../../wire/contract/memories.ts'
import { marksByProject } from '../code-check.ts'
import { resolveMemory } from '../memory-ids.ts'
import type { Handlers } from '../router.ts'
import { searchFor, timelineFor } from '../search-requests.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'
import { fullNote } from './full-note.ts'
import { recordedInjection } from './recorded-injection.ts'

export const handlers = {
  'GET /api/search': searchFor,
  'POST /api/search': searchFor,
  'GET /api/timeline': timelineFor,
  'POST /api/timeline': timelineFor,
  'GET /api/memory/:id': (services, { id }) => readMemory(services, id),
  'POST /api/memories/batch': readBatch,
  'GET /api/injections': async ({ store }, { session, memory, limit }) => {
    const all = await store.injections.recent(session ?? null, memory ? MAX_INJECTIONS_SEARCHED : limit)
    const wanted = memory ? memoryRef(memory) : null
    const isWanted = ({ items }: (typeof all)[number]) => items.some(({ kind, id }) => kind === wanted?.kind && String(id) === wanted.ref)
    return (wanted ? all.filter(isWanted).slice(0, limit) : all).map(recordedInjection)
  },
  'GET /api/injections/:id/usage': async (services, { id }) => {
    const { injectionUsage } = await import('../injection-usage.ts')
    const injection = (await services.store.injections.recent(null, MAX_INJECTIONS_SEARCHED)).find((one) => one.id === id)
    if (!injection) throw new BadRequest(`there is no injection ${id}`)
    return injectionUsage(services, injection)
  },
} satisfies Handlers<typeof memories>

/** Usage is looked up only for recent injections. */
const MAX_INJECTIONS_SEARCHED = 2000

async function readBatch(services: Services, { ids }: { ids: string[] }): Promise<MemoryResponse[]> {
  const memories = await Promise.all(distinctMemories(ids).map((id) => readMemory(services, id)))
  countUse(
    services,
    memories.filter(({ memory }) => memory !== null).map(({ id }) => memoryRef(id)),
  )
  return memories
}

/** Without ids that name the same memory in another spelling, such as 12 and #12. */
function distinctMemories(ids: string[]): string[] {
  const byMemory = new Map<string, string>()
  for (const id of ids) {
    const { kind, ref } = memoryRef(id)
    const key = `${kind} ${ref}`
    if (!byMemory.has(key)) byMemory.set(key, id)
  }
  return [...byMemory.values()]
}

const memoryRef = (id: string): DocumentRef => parseMemoryId(id) ?? { kind: 'note', ref: id }

/** Runs in the background: reading must not fail because something cannot be written. */
function countUse({ store, log }: Services, refs: DocumentRef[]): void {
  if (store.isReadonly || refs.length === 0) return
  const count = async () => {
    for (const { kind, ref } of refs) await store.documents.countUse(kind, ref)
  }
  store.transaction(count).catch((cause) => log.warn('the use of memories could not be counted', { error: (cause as Error).message }))
}

async function readMemory(services: Services, id: string): Promise<MemoryResponse> {
  const { store } = services
  const { kind, ref } = await resolveMemory(store, memoryRef(id))
  const location = await store.documents.locationOf(kind, ref)
  const title = (location && (await describeHit(store, location)))?.title ?? null
  const outcome = location && (await outcomeOf(store, location, null))
  const code = location && (await marksByProject(services, [{ kind, id: ref, project: location.project }])).get(`${kind}:${ref}`)
  const verified = location && (await (await store.anchors()).verified({ kind, ref }))
  const common = { id, title, project: location?.project ?? null, outcome, code: code ?? null, verified }
  switch (kind) {
    case 'note':
      return { ...common, kind, memory: await fullNote(store, asNoteId(ref)) }
    case 'summary':
      return { ...common, kind, memory: await store.summaries.get(Number(ref)) }
    case 'prompt':
      return { ...common, kind, memory: await store.prompts.get(Number(ref)) }
    case 'commit':
      return { ...common, kind, memory: await store.commits.get(Number(ref)) }
    case 'observation':
      return { ...common, kind, memory: (await store.observations.get([Number(ref)]))[0] ?? null }
  }
}
