import { sharedHash } from '../../core/shared-hash.ts'
import type { PushedMemory, PushResult, ReviewState, SharedBody, SharedMemory } from '../../wire/contract/hub.ts'
import { type HubCaller, HubRefusal, isStorable } from '../caller.ts'
import type { Query } from '../database.ts'
import type { HubHandlers } from '../handlers.ts'
import { asStored, conflictId, decidePush, type Pusher, proposalId, type StoredVersion, type VersionToWrite } from '../push.ts'

/** A page of a feed ends after about this many bytes of memories. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024

type LockedFeed = { id: number; head: number; review: boolean; curates: boolean }

async function lockFeed(query: Query, project: string, right: 'write' | 'curate'): Promise<LockedFeed> {
  const [feed] = await query<LockedFeed>('SELECT id, head::float8 AS head, review, curates FROM recollect.lock_feed($1, $2)', [
    project,
    right,
  ])
  if (!feed) throw new HubRefusal(403, `the member may not ${right === 'write' ? 'write to' : right} the project`)
  return feed
}

/** All in one transaction: while it is open it holds the project's row lock, so the numbers appear in the order of commits. */
export const push: HubHandlers['POST /v1/push'] = async ({ query, member }, { project, memories }) => {
  const hashed = memories.map((memory) => ({ memory, hash: sharedHash(memory.body) }))
  const feed = await lockFeed(query, project, 'write')
  const pusher: Pusher = { member: member.id, curates: feed.curates, review: feed.review }
  const versions = await storedVersions(query, feed.id, hashed, pusher)
  const isNew = (id: string) => !storedBefore.has(id)
  const storedBefore = new Set(versions.keys())
  const writes = new Map<string, VersionToWrite>()
  const results = hashed.map(({ memory, hash }): PushResult => {
    if (!isStorable(memory.body)) return { id: memory.id, kind: 'refused', reason: 'it contains a NUL character or half a character' }
    const { result, write } = decidePush(memory, hash, pusher, (id) => versions.get(id))
    if (write) {
      // A push may hold several versions of one memory; the first one decides what the memory is.
      const before = writes.get(write.id)
      writes.set(write.id, before ? { ...write, kind: before.kind, conflictOf: before.conflictOf } : write)
      versions.set(write.id, { ...asStored(write), mine: versions.get(write.id)?.mine ?? true })
    }
    return result
  })
  const added = [...writes.values()].filter(({ id }) => isNew(id))
  const changed = [...writes.values()].filter(({ id }) => !isNew(id))
  await addVersions(query, feed, added)
  await changeVersions(query, { ...feed, head: feed.head + added.length }, changed)
  await recordPush(query, feed.id, memories, results)
  return { results, head: feed.head + added.length + changed.length }
}

async function storedVersions(
  query: Query,
  project: number,
  hashed: { memory: PushedMemory; hash: string }[],
  pusher: Pusher,
): Promise<Map<string, StoredVersion>> {
  const ids = hashed.flatMap(({ memory: { id }, hash }) => [id, conflictId(pusher, id, hash), proposalId(pusher, id)])
  const rows = await query<StoredVersion>('SELECT * FROM recollect.stored_versions($1, $2::text::jsonb)', [project, JSON.stringify(ids)])
  return new Map(rows.map((row) => [row.id, row]))
}

const VERSION_COLUMNS = `id text, kind text, revision int, hash text, base text, earlier text[], state text, "conflictOf" text, body jsonb, place bigint`
const numbered = (versions: VersionToWrite[]) => JSON.stringify(versions.map((version, place) => ({ ...version, place: place + 1 })))

async function addVersions(query: Query, feed: LockedFeed, versions: VersionToWrite[]): Promise<void> {
  if (versions.length === 0) return
  await query(
    `INSERT INTO recollect.memories (project_id, id, kind, author_id, device_id, revision, hash, base, earlier, state, conflict_of, body, seq)
     SELECT $1::int, v.id, v.kind, recollect.me(), recollect.my_device(), v.revision, decode(v.hash, 'hex'), decode(v.base, 'hex'),
       ARRAY(SELECT decode(e, 'hex') FROM unnest(v.earlier) e), v.state, v."conflictOf", nullif(v.body, 'null'), $2::bigint + v.place
     FROM jsonb_to_recordset($3::text::jsonb) AS v(${VERSION_COLUMNS})`,
    [feed.id, feed.head, numbered(versions)],
  )
}

