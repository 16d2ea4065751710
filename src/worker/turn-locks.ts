/** Runs work on a turn while no other work on the same turn runs. */
export type WithTurnLock = <T>(turn: { sessionId: number; number: number }, work: () => Promise<T>) => Promise<T>

/**
 * A background job and `recollect redistill` may want the same turn at the same time. The second waits; when it runs, the turn is already
 * distilled, so the model is asked once.
 */
export function openTurnLocks(): WithTurnLock {
  const lastWork = new Map<string, Promise<unknown>>()
  return async ({ sessionId, number }, work) => {
    const key = `${sessionId}:${number}`
    const result = (lastWork.get(key) ?? Promise.resolve()).then(work)
    const settled = result.catch(() => {})
    lastWork.set(key, settled)
    try {
      return await result
    } finally {
      if (lastWork.get(key) === settled) lastWork.delete(key)
    }
  }
}
