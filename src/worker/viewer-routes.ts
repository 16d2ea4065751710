import type { EntityKind } from '../core/entities.ts'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { Session, ToolUse } from '../core/memory.ts'
import { MEMORY_KINDS } from '../core/memory-kinds.ts'
import { asNoteId } from '../core/note.ts'
import { projectName } from '../core/project.ts'
import { freeBytes } from '../platform/folder.ts'
import { findMemoryNode, neighboursOf } from '../retrieval/graph.ts'
import { describeHit } from '../retrieval/search.ts'
import type { DocumentKind } from '../store/store.ts'
import * as view from '../wire/view.ts'
import { isViewerPage } from '../wire/viewer-pages.ts'
import { parseBody, parseUrlQuery, resolveProject } from './request-params.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'
import { settingsInForce } from './settings-routes.ts'
import { isLive } from './sweep.ts'

/** What the viewer's pages are made of, and what a person may do on them. Null when it is another's address. */
export async function viewerRoute(desk: Services, request: Request, url: URL, port: number): Promise<Response | null> {
  const one = /^\/api\/(?:(sessions|tool-uses|observations)\/(\d{1,15})(?:\/(restore))?|(notes)\/([\w.-]{1,80})\/(history))$/.exec(
    url.pathname,
  )
  if (one) {
    const [, what = one[4], id = one[5] ?? '', deed = one[6]] = one
    return oneOf(desk, url, [request.method, what, deed].filter(Boolean).join(' '), id)
  }
  switch (`${request.method} ${url.pathname}`) {
    case 'POST /api/view/link': {
      const { to } = await parseBody(request, view.readLink)
      if (!isSafePath(to)) throw new BadRequest(`${to.slice(0, 80)} is no page of the viewer`)
      await desk.viewer.files() // the half minute begins when there is something to see
      return Response.json({ url: `http://127.0.0.1:${port}/view/${desk.visitors.invite(to, Date.now())}`, seconds: 30 })
    }
    case 'GET /api/feed':
      return feed(desk, url)
    case 'GET /api/sessions': {
      const { project, agent, limit, offset } = parseUrlQuery(url, view.readSessionsQuery)
      const page = await desk.store.sessions.page(await resolveProject(desk, project), agent ?? null, limit, offset)
      const now = Date.now()
      return json<view.Sessions>({ total: page.total, sessions: page.sessions.map((s) => ({ ...s, live: isGoingOn(s, now) })) })
    }
    case 'GET /api/projects':
      return json<view.Project[]>((await desk.store.projects.totals()).map((sums) => ({ ...sums, name: projectName(sums.project) })))
    case 'POST /api/projects/rename':
      return renameProject(desk, request)
    case 'POST /api/projects/wipe':
      return wipe(desk, request)
    case 'GET /api/activity': {
      const { project, since, before, shift } = parseUrlQuery(url, view.readActivityQuery)
      return json<view.Day[]>(await desk.store.feed.byDay(await resolveProject(desk, project), since, before, shift * 60_000))
    }
    case 'GET /api/near':
      return near(desk, url)
    case 'GET /api/settings':
      return json(settingsInForce(desk))
    case 'GET /api/economy': {
      const since = Date.now() - 30 * 24 * 60 * 60_000
      return json<view.Economy>({
        since,
        told: await desk.store.injections.totals(since),
        observations: await desk.store.observations.totals(),
        toolUseBytes: (await desk.store.toolUses.countPurgeable(Number.MAX_SAFE_INTEGER)).bytes,
        freeBytes: freeBytes(desk.home.folder),
      })
    }
  }
  return null
}

const json = <T>(value: T) => Response.json(value)

/** A page and what follows it; nothing that a browser could take for another place. */
function isSafePath(path: string): boolean {
  const [place = '', search = ''] = path.split(/\?(.*)/s)
  const isPlain = /^\/[\w.:/-]*$/.test(place) && !/\/\/|\.\./.test(place) && isViewerPage(place.split('/')[1] ?? '')
  return isPlain && /^[\w.~%=&*+-]*$/.test(search)
}

