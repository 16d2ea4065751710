import { z } from 'zod'
import type { QueryTimeReference } from '../core/hit.ts'
import type { Session } from '../core/memory.ts'
import { MEMORY_KINDS, parseMemoryId } from '../core/memory-kinds.ts'
import { clockOf, dayOf, formatAge } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import { GRAPH_ASKS } from '../wire/api.ts'
import {
  dataBlock,
  idOf,
  type McpFoundMemory,
  type McpListedMemory,
  memoryLines,
  memoryTable,
  oneLine,
  sessionLine,
  tokenCost,
} from './memory-text.ts'
import { defineTool, projectFor, searchScope, strictArguments } from './tool.ts'
import { ask, pathWithQuery, RefusedError } from './worker-client.ts'

const READ_ONLY_HINTS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
const project = z.string().max(500).optional().describe('key, folder, or "all"; default: here')

/** What is to be known of an answer besides its lines. `project` is where was looked, null for everywhere. */
type McpSearchInfo = {
  project: string | null
  problems: { word: string; message: string }[]
  time: QueryTimeReference | null
  message: string
}
type McpSearchResponse = McpSearchInfo & { hits: (McpListedMemory & { snippet: string })[]; isClose: boolean }

export const recall = defineTool({
  name: 'memory_recall',
  title: 'Search memory',
  description:
    'Search what earlier sessions did, decided, fixed and learned, before asking the person or exploring. Returns a table of ids, titles and token costs; then memory_timeline for what happened around one, memory_get for full text. The query may hold filters (type:bugfix ns:decisions tag:x path:src/a branch:b since:7d before:2026-01-31) and times ("last week").',
  input: strictArguments({
    query: z.string(),
    kind: z.enum(MEMORY_KINDS).optional(),
    project,
    limit: z.number().int().min(1).max(50).default(10),
    offset: z.number().int().min(0).max(1000).default(0),
  }),
  hints: READ_ONLY_HINTS,
  alwaysLoaded: true,
  run: async (means, given) => {
    if (!given.query.trim()) throw new RefusedError('What should be found? Give words in query.', 400)
    const { query, kind, limit, offset } = given
    const body = { query, kind, limit, offset, ...searchScope(means, given.project) }
    const found = await ask<McpSearchResponse>(means.client, '/api/search', { method: 'POST', body })
    if (found.hits.length === 0)
      return [...searchInfoLines(found), offset > 0 ? `There are no more from offset ${offset} on.` : NOTHING_FOUND].join('\n')
    const now = means.now()
    const { head, rows } = memoryTable(found.hits, { project: found.project, when: { called: 'age', of: (at) => formatAge(at, now) } })
    const lines = found.hits.flatMap((hit, index) => [rows[index] ?? '', ...snippetLine(hit)])
    const more = found.isClose && found.hits.length === limit ? ` More: offset ${offset + limit}.` : ''
    return `${dataBlock('from="memory_recall"', [...searchInfoLines(found), head, ...lines])}\nFull text: memory_get with ids. Around one: memory_timeline.${more}`
  },
})

const NOTHING_FOUND = 'Nothing is remembered about that. Try fewer or other words.'

function searchInfoLines({ problems, time, message: said }: McpSearchInfo): string[] {
  const pointed = problems.map(({ word, message }) => `${oneLine(word, 60)}: ${oneLine(message, 200)}`)
  return [...pointed, ...(time ? [time.said] : []), ...(said ? [said] : [])]
}

/** What the title does not say already. */
function snippetLine({ title, snippet }: { title: string; snippet: string }): string[] {
  return snippet && !snippet.startsWith(title.slice(0, 60)) ? [`    ${oneLine(snippet, 200)}`] : []
}

export const timeline = defineTool({
  name: 'memory_timeline',
  title: 'What happened around a memory',
  description: 'What happened before and after a memory (anchor id), the best answer to a query, or a moment, by day and time.',
  input: strictArguments({
    anchor: z.string().max(100).optional().describe('id such as #12, S3, P7, N…'),
    query: z.string().optional(),
    at: z.string().max(200).optional().describe('2026-03-01, 7d, yesterday'),
    depth_before: z.number().int().min(0).max(50).default(8),
    depth_after: z.number().int().min(0).max(50).default(8),
    project,
  }),
  hints: READ_ONLY_HINTS,
  run: async (means, { anchor, query, at, depth_before, depth_after, project }) => {
    if (!anchor && !query && !at) throw new RefusedError('Around what? Give anchor (an id from memory_recall), query or at.', 400)
    const body = { anchor, query, at: at || undefined, depth_before, depth_after, ...searchScope(means, project) }
    const found = await ask<McpSearchInfo & { items: (McpListedMemory & { anchor: boolean })[] }>(means.client, '/api/timeline', {
      method: 'POST',
      body,
    })
    if (found.items.length === 0) {
      const nothing = !query ? 'Nothing is remembered around there.' : found.message ? 'memory_recall shows the nearest.' : NOTHING_FOUND
      return [...searchInfoLines(found), nothing].join('\n')
    }
    const items = found.items.map((item) => ({ ...item, mark: item.anchor ? '> ' : '' }))
    const { head, rows } = memoryTable(items, { project: found.project, when: { called: 'time', of: clockOf } })
    const where = found.project ? [`in ${oneLine(found.project, 100)}`] : []
    const days = items.map((item) => dayOf(item.at))
    const lines = rows.flatMap((row, index) => (days[index] === days[index - 1] ? [row] : [days[index] ?? '', row]))
    return dataBlock('from="memory_timeline"', [...searchInfoLines(found), ...where, head, ...lines])
  },
})

