import type { EventReply } from '../../core/event.ts'
import { nestedContext } from '../claude-dialect.ts'

export function hostReply(eventName: string, reply: EventReply): Record<string, unknown> {
  return reply.context && EVENTS_WITH_CONTEXT.has(eventName) ? nestedContext(eventName, reply.context) : {}
}

/** The events whose context reaches the model; tested with the real client. */
const EVENTS_WITH_CONTEXT = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUse'])