async function changeVersions(query: Query, feed: LockedFeed, versions: VersionToWrite[]): Promise<void> {
  if (versions.length === 0) return
  const changed = await query(
    `UPDATE recollect.memories m SET revision = v.revision, hash = decode(v.hash, 'hex'), base = decode(v.base, 'hex'),
       earlier = ARRAY(SELECT decode(e, 'hex') FROM unnest(v.earlier) e), state = v.state, body = nullif(v.body, 'null'), seq = $2::bigint + v.place
     FROM jsonb_to_recordset($3::text::jsonb) AS v(${VERSION_COLUMNS})
     WHERE m.project_id = $1 AND m.id = v.id RETURNING m.id`,
    [feed.id, feed.head, numbered(versions)],
  )
  // PostgreSQL silently leaves out rows that the member may not change. The whole push then fails, instead of half of it.
  if (changed.length !== versions.length) throw new HubRefusal(403, 'the member may not change one of the memories')
}

async function recordPush(query: Query, project: number, memories: PushedMemory[], results: PushResult[]): Promise<void> {
  const counts: Record<string, number> = {}
  for (const { kind } of results) counts[kind] = (counts[kind] ?? 0) + 1
  if (counts.same === results.length) return
  const deleted = memories.filter(({ body }, at) => body === null && results[at]?.kind === 'stored').map(({ id }) => id)
  await query(
    `SELECT recollect.record_audit('push', $1, NULL, $2::text::jsonb), (SELECT count(recollect.record_audit('delete', $1, d, '{}')) FROM jsonb_array_elements_text($3::text::jsonb) d)`,
    [project, JSON.stringify(counts), JSON.stringify(deleted)],
  )
}

export type FeedRow = Omit<SharedMemory, 'author'> & { authorId: string; authorName: string | null; project: number }

export const FEED_COLUMNS = `m.project_id AS project, m.id, m.kind, m.seq::float8 AS seq, m.revision, encode(m.hash, 'hex') AS hash, m.author_id::text AS "authorId",
  m.device_id::text AS device, m.state, m.conflict_of AS "conflictOf", m.body, floor(extract(epoch FROM m.changed_at) * 1000)::float8 AS "changedAt"`

/**
 * Makes the next statements of the transaction read a feed in the order of its index. After many pushes PostgreSQL has no statistics yet and takes a feed for
 * short: it would then read the whole feed and sort it, for every page.
 */
export const IN_FEED_ORDER = `set_config('enable_sort', 'off', true)`

/** A page of a feed: `$1` is the project, `$2` the number before it, `$3` how many memories at most, `$4` how many bytes. */
export const FEED_PAGE = `WITH page AS MATERIALIZED (
     SELECT ${FEED_COLUMNS} FROM recollect.memories m WHERE m.project_id = $1 AND m.seq > $2 ORDER BY m.seq LIMIT $3),
   sized AS (SELECT page.*, sum(coalesce(octet_length(body::text), 0)) OVER (ORDER BY seq) - coalesce(octet_length(body::text), 0) AS before, count(*) OVER () AS taken FROM page)
   SELECT sized.*, n.name AS "authorName", before::float8 AS before, taken::float8 AS taken FROM sized
     LEFT JOIN recollect.author_names((SELECT jsonb_agg(DISTINCT jsonb_build_array(project, "authorId")) FROM page)) n ON n.id::text = sized."authorId"
   WHERE before < $4 ORDER BY seq`

/** A member who was erased has no name any more. */
export const feedMemory = ({ project: _, authorId, authorName, ...memory }: FeedRow): SharedMemory => ({
  ...memory,
  author: { id: authorId, name: authorName ?? '' },
})

