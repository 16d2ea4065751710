/**
 * The graph of memories: the neighbours of one, the path between two, causes and effects. Every edge says why it exists. Each question visits a
 * limited part of the graph, however large it is.
 */
import { isRedacted } from '../core/entities.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Observation } from '../core/memory.ts'
import { firstLine } from '../core/text.ts'
import type { DocumentRef, Link, LinkRelation, Store, TimeSide } from '../store/store.ts'
import { describeHit } from './search.ts'

/** A memory as a list shows it. */
export type MemoryNode = DocumentRef & { type: string; title: string; project: ProjectKey; sessionId: number | null; at: number }

/** Stored links, and three relations without a link: the same turn, the same session, shared names. */
export type NeighbourRelation = LinkRelation | 'same-turn' | 'same-session' | 'shares'

export type Neighbour = MemoryNode & {
  relation: NeighbourRelation
  /** The reason in words: the files, the command, the commit, or the shared names. */
  origin: string
  /** Whether it is earlier or later. */
  side: TimeSide
}

export async function findMemoryNode(store: Store, ref: DocumentRef): Promise<MemoryNode | null> {
  return (await lookUpMemory(store, ref))?.shown ?? null
}

/** The neighbours of a memory, by their strongest edge, strongest first. */
export async function neighboursOf(store: Store, ref: DocumentRef, limit: number): Promise<Neighbour[]> {
  const here = await lookUpMemory(store, ref)
  if (!here) return []
  const links = await weighFileEdges(store, await linkedEdges(store, ref))
  const near = [
    ...(await sameTurnEdges(store, here, links)),
    ...(await sharedNameEdges(store, here)),
    ...(await sameSessionEdges(store, here)),
  ]
  return strongestNeighbours(store, [...links, ...near], here, limit)
}

export type NeighbourStep = Neighbour & {
  /** How many links away it is. */
  distance: number
  /** The memory it was reached from: the starting one, or an earlier step. */
  via: DocumentRef
}

/** What led to a memory: the failure it fixed, the prompt that asked for it, earlier work on the same files, what it mentions. */
export const causesOf = (store: Store, ref: DocumentRef, limit = 12): Promise<NeighbourStep[]> => walkGraph(store, ref, 'before', limit)

/** What a memory led to: what it asked for, what fixed it, later work on the same files, what mentions it. */
export const effectsOf = (store: Store, ref: DocumentRef, limit = 12): Promise<NeighbourStep[]> => walkGraph(store, ref, 'after', limit)

/** The shortest path between two memories, each step with the edge that leads to it. Null if there is none within `maxDepth`. */
export async function pathBetween(store: Store, a: DocumentRef, b: DocumentRef, maxDepth = 8): Promise<(MemoryNode | Neighbour)[] | null> {
  const [start, end] = [await lookUpMemory(store, a), await lookUpMemory(store, b)]
  // No link leaves a project.
  if (!start || !end || start.shown.project !== end.shown.project) return null
  if (refKey(a) === refKey(b)) return [start.shown]
  // Shared names are tried only if links do not connect the two.
  const byNames: EdgeLookup = async (ref) => {
    const memory = await lookUpMemory(store, ref)
    return [...(await linkedEdges(store, ref)), ...(memory ? await sharedNameEdges(store, memory) : [])]
  }
  const edgeTo =
    (await searchPath(a, b, maxDepth, (ref) => linkedEdges(store, ref), MAX_MEMORIES_SEARCHED)) ??
    (await searchPath(a, b, maxDepth, byNames, MAX_MEMORIES_WALKED / 2))
  if (!edgeTo) return null
  const steps: (MemoryNode | Neighbour)[] = []
  for (let key = refKey(b); key !== refKey(a); ) {
    const edge = edgeTo.get(key)
    const memory = edge && (await lookUpMemory(store, edge.ref))
    if (!edge || !memory) return null
    steps.unshift({ ...memory.shown, relation: edge.relation, origin: edge.origin, side: edge.side })
    key = refKey(edge.from)
  }
  return [start.shown, ...steps]
}

/** Few memories have more. */
const MAX_EDGES_PER_MEMORY = 40
/** How many memories a walk and a path search may visit. */
const MAX_MEMORIES_WALKED = 60
const MAX_MEMORIES_SEARCHED = 600

type MemoryEdge = { ref: DocumentRef; from: DocumentRef; relation: NeighbourRelation; origin: string; side: TimeSide; strength: number }