async function oneOf(desk: Services, url: URL, asked: string, id: string): Promise<Response | null> {
  const { store } = desk
  const number = Number(id)
  switch (asked) {
    case 'GET sessions':
      return json((await wholeSession(desk, number)) ?? missing('session', id))
    case 'DELETE sessions': {
      if (!(await store.sessions.get(number))) missing('session', id)
      await store.transaction(async () => {
        await store.sessions.remove(number)
        await store.audit.add({ at: Date.now(), action: 'remove-session', subject: id, details: {} })
      })
      return Response.json({ removed: number })
    }
    case 'GET tool-uses':
      return json((await store.toolUses.get(number)) ?? missing('tool use', id))
    case 'GET observations': {
      const [observation] = await store.observations.get([number])
      const forgotten = observation ? null : await store.observations.getForgotten(number)
      return Response.json({ observation: observation ?? forgotten?.observation ?? null, forgottenAt: forgotten?.at ?? null })
    }
    case 'DELETE observations': {
      const isForGood = url.searchParams.get('hard') === '1'
      const forget = async () => {
        const observation = await store.observations.forget(number, Date.now())
        // What was done in its turn would find it again.
        const turn = observation && (await store.prompts.byNumber(observation.sessionId, observation.promptNumber))
        if (turn) await store.prompts.setActivity(turn, '')
        const erased = isForGood ? await store.observations.eraseForgotten({ id: number }) : 0
        if (observation || erased > 0)
          await store.audit.add({ at: Date.now(), action: isForGood ? 'erase' : 'forget', subject: `observation:${id}`, details: {} })
        return observation !== null || erased > 0
      }
      // Also what may still be restored: its copy would lie in the file when that is gone for good.
      const forgotten = await store.withSecureDelete(() => store.transaction(forget))
      if (!forgotten) missing('observation', id)
      desk.announce([{ kind: 'observation-removed', id: number }])
      return Response.json({ kind: isForGood ? 'erased' : 'forgotten', id: number })
    }
    case 'POST observations restore': {
      const observation = await store.transaction(async () => {
        const back = await store.observations.restore(number)
        if (!back) return null
        await store.audit.add({ at: Date.now(), action: 'restore', subject: `observation:${id}`, details: {} })
        // Telling its turn again ties it to its neighbours.
        const turn = { sessionId: back.sessionId, number: back.promptNumber }
        await store.jobs.add('distill', `${turn.sessionId}:${turn.number}`, turn, Date.now())
        return back
      })
      if (!observation) throw new BadRequest(`there is no forgotten observation ${id}, or it has been erased`)
      desk.announce([{ kind: 'observation-added', observation }])
      desk.queue.kick()
      return Response.json({ kind: 'restored', observation })
    }
    case 'GET notes history': {
      const note = await store.notes.get(asNoteId(id))
      if (!note) missing('note', id)
      const older = await Promise.all((note?.supersedes ?? []).map((one) => store.notes.get(one)))
      return json<view.NoteVersions>({
        versions: await store.notes.versions(asNoteId(id)),
        older: older.flatMap((one) => (one ? [{ id: one.id, title: one.title, body: one.body, at: one.updatedAt }] : [])),
      })
    }
  }
  return null
}

function missing(what: string, id: string): never {
  throw new BadRequest(`there is no ${what} ${id}`)
}

async function feed({ store }: Services, url: URL): Promise<Response> {
  const { project, kinds, types, agent, since, before, after, upTo, count, limit, offset } = parseUrlQuery(url, view.readFeedQuery)
  const within = {
    project: await resolveProject({ store }, project),
    kinds: kinds.length > 0 ? kinds : [...MEMORY_KINDS],
    types,
    agent: agent ?? null,
    since,
    before,
    after,
    upTo: upTo ?? (await store.feed.lastId()),
  }
  const places = await store.feed.page(within, limit, offset)
  const rows = await Promise.all(places.map((place) => describeHit(store, place)))
  // A document without its text is just being written or removed; its place in the list is kept.
  return json<view.Feed>({
    rows: rows.map((row, i) => row ?? gone(places[i]?.kind, places[i]?.ref)),
    upTo: within.upTo,
    total: count === '1' ? await store.feed.count(within) : null,
  })
}

const gone = (kind: DocumentKind = 'observation', ref = ''): view.MemoryListItem => ({
  kind,
  id: ref,
  type: '',
  title: '(gone)',
  snippet: '',
  project: '',
  sessionId: null,
  at: 0,
  tokens: 0,
})

const MOST_USES = 5000
/** Enough to recognise what was done; the whole is asked for one by one. */
const CLIP = 400

