import { type Entity, entitiesIn, isRedacted } from '../core/entities.ts'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { Observation, Prompt, Session, Summary } from '../core/memory.ts'
import { projectName } from '../core/project.ts'
import type { DocumentRef, Link, Store, TimeSide } from '../store/store.ts'
import { fixLinks } from './fix-links.ts'
import { abbreviateList } from './plain/lists.ts'
import { displayPath } from './plain/paths.ts'

/** How many of an observation's files are followed, and how far each leads: the nearest in time tell most. */
const MAX_FILES_FOLLOWED = 12
const MAX_NEIGHBORS_PER_FILE = 3
/** The most observations one is tied to by files, on each side. */
const MAX_FILE_LINKS_PER_SIDE = 4
/** The most commits and issues of a turn that are followed. */
const MAX_ENTITIES_FOLLOWED = 12
/** A turn has a handful of memories; past this many of its own there is always somebody else's. */
const MAX_OWN_MEMORIES = 8

/**
 * Writes down what the memories of a turn name and how they hang together with others, in place of what was there. It looks both
 * ways, because a turn may be told again, or be imported, when later ones are there already. To be called inside a transaction.
 */
export async function linkTurn(store: Store, session: Session, prompt: Prompt): Promise<void> {
  const turn = await readTurnToLink(store, session, prompt)
  const named = new Map<string, { entity: Entity; by: MemoryToLink }>()
  for (const memory of turn.memories) {
    const { ref, at, entities } = memory
    await store.links.clear(ref)
    await store.links.setMentions({ ...ref, project: session.project, at }, entities)
    // Of all that name it in this turn the observation speaks for it: it comes after the prompt, and is what people read.
    if (ref.kind !== 'summary') for (const entity of entities) named.set(`${entity.kind} ${entity.name}`, { entity, by: memory })
  }
  const links = [
    ...askedLinks(turn),
    ...(await followLinks(store, turn)),
    ...(await fileLinks(store, turn)),
    ...(await fixLinks(store, session, prompt)),
    ...(await mentionLinks(store, turn, [...named.values()])),
  ]
  await store.links.add(links)
}

type MemoryToLink = { ref: DocumentRef; at: number; entities: Entity[] }

type TurnToLink = {
  session: Session
  prompt: Prompt
  asked: MemoryToLink
  observations: Observation[]
  /** The prompt, the observations and the summaries, in this order. */
  memories: MemoryToLink[]
  own: Set<string>
}

async function readTurnToLink(store: Store, session: Session, prompt: Prompt): Promise<TurnToLink> {
  const refs = await store.links.documentsOfTurn(session.id, prompt.number)
  const ids = (kind: DocumentRef['kind']) => refs.filter((ref) => ref.kind === kind).map((ref) => Number(ref.ref))
  const observations = await store.observations.get(ids('observation'))
  const summaries = (await Promise.all(ids('summary').map((id) => store.summaries.get(id)))).filter((s) => s !== null)
  const settle = entityNormalizer(session, observations)
  // What the client says in the person's name is not what the turn is about; the answer to it is.
  const said = `${prompt.origin === 'person' ? prompt.text : ''}\n${prompt.answer ?? ''}`
  const asked = { ref: refOf('prompt', prompt.id), at: prompt.at, entities: settle(entitiesIn(said)) }
  const memories = [
    asked,
    ...observations.map((o) => ({ ref: refOf('observation', o.id), at: o.at, entities: settle(entitiesOf(o)) })),
    ...summaries.map((s) => ({ ref: refOf('summary', s.id), at: s.at, entities: settle(entitiesIn(textOf(s))) })),
  ]
  return { session, prompt, asked, observations, memories, own: new Set(memories.map(({ ref }) => keyOf(ref))) }
}

/** The files it touched are known for certain; the rest is read out of its text. */
function entitiesOf(o: Observation): Entity[] {
  const files = filesOf(o).map((name): Entity => ({ kind: 'file', name }))
  return [...files, ...entitiesIn([o.title, o.subtitle, o.narrative, ...o.facts].join('\n'))].slice(0, 64)
}

