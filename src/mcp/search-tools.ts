import { z } from 'zod'
import { MAX_NEAREST_SHOWN } from '../core/hit.ts'
import { groupNeighbours, groupRanked } from '../core/memory-groups.ts'
import { MEMORY_KINDS, parseMemoryId } from '../core/memory-kinds.ts'
import { clockOf, formatAge } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import { GRAPH_ASKS, type GraphMemory, type GraphStep, type GraphTopic } from '../wire/contract/graph.ts'
import type { SearchResponse } from '../wire/contract/memories.ts'
import { codeLine, dataBlock, idOf, memoryLines, memoryTable, oneLine, outcomeLines, sessionLine, tokenCost } from './memory-text.ts'
import { defineTool, projectFor, searchScope, strictArguments, type ToolDeps } from './tool.ts'
import { RefusedError } from './worker-client.ts'

const READ_ONLY_HINTS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
const project = z.string().max(500).optional().describe('key, folder or "all"; default: this one')

export const recall = defineTool({
  name: 'memory_recall',
  title: 'Search memory',
  description:
    'Search what earlier sessions did, decided, fixed and learned. Use it before you ask the person or explore. Returns a table of ids, titles and token costs, with what came of the work; memory_timeline shows what happened around a hit, memory_get its full text. The query may contain filters (type:bugfix ns:decisions tag:x path:src/a branch:b agent:codex since:7d before:2026-01-31) and times ("last week").',
  input: strictArguments({
    query: z.string(),
    kind: z.enum(MEMORY_KINDS).optional(),
    project,
    limit: z.number().int().min(1).max(50).default(10),
    offset: z.number().int().min(0).max(1000).default(0),
  }),
  hints: READ_ONLY_HINTS,
  alwaysLoaded: true,
  run: async (deps, { query, kind, project, limit, offset }) => {
    if (!query.trim()) throw new RefusedError('The query is empty. Pass the words to search for.', 400)
    const response = await deps.worker.call('POST /api/search', { query, kind, limit, offset, ...searchScope(deps, project) })
    if (response.hits.length === 0)
      return [...searchInfoLines(response), offset > 0 ? `No more hits from offset ${offset}.` : NOTHING_FOUND].join('\n')
    const hits = response.isClose ? response.hits : response.hits.slice(0, MAX_NEAREST_SHOWN)
    const { head, rows } = memoryTable(hits, { project: response.project, time: null })
    const outcomes = outcomeLines(hits.map(({ outcome }) => outcome))
    const lines = groupRanked(hits).flatMap(({ day, file, places }) => [
      file === null ? day : `${day} ${oneLine(file, 200)}`,
      ...places.flatMap((place) => {
        const hit = hits[place]
        return hit
          ? [rows[place] ?? '', ...(hit.code ? [`    ${codeLine(hit.code)}`] : []), ...snippetLine(hit), ...(outcomes[place] ?? [])]
          : []
      }),
    ])
    const more = response.isClose && response.hits.length === limit ? ` More hits: offset ${offset + limit}.` : ''
    return `${dataBlock('from="memory_recall"', [...searchInfoLines(response), head, ...lines])}\nFull text: memory_get. What happened around a hit: memory_timeline.${more}`
  },
})

const NOTHING_FOUND = 'No memories found. Try fewer or different words.'

/** How the worker understood the query, and what it says about the hits. */
function searchInfoLines({ problems, time, message }: Pick<SearchResponse, 'problems' | 'time' | 'message'>): string[] {
  const problemLines = problems.map(({ word, message }) => `${oneLine(word, 60)}: ${oneLine(message, 200)}`)
  return [...problemLines, ...(time ? [time.said] : []), ...(message ? [message] : [])]
}

/** The snippet, unless it repeats the title. */
function snippetLine({ title, snippet }: { title: string; snippet: string }): string[] {
  return snippet && !snippet.startsWith(title.slice(0, 60)) ? [`    ${oneLine(snippet, 200)}`] : []
}

export const timeline = defineTool({
  name: 'memory_timeline',
  title: 'Timeline',
  description: 'Show what happened before and after a memory (anchor), the best hit for a query, or a time.',
  input: strictArguments({
    anchor: z.string().max(100).optional().describe('id: #12, S3, P7, C5, N…'),
    query: z.string().optional(),
    at: z.string().max(200).optional().describe('2026-03-01, 7d, yesterday'),
    depth_before: z.number().int().min(0).max(50).default(8),
    depth_after: z.number().int().min(0).max(50).default(8),
    project,
  }),
  hints: READ_ONLY_HINTS,
  run: async (deps, { anchor, query, at, depth_before, depth_after, project }) => {
    if (!anchor && !query && !at) throw new RefusedError('Pass anchor (an id from memory_recall), query or at.', 400)
    const request = { anchor, query, at: at || undefined, depth_before, depth_after, ...searchScope(deps, project) }
    const response = await deps.worker.call('POST /api/timeline', request)
    if (response.items.length === 0) {
      const hint = response.message ? 'memory_recall shows the nearest memories.' : NOTHING_FOUND
      return [...searchInfoLines(response), query ? hint : 'No memories found around that time.'].join('\n')
    }
    const items = response.items.map((item) => ({ ...item, mark: item.anchor ? '> ' : '' }))
    const { head, rows } = memoryTable(items, { project: response.project, time: { heading: 'time', format: clockOf } })
    const scope = response.project ? [`in ${oneLine(response.project, 100)}`] : []
    const outcomes = outcomeLines(items.map(({ outcome }) => outcome))
    const groups = groupNeighbours(items)
    const lines = groups.flatMap(({ day, file, places }, index) => [
      ...(day === groups[index - 1]?.day ? [] : [day]),
      ...(file === null ? [] : [`  ${oneLine(file, 200)}`]),
      ...places.flatMap((place) => [rows[place] ?? '', ...(outcomes[place] ?? [])]),
    ])
    return dataBlock('from="memory_timeline"', [...searchInfoLines(response), ...scope, head, ...lines])
  },
})