/** How strongly each relation connects. Along a path the strengths multiply. */
const RELATION_STRENGTH: Record<NeighbourRelation, number> = {
  'failed-then-fixed': 1,
  asked: 0.9,
  supersedes: 0.9,
  mentions: 0.8,
  'co-changed': 0.7,
  'same-turn': 0.6,
  'same-file': 0.5,
  shares: 0.45,
  follows: 0.4,
  'same-session': 0.3,
}

async function linkedEdges(store: Store, ref: DocumentRef, sides: TimeSide[] = ['before', 'after']): Promise<MemoryEdge[]> {
  const links = await Promise.all(
    sides.map(async (side) => (await store.links.of(ref, side, MAX_EDGES_PER_MEMORY)).map((link) => edgeOf(link, side))),
  )
  return links.flat().filter((edge) => !isByFile(edge) || !edge.origin.split(', ').every(isRedacted))
}

const isByFile = ({ relation }: MemoryEdge) => relation === 'co-changed' || relation === 'same-file'

type FileRarities = Map<string, number>

/** Weighs edges by files with the rarity of the rarest shared file: a file that every session touches connects nothing. */
async function weighFileEdges(store: Store, edges: MemoryEdge[], known: FileRarities = new Map()): Promise<MemoryEdge[]> {
  const ids = edges.filter(isByFile).flatMap(({ ref, from }) => [Number(ref.ref), Number(from.ref)])
  if (ids.length === 0) return edges
  const touched = new Map((await store.observations.get(ids)).map((o) => [String(o.id), o]))
  const rarity = async (project: ProjectKey, path: string) => {
    const value = known.get(path) ?? rarityOf(await store.links.countSessionsTouching(project, path))
    known.set(path, value)
    return value
  }
  const weigh = async (edge: MemoryEdge) => {
    const [a, b] = [touched.get(edge.from.ref), touched.get(edge.ref.ref)]
    if (!isByFile(edge) || !a || !b) return edge
    const filesOfB = new Set(filesOf(b))
    const rarities = await Promise.all(
      filesOf(a)
        .filter((path) => filesOfB.has(path))
        .map((path) => rarity(a.project, path)),
    )
    return rarities.length > 0 ? { ...edge, strength: edge.strength * Math.max(...rarities) } : edge
  }
  return Promise.all(edges.map(weigh))
}

const filesOf = ({ filesModified, filesRead }: Observation) => [...filesModified, ...filesRead].filter((path) => !isRedacted(path))

/** 1 for a file that few sessions touched, falling quickly beyond that. */
function rarityOf({ touched, sessions }: { touched: number; sessions: number }): number {
  const few = Math.max(3, sessions / 20)
  return Math.min(1, (few / touched) ** 2)
}

function edgeOf(link: Link, side: TimeSide): MemoryEdge {
  const [from, ref] = side === 'before' ? [link.to, link.from] : [link.from, link.to]
  return { ref, from, relation: link.relation, origin: link.origin, side, strength: RELATION_STRENGTH[link.relation] }
}

/** The other observations of the same turn. */
async function sameTurnEdges(store: Store, { shown }: LocatedMemory, links: MemoryEdge[]): Promise<MemoryEdge[]> {
  const promptEdge = links.find(({ relation, side }) => relation === 'asked' && side === 'before')
  const results = promptEdge ? await linkedEdges(store, promptEdge.ref, ['after']) : []
  return results
    .filter(({ relation, ref }) => relation === 'asked' && ref.kind === 'observation' && refKey(ref) !== refKey(shown))
    .map((edge) => {
      // Observations of a turn are numbered in order, and its summary comes after them.
      const side = shown.kind === 'observation' && Number(edge.ref.ref) > Number(shown.ref) ? 'after' : 'before'
      return { ...edge, from: shown, relation: 'same-turn', side, strength: RELATION_STRENGTH['same-turn'] }
    })
}

