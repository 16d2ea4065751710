import type { Session } from '../core/memory.ts'
import type { Store } from '../store/store.ts'

/** The memories that a session already has in its context. A brief leaves them out. */
export type SessionKnowledge = {
  /** The session and, for a fork, its parent: their own work is in their conversation. */
  sessions: Set<number>
  /** The same sessions by the agent's ids. */
  contentIds: Set<string>
  /** The memories shown to them, as `observation:12`. */
  shown: Set<string>
  /** The time of their last brief and the newest observation at that time; null if they never got one. */
  briefed: { at: number; until: number } | null
}

/** The knowledge of a session that is resumed. */
export type ResumedKnowledge = SessionKnowledge & {
  briefed: NonNullable<SessionKnowledge['briefed']>
  /** Observations that are newer than its last brief, but tell it nothing new, with the reason. */
  notNews?: Map<number, string>
}

export const NO_KNOWLEDGE: SessionKnowledge = { sessions: new Set(), contentIds: new Set(), shown: new Set(), briefed: null }

export async function knowledgeOf(store: Store, session: Session): Promise<SessionKnowledge> {
  const parent = session.forkedFrom === null ? null : await store.sessions.get(session.forkedFrom)
  const lineage = parent ? [session, parent] : [session]
  const items = (await Promise.all(lineage.map((one) => store.injections.itemsOf(one)))).flat()
  const hasWorked = lineage.some((one) => one.promptCount > 0)
  const startedAt = Math.min(...lineage.map((one) => one.startedAt))
  return {
    sessions: new Set(lineage.map((one) => one.id)),
    contentIds: new Set(lineage.map((one) => one.contentSessionId as string)),
    shown: new Set(items.map((item) => `${item.kind}:${item.id}`)),
    // A session that worked without ever getting a brief does not know what others did since it started.
    briefed: session.briefed ?? parent?.briefed ?? (hasWorked ? { at: startedAt, until: 0 } : null),
  }
}
