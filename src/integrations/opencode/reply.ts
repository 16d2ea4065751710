import type { EventReply } from '../../core/event.ts'
import { cutContext } from '../claude-dialect.ts'

/** Our plugin puts the context where OpenCode takes it. */
export function hostReply(eventName: string, reply: EventReply): Record<string, unknown> {
  return reply.context && EVENTS_WITH_CONTEXT.has(eventName) ? { additionalContext: cutContext(reply.context) } : {}
}

const EVENTS_WITH_CONTEXT = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUse'])
