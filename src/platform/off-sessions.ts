import { appendFileSync } from 'node:fs'
import { ensurePrivateFolder, readIfThere } from './files.ts'
import type { Home } from './paths.ts'

/** Remembers a session that the person keeps out of memory, so that its transcript is not read later either. */
export function rememberOffSession(home: Home, session: string): void {
  if (!/^[\w.-]{1,200}$/.test(session) || readOffSessions(home).has(session)) return
  ensurePrivateFolder(home.folder)
  appendFileSync(home.offSessions, `${session}\n`, { mode: 0o600 })
}

/** The sessions that ran with `RECOLLECT=off`. */
export function readOffSessions(home: Home): Set<string> {
  return new Set((readIfThere(home.offSessions) ?? '').split('\n').filter(Boolean))
}
