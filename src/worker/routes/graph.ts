import type { EntityKind } from '../../core/entities.ts'
import type { ProjectKey } from '../../core/ids.ts'
import { MEMORY_KINDS, type MemoryKind } from '../../core/memory-kinds.ts'
import { causesOf, effectsOf, findMemoryNode, neighboursOf, pathBetween } from '../../retrieval/graph.ts'
import { findTopics } from '../../retrieval/topics.ts'
import type { Store } from '../../store/store.ts'
import type { GraphResponse, graph, Neighbourhood } from '../../wire/contract/graph.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import { resolveMemory } from '../memory-ids.ts'
import { noSuchMemory } from '../missing-memory.ts'
import { resolveProject } from '../request-params.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'

export const handlers = { 'GET /api/graph': exploreGraph, 'GET /api/near': readNeighbourhood } satisfies Handlers<typeof graph>

async function exploreGraph(
  { store }: Services,
  { ask, ref: asked, to: askedTo, project: name, limit }: ParsedRequest<typeof graph, 'GET /api/graph'>,
): Promise<GraphResponse> {
  if (ask === 'topics') {
    const project = await resolveProject({ store }, name)
    if (!project) throw new BadRequest('project is missing; pass ?project= with its key or one of its folders')
    return { ask, project, items: await findTopics(store, project, limit) }
  }
  const [ref, to] = await Promise.all([asked, askedTo].map((one) => one && resolveMemory(store, one)))
  if (!ref) throw new BadRequest('ref is missing; pass a memory, for example ?ref=observation:12')
  if (ask === 'path' && !to) throw new BadRequest('to is missing; pass the other memory, for example &to=observation:15')
  for (const one of [ref, to]) if (one && !(await findMemoryNode(store, one))) throw noSuchMemory(one.kind, one.ref)
  const memory = await findMemoryNode(store, ref)
  switch (ask) {
    case 'neighbours':
      return { ask, memory, items: await neighboursOf(store, ref, limit) }
    case 'causes':
      return { ask, memory, items: await causesOf(store, ref, limit) }
    case 'effects':
      return { ask, memory, items: await effectsOf(store, ref, limit) }
    case 'path':
      return { ask, memory, items: to ? await pathBetween(store, ref, to) : null }
  }
}

async function readNeighbourhood({ store }: Services, request: ParsedRequest<typeof graph, 'GET /api/near'>): Promise<Neighbourhood> {
  const { kind, name, limit } = request
  const project = await resolveProject({ store }, request.project)
  if (isMemoryKind(kind)) {
    const ref = { kind, ref: name }
    const memory = await findMemoryNode(store, ref)
    if (!memory) throw noSuchMemory(kind, name)
    return { memory, items: await neighboursOf(store, ref, limit), entities: await store.links.entitiesOf(ref) }
  }
  // An entity of an unknown kind has no mentions, so any text can be looked up.
  const entity = { kind: kind as EntityKind, name }
  const items = kind === 'concept' ? await withConcept(store, name, project, limit) : await mentioning(store, entity, project, limit)
  const relation = kind === 'concept' ? 'is about' : 'names it'
  return { memory: null, items: items.map((item) => ({ ...item, relation, origin: name, side: 'after' })), entities: [entity] }
}

const isMemoryKind = (kind: string): kind is MemoryKind => MEMORY_KINDS.some((known) => known === kind)

async function withConcept(store: Store, concept: string, project: ProjectKey | null, limit: number) {
  const observations = await store.observations.withConcept(project, concept, limit)
  return observations.map(({ id, type, title, project, sessionId, at }) => ({
    kind: 'observation' as const,
    ref: String(id),
    type,
    title,
    project,
    sessionId,
    at,
  }))
}

async function mentioning(store: Store, entity: { kind: EntityKind; name: string }, project: ProjectKey | null, limit: number) {
  const projects = project ? [project] : (await store.sessions.projects()).map((one) => one.project)
  const mentions = await Promise.all(projects.map((one) => store.links.mentionsOf(entity, one, 'before', Number.MAX_SAFE_INTEGER, limit)))
  const newest = mentions
    .flat()
    .sort((a, b) => b.at - a.at)
    .slice(0, limit)
  return (await Promise.all(newest.map((ref) => findMemoryNode(store, ref)))).filter((memory) => memory !== null)
}
