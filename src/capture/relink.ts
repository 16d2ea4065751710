import type { Store } from '../store/store.ts'
import { linkTurn } from './link.ts'

/** How many turns are looked at in one transaction: hooks wait for no longer than that. */
const BITE = 50

/**
 * Links the turns that nobody has linked: those of a database from before there were links. A bite at a time, by the number of the
 * prompt; returns where to go on, or null when all are done. Turns that are linked are left alone, so doing it again does nothing. To
 * be called inside a transaction.
 */
export async function linkSome(store: Store, after: number): Promise<number | null> {
  const turns = await store.links.turnsAfter(after, BITE)
  for (const { id, sessionId, linked } of turns) {
    if (linked) continue
    const session = await store.sessions.get(sessionId)
    const prompt = await store.prompts.get(id)
    if (session && prompt) await linkTurn(store, session, prompt)
  }
  return turns.length < BITE ? null : (turns.at(-1)?.id ?? null)
}
