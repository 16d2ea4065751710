import { Database } from 'bun:sqlite'

export type HeldLock = { release(): void }

/** Two that reach for the lock at the same instant can each keep the other from it; tried again at odd moments, one gets it. */
const MAX_LOCK_ATTEMPTS = 8
const MAX_RETRY_PAUSE_MS = 30

/**
 * Takes a lock on a file for as long as this process lives, or returns null when another process has it. SQLite's lock on an
 * otherwise empty file: the kernel lets go of it when its holder dies, however it dies, so there is nothing stale to clean up.
 * Keep hold of what it returns: a lock that nobody refers to is collected and let go.
 */
export function holdLock(path: string): HeldLock | null {
  for (let tried = 1; tried <= MAX_LOCK_ATTEMPTS; tried++) {
    const held = tryLock(path)
    if (held) return held
    Bun.sleepSync(1 + Math.random() * MAX_RETRY_PAUSE_MS)
  }
  return null
}

function tryLock(path: string): HeldLock | null {
  const db = new Database(path, { create: true, readwrite: true })
  try {
    db.run('PRAGMA busy_timeout = 0')
    db.run('PRAGMA locking_mode = EXCLUSIVE')
    db.run('BEGIN EXCLUSIVE')
    return { release: () => db.close(false) }
  } catch (cause) {
    db.close(false)
    if ((cause as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null
    throw new Error(`could not lock ${path}`, { cause })
  }
}
