import type { Hit } from '../../core/hit.ts'
import { MEMORY_KINDS } from '../../core/memory-kinds.ts'
import { describeHit } from '../../retrieval/search.ts'
import type { DocumentRef } from '../../store/store.ts'
import type { FeedResponse, feed, MemoryListItem } from '../../wire/contract/feed.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import { resolveProject } from '../request-params.ts'
import type { Handlers } from '../router.ts'
import type { Services } from '../services.ts'
import { readFeedDays } from './feed-days.ts'

export const handlers = {
  'GET /api/feed': readFeed,
  'GET /api/feed/days': readFeedDays,
  'GET /api/activity': async (services, { project, since, before, shift }) =>
    (await services.store.feed()).byDay(await resolveProject(services, project), since, before, shift * 60_000),
} satisfies Handlers<typeof feed>

async function readFeed({ store }: Services, request: ParsedRequest<typeof feed, 'GET /api/feed'>): Promise<FeedResponse> {
  const { project, kinds, types, agent, since, before, after, upTo, count, limit, offset } = request
  const range = {
    project: await resolveProject({ store }, project),
    kinds: kinds.length > 0 ? kinds : [...MEMORY_KINDS],
    types,
    agent: agent ?? null,
    since,
    before,
    after,
    upTo: upTo ?? (await (await store.feed()).lastId()),
  }
  const locations = await (await store.feed()).page(range, limit, offset)
  const rows = await Promise.all(
    locations.map(async (location) => {
      const hit = await describeHit(store, location)
      return hit ? listItem(hit) : goneMemory(location)
    }),
  )
  return { rows, upTo: range.upTo, total: count ? await (await store.feed()).count(range) : null }
}

/** Without the fields that only a search fills. */
const listItem = ({ kind, id, type, title, snippet, project, sessionId, at, tokens }: Hit): MemoryListItem => ({
  kind,
  id,
  type,
  title,
  snippet,
  project,
  sessionId,
  at,
  tokens,
})

/** Stands for a document whose text is just being written or removed, so that pages keep their size. */
const goneMemory = ({ kind, ref }: DocumentRef): MemoryListItem => ({
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
