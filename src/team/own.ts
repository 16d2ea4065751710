/** A person's own memory on the hub: keys, and moving sealed items. What is in an item is up to the worker. */
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { OWN_KEYS_FILE } from '../core/team.ts'
import { readJsonIfThere, writeFileAtomically } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import type { Home } from '../platform/paths.ts'
import type { SealedItem } from '../wire/contract/hub.ts'
import { ExchangeEnded, endedBy, type TeamContext } from './context.ts'
import { callHub } from './hub-client.ts'
import { newPhrase, parsePhrase } from './recovery-phrase.ts'
import { fromBase64, inBase64, itemId, type KeyRing, newRing, openRing, rotatedRing, seal, sealRing, unseal } from './sealing.ts'
import { answerOf, TeamProblem } from './team-problem.ts'

export type { KeyRing } from './sealing.ts'
export { itemId } from './sealing.ts'

const Key = z.object({ id: z.string(), secret: z.string() })
const RingFile = z.object({ current: Key, older: z.array(Key), names: z.string() })

const fileIn = ({ folder }: Home) => join(folder, OWN_KEYS_FILE)

/** The keys of this machine; null when own memory is off. Like the token, they are in no backup: the phrase brings them back. */
export function readRing(home: Home): KeyRing | null {
  const parsed = RingFile.safeParse(readJsonIfThere(fileIn(home)))
  if (!parsed.success) return null
  const key = ({ id, secret }: z.infer<typeof Key>) => ({ id, secret: fromBase64(secret) })
  return { current: key(parsed.data.current), older: parsed.data.older.map(key), names: fromBase64(parsed.data.names) }
}

function writeRing(home: Home, { current, older, names }: KeyRing): void {
  const key = ({ id, secret }: KeyRing['current']) => ({ id, secret: inBase64(secret) })
  writeFileAtomically(fileIn(home), `${JSON.stringify({ current: key(current), older: older.map(key), names: inBase64(names) })}\n`)
}

export const removeRing = (home: Home): void => removeFile(fileIn(home))

/** Switches own memory on. Without a phrase this is the first machine: returns the new phrase, which is shown once. */
export async function openOwn(context: TeamContext, home: Home, typed: string | null): Promise<{ phrase: string | null }> {
  const { keys } = answerOf(await callHub(context.hub, 'GET /v1/own/keys', {}, context.signal), context.hub.url)
  if (typed === null) {
    if (keys && readRing(home)?.current.id === keys.keyId)
      throw new TeamProblem('it is on already; if you have lost the recovery phrase, make a new one: recollect team own phrase')
    if (keys) throw new TeamProblem('another machine of yours has made the recovery phrase; enter it here: recollect team own on --phrase')
    const phrase = newPhrase()
    const ring = await newRing(phrase.secret)
    await putRing(context, ring, null)
    writeRing(home, ring)
    return { phrase: phrase.words }
  }
  const phrase = parsePhrase(typed)
  if (typeof phrase === 'string') throw new TeamProblem(phrase)
  if (!keys) throw new TeamProblem('no machine of yours has made a recovery phrase yet; make one here: recollect team own on')
  const ring = await openRing(phrase.secret, keys.olderKeys)
  if (!ring || ring.current.id !== keys.keyId)
    throw new TeamProblem(
      'this is not the current recovery phrase; revoking a device makes a new one, which was shown on the machine that revoked it. A machine with own memory on makes another: recollect team own phrase',
    )
  writeRing(home, ring)
  return { phrase: null }
}

/** Makes a new phrase, for example after a device was revoked. Null if own memory is off here. The keys of the revoked device still open what it could read before, and nothing that is sealed from now on. */
export async function rotatePhrase(context: TeamContext, home: Home): Promise<string | null> {
  const ring = readRing(home)
  if (!ring) return null
  const phrase = newPhrase()
  const rotated = await rotatedRing(ring, phrase.secret)
  await putRing(context, rotated, ring.current.id)
  writeRing(home, rotated)
  return phrase.words
}

async function putRing(context: TeamContext, ring: KeyRing, was: string | null): Promise<void> {
  const request = { was, keyId: ring.current.id, olderKeys: await sealRing(ring) }
  answerOf(await callHub(context.hub, 'PUT /v1/own/keys', request, context.signal), context.hub.url)
}

/** Whether another machine has changed the phrase since. */
export async function needsPhrase(context: TeamContext, ring: KeyRing): Promise<boolean> {
  const reply = await callHub(context.hub, 'GET /v1/own/keys', {}, context.signal)
  if (reply.kind !== 'answered') throw endedBy(reply)
  return reply.value.keys !== null && reply.value.keys.keyId !== ring.current.id
}

/**
 * An item to send. Without contents it says that the session or note was deleted. That is sealed too: a hub that could delete items could delete a
 * person's memory from all of their machines. Each version has a higher number than the one before, so that a hub cannot serve an older one again.
 * `erased`: the person deleted all or a part of it for good, so the other machines must not keep it for undoing either.
 */
