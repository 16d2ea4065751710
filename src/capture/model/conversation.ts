import type { ContentSessionId, MemorySessionId } from '../../core/ids.ts'

/** What is known of the memory side of a session when its next turn is to be told. */
export type ConversationState = {
  contentSessionId: ContentSessionId
  memorySessionId: MemorySessionId | null
  promptNumber: number
  /** The memory id that this run of the worker has seen a model report for the session; null when it has seen none. */
  seenInThisRun: MemorySessionId | null
  /** Somebody wants the turn told from the beginning: it is told anew, or out of its order. */
  forceInit: boolean
}

/**
 * The conversation in which a turn goes on, or null when it begins one. A memory id alone is not enough: it may be left over from a worker
 * that is gone, and then nobody remembers what was said in it. The host's own id never is one: going on there would be going on in the
 * person's own session.
 */
export function conversationToContinue(c: ConversationState): MemorySessionId | null {
  const { memorySessionId: id, contentSessionId } = c
  if (id === null || (id as string) === (contentSessionId as string)) return null
  return c.promptNumber > 1 && id === c.seenInThisRun && !c.forceInit ? id : null
}