async function wholeSession({ store }: Services, id: number): Promise<view.SessionContents | null> {
  const session = await store.sessions.get(id)
  if (!session) return null
  return {
    session,
    prompts: await store.prompts.ofSession(id),
    toolUses: (await store.toolUses.ofSession(id, MOST_USES)).map(clipped),
    observations: await store.observations.ofSession(id, MOST_USES),
    summaries: await store.summaries.allOfSession(id),
    injections: await store.injections.recent(id, MOST_USES),
  }
}

function clipped(use: ToolUse): view.ClippedUse {
  const cut = <T extends string | null>(text: T) => (text === null ? text : text.slice(0, CLIP)) as T
  const isClipped = [use.input, use.output ?? '', use.error ?? ''].some((text) => text.length > CLIP)
  return { ...use, input: cut(use.input), output: cut(use.output), error: cut(use.error), clipped: isClipped }
}

const isGoingOn = (session: Session, now: number) => session.status !== 'completed' && isLive(session, now)

async function renameProject(desk: Services, request: Request): Promise<Response> {
  const { store } = desk
  const { from, to, merge } = await parseBody(request, view.readRename)
  const held = (await store.projects.totals()).map(({ project }) => project as string)
  if (!held.includes(from)) throw new BadRequest(`there is no project ${from}`)
  if (from === to) throw new BadRequest('that is its name already')
  if (held.includes(to) && !merge) throw new BadRequest(`${to} is there already; merge them, or choose another name`)
  await store.transaction(async () => {
    await store.projects.rename(asProjectKey(from), asProjectKey(to))
    await store.jobs.add('move-project', from, { from, to }, Date.now())
    await store.audit.add({ at: Date.now(), action: merge ? 'merge-project' : 'rename-project', subject: from, details: { to } })
  })
  desk.queue.kick()
  return Response.json({ kind: 'moving', from, to })
}

async function wipe(desk: Services, request: Request): Promise<Response> {
  const { store } = desk
  const { project, confirm } = await parseBody(request, view.readWipe)
  if (confirm !== project && confirm !== projectName(asProjectKey(project)))
    throw new BadRequest(`to wipe it, confirm with its name: ${project}`)
  if (!(await store.projects.totals()).some((sums) => sums.project === project)) throw new BadRequest(`there is no project ${project}`)
  await store.transaction(async () => {
    await store.jobs.add('wipe-project', project, { project }, Date.now())
    await store.audit.add({ at: Date.now(), action: 'wipe-project', subject: project, details: {} })
  })
  desk.queue.kick()
  return Response.json({ kind: 'wiping', project })
}

/** What lies around a memory, a file or another named thing, or a concept. */
async function near({ store }: Services, url: URL): Promise<Response> {
  const { kind, name, project: wanted, limit } = parseUrlQuery(url, view.readNamedQuery)
  const project = await resolveProject({ store }, wanted)
  if ((MEMORY_KINDS as readonly string[]).includes(kind)) {
    const ref = { kind: kind as DocumentKind, ref: name }
    const memory = await findMemoryNode(store, ref)
    if (!memory) throw new BadRequest(`there is no ${kind} ${name}`)
    return json<view.Neighbourhood>({ memory, items: await neighboursOf(store, ref, limit), entities: await store.links.entitiesOf(ref) })
  }
  const items =
    kind === 'concept'
      ? await store.observations.withConcept(project, name, limit)
      : await naming(store, kind as EntityKind, name, project, limit)
  const tied = items.map((item) => ({
    ...('ref' in item
      ? item
      : { kind: 'observation' as const, ref: String(item.id), type: item.type, title: item.title, project: item.project, at: item.at }),
    relation: kind === 'concept' ? 'is about' : 'names it',
    origin: name,
    side: 'after',
  }))
  return json<view.Neighbourhood>({ memory: null, items: tied, entities: [{ kind: kind as EntityKind, name }] })
}

async function naming(store: Services['store'], kind: EntityKind, name: string, project: ProjectKey | null, limit: number) {
  const projects = project ? [project] : (await store.sessions.projects()).map((one) => one.project)
  const mentions = await Promise.all(
    projects.map((one) => store.links.mentionsOf({ kind, name }, one, 'before', Number.MAX_SAFE_INTEGER, limit)),
  )
  const newest = mentions
    .flat()
    .sort((a, b) => b.at - a.at)
    .slice(0, limit)
  return (await Promise.all(newest.map((ref) => findMemoryNode(store, ref)))).filter((memory) => memory !== null)
}