export const get = defineTool({
  name: 'memory_get',
  title: 'Full text of memories',
  description: 'Get the full text of memories. Get only the few that matter; memory_recall shows their token costs.',
  input: strictArguments({ ids: z.array(z.string().max(300)).min(1).max(50).describe('#12, S3, P7, C5, N…') }),
  hints: READ_ONLY_HINTS,
  run: async (deps, { ids }) => {
    const responses = await deps.worker.call('POST /api/memories/batch', { ids })
    if (responses.every(({ memory }) => memory === null))
      throw new RefusedError(`No memory has the id ${ids.join(' or ')}. Use ids from memory_recall.`, 400)
    const lines = responses.flatMap((response, index) => [...(index > 0 ? [''] : []), ...memoryLines(response, deps.now())])
    return `${dataBlock('from="memory_get"', lines)}\n~${tokenCost(lines)} tokens`
  },
})

export const graph = defineTool({
  name: 'memory_graph',
  title: 'Links between memories',
  description: 'Show links between memories: neighbours, causes or effects of id; the path from id to to; topics or sessions of a project.',
  input: strictArguments({
    ask: z.enum([...GRAPH_ASKS, 'sessions']).default('neighbours'),
    id: z.string().max(100).optional(),
    to: z.string().max(100).optional(),
    project: project.describe('key, folder or "all" (sessions only); default: this one'),
    limit: z.number().int().min(1).max(50).default(12),
  }),
  hints: READ_ONLY_HINTS,
  run: async (deps, { ask, id, to, project, limit }) => {
    const now = deps.now()
    const scope = projectFor(deps, project)
    if (ask === 'sessions') return sessionsText(deps, scope, limit)
    if (ask === 'topics') {
      if (!scope) throw new RefusedError('Topics belong to one project. Pass its key or folder as project.', 400)
      const response = await deps.worker.call('GET /api/graph', { ask, project: scope, limit })
      const topics = response.ask === 'topics' ? response.items : []
      return linesOr(
        'No topics yet.',
        topics.flatMap((topic) => topicLines(topic, now)),
      )
    }
    if (!id) throw new RefusedError(`Pass the id of a memory, for example #12, to see its ${ask}.`, 400)
    // Two ids mean a path, whatever `ask` says by default.
    if (ask === 'path' || (to && ask === 'neighbours')) {
      if (!to) throw new RefusedError('A path needs two memories. Pass the second id as to.', 400)
      const response = await deps.worker.call('GET /api/graph', { ask: 'path', ref: refOf(id), to: refOf(to), limit })
      const steps = response.ask === 'path' ? (response.items ?? []) : []
      if (steps.length === 1) return 'Both ids are the same memory.'
      return linesOr(
        'No path connects the two memories.',
        steps.map((step) => graphItemLine(step, now)),
      )
    }
    const response = await deps.worker.call('GET /api/graph', { ask, ref: refOf(id), limit })
    const items = response.ask === ask ? response.items : []
    return linesOr(
      'No links yet.',
      items.map((item) => graphItemLine(item, now)),
    )
  },
})

const linesOr = (empty: string, lines: string[]) => (lines.length === 0 ? empty : dataBlock('from="memory_graph"', lines))

async function sessionsText(deps: ToolDeps, project: string | null, limit: number): Promise<string> {
  const { sessions } = await deps.worker.call('GET /api/sessions', { project: project ?? undefined, limit })
  return linesOr(
    'No sessions in this project yet.',
    sessions.map((session) => sessionLine(session, deps.now())),
  )
}

function topicLines({ name, observations, until, newest }: GraphTopic, now: number): string[] {
  return [
    `${oneLine(name, 120)} | ${observations} observations | ${formatAge(until, now)}`,
    ...newest.map((item) => `  ${graphItemLine(item, now)}`),
  ]
}

function graphItemLine(item: GraphMemory & Partial<GraphStep>, now: number): string {
  const { kind, ref, type, title, at, relation, side, origin, distance = 1 } = item
  const link = relation ? `${side === 'after' ? '->' : '<-'} ${neutralizeText(relation)}${origin ? ` (${oneLine(origin, 100)})` : ''}` : ''
  const parts = [idOf(kind, ref), formatAge(at, now), neutralizeText(type), link, oneLine(title, 160)]
  return `${'  '.repeat(distance - 1)}${parts.filter(Boolean).join(' | ')}`
}

/** `observation:12` for `#12`: the form that the graph's routes expect. */
function refOf(id: string): string {
  const parsed = parseMemoryId(id.trim())
  if (parsed) return `${parsed.kind}:${parsed.ref}`
  throw new RefusedError(`"${neutralizeText(id)}" is not a memory id. Ids look like #12, S3, P7, C5 or N…; memory_recall shows them.`, 400)
}
