import type { Hit } from '../core/hit.ts'
import type { ProjectKey } from '../core/ids.ts'
import { OBSERVATION_TYPES } from '../core/memory.ts'
import { MEMORY_KINDS, type MemoryKind, parseMemoryId } from '../core/memory-kinds.ts'
import { NOTE_TYPES } from '../core/note.ts'
import { answerParsedQuery, parseQuery, type QueryAnswer, type QueryOptions } from '../retrieval/answer.ts'
import { outcomeOf } from '../retrieval/outcomes.ts'
import { timeline } from '../retrieval/timeline.ts'
import type { DocumentLocation, Store } from '../store/store.ts'
import type { MainFile, memories, SearchHit, SearchResponse, TimelineItem, TimelineResponse } from '../wire/contract/memories.ts'
import type { ParsedRequest } from '../wire/contract/route.ts'
import { resolveMemory } from './memory-ids.ts'
import { noSuchMemory } from './missing-memory.ts'
import { parseRequestTime, resolveProject, resolveQueriedProject } from './request-params.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

type SearchRequest = ParsedRequest<typeof memories, 'POST /api/search'>
type TimelineRequest = ParsedRequest<typeof memories, 'POST /api/timeline'>

export async function searchFor(services: Services, request: SearchRequest): Promise<SearchResponse> {
  const { kind, limit, offset, widen, orderBy } = request
  const { kinds, ...filters } = requestedTypes(request)
  const times = { since: parseRequestTime(request.since), before: earlier(parseRequestTime(request.before), endOf(request.dateEnd)) }
  const options = { kinds: kind ? [kind] : kinds, ...times, project: await resolveProject(services, request.project) }
  const page = orderBy === 'relevance' ? { limit, offset } : { limit: MAX_HITS_BY_DATE, offset: 0 }
  const query = { text: withAgent(request.query, request.agent), filters }
  const { nowhere: projectProblem, hits: found, by: _, ...answer } = await searchOrWiden(services, query, { ...options, ...page }, widen)
  const hits = orderBy === 'relevance' ? found : byDate(found, orderBy).slice(offset, offset + limit)
  return {
    hits: await withOutcomes(services, hits, request.query),
    ...answer,
    projectProblem,
    embedderProblem: await services.embedding.problem(),
  }
}

/** As many as a page may have: the best of them, in the order of time. */
const MAX_HITS_BY_DATE = 200

const byDate = (hits: Hit[], order: 'date_desc' | 'date_asc'): Hit[] =>
  hits.toSorted((a, b) => (order === 'date_asc' ? a.at - b.at : b.at - a.at))

const earlier = (a: number | undefined, b: number | undefined) => (a === undefined || b === undefined ? (a ?? b) : Math.min(a, b))

/** The end of a range that includes its last day. */
function endOf(date: string | number | undefined): number | undefined {
  const at = parseRequestTime(date)
  if (at === undefined || typeof date !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(date.trim())) return at
  const day = new Date(at)
  return day.setDate(day.getDate() + 1)
}

type RequestedTypes = { kinds: MemoryKind[] | undefined; types: string[]; tags: string[] }

/** What `type` and `obs_type` name: kinds of memories, or types of observations. The security types of claude-mem are tags here. */
function requestedTypes({ type, obs_type }: { type?: string | undefined; obs_type?: string | undefined }): RequestedTypes {
  const words = `${type ?? ''},${obs_type ?? ''}`
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
  const kinds = words.flatMap((word) => KIND_NAMES[word] ?? MEMORY_KINDS.filter((kind) => word === kind || word === `${kind}s`))
  const security = words.filter((word) => word.startsWith('security'))
  const types = words.filter((word) => SEARCHED_TYPES.includes(word))
  const unknown = words.find((word) => !security.includes(word) && !types.includes(word) && !isKindName(word))
  if (unknown !== undefined)
    throw new BadRequest(`unknown type “${unknown}”; use ${[...Object.keys(KIND_NAMES), ...SEARCHED_TYPES].join(', ')}`)
  if (security.length > 0 && types.length > 0) throw new BadRequest(`ask for ${security.join(' and ')} alone, without other types`)
  const tags = security.length > 1 ? ['security'] : security
  return { kinds: kinds.length > 0 ? [...new Set(kinds)] : undefined, types, tags }
}

/** The names that claude-mem gives to kinds of memories, and `all`. */
const KIND_NAMES: Record<string, readonly MemoryKind[]> = {
  observations: ['observation'],
  sessions: ['summary'],
  prompts: ['prompt'],
  notes: ['note'],
  commits: ['commit'],
  all: MEMORY_KINDS,
}
const SEARCHED_TYPES: readonly string[] = [...OBSERVATION_TYPES, ...NOTE_TYPES]
const isKindName = (word: string) => word in KIND_NAMES || MEMORY_KINDS.some((kind) => word === kind || word === `${kind}s`)