export type OwnParcel = { kind: string; name: string; version: number; contents: string | null; erased: boolean }

/** So much text in one request. */
const MAX_BATCH_CHARS = 6 * 1024 * 1024
const MAX_ITEM_CHARS = 4 * 1024 * 1024
const MAX_BATCH_ITEMS = 50

/** Seals and sends items, and reports each batch when it is on the hub. Items that are too large are reported as such and left out. */
export async function pushOwn(
  context: TeamContext,
  ring: KeyRing,
  parcels: AsyncIterable<OwnParcel>,
  stored: (sent: OwnParcel[], tooLarge: OwnParcel[]) => Promise<void>,
): Promise<void> {
  let batch: { parcel: OwnParcel; item: SealedItem }[] = []
  let chars = 0
  const flush = async () => {
    if (batch.length === 0) return
    const reply = await callHub(context.hub, 'POST /v1/own/push', { items: batch.map(({ item }) => item) }, context.signal)
    if (reply.kind !== 'answered') throw endedBy(reply)
    await stored(
      batch.map(({ parcel }) => parcel),
      [],
    )
    batch = []
    chars = 0
  }
  for await (const parcel of parcels) {
    const id = itemId(ring, parcel.kind, parcel.name)
    const sealed = await seal(ring.current, id, packed(parcel))
    const size = sealed.length
    if (size > MAX_ITEM_CHARS) {
      await stored([], [parcel])
      continue
    }
    if (batch.length >= MAX_BATCH_ITEMS || chars + size > MAX_BATCH_CHARS) await flush()
    batch.push({ parcel, item: { id, keyId: ring.current.id, sealed } })
    chars += size
  }
  await flush()
}

const packed = ({ kind, name, version, contents, erased }: OwnParcel): Uint8Array<ArrayBuffer> =>
  Bun.gzipSync(new TextEncoder().encode(JSON.stringify({ kind, name, version, contents, erased })))

const Packed = z.object({
  kind: z.string(),
  name: z.string(),
  version: z.number().int().min(1),
  contents: z.string().nullable(),
  erased: z.boolean().default(false),
})

/** An item that came; null if the hub has changed it, mixed it up or dropped it. */
export type ReceivedItem = { item: string; seq: number; parcel: OwnParcel | null }

/** Bounds what a small item may unpack to. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024
const ITEMS_PER_PAGE = 20
/** A feed without an end is read on in the next exchange. */
const MAX_PAGES_PER_EXCHANGE = 2000

/**
 * The items after a number, page by page. Ends early when an item is sealed with a key that this machine does not have: then it needs the new phrase.
 */
export async function* pullOwn(
  context: TeamContext,
  ring: KeyRing,
  after: number,
): AsyncGenerator<{ kind: 'items'; items: ReceivedItem[]; upTo: number } | { kind: 'needs phrase' }> {
  let isFresh = after === 0
  for (let from = after, page = 0; page < MAX_PAGES_PER_EXCHANGE; page++) {
    const reply = await callHub(context.hub, 'GET /v1/own/pull', { after: from, limit: ITEMS_PER_PAGE, fresh: isFresh }, context.signal)
    if (reply.kind === 'refused' && reply.status === 410 && from > 0) {
      from = 0
      isFresh = true
      continue
    }
    if (reply.kind !== 'answered') throw endedBy(reply)
    // The hub was restored from a backup.
    if (reply.value.head < from) {
      from = 0
      isFresh = true
      continue
    }
    const news = reply.value.items.filter(({ seq }) => seq > from).sort((a, b) => a.seq - b.seq)
    const items: ReceivedItem[] = []
    for (const { id: item, seq, keyId, sealed } of news) {
      const key = [ring.current, ...ring.older].find(({ id }) => id === keyId)
      if (sealed !== null && !key) {
        yield { kind: 'items', items, upTo: items.at(-1)?.seq ?? from }
        return yield { kind: 'needs phrase' }
      }
      items.push({ item, seq, parcel: sealed !== null && key ? await openItem(ring, key, item, sealed) : null })
    }
    const { more, head } = reply.value
    from = more ? (news.at(-1)?.seq ?? from) : head
    yield { kind: 'items', items, upTo: from }
    if (!more || news.length === 0) return
  }
  // Nothing is sent before everything is read: this machine does not know the newest versions yet.
  throw new ExchangeEnded('unreachable', 'the hub has more sealed items than one exchange reads; the next one goes on')
}

async function openItem(ring: KeyRing, key: KeyRing['current'], item: string, sealed: string): Promise<OwnParcel | null> {
  const bytes = await unseal(key, item, sealed)
  if (!bytes) return null
  try {
    // Sealed by one of the person's machines, which may have been stolen.
    const parcel = Packed.parse(JSON.parse(gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8')))
    return itemId(ring, parcel.kind, parcel.name) === item ? parcel : null
  } catch {
    return null
  }
}
