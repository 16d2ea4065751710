import type { Entity } from '../core/entities.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Store } from '../store/store.ts'
import type { MemoryNode } from './graph.ts'

/** One thing a project works on: the observations that name the same files and symbols, called by the most telling of them. */
export type Topic = { name: string; entities: Entity[]; observations: number; since: number; until: number; newest: MemoryNode[] }

/** What a project is about lately, the topics with most observations first. */
export async function findTopics(store: Store, project: ProjectKey, limit: number): Promise<Topic[]> {
  const found = clusterObservations(await store.links.recentEntities(project, MAX_TOPIC_OBSERVATIONS)).slice(0, limit)
  return Promise.all(found.map((cluster) => topicOf(store, cluster)))
}

async function topicOf(store: Store, { name, entities, observations }: TopicCluster): Promise<Topic> {
  const all = (await store.observations.get(observations)).sort((a, b) => b.at - a.at || b.id - a.id)
  const newest = all
    .slice(0, 3)
    .map((o) => ({ kind: 'observation' as const, ref: String(o.id), type: o.type, title: o.title, project: o.project, at: o.at }))
  return { name, entities, observations: all.length, since: all.at(-1)?.at ?? 0, until: all[0]?.at ?? 0, newest }
}

/** How many observations topics are drawn from. */
const MAX_TOPIC_OBSERVATIONS = 500
type TopicCluster = { name: string; entities: Entity[]; observations: number[] }

/**
 * Observations that belong together by what they name. Rare names pull stronger than common ones; every observation listens to the
 * few it shares most with and takes their label, until nothing changes. No chance is involved: the same names give the same topics.
 */
export function clusterObservations(named: { observation: number; entity: Entity }[]): TopicCluster[] {
  const features = featuresOf(named)
  const all = new Set(named.map(({ observation }) => observation)).size
  const telling = new Map([...features].filter(([, { by }]) => by.size > 1 && by.size <= Math.max(4, Math.min(40, all * 0.25))))
  const weight = ({ entity, by }: TopicFeature) =>
    (ENTITY_WEIGHT[entity.kind] ?? 0) * (entity.name.endsWith('/') ? 0.5 : 1) * Math.log(1 + all / by.size)
  const labels = settledLabels(closestObservations(telling, weight))
  return [...Map.groupBy(labels.keys(), (id) => labels.get(id)).values()]
    .filter((ids) => ids.length > 1)
    .map((ids) => {
      const entities = distinctiveEntities(new Set(ids), telling, weight)
      return { name: topicName(entities), entities, observations: ids }
    })
    .sort((a, b) => b.observations.length - a.observations.length || Math.max(...b.observations) - Math.max(...a.observations))
}

/** Something that observations name; a folder stands for all that was touched in it. */
type TopicFeature = { entity: Entity; by: Set<number> }
type FeatureWeight = (feature: TopicFeature) => number

/** What says what work is about. Commands and addresses are the same whatever one works on. */
const ENTITY_WEIGHT: Partial<Record<Entity['kind'], number>> = { file: 1, symbol: 0.8, issue: 1, error: 0.6, package: 0.6 }

function featuresOf(named: { observation: number; entity: Entity }[]): Map<string, TopicFeature> {
  const features = new Map<string, TopicFeature>()
  const note = (entity: Entity, observation: number) => {
    const key = `${entity.kind} ${entity.name}`
    const feature = features.get(key) ?? { entity, by: new Set() }
    feature.by.add(observation)
    features.set(key, feature)
  }
  for (const { observation, entity } of named.filter(({ entity: { kind } }) => ENTITY_WEIGHT[kind])) {
    note(entity, observation)
    const folder = entity.kind === 'file' ? entity.name.slice(0, entity.name.lastIndexOf('/') + 1) : ''
    // `src/` alone holds everything.
    if (/[^/]\/[^/]/.test(folder)) note({ kind: 'file', name: folder }, observation)
  }
  return features
}

/** How many others an observation listens to. */
const NEIGHBOURS_PER_OBSERVATION = 6

/** For each observation the few it shares most with, and how much. */
function closestObservations(features: Map<string, TopicFeature>, weight: FeatureWeight): Map<number, [number, number][]> {
  const pulls = new Map<number, Map<number, number>>()
  for (const feature of features.values()) {
    for (const a of feature.by) {
      const mine = pulls.get(a) ?? new Map<number, number>()
      pulls.set(a, mine)
      // What many name ties each two of them less.
      for (const b of feature.by) if (a !== b) mine.set(b, (mine.get(b) ?? 0) + weight(feature) / Math.sqrt(feature.by.size))
    }
  }
  return new Map(
    [...pulls]
      .map(([id, mine]) => [id, [...mine].sort((x, y) => y[1] - x[1] || x[0] - y[0]).slice(0, NEIGHBOURS_PER_OBSERVATION)] as const)
      .sort((x, y) => x[0] - y[0]),
  )
}

function settledLabels(closest: Map<number, [number, number][]>): Map<number, number> {
  const labels = new Map([...closest.keys()].map((id) => [id, id]))
  for (let round = 0, changed = true; changed && round < 20; round++) {
    changed = false
    for (const [id, others] of closest) {
      const heard = new Map<number, number>()
      for (const [other, pull] of others) {
        const label = labels.get(other) ?? other
        heard.set(label, (heard.get(label) ?? 0) + pull)
      }
      const [loudest] = [...heard].sort((x, y) => y[1] - x[1] || x[0] - y[0])
      if (!loudest || loudest[0] === labels.get(id)) continue
      labels.set(id, loudest[0])
      changed = true
    }
  }
  return labels
}

/** What most of these name and few others do. */
function distinctiveEntities(ids: Set<number>, features: Map<string, TopicFeature>, weight: FeatureWeight): Entity[] {
  const scored = [...features.values()].flatMap((feature) => {
    const inside = [...feature.by].filter((id) => ids.has(id)).length
    return inside > 1 ? [{ entity: feature.entity, score: inside * (inside / feature.by.size) * weight(feature) }] : []
  })
  const ranked = scored.sort((a, b) => b.score - a.score || (a.entity.name < b.entity.name ? -1 : 1)).map(({ entity }) => entity)
  // A folder and the file in it are one thing said twice.
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

/** A path by its end: the last name, and the one before it where the last is one that many folders have. */
function shortName(name: string): string {
  const parts = name.split('/')
  const last = parts.at(-1) || parts.at(-2) || name
  const isCommon =
    name.endsWith('/') ||
    /^(?:index|main|mod|types?|utils?|page|data|model|README|config|state|setup|hooks?|__init__)(?:[._]test)?\.\w+$/.test(last)
  return parts.length > 1 && isCommon ? parts.slice(-2 - Number(name.endsWith('/'))).join('/') : last
}
