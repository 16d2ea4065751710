import { Database } from 'bun:sqlite'

export type HeldLock = { release(): void }

/** Two processes that try at the same instant can block each other; after a random pause, one of them gets the lock. */
const MAX_LOCK_ATTEMPTS = 8
const MAX_RETRY_PAUSE_MS = 30

/**
 * Locks a file for the lifetime of this process, or returns null when another process has the lock. It is SQLite's lock on an empty file: the
 * kernel releases it when the process dies, so no stale lock remains. Keep a reference to the result: garbage collection would release
 * the lock.
 */
export function holdLock(path: string): HeldLock | null {
  for (let attempt = 1; attempt <= MAX_LOCK_ATTEMPTS; attempt++) {
    const lock = tryLock(path)
    if (lock) return lock
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
