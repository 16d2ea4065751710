import { join } from 'node:path'
import type { EventContext } from '../core/event.ts'
import { privateFolder, readJsonIfThere, writeWhole } from '../platform/files.ts'
import { filesIn, namesIn, removeFile } from '../platform/folder.ts'
import type { Home } from '../platform/paths.ts'

/**
 * A payload that met no worker. `delivery` names the attempt, so that one that got through after all is not taken twice. With
 * `headOnly` it was too much to keep, and the payload says only whose it was.
 */
export type Spooled = { delivery: string; agent: string; at: number; context: EventContext; payload: unknown; headOnly?: boolean }

/** Past these the newest are let go: the transcript has them too, and a full disk helps nobody. */
const ROOM = { files: 20_000, bytes: 256 * 1024 * 1024 }

/** Keeps a payload for later. Private parts are gone from it already. False when there is no room. */
export function keepForLater(home: Home, spooled: Spooled, room = ROOM): boolean {
  privateFolder(home.folder)
  privateFolder(home.spool)
  const kept = namesIn(home.spool, '.json')
  const text = JSON.stringify(spooled)
  if (kept.length >= room.files || bytesOf(home.spool, kept) + text.length > room.bytes) return false
  const name = `${String(spooled.at).padStart(15, '0')}-${spooled.delivery}.json`
  // Not flushed: somebody waits, and what a machine that dies forgets stands in the transcript.
  writeWhole(join(home.spool, name), text, 0o600, false)
  return true
}

/** About how much they hold: to look at each of twenty thousand would take longer than a hook has. */
function bytesOf(folder: string, names: string[]): number {
  const every = Math.ceil(names.length / LOOKED_AT)
  const seen = names.filter((_, place) => place % every === 0).map((name) => Bun.file(join(folder, name)).size)
  return (seen.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, seen.length)) * names.length
}

const LOOKED_AT = 100

/** What waits in the spool, oldest first. A file that holds no payload is reported as such, so that the caller can set it aside. */
export function* waitingInSpool(home: Home): Generator<{ path: string; spooled: Spooled | null }> {
  for (const file of filesIn(home.spool, '.json')) {
    const value = readJsonIfThere(file.path)
    yield { path: file.path, spooled: isSpooled(value) ? value : null }
  }
}

export const spoolSize = (home: Home): number => namesIn(home.spool, '.json').length
export const takeFromSpool = removeFile

function isSpooled(value: unknown): value is Spooled {
  const v = value as Spooled | null
  return typeof v?.delivery === 'string' && typeof v.agent === 'string' && typeof v.at === 'number' && isObject(v.context)
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null
