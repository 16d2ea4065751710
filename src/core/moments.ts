/** When something was injected, in words: the name of the event is the agent's. */
export function describeMoment(event: string): string {
  const [name = '', ...rest] = event.split(':')
  const detail = rest.join(':')
  if (name === 'file') return `When ${detail || 'a file'} was opened`
  return MOMENTS[name] ?? event
}

const MOMENTS: Record<string, string> = {
  SessionStart: 'At the start of a session',
  UserPromptSubmit: 'With a prompt',
  PostToolUse: 'After a tool use',
  PostToolUseFailure: 'After a failure',
  PreToolUse: 'Before a tool use',
}
