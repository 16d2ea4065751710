import { type Entity, entitiesIn, isRedacted } from '../core/entities.ts'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { Observation, Prompt, Session, Summary } from '../core/memory.ts'
import { projectName } from '../core/project.ts'
import type { DocumentRef, Link, Store, TimeSide } from '../store/store.ts'
import { fixLinks } from './fix-links.ts'
import { abbreviateList } from './plain/lists.ts'
import { displayPath } from './plain/paths.ts'

const MAX_FILES_FOLLOWED = 12
/** Only the nearest observations in time are linked. */
const MAX_NEIGHBORS_PER_FILE = 3
/** File links per observation, for each direction in time. */
const MAX_FILE_LINKS_PER_SIDE = 4
/** Commits and issues followed per turn. */
const MAX_ENTITIES_FOLLOWED = 12
/** A turn has fewer memories than this, so a longer list always includes memories of other turns. */
const MAX_OWN_MEMORIES = 8

/**
 * Replaces the mentions and links of a turn's memories. It links to earlier and later turns, because a turn may be distilled again or
 * imported after later ones are stored. Call it inside a transaction.
 */
export async function linkTurn(store: Store, session: Session, prompt: Prompt): Promise<void> {
  const turn = await readTurnToLink(store, session, prompt)
  const mentioned = new Map<string, { entity: Entity; by: MemoryToLink }>()
  for (const memory of turn.memories) {
    const { ref, at, entities } = memory
    await store.links.clear(ref)
    await store.links.setMentions({ ...ref, project: session.project, at }, entities)
    // If several memories of the turn name an entity, the last observation gets the links, because people read observations.
    if (ref.kind !== 'summary') for (const entity of entities) mentioned.set(`${entity.kind} ${entity.name}`, { entity, by: memory })
  }
  const links = [
    ...promptLinks(turn),
    ...(await followLinks(store, turn)),
    ...(await fileLinks(store, turn)),
    ...(await fixLinks(store, session, prompt)),
    ...(await mentionLinks(store, turn, [...mentioned.values()])),
  ]
  await store.links.add(links)
}

type MemoryToLink = { ref: DocumentRef; at: number; entities: Entity[] }

type TurnToLink = {
  session: Session
  prompt: Prompt
  promptMemory: MemoryToLink
  observations: Observation[]
  /** The prompt, then the observations, then the summaries. */
  memories: MemoryToLink[]
  /** Keys of `memories`. */
  own: Set<string>
}

async function readTurnToLink(store: Store, session: Session, prompt: Prompt): Promise<TurnToLink> {
  const refs = await store.links.documentsOfTurn(session.id, prompt.number)
  const ids = (kind: DocumentRef['kind']) => refs.filter((ref) => ref.kind === kind).map((ref) => Number(ref.ref))
  const observations = await store.observations.get(ids('observation'))
  const summaries = (await Promise.all(ids('summary').map((id) => store.summaries.get(id)))).filter((s) => s !== null)
  const normalize = entityNormalizer(session, observations)
  // A prompt that the client wrote does not say what the turn is about; its answer does.
  const text = `${prompt.origin === 'person' ? prompt.text : ''}\n${prompt.answer ?? ''}`
  const promptMemory = { ref: refOf('prompt', prompt.id), at: prompt.at, entities: normalize(entitiesIn(text)) }
  const memories = [
    promptMemory,
    ...observations.map((o) => ({ ref: refOf('observation', o.id), at: o.at, entities: normalize(entitiesOf(o)) })),
    ...summaries.map((s) => ({ ref: refOf('summary', s.id), at: s.at, entities: normalize(entitiesIn(textOf(s))) })),
  ]
  return { session, prompt, promptMemory, observations, memories, own: new Set(memories.map(({ ref }) => keyOf(ref))) }
}

/** The files an observation touched are known for certain; other entities are read from its text. */
function entitiesOf(o: Observation): Entity[] {
  const files = filesOf(o).map((name): Entity => ({ kind: 'file', name }))
  return [...files, ...entitiesIn([o.title, o.subtitle, o.narrative, ...o.facts].join('\n'))].slice(0, 64)
}

const filesOf = (o: Observation) => [...new Set([...o.filesModified, ...o.filesRead])].filter((name) => !isRedacted(name))

function textOf(s: Summary): string {
  return [s.request, s.investigated, s.learned, s.completed, s.nextSteps, s.notes].join('\n')
}

/** Normalizes names for the project: paths relative to its folder, `auth.ts` as the one file with that name, its own issues by number. */
function entityNormalizer(session: Session, observations: Observation[]): (entities: Entity[]) => Entity[] {
  const files = [...new Set(observations.flatMap(filesOf))]
  const normalizePath = (name: string): string => {
    const path = displayPath(name, session.folder)
    const matches = files.includes(path) ? [] : files.filter((file) => file.endsWith(`/${path}`))
    return matches.length === 1 && matches[0] ? matches[0] : path
  }
  return (entities) => {
    const normalized = entities.map(({ kind, name }): Entity => {
      if (kind === 'file') return { kind, name: normalizePath(name) }
      return kind === 'issue' ? { kind, name: normalizeIssueName(name, session.project) } : { kind, name }
    })
    return [...new Map(normalized.map((entity) => [`${entity.kind} ${entity.name}`, entity])).values()]
  }
}

function normalizeIssueName(name: string, project: ProjectKey): string {
  const [repository = '', number] = name.split('#')
  if (repository === '' || number === undefined) return name
  const isOwn = project.includes('/') ? project.endsWith(`/${repository}`) : projectName(project) === projectName(asProjectKey(repository))
  return isOwn ? `#${number}` : name
}

