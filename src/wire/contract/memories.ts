import { z } from 'zod'
import { AGENT_NAMES, type AgentName } from '../../core/agent.ts'
import type { CodeMark } from '../../core/code-mark.ts'
import type { GitCommit } from '../../core/commit.ts'
import type { Hit, QueryTimeReference } from '../../core/hit.ts'
import type { Observation, Prompt, Summary } from '../../core/memory.ts'
import { MEMORY_KINDS, type MemoryKind, parseMemoryId } from '../../core/memory-kinds.ts'
import type { WorkOutcome } from '../../core/work-outcome.ts'
import type { FullNote } from './notes.ts'
import { flag, optionalInstant, projectName, route, rowId, wholeNumber } from './route.ts'

/**
 * A hit, and what came of the work that it belongs to; null if the hit is itself the result, or if no result is known. `code` says how the code
 * that it speaks of differs from the working tree; null if it does not, or if nothing is known. Descriptions of code that is gone come last.
 */
export type SearchHit = Hit & {
  outcome: WorkOutcome | null
  /** The agent of the session that it comes from; null for a memory of no session. */
  agent: AgentName | null
  code: CodeMark | null
  file: MainFile
}

/** The file that a memory is mostly about: the first that it changed or read; null if it names none. */
export type MainFile = string | null

export type SearchResponse = {
  hits: SearchHit[]
  /** The project that was searched; null for all of them. */
  project: string | null
  /** What to say before the hits: that none is close, or that they come from other projects. Empty otherwise. */
  message: string
  /** Filters and times that were recognised in the query. */
  understood: { word: string; meaning: string; from: 'filter' | 'text' }[]
  /** Filters that could not be used. */
  problems: { word: string; message: string }[]
  time: QueryTimeReference | null
  /** False when no hit is about the query; the hits are then the nearest ones. */
  isClose: boolean
  /** Why the project named in the query cannot be searched. */
  projectProblem: string | null
  /** Why the search ran without the embedder. */
  embedderProblem: string | null
}

export type TimelineItem = Pick<Hit, 'kind' | 'id' | 'type' | 'title' | 'project' | 'sessionId' | 'at' | 'tokens'> & {
  /** True for the memory that the timeline was requested for. */
  anchor: boolean
  agent: AgentName | null
  file: MainFile
  /** The outcome of the work that the memory belongs to; null if another item says it, or is it. */
  outcome: WorkOutcome | null
}
export type TimelineResponse = Pick<SearchResponse, 'project' | 'message' | 'problems' | 'time' | 'projectProblem'> &
  // Only for a query.
  Partial<Pick<SearchResponse, 'understood' | 'isClose'>> & {
    /** `kind:id` of the memory in the middle; null when the timeline is about a time. */
    anchor: string | null
    items: TimelineItem[]
  }

/**
 * A memory with all its fields. `memory` is null when it does not exist; `title` also when it is hidden. `outcome` is what came of the work that
 * it belongs to; null if it is itself the result and replaced none, or if no result is known. `code` is as in a search; `verified` says when and
 * at which commit the memory was last confirmed.
 */
export type MemoryResponse = {
  id: string
  title: string | null
  project: string | null
  outcome: WorkOutcome | null
  code: CodeMark | null
  verified: { commit: string | null; at: number } | null
} & (
  | { kind: 'observation'; memory: Observation | null }
  | { kind: 'summary'; memory: Summary | null }
  | { kind: 'prompt'; memory: Prompt | null }
  | { kind: 'note'; memory: FullNote | null }
  | { kind: 'commit'; memory: GitCommit | null }
)

/** A memory, or with kind `line` a line that frames the others or sums up many. */
export type InjectionCandidate = { kind: MemoryKind | 'line'; id: number | string; why: string }
export type ShownItem = InjectionCandidate & { tokens: number }
export type RecordedInjection = {
  id: number
  sessionId: number | null
  project: string
  event: string
  text: string
  tokens: number
  /** Their tokens add up to those of the text. */
  items: ShownItem[]
  /** Memories that were considered and not shown, with the reason. */
  omitted: InjectionCandidate[]
  at: number
}

/** A line of an injected text. `isUsed` is null for lines that are not counted: frames and headings. */
export type InjectedLine = { text: string; isUsed: boolean | null }
/** The lines of an injected text, and how many of them came up again later in the session. `doubt` says why the numbers are not meaningful yet; null when they are. */
export type InjectionUsage = {
  lines: InjectedLine[]
  counted: number
  used: number
  doubt: 'nothing said since' | 'too few sessions' | null
}

