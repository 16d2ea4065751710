import type { EventReply } from '../../core/event.ts'

/**
 * Our reply in the host's schema; `{}` where we have nothing to say or the host would not take it. Context on any other event
 * does harm: at Stop it sends the agent back to work, and the compaction events reject it with an error the person sees.
 */
export function hostReply(eventName: string, reply: EventReply): Record<string, unknown> {
  if (!EVENTS_WITH_CONTEXT.has(eventName)) return {}
  const additionalContext = reply.context && cutContext(reply.context)
  return {
    ...(additionalContext && { hookSpecificOutput: { hookEventName: eventName, additionalContext } }),
    ...(reply.message && { systemMessage: reply.message }),
  }
}

/** The events whose context has been seen to reach the model. */
const EVENTS_WITH_CONTEXT = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUse'])

/** Past 10,000 characters the client swaps the text for a short preview. Whoever wrote the context kept to a budget; this is the last guard. */
const MAX_CONTEXT_CHARS = 9_000

function cutContext(context: string): string {
  // A cut through a surrogate pair would leave half a character at the end.
  return context
    .slice(0, MAX_CONTEXT_CHARS)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
}
