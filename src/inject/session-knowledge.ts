import type { Session } from '../core/memory.ts'
import type { Store } from '../store/store.ts'

/** What a session has in front of it already, and need not be told again. */
export type SessionKnowledge = {
  /** Itself and, for a fork, the one it was split off from: what they did stands in their own conversation. */
  sessions: Set<number>
  /** The same by the ids that the agent gave them. */
  contentIds: Set<string>
  /** What they were told, as `observation:12`. */
  shown: Set<string>
  /** When they were last given a brief, and the newest observation there was then; null when they never were. */
  briefed: { at: number; until: number } | null
}

export const NO_KNOWLEDGE: SessionKnowledge = { sessions: new Set(), contentIds: new Set(), shown: new Set(), briefed: null }

export async function knowledgeOf(store: Store, session: Session): Promise<SessionKnowledge> {
  const parent = session.forkedFrom === null ? null : await store.sessions.get(session.forkedFrom)
  const holders = parent ? [session, parent] : [session]
  const told = (await Promise.all(holders.map((one) => store.injections.itemsOf(one)))).flat()
  const worked = holders.some((one) => one.promptCount > 0)
  return {
    sessions: new Set(holders.map((one) => one.id)),
    contentIds: new Set(holders.map((one) => one.contentSessionId as string)),
    shown: new Set(told.map((item) => `${item.kind}:${item.id}`)),
    // One that worked before anybody told it something is new to all that happened beside it.
    briefed: session.briefed ?? parent?.briefed ?? (worked ? { at: Math.min(...holders.map((one) => one.startedAt)), until: 0 } : null),
  }
}
