import type { ProjectKey } from '../core/ids.ts'
import { memoryNamed } from '../core/kinds.ts'
import { type Answer, answer, type Wish } from '../retrieval/answer.ts'
import { timeline } from '../retrieval/search.ts'
import type { Place } from '../store/store.ts'
import type * as api from '../wire/api.ts'
import { momentMeant, projectAskedFor, projectNamed } from './asked.ts'
import type { Desk } from './desk.ts'
import { BadRequest } from './server.ts'

/** Hits for a question, and what whoever asked should know of them. */
export async function searchFor(desk: Desk, query: api.SearchQuery) {
  const { project, kind, limit, offset, widen } = query
  const times = { since: momentMeant(query.since), before: momentMeant(query.before) }
  const wish = { kinds: kind && [kind], ...times, limit, offset, project: await projectNamed(desk, project) }
  return { ...(await find(desk, query.query, wish, widen)), embedderTrouble: await desk.embedding.trouble() }
}

/** What happened around a memory, the best answer to a question, or a moment. */
export async function timelineFor(desk: Desk, query: api.TimelineQuery) {
  const depth = { before: query.depth_before, after: query.depth_after }
  const at = momentMeant(query.at) ?? Date.now()
  const named = await projectNamed(desk, query.project)
  const shown = async (anchor: Place) => ({
    anchor: `${anchor.kind}:${anchor.ref}`,
    project: anchor.project,
    items: await timeline(desk.store, anchor, depth),
  })
  if (query.anchor !== undefined) return { ...NOTHING_TO_SAY, ...(await shown(await placeOf(desk, query.anchor))) }
  if (query.query) {
    const { hits, ...found } = await find(desk, query.query, { project: named, limit: 1, offset: 0 }, query.widen)
    // Of far hits search shows some to choose from; one day around the first of them would pass for an answer.
    if (hits.length > 0 && !found.isClose) return { ...found, said: FAR, anchor: null, items: [] }
    const [hit] = hits
    const place = hit ? await desk.store.documents.placeOf(hit.kind, hit.id) : null
    return { ...found, ...(place ? await shown(place) : { anchor: null, items: [] }) }
  }
  const around = (project: ProjectKey | null) => timeline(desk.store, { project, at }, depth)
  const items = await around(named)
  if (items.length > 0 || named === null || !query.widen) return { ...NOTHING_TO_SAY, anchor: null, project: named, items }
  const all = await around(null)
  return {
    ...NOTHING_TO_SAY,
    anchor: null,
    project: null,
    items: all,
    said: all.length > 0 ? 'Nothing of this project; from all projects:' : '',
  }
}

const NOTHING_TO_SAY = { problems: [], time: null, said: '', nowhere: null }

/** An answer, the project it is from (null for all of them), and what is to be said before it. */
type Found = Answer & { project: ProjectKey | null; said: string }

/** Asks in a project and, where nothing in it is close and `widen` is wished for, in all of them. */
async function find(desk: Desk, text: string, wish: Wish, widen: boolean): Promise<Found> {
  const ask = (part: Partial<Wish>) => {
    const named = (name: string) => projectAskedFor(desk, name)
    return answer(desk.store, text, { ...wish, named, ...part }, Date.now(), desk.meaning)
  }
  const here = await ask({})
  const stay = { ...here, project: wish.project, said: here.isClose || here.hits.length === 0 ? '' : `${FAR} The nearest:` }
  if (!widen || wish.project === null || (here.isClose && here.hits.length > 0)) return stay
  // Past the last one of this project is not the same as nothing in it.
  const isNothing = here.hits.length === 0 && (wish.offset === 0 || (await ask({ offset: 0 })).hits.length === 0)
  if (here.isClose && !isNothing) return stay
  const all = await ask({ project: null })
  if (!all.isClose && !isNothing) return stay
  const missing =
    (await desk.store.documents.count(wish.project)) === 0 ? 'Nothing of this project is remembered' : 'Nothing close in this project'
  const said = all.isClose ? `${missing}; from all projects:` : `${FAR} The nearest, from all projects:`
  return { ...all, project: null, said: all.hits.length > 0 ? said : '' }
}

const FAR = 'Nothing close to that is remembered.'

async function placeOf(desk: Desk, id: string): Promise<Place> {
  const named = memoryNamed(id)
  const place = named && (await desk.store.documents.placeOf(named.kind, named.ref))
  if (!place) throw new BadRequest(`there is no ${named ? `${named.kind} ${named.ref}` : id}`)
  return place
}
