/**
 * The graph of memories: what lies next to one, how two hang together, what led to one and what came of it. Every edge says where it came
 * from. Each question looks at a bounded part of the graph, however large the rest is.
 */
import { isRedacted } from '../core/entities.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Observation } from '../core/memory.ts'
import { firstLine } from '../core/text.ts'
import type { DocumentRef, Link, LinkRelation, Store, TimeSide } from '../store/store.ts'
import { describeHit } from './search.ts'

/** What a list shows of a memory. */
export type MemoryNode = DocumentRef & { type: string; title: string; project: ProjectKey; at: number }

/** What came of the same prompt or session, or names the same things, is near too, though nothing links it directly. */
export type NeighbourRelation = LinkRelation | 'same-turn' | 'same-session' | 'shares'

export type Neighbour = MemoryNode & {
  relation: NeighbourRelation
  /** In words: the files, the command, the commit, the names that both hold. */
  origin: string
  /** On which side in time it lies. */
  side: TimeSide
}

/** The memory of this name, as a list shows it. */
export async function findMemoryNode(store: Store, ref: DocumentRef): Promise<MemoryNode | null> {
  return (await lookUpMemory(store, ref))?.shown ?? null
}

/** What lies around a memory, the strongest ties first; each neighbour once, by its strongest tie. */
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
  /** How many links lie between it and the memory that was asked about. */
  distance: number
  /** The memory through which it was reached: the one asked about, or an earlier line of the answer. */
  via: DocumentRef
}

/** What led to a memory: the failure it put right, the prompt that asked for it, earlier work on the same files and what it names. */
export const causesOf = (store: Store, ref: DocumentRef, limit = 12): Promise<NeighbourStep[]> => walkGraph(store, ref, 'before', limit)

/** What came of a memory: what it asked for, what fixed it, later work on the same files, who names it. */
export const effectsOf = (store: Store, ref: DocumentRef, limit = 12): Promise<NeighbourStep[]> => walkGraph(store, ref, 'after', limit)

/** How two memories hang together: the shortest way from one to the other, each step with the edge that leads to it. Null when none is near. */
export async function pathBetween(store: Store, a: DocumentRef, b: DocumentRef, maxDepth = 8): Promise<(MemoryNode | Neighbour)[] | null> {
  const [start, end] = [await lookUpMemory(store, a), await lookUpMemory(store, b)]
  // No link leaves a project.
  if (!start || !end || start.shown.project !== end.shown.project) return null
  if (refKey(a) === refKey(b)) return [start.shown]
  // Links first; what only names the same things is asked when they do not lead there.
  const byNames: EdgeLookup = async (ref) => {
    const looked = await lookUpMemory(store, ref)
    return [...(await linkedEdges(store, ref)), ...(looked ? await sharedNameEdges(store, looked) : [])]
  }
  const cameBy =
    (await searchPath(a, b, maxDepth, (ref) => linkedEdges(store, ref), MAX_MEMORIES_SEARCHED)) ??
    (await searchPath(a, b, maxDepth, byNames, MAX_MEMORIES_WALKED / 2))
  if (!cameBy) return null
  const way: (MemoryNode | Neighbour)[] = []
  for (let key = refKey(b); key !== refKey(a); ) {
    const edge = cameBy.get(key)
    const memory = edge && (await lookUpMemory(store, edge.ref))
    if (!edge || !memory) return null
    way.unshift({ ...memory.shown, relation: edge.relation, origin: edge.origin, side: edge.side })
    key = refKey(edge.from)
  }
  return [start.shown, ...way]
}

/** How many links of one memory are looked at. Few have more. */
const MAX_EDGES_PER_MEMORY = 40
/** How many memories a question may visit. */
const MAX_MEMORIES_WALKED = 60
const MAX_MEMORIES_SEARCHED = 600

type MemoryEdge = { ref: DocumentRef; from: DocumentRef; relation: NeighbourRelation; origin: string; side: TimeSide; strength: number }

/** How much a tie tells. Walking along several, their strengths multiply. */
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

/** Ties by files are as strong as the rarest file that both touched is rare: what every session touches led to nothing. */
async function weighFileEdges(store: Store, edges: MemoryEdge[], known: FileRarities = new Map()): Promise<MemoryEdge[]> {
  const ids = edges.filter(isByFile).flatMap(({ ref, from }) => [Number(ref.ref), Number(from.ref)])
  if (ids.length === 0) return edges
  const touched = new Map((await store.observations.get(ids)).map((o) => [String(o.id), o]))
  const rarity = async (project: ProjectKey, path: string) => {
    const rare = known.get(path) ?? rarityOf(await store.links.countSessionsTouching(project, path))
    known.set(path, rare)
    return rare
  }
  const weigh = async (edge: MemoryEdge) => {
    const [a, b] = [touched.get(edge.from.ref), touched.get(edge.ref.ref)]
    if (!isByFile(edge) || !a || !b) return edge
    const theirs = new Set(filesOf(b))
    const rarities = await Promise.all(
      filesOf(a)
        .filter((path) => theirs.has(path))
        .map((path) => rarity(a.project, path)),
    )
    return rarities.length > 0 ? { ...edge, strength: edge.strength * Math.max(...rarities) } : edge
  }
  return Promise.all(edges.map(weigh))
}

