import { basename, join } from 'node:path'
import type { EventContext } from '../core/event.ts'
import { ensurePrivateFolder, moveFile, readJsonIfThere, statIfThere, writeFileAtomically } from '../platform/files.ts'
import { fileNamesIn, removeFile, removeTree } from '../platform/folder.ts'
import type { Home } from '../platform/paths.ts'

/**
 * A hook's payload that could not be delivered. `delivery` identifies the attempt, so that a payload that arrived after all is stored once. With
 * `headOnly` the payload was too large, and only the fields that identify its session are left. `event` is the event that the command line named.
 * With `bytes` it was not JSON, and nothing is left of it but its size.
 */
export type SpooledPayload = {
  delivery: string
  agent: string
  event?: string
  at: number
  context: EventContext
  payload: unknown
  headOnly?: boolean
  bytes?: number
}

/** Beyond this, new payloads are dropped. The transcript has them too. */
const MAX_SPOOL = { files: 20_000, bytes: 256 * 1024 * 1024 }

/** Writes a payload, from which private parts have been removed, to the spool. False when the spool is full. */
export function keepForLater(home: Home, spooled: SpooledPayload, limits = MAX_SPOOL): boolean {
  ensurePrivateFolder(home.folder)
  ensurePrivateFolder(home.spool)
  const names = fileNamesIn(home.spool, '.json')
  const text = JSON.stringify(spooled)
  if (names.length >= limits.files || estimateBytes(home.spool, names) + text.length > limits.bytes) return false
  const name = `${String(spooled.at).padStart(15, '0')}-${spooled.delivery}.json`
  // Not flushed to the disk: the hook's person waits, and the transcript has the event if the machine crashes.
  writeFileAtomically(join(home.spool, name), text, 0o600, false)
  return true
}

/** The approximate size of the spool. Reading the size of 20,000 files would take longer than a hook has. */
function estimateBytes(folder: string, names: string[]): number {
  const every = Math.ceil(names.length / SIZE_SAMPLE_FILES)
  const sizes = names.filter((_, i) => i % every === 0).map((name) => Bun.file(join(folder, name)).size)
  return (sizes.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, sizes.length)) * names.length
}

const SIZE_SAMPLE_FILES = 100

/** The payloads in the spool, oldest first. `spooled` is null for a file without a payload; the caller sets it aside. */
export function* readSpool(home: Home): Generator<{ path: string; bytes: number; spooled: SpooledPayload | null }> {
  for (const name of fileNamesIn(home.spool, '.json')) {
    const path = join(home.spool, name)
    const file = statIfThere(path)
    if (!file) continue
    const value = file.isFile() && file.size <= MAX_SPOOL_FILE_BYTES ? readJsonIfThere(path) : null
    yield { path, bytes: file.size, spooled: isSpooledPayload(value) ? value : null }
  }
}

/** No hook writes a larger one: `MAX_SPOOLED_PAYLOAD_BYTES`, escaped. */
const MAX_SPOOL_FILE_BYTES = 16 * 1024 * 1024

export const spoolSize = (home: Home): number => fileNamesIn(home.spool, '.json').length
export const removeFromSpool = removeFile

/** Moves a file that cannot be used out of the way, and keeps it: only a person can say what it was. */
export function setAsideFromSpool(home: Home, path: string): void {
  ensurePrivateFolder(home.spoolSetAside)
  moveFile(path, join(home.spoolSetAside, basename(path)))
  for (const name of fileNamesIn(home.spoolSetAside, '.json').slice(0, -MAX_SET_ASIDE_FILES)) removeTree(join(home.spoolSetAside, name))
}

/** Beyond this, the oldest are deleted. */
const MAX_SET_ASIDE_FILES = 1000

export const countSetAside = (home: Home): number => fileNamesIn(home.spoolSetAside, '.json').length

function isSpooledPayload(value: unknown): value is SpooledPayload {
  const v = value as SpooledPayload | null
  return typeof v?.delivery === 'string' && typeof v.agent === 'string' && typeof v.at === 'number' && isObject(v.context)
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null
