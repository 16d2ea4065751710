import type { SealedFeedItem } from '../../wire/contract/hub.ts'
import { BadRequest } from '../../wire/requests.ts'
import { HubRefusal } from '../caller.ts'
import type { HubHandlers } from '../handlers.ts'
import { IN_FEED_ORDER } from './feed.ts'

const MAX_PAGE_BYTES = 8 * 1024 * 1024
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The last version of an item wins: only the person's own devices write it. */
export const pushOwn: HubHandlers['POST /v1/own/push'] = async ({ query }, { items }) => {
  if (items.some(({ sealed }) => sealed !== null && !BASE64.test(sealed))) throw new BadRequest('items: sealed must be base64')
  const last = [...new Map(items.map((item) => [item.id, item])).values()]
  const [feed] = await query<{ head: number }>('SELECT recollect.lock_own_feed()::float8 AS head')
  let head = feed?.head ?? 0
  const incoming = `jsonb_to_recordset($2::text::jsonb) AS i(id text, "keyId" text, sealed text)`
  const sent = JSON.stringify(last)
  const changed = await query(
    `UPDATE recollect.sealed s SET key_id = c."keyId", sealed = c.sealed, device_id = recollect.my_device(), changed_at = now(), seq = $1::bigint + c.place
     FROM (SELECT decode(i.id, 'hex') AS id, i."keyId", decode(i.sealed, 'base64') AS sealed, row_number() OVER () AS place
       FROM ${incoming} JOIN recollect.sealed o ON o.id = decode(i.id, 'hex') AND o.member_id = recollect.me()
       WHERE (o.key_id, o.sealed) IS DISTINCT FROM (i."keyId", decode(i.sealed, 'base64'))) c
     WHERE s.member_id = recollect.me() AND s.id = c.id RETURNING 1`,
    [head, sent],
  )
  head += changed.length
  const added = await query(
    `INSERT INTO recollect.sealed (member_id, id, key_id, sealed, device_id, seq)
     SELECT recollect.me(), decode(i.id, 'hex'), i."keyId", decode(i.sealed, 'base64'), recollect.my_device(), $1::bigint + row_number() OVER ()
     FROM ${incoming} WHERE NOT EXISTS (SELECT 1 FROM recollect.sealed o WHERE o.member_id = recollect.me() AND o.id = decode(i.id, 'hex')) RETURNING 1`,
    [head, sent],
  )
  return { head: head + added.length }
}

export const pullOwn: HubHandlers['GET /v1/own/pull'] = async ({ query }, { after, limit, fresh }) => {
  const [feed] = await query<{ head: number; horizon: number }>(
    `SELECT head::float8 AS head, horizon::float8 AS horizon, ${IN_FEED_ORDER} FROM recollect.own_feed()`,
  )
  if (after > 0 && after < (feed?.horizon ?? 0) && !fresh)
    throw new HubRefusal(410, 'deletions after that number are forgotten; pull from 0')
  const wanted = Math.max(1, limit)
  const rows = await query<SealedFeedItem & { before: number; taken: number }>(
    `WITH page AS MATERIALIZED (
       SELECT id, key_id, sealed, seq, device_id FROM recollect.sealed WHERE member_id = recollect.me() AND seq > $1 ORDER BY seq LIMIT $2),
     sized AS (SELECT page.*, sum(coalesce(octet_length(sealed), 0)) OVER (ORDER BY seq) - coalesce(octet_length(sealed), 0) AS before, count(*) OVER () AS taken FROM page)
     SELECT encode(id, 'hex') AS id, key_id AS "keyId", translate(encode(sealed, 'base64'), E'\\n', '') AS sealed, seq::float8 AS seq, device_id::text AS device,
       before::float8 AS before, taken::float8 AS taken FROM sized WHERE before < $3 ORDER BY seq`,
    [after, wanted + 1, MAX_PAGE_BYTES],
  )
  const page = rows.slice(0, wanted)
  const more = rows.some(({ taken }) => taken > page.length)
  const items = page.map(({ before: _, taken: __, ...item }) => item)
  return { items, head: Math.max(feed?.head ?? 0, items.at(-1)?.seq ?? 0), more }
}

export const readKeys: HubHandlers['GET /v1/own/keys'] = async ({ query }) => {
  const [keys] = await query<{ keyId: string; olderKeys: string; changedAt: number }>(
    `SELECT key_id AS "keyId", older_keys AS "olderKeys", floor(extract(epoch FROM changed_at) * 1000)::float8 AS "changedAt"
     FROM recollect.key_rings WHERE member_id = recollect.me()`,
  )
  return { keys: keys ?? null }
}

/** Only the device that has seen the current key may replace it, so that two devices do not both make a new one. */
export const replaceKeys: HubHandlers['PUT /v1/own/keys'] = async ({ query }, { was, keyId, olderKeys }) => {
  const [changed] =
    was === null
      ? await query(
          `INSERT INTO recollect.key_rings (member_id, key_id, older_keys) VALUES (recollect.me(), $1, $2) ON CONFLICT (member_id) DO NOTHING RETURNING 1`,
          [keyId, olderKeys],
        )
      : await query(
          `UPDATE recollect.key_rings SET key_id = $1, older_keys = $2, changed_at = now() WHERE member_id = recollect.me() AND key_id = $3 RETURNING 1`,
          [keyId, olderKeys, was],
        )
  if (changed) return { keyId }
  const [current] = await query<{ same: boolean }>(
    `SELECT key_id = $1 AND older_keys = $2 AS same FROM recollect.key_rings WHERE member_id = recollect.me()`,
    [keyId, olderKeys],
  )
  if (!current?.same) throw new HubRefusal(409, 'another device changed the key meanwhile')
  return { keyId }
}
