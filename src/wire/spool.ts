import { join } from 'node:path'
import type { EventContext } from '../core/event.ts'
import { ensurePrivateFolder, readJsonIfThere, writeFileAtomically } from '../platform/files.ts'
import { fileNamesIn, filesIn, removeFile } from '../platform/folder.ts'
import type { Home } from '../platform/paths.ts'

/**
 * A payload that met no worker. `delivery` names the attempt, so that one that got through after all is not taken twice. With
 * `headOnly` it was too much to keep, and the payload says only whose it was.
 */
export type SpooledPayload = { delivery: string; agent: string; at: number; context: EventContext; payload: unknown; headOnly?: boolean }

/** Past these the newest are let go: the transcript has them too, and a full disk helps nobody. */
const MAX_SPOOL = { files: 20_000, bytes: 256 * 1024 * 1024 }

/** Keeps a payload for later. Private parts are gone from it already. False when there is no room. */
export function keepForLater(home: Home, spooled: SpooledPayload, room = MAX_SPOOL): boolean {
  ensurePrivateFolder(home.folder)
  ensurePrivateFolder(home.spool)
  const kept = fileNamesIn(home.spool, '.json')
  const text = JSON.stringify(spooled)
  if (kept.length >= room.files || estimateBytes(home.spool, kept) + text.length > room.bytes) return false
  const name = `${String(spooled.at).padStart(15, '0')}-${spooled.delivery}.json`
  // Not flushed: somebody waits, and what a machine that dies forgets stands in the transcript.
  writeFileAtomically(join(home.spool, name), text, 0o600, false)
  return true
}

/** About how much they hold: to look at each of twenty thousand would take longer than a hook has. */
function estimateBytes(folder: string, names: string[]): number {
  const every = Math.ceil(names.length / SIZE_SAMPLE_FILES)
  const seen = names.filter((_, place) => place % every === 0).map((name) => Bun.file(join(folder, name)).size)
  return (seen.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, seen.length)) * names.length
}

const SIZE_SAMPLE_FILES = 100

/** What waits in the spool, oldest first. A file that holds no payload is reported as such, so that the caller can set it aside. */
export function* readSpool(home: Home): Generator<{ path: string; spooled: SpooledPayload | null }> {
  for (const file of filesIn(home.spool, '.json')) {
    const value = readJsonIfThere(file.path)
    yield { path: file.path, spooled: isSpooledPayload(value) ? value : null }
  }
}

export const spoolSize = (home: Home): number => fileNamesIn(home.spool, '.json').length
export const removeFromSpool = removeFile

function isSpooledPayload(value: unknown): value is SpooledPayload {
  const v = value as SpooledPayload | null
  return typeof v?.delivery === 'string' && typeof v.agent === 'string' && typeof v.at === 'number' && isObject(v.context)
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null