const filesOf = ({ filesModified, filesRead }: Observation) => [...filesModified, ...filesRead].filter((path) => !isRedacted(path))

/** How much a file tells: all that it can while few sessions touched it, and next to nothing past twice as many. */
function rarityOf({ touched, sessions }: { touched: number; sessions: number }): number {
  const few = Math.max(3, sessions / 20)
  return Math.min(1, (few / touched) ** 2)
}

function edgeOf(link: Link, side: TimeSide): MemoryEdge {
  const [from, ref] = side === 'before' ? [link.to, link.from] : [link.from, link.to]
  return { ref, from, relation: link.relation, origin: link.origin, side, strength: RELATION_STRENGTH[link.relation] }
}

/** The other observations that came of the same prompt. */
async function sameTurnEdges(store: Store, { shown }: LocatedMemory, links: MemoryEdge[]): Promise<MemoryEdge[]> {
  const asked = links.find(({ relation, side }) => relation === 'asked' && side === 'before')
  const made = asked ? await linkedEdges(store, asked.ref, ['after']) : []
  return made
    .filter(({ relation, ref }) => relation === 'asked' && ref.kind === 'observation' && refKey(ref) !== refKey(shown))
    .map((edge) => {
      // Observations of a turn are numbered as they were made; its summary comes after them all.
      const side = shown.kind === 'observation' && Number(edge.ref.ref) > Number(shown.ref) ? 'after' : 'before'
      return { ...edge, from: shown, relation: 'same-turn', side, strength: RELATION_STRENGTH['same-turn'] }
    })
}