/** Adds what came of each hit's work, and what became of its code. Descriptions of code that is gone come last. */
async function withOutcomes(services: Services, hits: Hit[], query: string): Promise<SearchHit[]> {
  const { store } = services
  const { marksByProject } = await import('./code-check.ts')
  const marks = await marksByProject(services, hits)
  const all = await Promise.all(
    hits.map(async (hit) => ({
      ...hit,
      outcome: await outcomeOf(store, hit, query),
      agent: await agentOf(store, hit.sessionId),
      code: marks.get(`${hit.kind}:${hit.id}`) ?? null,
      file: await mainFile(store, hit),
    })),
  )
  return [...all.filter(({ code }) => !code?.isHistory), ...all.filter(({ code }) => code?.isHistory)]
}

async function mainFile(store: Store, { kind, id }: Pick<Hit, 'kind' | 'id'>): Promise<MainFile> {
  if (kind === 'commit') return (await store.commits.get(Number(id)))?.files[0] ?? null
  const [observation] = kind === 'observation' ? await store.observations.get([Number(id)]) : []
  return observation?.filesModified[0] ?? observation?.filesRead[0] ?? null
}

async function timelineItems(store: Store, ...args: TimelineArguments): Promise<TimelineItem[]> {
  const items = await timeline(store, ...args)
  return Promise.all(items.map(async (item) => ({ ...item, file: await mainFile(store, item) })))
}

type TimelineArguments = Parameters<typeof timeline> extends [unknown, ...infer Rest] ? Rest : never

/** A request names the agent apart from the query; in a query it is a filter. */
const withAgent = (query: string, agent: string | undefined) => (agent ? `${query} agent:${agent}` : query)

const agentOf = async (store: Store, sessionId: number | null) =>
  sessionId === null ? null : ((await store.sessions.get(sessionId))?.agent ?? null)

export async function timelineFor(services: Services, request: TimelineRequest): Promise<TimelineResponse> {
  const only = requestedTypes(request)
  const depth = { before: request.depth_before, after: request.depth_after, only }
  const project = await resolveProject(services, request.project)
  const answer = await timelineAnswer(services, request, project, depth)
  const { agent } = request
  return agent ? { ...answer, items: answer.items.filter((item) => item.anchor || item.agent === agent) } : answer
}

async function timelineAnswer(
  services: Services,
  request: TimelineRequest,
  project: ProjectKey | null,
  depth: RequestedDepth,
): Promise<TimelineResponse> {
  if (request.anchor !== undefined)
    return { ...NO_REMARKS, ...(await timelineAround(services, await locateMemory(services, request.anchor), depth)) }
  return request.query
    ? timelineOfQuery(services, withAgent(request.query, request.agent), project, depth, request.widen)
    : timelineOfTime(services, parseRequestTime(request.at) ?? Date.now(), project, depth, request.widen)
}

type RequestedDepth = { before: number; after: number; only: RequestedTypes }
const NO_REMARKS = { problems: [], time: null, message: '', projectProblem: null }

async function timelineAround({ store }: Services, anchor: DocumentLocation, depth: RequestedDepth) {
  return { anchor: `${anchor.kind}:${anchor.ref}`, project: anchor.project, items: await timelineItems(store, anchor, depth) }
}

/** The timeline around the best hit. */
async function timelineOfQuery(
  services: Services,
  query: string,
  project: ProjectKey | null,
  depth: RequestedDepth,
  widen: boolean,
): Promise<TimelineResponse> {
  const { kinds, ...filters } = depth.only
  const answer = await searchOrWiden(services, { text: query, filters }, { project, kinds, limit: 1, offset: 0 }, widen)
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
  depth: RequestedDepth,
  widen: boolean,
): Promise<TimelineResponse> {
  const items = await timelineItems(store, { project, at }, depth)
  if (items.length > 0 || project === null || !widen) return { ...NO_REMARKS, anchor: null, project, items }
  const all = await timelineItems(store, { project: null, at }, depth)
  const message = all.length > 0 ? 'Nothing in this project; from all projects:' : ''
  return { ...NO_REMARKS, anchor: null, project: null, items: all, message }
}

/** An answer, the project it comes from (null for all), and what to say before it. */
type WidenedAnswer = QueryAnswer & { project: ProjectKey | null; message: string }

/** Searches a project and, if nothing in it is close and `widen` is set, all projects. */
async function searchOrWiden(
  services: Services,
  query: { text: string; filters: Omit<RequestedTypes, 'kinds'> },
  options: QueryOptions,
  widen: boolean,
): Promise<WidenedAnswer> {
  const { store } = services
  const parsed = withFilters(parseQuery(query.text, Date.now()), query.filters)
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

/** A query with further filters, as if they had been typed. */
function withFilters(parsed: ReturnType<typeof parseQuery>, { types, tags }: Omit<RequestedTypes, 'kinds'>): typeof parsed {
  if (types.length + tags.length === 0) return parsed
  const filters = { ...parsed.filters, types: [...parsed.filters.types, ...types], tags: [...parsed.filters.tags, ...tags] }
  return { ...parsed, isNarrowed: true, filters }
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
