import type { Reply } from '../../core/event.ts'

/**
 * Our reply in the host's schema; `{}` where we have nothing to say or the host would not take it. Context on any other event
 * does harm: at Stop it sends the agent back to work, and the compaction events reject it with an error the person sees.
 */
export function hostReply(eventName: string, reply: Reply): Record<string, unknown> {
  if (!TAKES_CONTEXT.has(eventName)) return {}
  const additionalContext = reply.context && cut(reply.context)
  return {
    ...(additionalContext && { hookSpecificOutput: { hookEventName: eventName, additionalContext } }),
    ...(reply.message && { systemMessage: reply.message }),
  }
}

/** The events whose context has been seen to reach the model. */
const TAKES_CONTEXT = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUse'])

/** Past 10,000 characters the client swaps the text for a short preview. Whoever wrote the context kept to a budget; this is the last guard. */
const MOST_CONTEXT = 9_000

function cut(context: string): string {
  // A cut through a surrogate pair would leave half a character at the end.
  return context
    .slice(0, MOST_CONTEXT)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
}
