import type { ContentSessionId, MemorySessionId } from '../../core/ids.ts'

/** The state of a session before its next turn is distilled. */
export type ConversationState = {
  contentSessionId: ContentSessionId
  memorySessionId: MemorySessionId | null
  promptNumber: number
  /** The memory session id that this worker last used for the session; null if it has used none. */
  seenInThisRun: MemorySessionId | null
  /** Start a new conversation, because the turn is distilled again or out of order. */
  startNew: boolean
}

/**
 * The conversation to continue, or null to start a new one. A stored memory session id is not enough: it may come from an earlier worker,
 * whose conversation is lost. The host's own session id never counts, because that would continue the person's own session.
 */
export function conversationToContinue(c: ConversationState): MemorySessionId | null {
  const { memorySessionId: id, contentSessionId } = c
  if (id === null || (id as string) === (contentSessionId as string)) return null
  return c.promptNumber > 1 && id === c.seenInThisRun && !c.startNew ? id : null
}
