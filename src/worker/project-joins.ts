/** Joining two keys that are one project, and splitting them again. Loaded when a project is empty, or when a person asks. */

import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { Session } from '../core/memory.ts'
import { asNoteId } from '../core/note.ts'
import { projectName } from '../core/project.ts'
import { type JoinOffer, joinOffers, type ProjectPresence } from '../core/project-joins.ts'
import { defaultAgent } from '../integrations/agent.ts'
import type { Store } from '../store/store.ts'
import { joinMark, moveNote, moveProject, UNDONE_JOIN } from './project-jobs.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

/** The record of a join: the ids of everything that it moved, so that it can be undone. */
type ProjectJoin = { from: string; into: string; at: number; sessions: number[]; notes: string[]; commits: number[] }

const APART_MARK = 'projects kept apart'

/** The joins to offer. `current` is the project of the folder that the caller is in, which may have no memories yet. */
export async function projectJoinOffers(store: Store, current: ProjectKey | null): Promise<JoinOffer[]> {
  const apart = (await store.audit.jsonMark<string[]>(APART_MARK)) ?? []
  const projects = await presences(store)
  if (current !== null && !projects.some(({ project }) => project === current))
    projects.push({ project: current, memories: 0, isHere: true })
  const renamed = await Promise.all(projects.map(async (one) => (await store.projects.currentKey(one.project)) !== one.project))
  return joinOffers(projects.filter((_, n) => !renamed[n])).filter(({ from, into }) => !apart.includes(pairOf(from, into)))
}

async function presences(store: Store): Promise<ProjectPresence[]> {
  const here = new Set<string>(await store.projects.withFolders())
  return (await store.projects.totals()).map(({ project, sessions, notes, observations, prompts }) => ({
    project,
    memories: sessions + notes + observations + prompts,
    isHere: here.has(project),
  }))
}

const pairOf = (a: string, b: string) => [a, b].sort().join('\n')

/** The two are different projects: they are not offered again. */
export async function keepApart({ store }: Services, a: ProjectKey, b: ProjectKey): Promise<void> {
  const apart = (await store.audit.jsonMark<string[]>(APART_MARK)) ?? []
  const pairs = [...new Set([...apart, pairOf(a, b)])]
  await store.transaction(() => store.audit.setMark(APART_MARK, JSON.stringify(pairs)))
}

export type JoinCounts = { sessions: number; notes: number; commits: number }

/** What would move. Throws when the two cannot be joined. */
export async function planJoin({ store }: Services, from: ProjectKey, into: ProjectKey): Promise<ProjectJoin> {
  if (from === into) throw new BadRequest(`${from} is already one project`)
  const current = await store.projects.currentKey(into)
  if (current === from || current !== into)
    throw new BadRequest(`${into} was joined to ${current}; split it first: recollect projects split ${into}`)
  if ((await store.projects.currentKey(from)) !== from)
    throw new BadRequest(`${from} is already joined to ${await store.projects.currentKey(from)}`)
  return {
    from,
    into,
    at: Date.now(),
    sessions: await store.sessions.idsOf(from, -1),
    notes: [...store.notes.each(from)].filter(({ scope }) => scope !== 'global').map(({ id }) => id),
    commits: await store.commits.idsOf(from),
  }
}

export const countsOf = ({ sessions, notes, commits }: ProjectJoin): JoinCounts => ({
  sessions: sessions.length,
  notes: notes.length,
  commits: commits.length,
})

/** From now on both keys mean `into`. The memories of `from` follow in the background. */
export async function joinProjects({ store, queue }: Services, join: ProjectJoin): Promise<void> {
  const [from, into] = [asProjectKey(join.from), asProjectKey(join.into)]
  await store.transaction(async () => {
    await store.audit.setMark(joinMark(from), JSON.stringify(join))
    await store.projects.rename(from, into)
    await store.jobs.add('move-project', from, { from, to: into }, join.at)
    await store.audit.add({ at: join.at, action: 'join-projects', subject: from, details: { into, ...countsOf(join) } })
  })
  queue.kick()
}

/** Undoes a join: its memories go back, and so do the sessions that were in the folder of `from` since. */
export async function splitProject(services: Services, from: ProjectKey, dryRun: boolean): Promise<JoinCounts & { into: string }> {
  const { store } = services
  const join = await store.audit.jsonMark<ProjectJoin | null>(joinMark(from))
  if (!join) throw new BadRequest(`${from} was not joined to another project`)
  const into = asProjectKey(join.into)
  const all = await Promise.all((await store.sessions.idsOf(into, -1)).map((id) => store.sessions.get(id)))
  const later = all.filter((one) => one !== null && one.startedAt >= join.at && projectOf(services, one) === from)
  const sessions = [...new Set([...join.sessions, ...later.flatMap((one) => one?.id ?? [])])]
  const counts = { into, sessions: sessions.length, notes: join.notes.length, commits: join.commits.length }
  if (dryRun) return counts
  await store.transaction(async () => {
    await store.projects.unrename(from)
    await store.audit.setMark(joinMark(from), UNDONE_JOIN)
    await store.audit.add({ at: Date.now(), action: 'split-projects', subject: from, details: counts })
  })
  const holders = [into, await store.projects.currentKey(into)]
  for (const id of sessions) await moveSessionBack(store, id, holders, from)
  await store.transaction(() => store.commits.moveSome(join.commits, from))
  for (const id of join.notes) {
    const note = await store.notes.get(asNoteId(id))
    if (note?.project === into) await moveNote(services, note, from)
  }
  await keepApart(services, from, into)
  return counts
}