export const get = defineTool({
  name: 'memory_get',
  title: 'Full text of memories',
  description: 'Full text of several memories at once. Ask for the few that matter; memory_recall shows what each costs.',
  input: strictArguments({ ids: z.array(z.string().max(300)).min(1).max(50).describe('#12, S3, P7, N…') }),
  hints: READ_ONLY_HINTS,
  run: async (means, { ids }) => {
    const found = await ask<McpFoundMemory[]>(means.client, '/api/memories/batch', { method: 'POST', body: { ids } })
    if (found.every((one) => one.memory === null))
      throw new RefusedError(`There is no ${ids.join(', ')}. memory_recall shows the ids there are.`, 400)
    const lines = found.flatMap((one, index) => [...(index > 0 ? [''] : []), ...memoryLines(one, means.now())])
    return `${dataBlock('from="memory_get"', lines)}\n~${tokenCost(lines)} tokens`
  },
})

type McpGraphItem = Pick<McpListedMemory, 'kind' | 'type' | 'title' | 'at'> & {
  ref: string
  relation?: string
  side?: string
  origin?: string
  distance?: number
}
type McpGraphTopic = { name: string; observations: number; until: number; newest: McpGraphItem[] }

export const graph = defineTool({
  name: 'memory_graph',
  title: 'How memories hang together',
  description:
    'How memories hang together: neighbours, causes or effects of an id; the path between id and to; topics or sessions of a project.',
  input: strictArguments({
    ask: z.enum([...GRAPH_ASKS, 'sessions']).default('neighbours'),
    id: z.string().max(100).optional(),
    to: z.string().max(100).optional(),
    project: project.describe('key, folder, or "all" (sessions only); default: here'),
    limit: z.number().int().min(1).max(50).default(12),
  }),
  hints: READ_ONLY_HINTS,
  run: async (means, { ask: asked, id, to, project, limit }) => {
    // Two ids mean the way between them, whether or not it is said.
    const wanted = to && asked === 'neighbours' ? 'path' : asked
    const where = projectFor(means, project)
    const now = means.now()
    if (wanted === 'sessions') {
      const { sessions } = await ask<{ sessions: Session[] }>(means.client, pathWithQuery('/api/sessions', { project: where, limit }))
      if (sessions.length === 0) return 'No session is remembered here.'
      return dataBlock(
        'from="memory_graph"',
        sessions.map((session) => sessionLine(session, now)),
      )
    }
    if (wanted !== 'topics' && !id) throw new RefusedError(`${wanted} of what? Give id, for instance #12.`, 400)
    if (wanted === 'path' && !to) throw new RefusedError('The path to which memory? Give to.', 400)
    if (wanted === 'topics' && !where)
      throw new RefusedError('Topics of which project? Give its key or folder; there are none of all.', 400)
    const refs = { ref: id && refOf(id), to: to && refOf(to) }
    const answer = await ask<{ items: unknown[] | null }>(
      means.client,
      pathWithQuery('/api/graph', { ask: wanted, ...refs, project: wanted === 'topics' ? where : undefined, limit }),
    )
    if (wanted === 'path' && answer.items?.length === 1) return 'It is one and the same memory.'
    if (!answer.items || answer.items.length === 0)
      return wanted === 'path' ? 'Nothing ties the two together.' : wanted === 'topics' ? 'No topics yet.' : 'Nothing is tied to it yet.'
    const lines =
      wanted === 'topics'
        ? (answer.items as McpGraphTopic[]).flatMap((topic) => topicLines(topic, now))
        : (answer.items as McpGraphItem[]).map((item) => graphItemLine(item, now))
    return dataBlock('from="memory_graph"', lines)
  },
})

function topicLines({ name, observations, until, newest }: McpGraphTopic, now: number): string[] {
  return [
    `${oneLine(name, 120)} | ${observations} observations | ${formatAge(until, now)}`,
    ...newest.map((item) => `  ${graphItemLine(item, now)}`),
  ]
}

function graphItemLine({ kind, ref, type, title, at, relation, side, origin, distance = 1 }: McpGraphItem, now: number): string {
  const tie = relation ? `${side === 'after' ? '->' : '<-'} ${neutralizeText(relation)}${origin ? ` (${oneLine(origin, 100)})` : ''}` : ''
  return `${'  '.repeat(distance - 1)}${[idOf(kind, ref), formatAge(at, now), neutralizeText(type), tie, oneLine(title, 160)].filter(Boolean).join(' | ')}`
}

/** An id as search shows it, as the graph's address wants it. */
function refOf(id: string): string {
  const named = parseMemoryId(id.trim())
  if (named) return `${named.kind}:${named.ref}`
  throw new RefusedError(`"${neutralizeText(id)}" is no id. They look like #12, S3, P7 or N…; memory_recall shows them.`, 400)
}
