import type { ReadAction } from '../core/action.ts'
import type { Store } from '../store/store.ts'
import { performedActions, saveActivity } from './distill.ts'
import { fixLinks } from './fix-links.ts'
import { linkTurn } from './link.ts'

/** Hooks wait while a transaction runs, so each one handles few turns. */
const TURNS_PER_TRANSACTION = 50

/**
 * Gives turns of an older database what new turns get when they are distilled: links, searchable activity and traces. Handles the next
 * turns after prompt id `after`, and returns the last id, or null when all turns are done. Running it again changes nothing. Call it
 * inside a transaction.
 */
export async function catchUpOldTurns(store: Store, after: number, readAction: ReadAction): Promise<number | null> {
  const turns = await store.links.turnsAfter(after, TURNS_PER_TRANSACTION)
  for (const { id, sessionId, linked } of turns) {
    const session = await store.sessions.get(sessionId)
    const prompt = await store.prompts.get(id)
    if (!session || !prompt) continue
    const uses = await store.toolUses.ofTurn(sessionId, prompt.number)
    await saveActivity(store, { session, prompt }, await performedActions(session.agent, uses, readAction))
    if (!linked) await linkTurn(store, session, prompt)
    // Links to fixes need the traces, which a turn may have lacked when it was first linked.
    else await store.links.add(await fixLinks(store, session, prompt))
  }
  return turns.length < TURNS_PER_TRANSACTION ? null : (turns.at(-1)?.id ?? null)
}