const filesOf = (o: Observation) => [...new Set([...o.filesModified, ...o.filesRead])].filter((name) => !isRedacted(name))

function textOf(s: Summary): string {
  return [s.request, s.investigated, s.learned, s.completed, s.nextSteps, s.notes].join('\n')
}

/** Names as this project would say them: paths from its folder, the file that `auth.ts` means here, its own issues by number. */
function entityNormalizer(session: Session, observations: Observation[]): (entities: Entity[]) => Entity[] {
  const files = [...new Set(observations.flatMap(filesOf))]
  const fileCalled = (name: string): string => {
    const path = displayPath(name, session.folder)
    const meant = files.includes(path) ? [] : files.filter((file) => file.endsWith(`/${path}`))
    return meant.length === 1 && meant[0] ? meant[0] : path
  }
  return (entities) => {
    const settled = entities.map(({ kind, name }): Entity => {
      if (kind === 'file') return { kind, name: fileCalled(name) }
      return kind === 'issue' ? { kind, name: normalizeIssueName(name, session.project) } : { kind, name }
    })
    return [...new Map(settled.map((entity) => [`${entity.kind} ${entity.name}`, entity])).values()]
  }
}

function normalizeIssueName(name: string, project: ProjectKey): string {
  const [repository = '', number] = name.split('#')
  if (repository === '' || number === undefined) return name
  const isOwn = project.includes('/') ? project.endsWith(`/${repository}`) : projectName(project) === projectName(asProjectKey(repository))
  return isOwn ? `#${number}` : name
}

function askedLinks({ asked, memories, prompt }: TurnToLink): Link[] {
  const made = memories.filter((memory) => memory !== asked)
  return made.map(({ ref, at }) => ({ from: asked.ref, to: ref, relation: 'asked', origin: `turn ${prompt.number}`, at }))
}

/** A turn follows what the one before it said and found; the next one follows this. */
async function followLinks(store: Store, { session, prompt, memories }: TurnToLink): Promise<Link[]> {
  const previous = await store.links.documentsOfTurn(session.id, prompt.number - 1)
  const next = await store.prompts.byNumber(session.id, prompt.number + 1)
  const follow = (refs: DocumentRef[], to: Prompt): Link[] => {
    const origin = `turn ${to.number} after turn ${to.number - 1}`
    const told = refs.filter((ref) => ref.kind !== 'summary')
    return told.map((from) => ({ from, to: refOf('prompt', to.id), relation: 'follows', origin, at: to.at }))
  }
  const onward = memories.map(({ ref }) => ref)
  return [...follow(previous, prompt), ...(next ? follow(onward, next) : [])]
}

type SharedFileTie = { id: number; at: number; both: string[]; other: string[] }

/** The nearest observations of the project that touched the same files: the more files they share, the nearer they are. */
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

/** Whoever names a commit or an issue is tied to where the commit was made, or the issue was last spoken of, and to who names it next. */
async function mentionLinks(store: Store, turn: TurnToLink, named: { entity: Entity; by: MemoryToLink }[]): Promise<Link[]> {
  const links: Link[] = []
  const isElsewhere = (mention: DocumentRef) => mention.kind !== 'summary' && !turn.own.has(keyOf(mention))
  for (const { entity, by } of named
    .filter(({ entity: { kind } }) => kind === 'commit' || kind === 'issue')
    .slice(0, MAX_ENTITIES_FOLLOWED)) {
    const project = turn.session.project
    const [first] = entity.kind === 'commit' ? await store.links.mentionsOf(entity, project, 'after', 0, 1) : []
    for (const side of ['before', 'after'] as const) {
      const near = (await store.links.mentionsOf(entity, project, side, by.at, 2 * MAX_OWN_MEMORIES)).filter(isElsewhere)
      const made = side === 'before' && first && isElsewhere(first) && first.at <= by.at ? first : undefined
      const other = made ?? near[0]
      if (other)
        links.push(
          linkBetween(by, { ref: { kind: other.kind, ref: other.ref }, at: other.at }, side, 'mentions', `${entity.kind} ${entity.name}`),
        )
    }
  }
  return links
}

/** A link between a memory of this turn and another that lies on this side of it. */
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
