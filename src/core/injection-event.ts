/** When a text was injected, in words. The names of events are the agent's. */
export function describeInjectionEvent(event: string): string {
  const [name = '', ...rest] = event.split(':')
  const detail = rest.join(':')
  if (name === 'file') return `When ${detail || 'a file'} was opened`
  return EVENT_NAMES[name] ?? event
}

const EVENT_NAMES: Record<string, string> = {
  SessionStart: 'At the start of a session',
  UserPromptSubmit: 'With a prompt',
  PostToolUse: 'After a tool use',
  PostToolUseFailure: 'After a failure',
  PreToolUse: 'Before a tool use',
}
