import type { EventReply } from '../../core/event.ts'

/**
 * Our reply in the client's schema; `{}` when it is empty or the event takes none. Context on other events does harm: at Stop it
 * sends the agent back to work, and the compaction events reject it with an error that the person sees.
 */
export function hostReply(eventName: string, reply: EventReply): Record<string, unknown> {
  if (!EVENTS_WITH_CONTEXT.has(eventName)) return {}
  if (reply.refusal && eventName === 'PreToolUse') {
    const refused = { permissionDecision: 'deny', permissionDecisionReason: cutContext(reply.refusal) }
    return { hookSpecificOutput: { hookEventName: eventName, ...refused } }
  }
  const additionalContext = reply.context && cutContext(reply.context)
  return {
    ...(additionalContext && { hookSpecificOutput: { hookEventName: eventName, additionalContext } }),
    ...(reply.message && { systemMessage: reply.message }),
  }
}

/** The events whose context reaches the model; tested with the real client. */
const EVENTS_WITH_CONTEXT = new Set(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'])

/** Beyond 10,000 characters the client shows the model only a preview. Briefs keep to a smaller budget; this is the last guard. */
const MAX_CONTEXT_CHARS = 9_000

export function cutContext(context: string): string {
  // A cut through a surrogate pair would leave half a character at the end.
  return context
    .slice(0, MAX_CONTEXT_CHARS)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
}
