/**
 * The graph of memories: what lies next to one, how two hang together, what led to one and what came of it. Every edge says where it came
 * from. Each question looks at a bounded part of the graph, however large the rest is.
 */
import { isHidden } from '../core/entities.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Observation } from '../core/memory.ts'
import { firstLine } from '../core/text.ts'
import type { Link, Ref, Relation, Side, Store } from '../store/store.ts'
import { describe } from './search.ts'

/** What a list shows of a memory. */
export type Memory = Ref & { type: string; title: string; project: ProjectKey; at: number }

/** What came of the same prompt or session, or names the same things, is near too, though nothing links it directly. */
export type Tie = Relation | 'same-turn' | 'same-session' | 'shares'

export type Neighbour = Memory & {
  relation: Tie
  /** In words: the files, the command, the commit, the names that both hold. */
  origin: string
  /** On which side in time it lies. */
  side: Side
}

/** The memory of this name, as a list shows it. */
export async function memoryAt(store: Store, ref: Ref): Promise<Memory | null> {
  return (await lookUp(store, ref))?.shown ?? null
}

/** What lies around a memory, the strongest ties first; each neighbour once, by its strongest tie. */
export async function neighbours(store: Store, ref: Ref, limit: number): Promise<Neighbour[]> {
  const here = await lookUp(store, ref)
  if (!here) return []
  const links = await weighed(store, await linked(store, ref))
  const near = [...(await siblings(store, here, links)), ...(await sharing(store, here)), ...(await sessionMates(store, here))]
  return shown(store, [...links, ...near], here, limit)
}

export type Step = Neighbour & {
  /** How many links lie between it and the memory that was asked about. */
  distance: number
  /** The memory through which it was reached: the one asked about, or an earlier line of the answer. */
  via: Ref
}

/** What led to a memory: the failure it put right, the prompt that asked for it, earlier work on the same files and what it names. */
export const causesOf = (store: Store, ref: Ref, limit = 12): Promise<Step[]> => walk(store, ref, 'before', limit)

/** What came of a memory: what it asked for, what fixed it, later work on the same files, who names it. */
export const effectsOf = (store: Store, ref: Ref, limit = 12): Promise<Step[]> => walk(store, ref, 'after', limit)

/** How two memories hang together: the shortest way from one to the other, each step with the edge that leads to it. Null when none is near. */
export async function pathBetween(store: Store, a: Ref, b: Ref, maxDepth = 8): Promise<(Memory | Neighbour)[] | null> {
  const [start, end] = [await lookUp(store, a), await lookUp(store, b)]
  // No link leaves a project.
  if (!start || !end || start.shown.project !== end.shown.project) return null
  if (keyOf(a) === keyOf(b)) return [start.shown]
  // Links first; what only names the same things is asked when they do not lead there.
  const byNames: Edges = async (ref) => {
    const looked = await lookUp(store, ref)
    return [...(await linked(store, ref)), ...(looked ? await sharing(store, looked) : [])]
  }
  const cameBy =
    (await search(a, b, maxDepth, (ref) => linked(store, ref), MOST_SEARCHED)) ?? (await search(a, b, maxDepth, byNames, MOST_WALKED / 2))
  if (!cameBy) return null
  const way: (Memory | Neighbour)[] = []
  for (let key = keyOf(b); key !== keyOf(a); ) {
    const edge = cameBy.get(key)
    const memory = edge && (await lookUp(store, edge.ref))
    if (!edge || !memory) return null
    way.unshift({ ...memory.shown, relation: edge.relation, origin: edge.origin, side: edge.side })
    key = keyOf(edge.from)
  }
  return [start.shown, ...way]
}

/** How many links of one memory are looked at. Few have more. */
const FAN = 40
/** How many memories a question may visit. */
const MOST_WALKED = 60
const MOST_SEARCHED = 600

type Edge = { ref: Ref; from: Ref; relation: Tie; origin: string; side: Side; strength: number }

