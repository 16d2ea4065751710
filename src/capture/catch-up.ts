import type { ReadAction } from '../core/action.ts'
import type { Store } from '../store/store.ts'
import { saveActivity } from './distill.ts'
import { fixLinks } from './fix-links.ts'
import { linkTurn } from './link.ts'

/** How many turns are looked at in one transaction: hooks wait for no longer than that. */
const TURNS_PER_TRANSACTION = 50

/**
 * Does for the turns of an older database what is done for new ones as they are told: those that nobody has linked are linked, and what
 * was done in them becomes findable and leaves its traces. A bite at a time, by the number of the prompt; returns where to go on, or null when all are done.
 * Doing it again changes nothing. To be called inside a transaction.
 */
export async function catchUpOldTurns(store: Store, after: number, readAction: ReadAction): Promise<number | null> {
  const turns = await store.links.turnsAfter(after, TURNS_PER_TRANSACTION)
  for (const { id, sessionId, linked } of turns) {
    const session = await store.sessions.get(sessionId)
    const prompt = await store.prompts.get(id)
    if (!session || !prompt) continue
    await saveActivity(store, { session, prompt, uses: await store.toolUses.ofTurn(sessionId, prompt.number) }, readAction)
    if (!linked) await linkTurn(store, session, prompt)
    // What was put right is told by the traces, which a turn that was linked before may not have had.
    else await store.links.add(await fixLinks(store, session, prompt))
  }
  return turns.length < TURNS_PER_TRANSACTION ? null : (turns.at(-1)?.id ?? null)
}
