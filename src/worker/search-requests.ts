import type { Hit } from '../core/hit.ts'
import type { ProjectKey } from '../core/ids.ts'
import { parseMemoryId } from '../core/memory-kinds.ts'
import { answerParsedQuery, parseQuery, type QueryAnswer, type QueryOptions } from '../retrieval/answer.ts'
import { outcomeOf } from '../retrieval/outcomes.ts'
import { timeline } from '../retrieval/timeline.ts'
import type { DocumentLocation, Store } from '../store/store.ts'
import type { memories, SearchHit, SearchResponse, TimelineResponse } from '../wire/contract/memories.ts'
import type { ParsedRequest } from '../wire/contract/route.ts'
import { resolveMemory } from './memory-ids.ts'
import { noSuchMemory } from './missing-memory.ts'
import { parseRequestTime, resolveProject, resolveQueriedProject } from './request-params.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

type SearchRequest = ParsedRequest<typeof memories, 'POST /api/search'>
type TimelineRequest = ParsedRequest<typeof memories, 'POST /api/timeline'>

export async function searchFor(services: Services, request: SearchRequest): Promise<SearchResponse> {
  const { kind, limit, offset, widen } = request
  const times = { since: parseRequestTime(request.since), before: parseRequestTime(request.before) }
  const options = { kinds: kind && [kind], ...times, limit, offset, project: await resolveProject(services, request.project) }
  const { nowhere: projectProblem, hits, by: _, ...answer } = await searchOrWiden(services, request.query, options, widen)
  return {
    hits: await withOutcomes(services.store, hits, request.query),
    ...answer,
    projectProblem,
    embedderProblem: await services.embedding.problem(),
  }
}

async function withOutcomes(store: Store, hits: Hit[], query: string): Promise<SearchHit[]> {
  return Promise.all(hits.map(async (hit) => ({ ...hit, outcome: await outcomeOf(store, hit, query) })))
}

export async function timelineFor(services: Services, request: TimelineRequest): Promise<TimelineResponse> {
  const depth = { before: request.depth_before, after: request.depth_after }
  const project = await resolveProject(services, request.project)
  if (request.anchor !== undefined)
    return { ...NO_REMARKS, ...(await timelineAround(services, await locateMemory(services, request.anchor), depth)) }
  return request.query
    ? timelineOfQuery(services, request.query, project, depth, request.widen)
    : timelineOfTime(services, parseRequestTime(request.at) ?? Date.now(), project, depth, request.widen)
}

type TimelineDepth = { before: number; after: number }
const NO_REMARKS = { problems: [], time: null, message: '', projectProblem: null }

async function timelineAround({ store }: Services, anchor: DocumentLocation, depth: TimelineDepth) {
  return { anchor: `${anchor.kind}:${anchor.ref}`, project: anchor.project, items: await timeline(store, anchor, depth) }
}

/** The timeline around the best hit. */
async function timelineOfQuery(
  services: Services,
  query: string,
  project: ProjectKey | null,
  depth: TimelineDepth,
  widen: boolean,
): Promise<TimelineResponse> {
  const answer = await searchOrWiden(services, query, { project, limit: 1, offset: 0 }, widen)
  const { hits, nowhere: projectProblem, by: _, ...remarks } = answer
  const nothing = { projectProblem, anchor: null, items: [] }
  const [hit] = hits
  // Search shows distant hits to choose from. A timeline around one of them would look like an answer.
  if (hit && !answer.isClose) return { ...remarks, ...nothing, message: NOTHING_FOUND }
  const location = hit ? await services.store.documents.locationOf(hit.kind, hit.id) : null
  return { ...remarks, ...nothing, ...(location ? await timelineAround(services, location, depth) : {}) }
}

async function timelineOfTime(
  { store }: Services,
  at: number,
  project: ProjectKey | null,
  depth: TimelineDepth,
  widen: boolean,
): Promise<TimelineResponse> {
  const items = await timeline(store, { project, at }, depth)
  if (items.length > 0 || project === null || !widen) return { ...NO_REMARKS, anchor: null, project, items }
  const all = await timeline(store, { project: null, at }, depth)
  const message = all.length > 0 ? 'Nothing in this project; from all projects:' : ''
  return { ...NO_REMARKS, anchor: null, project: null, items: all, message }
}

/** An answer, the project it comes from (null for all), and what to say before it. */
type WidenedAnswer = QueryAnswer & { project: ProjectKey | null; message: string }

/** Searches a project and, if nothing in it is close and `widen` is set, all projects. */
async function searchOrWiden(services: Services, text: string, options: QueryOptions, widen: boolean): Promise<WidenedAnswer> {
  const { store } = services
  const parsed = parseQuery(text, Date.now())
  const search = (changed: Partial<QueryOptions>) => {
    const resolveProject = (name: string) => resolveQueriedProject(services, name)
    return answerParsedQuery(store, parsed, { ...options, resolveProject, ...changed }, services.semanticSearch)
  }
  const here = await search({})
  const isEmpty = here.hits.length === 0
  const answer = {
    ...here,
    project: options.project,
    message: here.isClose || isEmpty ? '' : `${NOTHING_FOUND} The nearest memories, probably about something else:`,
  }
  if (!widen || options.project === null || (here.isClose && !isEmpty)) return answer
  // A page after the last hit is empty too, although the project has hits.
  const hasNoHits = isEmpty && (options.offset === 0 || (await search({ offset: 0 })).hits.length === 0)
  if (here.isClose && !hasNoHits) return answer
  const all = await search({ project: null })
  if (!all.isClose && !hasNoHits) return answer
  const isUnknownProject = (await store.documents.count(options.project)) === 0
  const missing = isUnknownProject ? 'Nothing from this project is remembered' : 'Nothing found in this project'
  const message = all.isClose
    ? `${missing}; from all projects:`
    : `${NOTHING_FOUND} The nearest memories of all projects, probably about something else:`
  return { ...all, project: null, message: all.hits.length > 0 ? message : '' }
}

const NOTHING_FOUND = 'Nothing found about that.'

async function locateMemory(services: Services, id: string): Promise<DocumentLocation> {
  const named = parseMemoryId(id)
  const memory = named && (await resolveMemory(services.store, named))
  const location = memory && (await services.store.documents.locationOf(memory.kind, memory.ref))
  if (!location)
    throw named
      ? noSuchMemory(named.kind, named.ref)
      : new BadRequest(`"${id}" is not a memory id (they look like #12, S4, P7 or N7F3KQ2BD)`)
  return location
}
