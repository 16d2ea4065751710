import type { ProjectKey } from '../core/ids.ts'
import { parseMemoryId } from '../core/memory-kinds.ts'
import { answerParsedQuery, parseQuery, type QueryAnswer, type QueryOptions } from '../retrieval/answer.ts'
import { timeline } from '../retrieval/search.ts'
import type { DocumentLocation } from '../store/store.ts'
import type * as api from '../wire/api.ts'
import { parseRequestTime, resolveProject, resolveQueriedProject } from './request-params.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

/** Hits for a question, and what whoever asked should know of them. */
export async function searchFor(desk: Services, query: api.SearchQuery) {
  const { project, kind, limit, offset, widen } = query
  const times = { since: parseRequestTime(query.since), before: parseRequestTime(query.before) }
  const wish = { kinds: kind && [kind], ...times, limit, offset, project: await resolveProject(desk, project) }
  return { ...(await searchOrWiden(desk, query.query, wish, widen)), embedderTrouble: await desk.embedding.trouble() }
}

/** What happened around a memory, the best answer to a question, or a moment. */
export async function timelineFor(desk: Services, query: api.TimelineQuery) {
  const depth = { before: query.depth_before, after: query.depth_after }
  const at = parseRequestTime(query.at) ?? Date.now()
  const named = await resolveProject(desk, query.project)
  const shown = async (anchor: DocumentLocation) => ({
    anchor: `${anchor.kind}:${anchor.ref}`,
    project: anchor.project,
    items: await timeline(desk.store, anchor, depth),
  })
  if (query.anchor !== undefined) return { ...NO_REMARKS, ...(await shown(await locateMemory(desk, query.anchor))) }
  if (query.query) {
    const { hits, ...found } = await searchOrWiden(desk, query.query, { project: named, limit: 1, offset: 0 }, query.widen)
    // Of far hits search shows some to choose from; one day around the first of them would pass for an answer.
    if (hits.length > 0 && !found.isClose) return { ...found, said: NOTHING_CLOSE, anchor: null, items: [] }
    const [hit] = hits
    const place = hit ? await desk.store.documents.locationOf(hit.kind, hit.id) : null
    return { ...found, ...(place ? await shown(place) : { anchor: null, items: [] }) }
  }
  const around = (project: ProjectKey | null) => timeline(desk.store, { project, at }, depth)
  const items = await around(named)
  if (items.length > 0 || named === null || !query.widen) return { ...NO_REMARKS, anchor: null, project: named, items }
  const all = await around(null)
  return {
    ...NO_REMARKS,
    anchor: null,
    project: null,
    items: all,
    said: all.length > 0 ? 'Nothing of this project; from all projects:' : '',
  }
}

const NO_REMARKS = { problems: [], time: null, said: '', nowhere: null }

/** An answer, the project it is from (null for all of them), and what is to be said before it. */
type WidenedAnswer = QueryAnswer & { project: ProjectKey | null; said: string }

/** Asks in a project and, where nothing in it is close and `widen` is wished for, in all of them. */
async function searchOrWiden(desk: Services, text: string, wish: QueryOptions, widen: boolean): Promise<WidenedAnswer> {
  const parsed = parseQuery(text, Date.now())
  const ask = (part: Partial<QueryOptions>) => {
    const named = (name: string) => resolveQueriedProject(desk, name)
    return answerParsedQuery(desk.store, parsed, { ...wish, resolveProject: named, ...part }, desk.semanticSearch)
  }
  const here = await ask({})
  const stay = { ...here, project: wish.project, said: here.isClose || here.hits.length === 0 ? '' : `${NOTHING_CLOSE} The nearest:` }
  if (!widen || wish.project === null || (here.isClose && here.hits.length > 0)) return stay
  // Past the last one of this project is not the same as nothing in it.
  const isNothing = here.hits.length === 0 && (wish.offset === 0 || (await ask({ offset: 0 })).hits.length === 0)
  if (here.isClose && !isNothing) return stay
  const all = await ask({ project: null })
  if (!all.isClose && !isNothing) return stay
  const missing =
    (await desk.store.documents.count(wish.project)) === 0 ? 'Nothing of this project is remembered' : 'Nothing close in this project'
  const said = all.isClose ? `${missing}; from all projects:` : `${NOTHING_CLOSE} The nearest, from all projects:`
  return { ...all, project: null, said: all.hits.length > 0 ? said : '' }
}

const NOTHING_CLOSE = 'Nothing close to that is remembered.'

async function locateMemory(desk: Services, id: string): Promise<DocumentLocation> {
  const named = parseMemoryId(id)
  const place = named && (await desk.store.documents.locationOf(named.kind, named.ref))
  if (!place) throw new BadRequest(`there is no ${named ? `${named.kind} ${named.ref}` : id}`)
  return place
}