/** Observations of other turns of the session, nearest in time first. */
async function sameSessionEdges(store: Store, { shown, turn, sessionId }: LocatedMemory): Promise<MemoryEdge[]> {
  if (sessionId === null) return []
  const others = (await store.observations.ofSession(sessionId, MAX_MEMORIES_SEARCHED)).filter(
    (o) => turnKey(o.sessionId, o.promptNumber) !== turn,
  )
  const title = (await store.sessions.get(sessionId))?.title
  return others
    .sort((a, b) => Math.abs(a.at - shown.at) - Math.abs(b.at - shown.at))
    .slice(0, MAX_EDGES_PER_MEMORY)
    .map((o) => ({
      ref: refOf('observation', o.id),
      from: shown,
      relation: 'same-session',
      origin: title ? `session “${firstLine(title, 60)}”` : `session ${sessionId}`,
      side: o.at <= shown.at ? 'before' : 'after',
      strength: RELATION_STRENGTH['same-session'],
    }))
}

/** A name that more memories share does not connect them. */
const MAX_MEMORIES_PER_SHARED_NAME = 24

/** Memories of other turns that share rare names, one for each turn: its others would repeat the same names. */
async function sharedNameEdges(store: Store, here: LocatedMemory): Promise<MemoryEdge[]> {
  const { project, at } = here.shown
  const found = new Map<string, { ref: DocumentRef; at: number; names: string[]; score: number }>()
  for (const entity of (await store.links.entitiesOf(here.shown)).filter(({ kind }) => kind !== 'command')) {
    const mentions = await store.links.mentionsOf(entity, project, 'before', Number.MAX_SAFE_INTEGER, MAX_MEMORIES_PER_SHARED_NAME + 1)
    if (mentions.length > MAX_MEMORIES_PER_SHARED_NAME) continue
    for (const other of mentions) {
      const known = found.get(refKey(other)) ?? { ref: { kind: other.kind, ref: other.ref }, at: other.at, names: [], score: 0 }
      known.names.push(entity.name)
      known.score += 1 / mentions.length
      found.set(refKey(other), known)
    }
  }
  const best = [...found.values()].sort((a, b) => b.score - a.score || b.at - a.at).slice(0, MAX_EDGES_PER_MEMORY)
  const byTurn = new Map<string, MemoryEdge>()
  for (const other of best.sort((a, b) => KIND_PREFERENCE.indexOf(a.ref.kind) - KIND_PREFERENCE.indexOf(b.ref.kind))) {
    const turn = (await lookUpMemory(store, other.ref))?.turn
    if (!turn || turn === here.turn || byTurn.has(turn)) continue
    const strength = RELATION_STRENGTH.shares * Math.min(1, 0.5 + other.score)
    const side = other.at <= at ? 'before' : 'after'
    byTurn.set(turn, { ref: other.ref, from: here.shown, relation: 'shares', origin: listNames(other.names), side, strength })
  }
  return [...byTurn.values()]
}

/** Which memory represents a turn. */
const KIND_PREFERENCE = ['observation', 'prompt', 'summary', 'note', 'commit']