/** Observations of other turns of the session, the nearest in time. */
async function sameSessionEdges(store: Store, { shown, turn, sessionId }: LocatedMemory): Promise<MemoryEdge[]> {
  if (sessionId === null) return []
  const mates = (await store.observations.ofSession(sessionId, MAX_MEMORIES_SEARCHED)).filter(
    (o) => turnKey(o.sessionId, o.promptNumber) !== turn,
  )
  const title = (await store.sessions.get(sessionId))?.title
  return mates
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

/** What more memories name than this is no sign of kinship. */
const MAX_MEMORIES_PER_SHARED_NAME = 24

/** Memories of other turns that name the same rare things, one for each turn: the others would say the same names again. */
async function sharedNameEdges(store: Store, here: LocatedMemory): Promise<MemoryEdge[]> {
  const { project, at } = here.shown
  const near = new Map<string, { ref: DocumentRef; at: number; names: string[]; score: number }>()
  for (const entity of (await store.links.entitiesOf(here.shown)).filter(({ kind }) => kind !== 'command')) {
    const naming = await store.links.mentionsOf(entity, project, 'before', Number.MAX_SAFE_INTEGER, MAX_MEMORIES_PER_SHARED_NAME + 1)
    if (naming.length > MAX_MEMORIES_PER_SHARED_NAME) continue
    for (const other of naming) {
      const known = near.get(refKey(other)) ?? { ref: { kind: other.kind, ref: other.ref }, at: other.at, names: [], score: 0 }
      known.names.push(entity.name)
      known.score += 1 / naming.length
      near.set(refKey(other), known)
    }
  }
  const best = [...near.values()].sort((a, b) => b.score - a.score || b.at - a.at).slice(0, MAX_EDGES_PER_MEMORY)
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

/** Which memory of a turn speaks for it. */
const KIND_PREFERENCE = ['observation', 'prompt', 'summary', 'note']

const listNames = (names: string[]) =>
  names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`

/** Ties weaker than this, all along the way, tell nothing any more. */
const MIN_PATH_STRENGTH = 0.2

/** Best first: of all that has been reached, what is tied strongest is looked at next. */
async function walkGraph(store: Store, ref: DocumentRef, side: TimeSide, limit: number): Promise<NeighbourStep[]> {
  const here = await lookUpMemory(store, ref)
  if (!here) return []
  type Reached = MemoryEdge & { distance: number }
  const reached = new Map<string, Reached>()
  const known: FileRarities = new Map()
  let open: { ref: DocumentRef; strength: number; distance: number }[] = [{ ref, strength: 1, distance: 0 }]
  for (let looked = 0; looked < MAX_MEMORIES_WALKED && open.length > 0; looked++) {
    const next = open.reduce((best, one) => (one.strength > best.strength ? one : best))
    open = open.filter((one) => one !== next)
    for (const edge of await weighFileEdges(store, await linkedEdges(store, next.ref, [side]), known)) {
      const step = { ...edge, strength: next.strength * edge.strength, distance: next.distance + 1 }
      const before = reached.get(refKey(edge.ref))
      if (step.strength < MIN_PATH_STRENGTH || refKey(edge.ref) === refKey(ref) || (before && before.strength >= step.strength)) continue
      // A turn's summary says again what its observations say.
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

/** Breadth first from both ends, the smaller circle growing next, so that hubs are met late. */
async function searchPath(
  a: DocumentRef,
  b: DocumentRef,
  maxDepth: number,
  edgesOf: EdgeLookup,
  most: number,
): Promise<Map<string, MemoryEdge> | null> {
  const [there, back] = [new Map<string, MemoryEdge | null>([[refKey(a), null]]), new Map<string, MemoryEdge | null>([[refKey(b), null]])]
  let [front, rear] = [[a], [b]]
  let looked = 0
  for (let depth = 0; depth < maxDepth && front.length > 0 && rear.length > 0; depth++) {
    const isFront = front.length <= rear.length
    const [seen, other] = isFront ? [there, back] : [back, there]
    const reached: DocumentRef[] = []
    for (const ref of isFront ? front : rear) {
      if (looked++ >= most) return null
      for (const edge of await edgesOf(ref)) {
        const key = refKey(edge.ref)
        if (seen.has(key)) continue
        seen.set(key, { ...edge, from: ref })
        reached.push(edge.ref)
        if (other.has(key)) return joinPaths(there, back, key)
      }
    }
    if (isFront) front = reached
    else rear = reached
  }
  return null
}

/** The steps from the start to the meeting, and from there on the other half's, turned round. */
function joinPaths(there: Map<string, MemoryEdge | null>, back: Map<string, MemoryEdge | null>, meeting: string): Map<string, MemoryEdge> {
  const way = new Map<string, MemoryEdge>()
  for (let edge = there.get(meeting); edge; edge = there.get(refKey(edge.from))) way.set(refKey(edge.ref), edge)
  for (let edge = back.get(meeting); edge; edge = back.get(refKey(edge.from))) {
    const side = edge.side === 'before' ? 'after' : 'before'
    way.set(refKey(edge.from), { ...edge, ref: edge.from, from: edge.ref, side })
  }
  return way
}

/** The edges as a person reads them: each memory once, by its strongest tie, with its title; among equals the nearest in time first. */
async function strongestNeighbours(store: Store, edges: MemoryEdge[], here: LocatedMemory, limit: number): Promise<Neighbour[]> {
  const found = new Map<string, LocatedMemory & { edge: MemoryEdge }>()
  for (const edge of edges.sort((a, b) => b.strength - a.strength).slice(0, 4 * limit)) {
    const memory = await lookUpMemory(store, edge.ref)
    // What is linked needs no second line for its turn, saying that it names the same.
    const isKnown =
      found.has(refKey(edge.ref)) || (edge.relation === 'shares' && [...found.values()].some(({ turn }) => turn === memory?.turn))
    if (memory && !isKnown) found.set(refKey(edge.ref), { ...memory, edge })
  }
  const away = ({ shown }: LocatedMemory) => Math.abs(shown.at - here.shown.at)
  return [...found.values()]
    .sort((a, b) => b.edge.strength - a.edge.strength || away(a) - away(b))
    .slice(0, limit)
    .map(({ shown, edge: { relation, origin, side } }) => ({ ...shown, relation, origin, side }))
}

/** A note stands for itself: it belongs to no turn and outlives its session. */
type LocatedMemory = { shown: MemoryNode; turn: string; sessionId: number | null }

/** A memory is called here as search calls it. */
async function lookUpMemory(store: Store, ref: DocumentRef): Promise<LocatedMemory | null> {
  const place = await store.documents.locationOf(ref.kind, ref.ref)
  const hit = place && (await describeHit(store, place))
  if (!hit) return null
  const { type, title, project, at, sessionId } = hit
  const turn = place.turn === null ? refKey(ref) : turnKey(sessionId, place.turn)
  return { shown: { kind: ref.kind, ref: ref.ref, type, title, project, at }, turn, sessionId }
}

const turnKey = (sessionId: number | null, number: number) => `${sessionId}:${number}`
const refOf = (kind: DocumentRef['kind'], id: number): DocumentRef => ({ kind, ref: String(id) })
const refKey = (ref: DocumentRef) => `${ref.kind}:${ref.ref}`
