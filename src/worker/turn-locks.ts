/** Does work on a turn when nobody else has it in hand. */
export type WithTurnLock = <T>(turn: { sessionId: number; number: number }, work: () => Promise<T>) => Promise<T>

/**
 * A job and a person who has turns told again may want the same one told. Whoever comes second waits, finds it told, and pays for nothing.
 */
export function openTurnLocks(): WithTurnLock {
  const last = new Map<string, Promise<unknown>>()
  return async ({ sessionId, number }, work) => {
    const key = `${sessionId}:${number}`
    const mine = (last.get(key) ?? Promise.resolve()).then(work)
    const over = mine.catch(() => {})
    last.set(key, over)
    try {
      return await mine
    } finally {
      if (last.get(key) === over) last.delete(key)
    }
  }
}