/** From the prompt to the observations and summaries of its turn. */
function promptLinks({ promptMemory, memories, prompt }: TurnToLink): Link[] {
  const results = memories.filter((memory) => memory !== promptMemory)
  return results.map(({ ref, at }) => ({ from: promptMemory.ref, to: ref, relation: 'asked', origin: `turn ${prompt.number}`, at }))
}

/** From the memories of the previous turn to this prompt, and from this turn to the next prompt. */
async function followLinks(store: Store, { session, prompt, memories }: TurnToLink): Promise<Link[]> {
  const previous = await store.links.documentsOfTurn(session.id, prompt.number - 1)
  const next = await store.prompts.byNumber(session.id, prompt.number + 1)
  const follow = (refs: DocumentRef[], to: Prompt): Link[] => {
    const origin = `turn ${to.number} after turn ${to.number - 1}`
    const sources = refs.filter((ref) => ref.kind !== 'summary')
    return sources.map((from) => ({ from, to: refOf('prompt', to.id), relation: 'follows', origin, at: to.at }))
  }
  const current = memories.map(({ ref }) => ref)
  return [...follow(previous, prompt), ...(next ? follow(current, next) : [])]
}

type SharedFileTie = { id: number; at: number; both: string[]; other: string[] }

/** To observations of the project that touched the same files. More shared files come first, then the nearest in time. */
async function fileLinks(store: Store, { session, observations }: TurnToLink): Promise<Link[]> {
  const own = new Set(observations.map((o) => o.id))
  const links: Link[] = []
  for (const o of observations) {
    for (const side of ['before', 'after'] as const) {
      const ties = await findFileTies(store, session.project, o, side, own)
      const nearest = ties.sort(
        (a, b) => b.both.length - a.both.length || b.other.length - a.other.length || distance(o, a) - distance(o, b),
      )
      for (const tie of nearest.slice(0, MAX_FILE_LINKS_PER_SIDE)) links.push(fileLink(o, tie, side))
    }
  }
  return links
}

async function findFileTies(store: Store, project: ProjectKey, o: Observation, side: TimeSide, own: Set<number>): Promise<SharedFileTie[]> {
  const modified = new Set(o.filesModified)
  const ties = new Map<number, SharedFileTie>()
  for (const path of filesOf(o).slice(0, MAX_FILES_FOLLOWED)) {
    const touches = (await store.links.fileTouches(project, path, side, o, MAX_NEIGHBORS_PER_FILE + MAX_OWN_MEMORIES)).filter(
      (t) => !own.has(t.observation),
    )
    for (const touch of touches.slice(0, MAX_NEIGHBORS_PER_FILE)) {
      const tie = ties.get(touch.observation) ?? { id: touch.observation, at: touch.at, both: [], other: [] }
      ties.set(touch.observation, tie)
      ;(touch.modified && modified.has(path) ? tie.both : tie.other).push(path)
    }
  }
  return [...ties.values()]
}

function fileLink(o: Observation, { id, at, both, other }: SharedFileTie, side: TimeSide): Link {
  const relation = both.length > 0 ? 'co-changed' : 'same-file'
  const origin = abbreviateList(both.length > 0 ? both : other, 3)
  return linkBetween({ ref: refOf('observation', o.id), at: o.at }, { ref: refOf('observation', id), at }, side, relation, origin)
}

const distance = (a: { at: number }, b: { at: number }) => Math.abs(a.at - b.at)

/** Links a memory that names a commit or issue to the nearest earlier and later ones that name it; for a commit, to the first one. */
async function mentionLinks(store: Store, turn: TurnToLink, mentioned: { entity: Entity; by: MemoryToLink }[]): Promise<Link[]> {
  const links: Link[] = []
  const isElsewhere = (mention: DocumentRef) => mention.kind !== 'summary' && !turn.own.has(keyOf(mention))
  for (const { entity, by } of mentioned
    .filter(({ entity: { kind } }) => kind === 'commit' || kind === 'issue')
    .slice(0, MAX_ENTITIES_FOLLOWED)) {
    const project = turn.session.project
    const [first] = entity.kind === 'commit' ? await store.links.mentionsOf(entity, project, 'after', 0, 1) : []
    for (const side of ['before', 'after'] as const) {
      const near = (await store.links.mentionsOf(entity, project, side, by.at, 2 * MAX_OWN_MEMORIES)).filter(isElsewhere)
      const origin = side === 'before' && first && isElsewhere(first) && first.at <= by.at ? first : undefined
      const other = origin ?? near[0]
      if (other)
        links.push(
          linkBetween(by, { ref: { kind: other.kind, ref: other.ref }, at: other.at }, side, 'mentions', `${entity.kind} ${entity.name}`),
        )
    }
  }
  return links
}

/** Links a memory of this turn with an earlier or later one. A link always points forward in time. */
function linkBetween(
  mine: { ref: DocumentRef; at: number },
  other: { ref: DocumentRef; at: number },
  side: TimeSide,
  relation: Link['relation'],
  origin: string,
): Link {
  const [from, to] = side === 'before' ? [other, mine] : [mine, other]
  return { from: from.ref, to: to.ref, relation, origin, at: to.at }
}

const refOf = (kind: DocumentRef['kind'], id: number): DocumentRef => ({ kind, ref: String(id) })
const keyOf = (ref: DocumentRef) => `${ref.kind}:${ref.ref}`