/** Any length is accepted; search uses as much as makes sense. */
const searchRequest = () =>
  z.object({
    query: z.string().default(''),
    project: projectName(),
    kind: z.enum(MEMORY_KINDS).optional(),
    agent: agentName(),
    type: memoryTypes(),
    obs_type: memoryTypes(),
    since: optionalInstant(),
    before: optionalInstant(),
    dateEnd: optionalInstant(),
    orderBy: z.enum(['relevance', 'date_desc', 'date_asc']).default('relevance'),
    limit: wholeNumber(40, 200),
    offset: wholeNumber(0, 10_000),
    widen: flag(false).describe('search all projects when nothing in this one is close'),
  })

/** `type` names kinds of memories, also by the names in claude-mem, or types of observations and notes; several are separated by commas. */
const SEARCH_NAMES = { dateStart: 'since', date_start: 'since', date_end: 'dateEnd' } as const
const memoryTypes = () => z.string().max(300).optional()

const timelineRequest = () =>
  z.object({
    anchor: z.union([memoryId(), z.number().int().transform(String)]).optional(),
    query: z.string().optional(),
    at: optionalInstant(),
    type: memoryTypes(),
    obs_type: memoryTypes(),
    project: projectName(),
    agent: agentName(),
    depth_before: wholeNumber(10, 200),
    depth_after: wholeNumber(10, 200),
    widen: flag(false).describe('look at all projects when nothing in this one is close'),
  })

const agentName = () => z.enum(AGENT_NAMES).optional().describe('only what comes from sessions of this agent')

const memoryId = () => z.string().refine((id) => parseMemoryId(id) !== null, 'must look like #12, S3, P7, C5 or N…')

/** @internal */
export const memories = {
  /**
   * Find memories. `type` and `obs_type` take kinds (`observations`, `sessions`, `prompts`, `notes`, `commits`) and types (`bugfix,feature`);
   * `dateEnd` is like `before`, but includes a day that is named without a time of day.
   */
  'GET /api/search': route({ request: searchRequest, otherNames: SEARCH_NAMES, readOnly: true }).returns<SearchResponse>(),
  /** The same as `GET /api/search`, for queries that are too long for an address. */
  'POST /api/search': route({ request: searchRequest, otherNames: SEARCH_NAMES, readOnly: true }).returns<SearchResponse>(),
  /**
   * List what happened around a memory (`anchor`), a query's best hit (`query`) or a time (`at`). `type` and `obs_type` as in
   * `GET /api/search`.
   */
  'GET /api/timeline': route({ request: timelineRequest, readOnly: true }).returns<
    TimelineResponse,
    { 400: 'no memory has the id in `anchor`' }
  >(),
  /** The same as `GET /api/timeline`, for queries that are too long for an address. */
  'POST /api/timeline': route({ request: timelineRequest, readOnly: true }).returns<
    TimelineResponse,
    { 400: 'no memory has the id in `anchor`' }
  >(),
  /** Get a memory by its id, such as 12, #12, S3, P7, C5 or N7F3KQ2BD; a commit also by its hash (C1a2b3c4). */
  'GET /api/memory/:id': route({
    request: () => z.object({ id: z.string().regex(/^[\w.-]{1,80}$/) }),
    readOnly: true,
  }).returns<MemoryResponse>(),
  /** Get memories by their ids. An id that occurs twice is answered once. */
  'POST /api/memories/batch': route({ request: () => z.object({ ids: z.array(memoryId()).max(500) }), readOnly: true }).returns<
    MemoryResponse[]
  >(),
  /** List what was injected into sessions, newest first. */
  'GET /api/injections': route({
    request: () =>
      z.object({
        session: z.coerce.number<number | string>().int().optional(),
        memory: memoryId().optional().describe('only injections that contain this memory'),
        limit: wholeNumber(20, 1000),
      }),
    readOnly: true,
  }).returns<RecordedInjection[]>(),
  /**
   * Compare an injected text with what its session said and did afterwards. A line counts as used if two or more of its distinctive words or values recur
   * in one passage; names of files and code do not count. It shows that the words came up again, not that the line was the reason.
   */
  'GET /api/injections/:id/usage': route({ request: () => z.object({ id: rowId() }), readOnly: true }).returns<
    InjectionUsage,
    { 400: 'no injection has this id' }
  >(),
}
