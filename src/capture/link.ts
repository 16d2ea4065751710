import { type Entity, entitiesIn, isHidden } from '../core/entities.ts'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { Observation, Prompt, Session, Summary } from '../core/memory.ts'
import { projectName } from '../core/project.ts'
import type { Link, Ref, Side, Store } from '../store/store.ts'
import { fixLinks } from './fixes.ts'
import { some } from './plain/lists.ts'
import { shownPath } from './plain/paths.ts'

/** How many of an observation's files are followed, and how far each leads: the nearest in time tell most. */
const FILES_FOLLOWED = 12
const NEAREST = 3
/** The most observations one is tied to by files, on each side. */
const MOST_BY_FILE = 4
/** The most commits and issues of a turn that are followed. */
const MOST_NAMED = 12
/** A turn has a handful of memories; past this many of its own there is always somebody else's. */
const OWN = 8

/**
 * Writes down what the memories of a turn name and how they hang together with others, in place of what was there. It looks both
 * ways, because a turn may be told again, or be imported, when later ones are there already. To be called inside a transaction.
 */
export async function linkTurn(store: Store, session: Session, prompt: Prompt): Promise<void> {
  const turn = await readTurn(store, session, prompt)
  const named = new Map<string, { entity: Entity; by: Memory }>()
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

type Memory = { ref: Ref; at: number; entities: Entity[] }

type TurnRead = {
  session: Session
  prompt: Prompt
  asked: Memory
  observations: Observation[]
  /** The prompt, the observations and the summaries, in this order. */
  memories: Memory[]
  own: Set<string>
}

async function readTurn(store: Store, session: Session, prompt: Prompt): Promise<TurnRead> {
  const refs = await store.links.turn(session.id, prompt.number)
  const ids = (kind: Ref['kind']) => refs.filter((ref) => ref.kind === kind).map((ref) => Number(ref.ref))
  const observations = await store.observations.get(ids('observation'))
  const summaries = (await Promise.all(ids('summary').map((id) => store.summaries.get(id)))).filter((s) => s !== null)
  const settle = settler(session, observations)
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

const filesOf = (o: Observation) => [...new Set([...o.filesModified, ...o.filesRead])].filter((name) => !isHidden(name))

function textOf(s: Summary): string {
  return [s.request, s.investigated, s.learned, s.completed, s.nextSteps, s.notes].join('\n')
}

/** Names as this project would say them: paths from its folder, the file that `auth.ts` means here, its own issues by number. */
function settler(session: Session, observations: Observation[]): (entities: Entity[]) => Entity[] {
  const files = [...new Set(observations.flatMap(filesOf))]
  const fileCalled = (name: string): string => {
    const path = shownPath(name, session.folder)
    const meant = files.includes(path) ? [] : files.filter((file) => file.endsWith(`/${path}`))
    return meant.length === 1 && meant[0] ? meant[0] : path
  }
  return (entities) => {
    const settled = entities.map(({ kind, name }): Entity => {
      if (kind === 'file') return { kind, name: fileCalled(name) }
      return kind === 'issue' ? { kind, name: issueCalled(name, session.project) } : { kind, name }
    })
    return [...new Map(settled.map((entity) => [`${entity.kind} ${entity.name}`, entity])).values()]
  }
}

function issueCalled(name: string, project: ProjectKey): string {
  const [repository = '', number] = name.split('#')
  if (repository === '' || number === undefined) return name
  const isOwn = project.includes('/') ? project.endsWith(`/${repository}`) : projectName(project) === projectName(asProjectKey(repository))
  return isOwn ? `#${number}` : name
}

function askedLinks({ asked, memories, prompt }: TurnRead): Link[] {
  const made = memories.filter((memory) => memory !== asked)
  return made.map(({ ref, at }) => ({ from: asked.ref, to: ref, relation: 'asked', origin: `turn ${prompt.number}`, at }))
}

/** A turn follows what the one before it said and found; the next one follows this. */
async function followLinks(store: Store, { session, prompt, memories }: TurnRead): Promise<Link[]> {
  const previous = await store.links.turn(session.id, prompt.number - 1)
  const next = await store.prompts.numbered(session.id, prompt.number + 1)
  const follow = (refs: Ref[], to: Prompt): Link[] => {
    const origin = `turn ${to.number} after turn ${to.number - 1}`
    const told = refs.filter((ref) => ref.kind !== 'summary')
    return told.map((from) => ({ from, to: refOf('prompt', to.id), relation: 'follows', origin, at: to.at }))
  }
  const onward = memories.map(({ ref }) => ref)
  return [...follow(previous, prompt), ...(next ? follow(onward, next) : [])]
}

type Tie = { id: number; at: number; both: string[]; other: string[] }

/** The nearest observations of the project that touched the same files: the more files they share, the nearer they are. */
async function fileLinks(store: Store, { session, observations }: TurnRead): Promise<Link[]> {
  const own = new Set(observations.map((o) => o.id))
  const links: Link[] = []
  for (const o of observations) {
    for (const side of ['before', 'after'] as const) {
      const ties = await tiesOf(store, session.project, o, side, own)
      const nearest = ties.sort(
        (a, b) => b.both.length - a.both.length || b.other.length - a.other.length || distance(o, a) - distance(o, b),
      )
      for (const tie of nearest.slice(0, MOST_BY_FILE)) links.push(fileLink(o, tie, side))
    }
  }
  return links
}

async function tiesOf(store: Store, project: ProjectKey, o: Observation, side: Side, own: Set<number>): Promise<Tie[]> {
  const modified = new Set(o.filesModified)
  const ties = new Map<number, Tie>()
  for (const path of filesOf(o).slice(0, FILES_FOLLOWED)) {
    const touches = (await store.links.touching(project, path, side, o, NEAREST + OWN)).filter((t) => !own.has(t.observation))
    for (const touch of touches.slice(0, NEAREST)) {
      const tie = ties.get(touch.observation) ?? { id: touch.observation, at: touch.at, both: [], other: [] }
      ties.set(touch.observation, tie)
      ;(touch.modified && modified.has(path) ? tie.both : tie.other).push(path)
    }
  }
  return [...ties.values()]
}

function fileLink(o: Observation, { id, at, both, other }: Tie, side: Side): Link {
  const relation = both.length > 0 ? 'co-changed' : 'same-file'
  const origin = some(both.length > 0 ? both : other, 3)
  return between({ ref: refOf('observation', o.id), at: o.at }, { ref: refOf('observation', id), at }, side, relation, origin)
}

const distance = (a: { at: number }, b: { at: number }) => Math.abs(a.at - b.at)

/** Whoever names a commit or an issue is tied to where the commit was made, or the issue was last spoken of, and to who names it next. */
async function mentionLinks(store: Store, turn: TurnRead, named: { entity: Entity; by: Memory }[]): Promise<Link[]> {
  const links: Link[] = []
  const isElsewhere = (mention: Ref) => mention.kind !== 'summary' && !turn.own.has(keyOf(mention))
  for (const { entity, by } of named.filter(({ entity: { kind } }) => kind === 'commit' || kind === 'issue').slice(0, MOST_NAMED)) {
    const project = turn.session.project
    const [first] = entity.kind === 'commit' ? await store.links.naming(entity, project, 'after', 0, 1) : []
    for (const side of ['before', 'after'] as const) {
      const near = (await store.links.naming(entity, project, side, by.at, 2 * OWN)).filter(isElsewhere)
      const made = side === 'before' && first && isElsewhere(first) && first.at <= by.at ? first : undefined
      const other = made ?? near[0]
      if (other)
        links.push(
          between(by, { ref: { kind: other.kind, ref: other.ref }, at: other.at }, side, 'mentions', `${entity.kind} ${entity.name}`),
        )
    }
  }
  return links
}

/** A link between a memory of this turn and another that lies on this side of it. */
function between(
  mine: { ref: Ref; at: number },
  other: { ref: Ref; at: number },
  side: Side,
  relation: Link['relation'],
  origin: string,
): Link {
  const [from, to] = side === 'before' ? [other, mine] : [mine, other]
  return { from: from.ref, to: to.ref, relation, origin, at: to.at }
}

const refOf = (kind: Ref['kind'], id: number): Ref => ({ kind, ref: String(id) })
const keyOf = (ref: Ref) => `${ref.kind}:${ref.ref}`
