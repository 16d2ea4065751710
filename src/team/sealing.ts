/**
 * Sealing a person's own memory: AES-256-GCM with a key that follows from the recovery phrase. The id of an item is bound to its text, so that a hub cannot
 * pass one item off as another.
 */
import { z } from 'zod'

export type OwnKey = { id: string; secret: Uint8Array<ArrayBuffer> }

/** Everything that a device needs to read and write the person's own memory. Keys stay in it when the phrase changes, because old items need them. */
export type KeyRing = {
  current: OwnKey
  older: OwnKey[] /** Makes the ids of items; the same for all keys. */
  names: Uint8Array<ArrayBuffer>
}

const NONCE_BYTES = 12
const encoder = new TextEncoder()

/** The key of a recovery phrase. The phrase is random enough that guessing it takes for ever, so a slow derivation adds nothing. */
async function keyOf(phraseSecret: Uint8Array<ArrayBuffer>): Promise<OwnKey> {
  const secret = await derive(phraseSecret, 'recollect own memory, sealing')
  const name = await derive(phraseSecret, 'recollect own memory, key id')
  return { id: Buffer.from(name.subarray(0, 8)).toString('hex'), secret }
}

async function derive(secret: Uint8Array<ArrayBuffer>, purpose: string): Promise<Uint8Array<ArrayBuffer>> {
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode(purpose) }, base, 256),
  )
}

/** Nonce and ciphertext, as base64. */
export async function seal(key: OwnKey, item: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: encoder.encode(item) }, await aes(key), bytes)
  return Buffer.concat([iv, new Uint8Array(sealed)]).toString('base64')
}

/** Null when the item was sealed with another key, belongs to another id, or was changed. */
export async function unseal(key: OwnKey, item: string, sealed: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const bytes = new Uint8Array(Buffer.from(sealed, 'base64'))
  if (bytes.length <= NONCE_BYTES) return null
  const [iv, text] = [bytes.slice(0, NONCE_BYTES), bytes.slice(NONCE_BYTES)]
  try {
    return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData: encoder.encode(item) }, await aes(key), text))
  } catch {
    return null
  }
}

const aes = ({ secret }: OwnKey) => crypto.subtle.importKey('raw', secret, 'AES-GCM', false, ['encrypt', 'decrypt'])

/** The id of an item on the hub: says nothing without the ring. */
export function itemId(ring: Pick<KeyRing, 'names'>, kind: string, name: string): string {
  return new Bun.CryptoHasher('sha256', Buffer.from(ring.names)).update(`${kind}\n${name}`).digest('hex')
}

/** A ring for a first phrase. */
export async function newRing(phraseSecret: Uint8Array<ArrayBuffer>): Promise<KeyRing> {
  return { current: await keyOf(phraseSecret), older: [], names: crypto.getRandomValues(new Uint8Array(32)) }
}

/** The ring after the phrase changed. */
export async function rotatedRing(ring: KeyRing, phraseSecret: Uint8Array<ArrayBuffer>): Promise<KeyRing> {
  return { ...ring, current: await keyOf(phraseSecret), older: [...ring.older, ring.current] }
}

const RING_ITEM = 'key ring'

/** The ring without its current key, sealed with that key: this is what the hub keeps. */
export async function sealRing(ring: KeyRing): Promise<string> {
  const older = ring.older.map(({ id, secret }) => ({ id, secret: inBase64(secret) }))
  return seal(ring.current, RING_ITEM, encoder.encode(JSON.stringify({ names: inBase64(ring.names), older })))
}

/** The ring of a phrase; null when the phrase does not open it. */
export async function openRing(phraseSecret: Uint8Array<ArrayBuffer>, sealed: string): Promise<KeyRing | null> {
  const current = await keyOf(phraseSecret)
  const bytes = await unseal(current, RING_ITEM, sealed)
  return bytes && readRing(current, new TextDecoder().decode(bytes))
}

const Ring = z.object({ names: z.string(), older: z.array(z.object({ id: z.string(), secret: z.string() })) })

/** The text was sealed by one of the person's devices. */
function readRing(current: OwnKey, text: string): KeyRing | null {
  const parsed = Ring.safeParse(JSON.parse(text))
  if (!parsed.success) return null
  const { names, older } = parsed.data
  return { current, names: fromBase64(names), older: older.map(({ id, secret }) => ({ id, secret: fromBase64(secret) })) }
}

export const inBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64'))
