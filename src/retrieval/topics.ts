import type { Entity } from '../core/entities.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Store } from '../store/store.ts'
import type { MemoryNode } from './graph.ts'

/** A topic of a project: observations that name the same files and symbols. Its name lists the most distinctive of these. */
export type Topic = { name: string; entities: Entity[]; observations: number; since: number; until: number; newest: MemoryNode[] }

/** The recent topics of a project, the largest first. */
export async function findTopics(store: Store, project: ProjectKey, limit: number): Promise<Topic[]> {
  const found = clusterObservations(await store.links.recentEntities(project, MAX_TOPIC_OBSERVATIONS)).slice(0, limit)
  return Promise.all(found.map((cluster) => topicOf(store, cluster)))
}

async function topicOf(store: Store, { name, entities, observations }: TopicCluster): Promise<Topic> {
  const all = (await store.observations.get(observations)).sort((a, b) => b.at - a.at || b.id - a.id)
  const newest = all.slice(0, 3).map((o) => ({
    kind: 'observation' as const,
    ref: String(o.id),
    type: o.type,
    title: o.title,
    project: o.project,
    sessionId: o.sessionId,
    at: o.at,
  }))
  return { name, entities, observations: all.length, since: all.at(-1)?.at ?? 0, until: all[0]?.at ?? 0, newest }
}

const MAX_TOPIC_OBSERVATIONS = 500
type TopicCluster = { name: string; entities: Entity[]; observations: number[] }

/**
 * Clusters observations by the names they share, with label propagation: each observation takes the label of the few it shares most with, until
 * nothing changes. Rare names count more. The result is deterministic.
 */
export function clusterObservations(mentions: { observation: number; entity: Entity }[]): TopicCluster[] {
  const features = featuresOf(mentions)
  const total = new Set(mentions.map(({ observation }) => observation)).size
  const distinctive = new Map([...features].filter(([, { by }]) => by.size > 1 && by.size <= Math.max(4, Math.min(40, total * 0.25))))
  const weight = ({ entity, by }: TopicFeature) =>
    (ENTITY_WEIGHT[entity.kind] ?? 0) * (entity.name.endsWith('/') ? 0.5 : 1) * Math.log(1 + total / by.size)
  const labels = settledLabels(closestObservations(distinctive, weight))
  return [...Map.groupBy(labels.keys(), (id) => labels.get(id)).values()]
    .filter((ids) => ids.length > 1)
    .map((ids) => {
      const entities = distinctiveEntities(new Set(ids), distinctive, weight)
      return { name: topicName(entities), entities, observations: ids }
    })
    .sort((a, b) => b.observations.length - a.observations.length || Math.max(...b.observations) - Math.max(...a.observations))
}

/** Something that observations name. A folder represents all files in it that were touched. */
type TopicFeature = { entity: Entity; by: Set<number> }
type FeatureWeight = (feature: TopicFeature) => number

/** Kinds of names that say what work is about. Commands and URLs are the same in all work. */
const ENTITY_WEIGHT: Partial<Record<Entity['kind'], number>> = { file: 1, symbol: 0.8, issue: 1, error: 0.6, package: 0.6 }

function featuresOf(mentions: { observation: number; entity: Entity }[]): Map<string, TopicFeature> {
  const features = new Map<string, TopicFeature>()
  const add = (entity: Entity, observation: number) => {
    const key = `${entity.kind} ${entity.name}`
    const feature = features.get(key) ?? { entity, by: new Set() }
    feature.by.add(observation)
    features.set(key, feature)
  }
  for (const { observation, entity } of mentions.filter(({ entity: { kind } }) => ENTITY_WEIGHT[kind])) {
    add(entity, observation)
    const folder = entity.kind === 'file' ? entity.name.slice(0, entity.name.lastIndexOf('/') + 1) : ''
    // `src/` alone would match everything.
    if (/[^/]\/[^/]/.test(folder)) add({ kind: 'file', name: folder }, observation)
  }
  return features
}

const NEIGHBOURS_PER_OBSERVATION = 6

/** For each observation, the few it shares most names with, and how strongly. */
function closestObservations(features: Map<string, TopicFeature>, weight: FeatureWeight): Map<number, [number, number][]> {
  const strengths = new Map<number, Map<number, number>>()
  for (const feature of features.values()) {
    for (const a of feature.by) {
      const ofA = strengths.get(a) ?? new Map<number, number>()
      strengths.set(a, ofA)
      // The more observations share a name, the less it connects two of them.
      for (const b of feature.by) if (a !== b) ofA.set(b, (ofA.get(b) ?? 0) + weight(feature) / Math.sqrt(feature.by.size))
    }
  }
  return new Map(
    [...strengths]
      .map(([id, others]) => [id, [...others].sort((x, y) => y[1] - x[1] || x[0] - y[0]).slice(0, NEIGHBOURS_PER_OBSERVATION)] as const)
      .sort((x, y) => x[0] - y[0]),
  )
}

function settledLabels(closest: Map<number, [number, number][]>): Map<number, number> {
  const labels = new Map([...closest.keys()].map((id) => [id, id]))
  for (let round = 0, changed = true; changed && round < 20; round++) {
    changed = false
    for (const [id, others] of closest) {
      const votes = new Map<number, number>()
      for (const [other, strength] of others) {
        const label = labels.get(other) ?? other
        votes.set(label, (votes.get(label) ?? 0) + strength)
      }
      const [winner] = [...votes].sort((x, y) => y[1] - x[1] || x[0] - y[0])
      if (!winner || winner[0] === labels.get(id)) continue
      labels.set(id, winner[0])
      changed = true
    }
  }
  return labels
}

/** Names that most of these observations share and few others have. */
function distinctiveEntities(ids: Set<number>, features: Map<string, TopicFeature>, weight: FeatureWeight): Entity[] {
  const scored = [...features.values()].flatMap((feature) => {
    const inside = [...feature.by].filter((id) => ids.has(id)).length
    return inside > 1 ? [{ entity: feature.entity, score: inside * (inside / feature.by.size) * weight(feature) }] : []
  })
  const ranked = scored.sort((a, b) => b.score - a.score || (a.entity.name < b.entity.name ? -1 : 1)).map(({ entity }) => entity)
  // A folder and a file in it would say the same twice.
  return ranked
    .filter((entity, at) => !ranked.slice(0, at).some(({ name }) => isInFolder(name, entity.name) || isInFolder(entity.name, name)))
    .slice(0, 5)
}

const isInFolder = (folder: string, path: string) => folder.endsWith('/') && path.startsWith(folder)

function topicName(entities: Entity[]): string {
  return entities
    .slice(0, 3)
    .map(({ name }) => shortName(name))
    .join(', ')
}

/** The last part of a path, with the part before it if many folders have a file of that name. */
function shortName(name: string): string {
  const parts = name.split('/')
  const last = parts.at(-1) || parts.at(-2) || name
  const isCommon =
    name.endsWith('/') ||
    /^(?:index|main|mod|types?|utils?|page|data|model|README|config|state|setup|hooks?|__init__)(?:[._]test)?\.\w+$/.test(last)
  return parts.length > 1 && isCommon ? parts.slice(-2 - Number(name.endsWith('/'))).join('/') : last
}
