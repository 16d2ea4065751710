import { z } from 'zod'
import type { Entity } from '../../core/entities.ts'
import { MEMORY_KINDS, type MemoryKind } from '../../core/memory-kinds.ts'
import { projectName, route, wholeNumber } from './route.ts'

export const GRAPH_ASKS = ['neighbours', 'causes', 'effects', 'path', 'topics'] as const

export type GraphRef = { kind: MemoryKind; ref: string }
export type GraphMemory = GraphRef & { type: string; title: string; project: string; sessionId: number | null; at: number }
export type GraphNeighbour = GraphMemory & {
  relation: string
  /** What connects the two: the files, the command, the commit, the names. */
  origin: string
  side: 'before' | 'after'
}
export type GraphStep = GraphNeighbour & {
  /** The number of links between it and the memory in the request. */
  distance: number
  /** The memory through which it was reached. */
  via: GraphRef
}
export type GraphTopic = {
  name: string
  entities: Entity[]
  observations: number
  since: number
  until: number
  newest: GraphMemory[]
}
export type GraphResponse =
  | { ask: 'topics'; project: string; items: GraphTopic[] }
  | { ask: 'neighbours'; memory: GraphMemory | null; items: GraphNeighbour[] }
  | { ask: 'causes' | 'effects'; memory: GraphMemory | null; items: GraphStep[] }
  /** `items` is null when the two memories are not connected. The first item has no relation. */
  | { ask: 'path'; memory: GraphMemory | null; items: (GraphMemory | GraphNeighbour)[] | null }

/** The memories around a memory, an entity or a concept. `memory` is null for an entity or a concept. */
export type Neighbourhood = { memory: GraphMemory | null; items: GraphNeighbour[]; entities: Entity[] }

const memoryRef = () =>
  z
    .string()
    .regex(/^(?:observation|summary|prompt|note):\S{1,60}$/, 'must be a kind and an id, for example observation:12')
    .transform((text) => {
      const colon = text.indexOf(':')
      return { kind: z.enum(MEMORY_KINDS).parse(text.slice(0, colon)), ref: text.slice(colon + 1) }
    })

/** @internal */
export const graph = {
  /** Explore links: the neighbours, causes or effects of a memory, the path between two memories, or the topics of a project. */
  'GET /api/graph': route({
    request: () =>
      z.object({
        ask: z.enum(GRAPH_ASKS).default('neighbours'),
        ref: memoryRef().optional(),
        to: memoryRef().optional(),
        project: projectName(),
        limit: wholeNumber(12, 100),
      }),
    readOnly: true,
  }).returns<
    GraphResponse,
    { 400: 'no memory has the id in `ref` or `to`' | 'the field that `ask` needs (`ref`, `to` or `project`) is missing' }
  >(),
  /** List the memories around a memory, an entity (a file, a symbol …) or a concept. */
  'GET /api/near': route({
    request: () =>
      z.object({ kind: z.string().max(20), name: z.string().min(1).max(500), project: projectName(), limit: wholeNumber(24, 100) }),
    readOnly: true,
  }).returns<Neighbourhood, { 400: 'no memory of this `kind` has the id in `name`' }>(),
}