/** The project of the folder that a session started in, whatever it was joined to. */
const projectOf = (services: Services, { folder }: Session) => services.rules(defaultAgent).projectOf(folder).project

/** One transaction each, so that hooks wait no longer than a session takes. A session that was moved or deleted since stays as it is. */
async function moveSessionBack(store: Store, id: number, holders: ProjectKey[], from: ProjectKey): Promise<void> {
  await store.transaction(async () => {
    const session = await store.sessions.get(id)
    if (!session || !holders.includes(session.project)) return
    await store.projects.moveSession(id, from)
    for (const table of [store.prompts, store.observations, store.summaries]) await table.reindex(id)
  })
  await Bun.sleep(0)
}

/** Remembers names of projects that an import brought without a folder: the project of that name adopts them. */
export async function rememberImportedNames({ store }: Services, projects: Iterable<ProjectKey>): Promise<void> {
  await store.transaction(() => store.projects.addImportedNames(projects))
}

/** Moving this many sessions keeps a starting session waiting no longer than a blink. */
const MAX_SESSIONS_MOVED_AT_ONCE = 40

/** The session after its project took over memories, and a remark for the person. */
export type Adoption = { session: Session; message: string }

/**
 * For a session whose project has no memories, or whose name an import used. If exactly one import used it, the project adopts those memories; any
 * other namesake is offered to the person, once, and so are the memories of the project that an unconfirmed marker names.
 */
export async function adoptNamesake(services: Services, session: Session): Promise<Adoption | null> {
  const { store } = services
  const offers = (await projectJoinOffers(store, session.project)).filter(({ from, into }) => [from, into].includes(session.project))
  const [offer] = offers
  if (!offer) return offerMarker(services, session)
  const other = offer.from === session.project ? offer.into : offer.from
  const imported = await store.projects.importedNames()
  const isOnlyOne = offers.length === 1 && (await namesakesHere(store, session.project)) === 0
  if (!isOnlyOne || !imported.includes(other)) return offerOnce(store, session, offer)
  await joinProjects(services, await planJoin(services, offer.from, offer.into))
  const isLarge = (await store.sessions.idsOf(offer.from, MAX_SESSIONS_MOVED_AT_ONCE)).length === MAX_SESSIONS_MOVED_AT_ONCE
  if (!isLarge) await moveProject(services, { from: offer.from, to: offer.into })
  const current = (await store.sessions.get(session.id)) ?? session
  const undo = `if they are of another project: recollect projects split ${offer.from}`
  return { session: current, message: `took over the memories imported as ${other} (${undo})` }
}

/** Other folders of this machine whose project has the same name. */
async function namesakesHere(store: Store, project: ProjectKey): Promise<number> {
  const here = await store.projects.withFolders()
  return here.filter((key) => key !== project && projectName(key) === projectName(project)).length
}

async function offerOnce(store: Store, session: Session, { name, from, into, memories }: JoinOffer): Promise<Adoption | null> {
  if (!(await offersFirstTime(store, `join offered: ${pairOf(from, into)}`))) return null
  const other = from === session.project ? into : from
  return {
    session,
    message: `${other} has ${memories} ${memories === 1 ? 'memory' : 'memories'} and the same name (${name}). If it is this project: recollect projects join ${from} ${into}`,
  }
}

async function offerMarker(services: Services, session: Session): Promise<Adoption | null> {
  const { store } = services
  const { claim } = services.rules(defaultAgent).projectOf(session.folder)
  const memories = claim ? await store.documents.count(claim.project) : 0
  const isNews = claim && memories > 0 && (await offersFirstTime(store, `marker offered: ${claim.folder}\n${claim.project}`))
  if (!isNews) return null
  const has = `has ${memories} ${memories === 1 ? 'memory' : 'memories'}`
  const message = `the marker file in ${claim.folder} names ${claim.project}, which ${has}. If you trust it: recollect projects confirm`
  return { session, message }
}

async function offersFirstTime(store: Store, mark: string): Promise<boolean> {
  if ((await store.audit.mark(mark)) !== null) return false
  await store.transaction(() => store.audit.setMark(mark, String(Date.now())))
  return true
}