export const pull: HubHandlers['GET /v1/pull'] = async ({ query }, { project, after, limit, fresh }) => {
  // The head is read first: a push that commits between the two statements then makes the page longer, not the head too high.
  const [feed] = await query<{ id: number; head: number; horizon: number }>(
    `SELECT id, head::float8 AS head, horizon::float8 AS horizon, ${IN_FEED_ORDER} FROM recollect.projects WHERE key = $1 AND id = ANY (recollect.my_projects('read'))`,
    [project],
  )
  if (!feed) throw new HubRefusal(403, 'the member may not read the project')
  if (after > 0 && after < feed.horizon && !fresh)
    throw new HubRefusal(410, 'deletions after that number are forgotten; drop what you have and pull from 0')
  const wanted = Math.max(1, limit)
  const rows = await query<FeedRow & { before: number; taken: number }>(FEED_PAGE, [feed.id, after, wanted + 1, MAX_PAGE_BYTES])
  const page = rows.slice(0, wanted)
  const more = rows.some(({ taken }) => taken > page.length)
  const memories = page.map(({ before: _, taken: __, ...row }) => feedMemory(row))
  return { memories, head: Math.max(feed.head, memories.at(-1)?.seq ?? 0), more }
}

type ReviewedRow = {
  hash: string
  base: string | null
  state: ReviewState
  conflictOf: string | null
  body: SharedBody | null
  revision: number
  earlier: string[]
  kind: PushedMemory['kind']
}

/**
 * Accepting a version that waits for review makes it the memory's version, and the waiting one is deleted. If the memory has changed since it was written,
 * both are kept, as after any conflict.
 */
export const review: HubHandlers['POST /v1/review'] = async (caller, { project, id, hash, verdict }) => {
  const { query } = caller
  const feed = await lockFeed(query, project, 'curate')
  const row = await reviewedRow(query, feed.id, id)
  if (!row) throw new HubRefusal(409, 'the memory has another version by now')
  if (row.hash !== hash || (row.state !== 'proposed' && row.state !== verdict))
    throw new HubRefusal(409, 'the memory has another version by now')
  if (row.state === verdict) return readMemory(caller, feed.id, id)
  const original = row.conflictOf === null ? null : await reviewedRow(query, feed.id, row.conflictOf)
  await query(`SELECT recollect.record_audit($1, $2, $3, '{}')`, [verdict, feed.id, id])
  const { conflictOf } = row
  if (verdict === 'accepted' && conflictOf !== null && original && original.hash === row.base) {
    const replaced: VersionToWrite = {
      ...original,
      id: conflictOf,
      revision: original.revision + 1,
      hash: row.hash,
      base: original.hash,
      earlier: [...original.earlier, original.hash],
      body: row.body,
    }
    const waiting: VersionToWrite = {
      ...row,
      id,
      revision: row.revision + 1,
      hash: sharedHash(null),
      earlier: [...row.earlier, row.hash],
      body: null,
    }
    await changeVersions(query, feed, [replaced, waiting])
    return readMemory(caller, feed.id, conflictOf)
  }
  await changeVersions(query, feed, [{ ...row, id, state: verdict }])
  return readMemory(caller, feed.id, id)
}

async function reviewedRow(query: Query, project: number, id: string): Promise<ReviewedRow | null> {
  const [row] = await query<ReviewedRow>(
    `SELECT encode(hash, 'hex') AS hash, encode(base, 'hex') AS base, state, conflict_of AS "conflictOf", body, revision, kind,
       ARRAY(SELECT encode(e, 'hex') FROM unnest(earlier) e) AS earlier FROM recollect.memories WHERE project_id = $1 AND id = $2`,
    [project, id],
  )
  return row ?? null
}

async function readMemory({ query }: HubCaller, project: number, id: string): Promise<SharedMemory> {
  const [row] = await query<FeedRow>(
    `SELECT ${FEED_COLUMNS}, n.name AS "authorName" FROM recollect.memories m
       LEFT JOIN recollect.author_names(jsonb_build_array(jsonb_build_array(m.project_id, m.author_id))) n ON n.id = m.author_id WHERE m.project_id = $1 AND m.id = $2`,
    [project, id],
  )
  if (!row) throw new Error('a memory that was reviewed cannot be read')
  return feedMemory(row)
}