/** How much a tie tells. Walking along several, their strengths multiply. */
const STRENGTH: Record<Tie, number> = {
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

async function linked(store: Store, ref: Ref, sides: Side[] = ['before', 'after']): Promise<Edge[]> {
  const links = await Promise.all(sides.map(async (side) => (await store.links.of(ref, side, FAN)).map((link) => edgeOf(link, side))))
  return links.flat().filter((edge) => !isByFile(edge) || !edge.origin.split(', ').every(isHidden))
}

const isByFile = ({ relation }: Edge) => relation === 'co-changed' || relation === 'same-file'

type Rarities = Map<string, number>

/** Ties by files are as strong as the rarest file that both touched is rare: what every session touches led to nothing. */
async function weighed(store: Store, edges: Edge[], known: Rarities = new Map()): Promise<Edge[]> {
  const ids = edges.filter(isByFile).flatMap(({ ref, from }) => [Number(ref.ref), Number(from.ref)])
  if (ids.length === 0) return edges
  const touched = new Map((await store.observations.get(ids)).map((o) => [String(o.id), o]))
  const rarity = async (project: ProjectKey, path: string) => {
    const rare = known.get(path) ?? rarityOf(await store.links.touchedBy(project, path))
    known.set(path, rare)
    return rare
  }
  const weigh = async (edge: Edge) => {
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

const filesOf = ({ filesModified, filesRead }: Observation) => [...filesModified, ...filesRead].filter((path) => !isHidden(path))

/** How much a file tells: all that it can while few sessions touched it, and next to nothing past twice as many. */
function rarityOf({ touched, sessions }: { touched: number; sessions: number }): number {
  const few = Math.max(3, sessions / 20)
  return Math.min(1, (few / touched) ** 2)
}

function edgeOf(link: Link, side: Side): Edge {
  const [from, ref] = side === 'before' ? [link.to, link.from] : [link.from, link.to]
  return { ref, from, relation: link.relation, origin: link.origin, side, strength: STRENGTH[link.relation] }
}

/** The other observations that came of the same prompt. */
async function siblings(store: Store, { shown }: Looked, links: Edge[]): Promise<Edge[]> {
  const asked = links.find(({ relation, side }) => relation === 'asked' && side === 'before')
  const made = asked ? await linked(store, asked.ref, ['after']) : []
  return made
    .filter(({ relation, ref }) => relation === 'asked' && ref.kind === 'observation' && keyOf(ref) !== keyOf(shown))
    .map((edge) => {
      // Observations of a turn are numbered as they were made; its summary comes after them all.
      const side = shown.kind === 'observation' && Number(edge.ref.ref) > Number(shown.ref) ? 'after' : 'before'
      return { ...edge, from: shown, relation: 'same-turn', side, strength: STRENGTH['same-turn'] }
    })
}

/** Observations of other turns of the session, the nearest in time. */
async function sessionMates(store: Store, { shown, turn, sessionId }: Looked): Promise<Edge[]> {
  if (sessionId === null) return []
  const mates = (await store.observations.ofSession(sessionId, MOST_SEARCHED)).filter((o) => turnOf(o.sessionId, o.promptNumber) !== turn)
  const title = (await store.sessions.get(sessionId))?.title
  return mates
    .sort((a, b) => Math.abs(a.at - shown.at) - Math.abs(b.at - shown.at))
    .slice(0, FAN)
    .map((o) => ({
      ref: refOf('observation', o.id),
      from: shown,
      relation: 'same-session',
      origin: title ? `session “${firstLine(title, 60)}”` : `session ${sessionId}`,
      side: o.at <= shown.at ? 'before' : 'after',
      strength: STRENGTH['same-session'],
    }))
}

/** What more memories name than this is no sign of kinship. */
const COMMON = 24

/** Memories of other turns that name the same rare things, one for each turn: the others would say the same names again. */
async function sharing(store: Store, here: Looked): Promise<Edge[]> {
  const { project, at } = here.shown
  const near = new Map<string, { ref: Ref; at: number; names: string[]; score: number }>()
  for (const entity of (await store.links.entitiesOf(here.shown)).filter(({ kind }) => kind !== 'command')) {
    const naming = await store.links.naming(entity, project, 'before', Number.MAX_SAFE_INTEGER, COMMON + 1)
    if (naming.length > COMMON) continue
    for (const other of naming) {
      const known = near.get(keyOf(other)) ?? { ref: { kind: other.kind, ref: other.ref }, at: other.at, names: [], score: 0 }
      known.names.push(entity.name)
      known.score += 1 / naming.length
      near.set(keyOf(other), known)
    }
  }
  const best = [...near.values()].sort((a, b) => b.score - a.score || b.at - a.at).slice(0, FAN)
  const byTurn = new Map<string, Edge>()
  for (const other of best.sort((a, b) => SPEAKS.indexOf(a.ref.kind) - SPEAKS.indexOf(b.ref.kind))) {
    const turn = (await lookUp(store, other.ref))?.turn
    if (!turn || turn === here.turn || byTurn.has(turn)) continue
    const strength = STRENGTH.shares * Math.min(1, 0.5 + other.score)
    const side = other.at <= at ? 'before' : 'after'
    byTurn.set(turn, { ref: other.ref, from: here.shown, relation: 'shares', origin: some(other.names), side, strength })
  }
  return [...byTurn.values()]
}

/** Which memory of a turn speaks for it. */
const SPEAKS = ['observation', 'prompt', 'summary', 'note']

const some = (names: string[]) => (names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`)

/** Ties weaker than this, all along the way, tell nothing any more. */
const FAINT = 0.2

/** Best first: of all that has been reached, what is tied strongest is looked at next. */
async function walk(store: Store, ref: Ref, side: Side, limit: number): Promise<Step[]> {
  const here = await lookUp(store, ref)
  if (!here) return []
  type Reached = Edge & { distance: number }
  const reached = new Map<string, Reached>()
  const known: Rarities = new Map()
  let open: { ref: Ref; strength: number; distance: number }[] = [{ ref, strength: 1, distance: 0 }]
  for (let looked = 0; looked < MOST_WALKED && open.length > 0; looked++) {
    const next = open.reduce((best, one) => (one.strength > best.strength ? one : best))
    open = open.filter((one) => one !== next)
    for (const edge of await weighed(store, await linked(store, next.ref, [side]), known)) {
      const step = { ...edge, strength: next.strength * edge.strength, distance: next.distance + 1 }
      const before = reached.get(keyOf(edge.ref))
      if (step.strength < FAINT || keyOf(edge.ref) === keyOf(ref) || (before && before.strength >= step.strength)) continue
      // A turn's summary says again what its observations say.
      if (edge.ref.kind === 'summary') continue
      reached.set(keyOf(edge.ref), step)
      if (step.distance < 3) open.push(step)
    }
  }
  return (await shown(store, [...reached.values()], here, limit)).map((neighbour) => {
    const step = reached.get(keyOf(neighbour))
    return { ...neighbour, distance: step?.distance ?? 1, via: step?.from ?? ref }
  })
}

type Edges = (ref: Ref) => Promise<Edge[]>

/** Breadth first from both ends, the smaller circle growing next, so that hubs are met late. */
async function search(a: Ref, b: Ref, maxDepth: number, edgesOf: Edges, most: number): Promise<Map<string, Edge> | null> {
  const [there, back] = [new Map<string, Edge | null>([[keyOf(a), null]]), new Map<string, Edge | null>([[keyOf(b), null]])]
  let [front, rear] = [[a], [b]]
  let looked = 0
  for (let depth = 0; depth < maxDepth && front.length > 0 && rear.length > 0; depth++) {
    const isFront = front.length <= rear.length
    const [seen, other] = isFront ? [there, back] : [back, there]
    const reached: Ref[] = []
    for (const ref of isFront ? front : rear) {
      if (looked++ >= most) return null
      for (const edge of await edgesOf(ref)) {
        const key = keyOf(edge.ref)
        if (seen.has(key)) continue
        seen.set(key, { ...edge, from: ref })
        reached.push(edge.ref)
        if (other.has(key)) return joined(there, back, key)
      }
    }
    if (isFront) front = reached
    else rear = reached
  }
  return null
}

/** The steps from the start to the meeting, and from there on the other half's, turned round. */
function joined(there: Map<string, Edge | null>, back: Map<string, Edge | null>, meeting: string): Map<string, Edge> {
  const way = new Map<string, Edge>()
  for (let edge = there.get(meeting); edge; edge = there.get(keyOf(edge.from))) way.set(keyOf(edge.ref), edge)
  for (let edge = back.get(meeting); edge; edge = back.get(keyOf(edge.from))) {
    const side = edge.side === 'before' ? 'after' : 'before'
    way.set(keyOf(edge.from), { ...edge, ref: edge.from, from: edge.ref, side })
  }
  return way
}

/** The edges as a person reads them: each memory once, by its strongest tie, with its title; among equals the nearest in time first. */
async function shown(store: Store, edges: Edge[], here: Looked, limit: number): Promise<Neighbour[]> {
  const found = new Map<string, Looked & { edge: Edge }>()
  for (const edge of edges.sort((a, b) => b.strength - a.strength).slice(0, 4 * limit)) {
    const memory = await lookUp(store, edge.ref)
    // What is linked needs no second line for its turn, saying that it names the same.
    const isKnown =
      found.has(keyOf(edge.ref)) || (edge.relation === 'shares' && [...found.values()].some(({ turn }) => turn === memory?.turn))
    if (memory && !isKnown) found.set(keyOf(edge.ref), { ...memory, edge })
  }
  const away = ({ shown }: Looked) => Math.abs(shown.at - here.shown.at)
  return [...found.values()]
    .sort((a, b) => b.edge.strength - a.edge.strength || away(a) - away(b))
    .slice(0, limit)
    .map(({ shown, edge: { relation, origin, side } }) => ({ ...shown, relation, origin, side }))
}

/** A note stands for itself: it belongs to no turn and outlives its session. */
type Looked = { shown: Memory; turn: string; sessionId: number | null }

/** A memory is called here as search calls it. */
async function lookUp(store: Store, ref: Ref): Promise<Looked | null> {
  const place = await store.documents.placeOf(ref.kind, ref.ref)
  const hit = place && (await describe(store, place))
  if (!hit) return null
  const { type, title, project, at, sessionId } = hit
  const turn = place.turn === null ? keyOf(ref) : turnOf(sessionId, place.turn)
  return { shown: { kind: ref.kind, ref: ref.ref, type, title, project, at }, turn, sessionId }
}

const turnOf = (sessionId: number | null, number: number) => `${sessionId}:${number}`
const refOf = (kind: Ref['kind'], id: number): Ref => ({ kind, ref: String(id) })
const keyOf = (ref: Ref) => `${ref.kind}:${ref.ref}`
