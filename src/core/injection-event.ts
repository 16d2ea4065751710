/** When a text was injected, in words. The names of events are the agent's; those with a colon are ours. */
export function describeInjectionEvent(event: string): string {
  const [name = '', ...rest] = event.split(':')
  if (name === 'file') return `When ${rest.join(':') || 'a file'} was opened`
  return EVENT_NAMES[name] ?? event
}

const EVENT_NAMES: Record<string, string> = {
  SessionStart: 'At the start of a session',
  UserPromptSubmit: 'With a prompt',
  error: 'After an error that was fixed before',
  warning: 'Before an action that failed before',
}