const listNames = (names: string[]) =>
  names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`

/** A weaker path means nothing. */
const MIN_PATH_STRENGTH = 0.2

/** Best-first search: always continues from the strongest memory reached so far. */
async function walkGraph(store: Store, ref: DocumentRef, side: TimeSide, limit: number): Promise<NeighbourStep[]> {
  const here = await lookUpMemory(store, ref)
  if (!here) return []
  type Reached = MemoryEdge & { distance: number }
  const reached = new Map<string, Reached>()
  const rarities: FileRarities = new Map()
  let open: { ref: DocumentRef; strength: number; distance: number }[] = [{ ref, strength: 1, distance: 0 }]
  for (let visited = 0; visited < MAX_MEMORIES_WALKED && open.length > 0; visited++) {
    const next = open.reduce((best, one) => (one.strength > best.strength ? one : best))
    open = open.filter((one) => one !== next)
    for (const edge of await weighFileEdges(store, await linkedEdges(store, next.ref, [side]), rarities)) {
      const step = { ...edge, strength: next.strength * edge.strength, distance: next.distance + 1 }
      const before = reached.get(refKey(edge.ref))
      if (step.strength < MIN_PATH_STRENGTH || refKey(edge.ref) === refKey(ref) || (before && before.strength >= step.strength)) continue
      // A turn's summary repeats its observations.
      if (edge.ref.kind === 'summary') continue
      reached.set(refKey(edge.ref), step)
      if (step.distance < 3) open.push(step)
    }
  }
  return (await strongestNeighbours(store, [...reached.values()], here, limit)).map((neighbour) => {
    const step = reached.get(refKey(neighbour))
    return { ...neighbour, distance: step?.distance ?? 1, via: step?.from ?? ref }
  })
}

type EdgeLookup = (ref: DocumentRef) => Promise<MemoryEdge[]>

/** Breadth-first from both ends. The smaller frontier grows next, so that hubs are reached late. */
async function searchPath(
  a: DocumentRef,
  b: DocumentRef,
  maxDepth: number,
  edgesOf: EdgeLookup,
  maxVisited: number,
): Promise<Map<string, MemoryEdge> | null> {
  const fromStart = new Map<string, MemoryEdge | null>([[refKey(a), null]])
  const fromEnd = new Map<string, MemoryEdge | null>([[refKey(b), null]])
  let [front, rear] = [[a], [b]]
  let visited = 0
  for (let depth = 0; depth < maxDepth && front.length > 0 && rear.length > 0; depth++) {
    const isFront = front.length <= rear.length
    const [seen, other] = isFront ? [fromStart, fromEnd] : [fromEnd, fromStart]
    const reached: DocumentRef[] = []
    for (const ref of isFront ? front : rear) {
      if (visited++ >= maxVisited) return null
      for (const edge of await edgesOf(ref)) {
        const key = refKey(edge.ref)
        if (seen.has(key)) continue
        seen.set(key, { ...edge, from: ref })
        reached.push(edge.ref)
        if (other.has(key)) return joinPaths(fromStart, fromEnd, key)
      }
    }
    if (isFront) front = reached
    else rear = reached
  }
  return null
}

/** The steps from the start to the meeting point, then those of the other half, reversed. */
function joinPaths(
  fromStart: Map<string, MemoryEdge | null>,
  fromEnd: Map<string, MemoryEdge | null>,
  meeting: string,
): Map<string, MemoryEdge> {
  const edgeTo = new Map<string, MemoryEdge>()
  for (let edge = fromStart.get(meeting); edge; edge = fromStart.get(refKey(edge.from))) edgeTo.set(refKey(edge.ref), edge)
  for (let edge = fromEnd.get(meeting); edge; edge = fromEnd.get(refKey(edge.from))) {
    const side = edge.side === 'before' ? 'after' : 'before'
    edgeTo.set(refKey(edge.from), { ...edge, ref: edge.from, from: edge.ref, side })
  }
  return edgeTo
}

/** The edges as neighbours with their titles: each memory once, by its strongest edge; the nearest in time first among equals. */
async function strongestNeighbours(store: Store, edges: MemoryEdge[], here: LocatedMemory, limit: number): Promise<Neighbour[]> {
  const found = new Map<string, LocatedMemory & { edge: MemoryEdge }>()
  for (const edge of edges.sort((a, b) => b.strength - a.strength).slice(0, 4 * limit)) {
    const memory = await lookUpMemory(store, edge.ref)
    // A linked turn needs no second line about shared names.
    const isKnown =
      found.has(refKey(edge.ref)) || (edge.relation === 'shares' && [...found.values()].some(({ turn }) => turn === memory?.turn))
    if (memory && !isKnown) found.set(refKey(edge.ref), { ...memory, edge })
  }
  const distanceInTime = ({ shown }: LocatedMemory) => Math.abs(shown.at - here.shown.at)
  return [...found.values()]
    .sort((a, b) => b.edge.strength - a.edge.strength || distanceInTime(a) - distanceInTime(b))
    .slice(0, limit)
    .map(({ shown, edge: { relation, origin, side } }) => ({ ...shown, relation, origin, side }))
}

/** A note belongs to no turn and outlives its session, so its `turn` is its own key. */
type LocatedMemory = { shown: MemoryNode; turn: string; sessionId: number | null }

/** Titles are the same as in search. */
async function lookUpMemory(store: Store, ref: DocumentRef): Promise<LocatedMemory | null> {
  const location = await store.documents.locationOf(ref.kind, ref.ref)
  const hit = location && (await describeHit(store, location))
  if (!hit) return null
  const { type, title, project, at, sessionId } = hit
  const turn = location.turn === null ? refKey(ref) : turnKey(sessionId, location.turn)
  return { shown: { kind: ref.kind, ref: ref.ref, type, title, project, sessionId, at }, turn, sessionId }
}

const turnKey = (sessionId: number | null, number: number) => `${sessionId}:${number}`
const refOf = (kind: DocumentRef['kind'], id: number): DocumentRef => ({ kind, ref: String(id) })
const refKey = (ref: DocumentRef) => `${ref.kind}:${ref.ref}`
