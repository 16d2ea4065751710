/** The events by the names that scripts of other memory tools call them, so that such a script needs only another program. */
const CLIENT_EVENT_NAMES: Record<string, string> = {
  'session-start': 'SessionStart',
  'pre-tool': 'PreToolUse',
  'post-tool': 'PostToolUse',
  'prompt-submit': 'UserPromptSubmit',
  'session-end': 'SessionEnd',
}

export const isScriptEventName = (name: string | undefined): name is string => name !== undefined && Object.hasOwn(CLIENT_EVENT_NAMES, name)

export type ScriptEvent = { event: string; strictExit: boolean; printsText: boolean; readsStdin: boolean; fields: Record<string, string> }

/** `hooks post-tool --session-id S --tool-name Bash …`. Read loosely: a flag that we do not know must not cost an event. */
export function parseScriptEvent([name = '', ...args]: string[]): ScriptEvent {
  const flags: Record<string, string> = {}
  for (let i = 0; i < args.length; i++) {
    const [, flag, given] = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(args[i] ?? '') ?? []
    if (!flag) continue
    const next = args[i + 1]
    const isApart = given === undefined && next !== undefined && !next.startsWith('--')
    flags[flag] = given ?? (isApart ? next : 'true')
    if (isApart) i++
  }
  const fields = { session_id: flags['session-id'], tool_name: flags['tool-name'], prompt: flags.prompt, cwd: flags.cwd }
  return {
    event: CLIENT_EVENT_NAMES[name] ?? '',
    strictExit: flags['strict-exit'] === 'true',
    printsText: flags.format === 'text',
    readsStdin: flags.stdin !== 'false',
    fields: Object.fromEntries(Object.entries(fields).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]]))),
  }
}

/** The payload a client would have sent: what was piped in, and what the flags say of what it does not. Null when it is no payload. */
export function scriptEventPayload({ event, fields }: ScriptEvent, piped: string, folder: string): Uint8Array<ArrayBuffer> | null {
  let said: unknown = {}
  try {
    said = piped.trim() ? JSON.parse(piped) : {}
  } catch {
    return null
  }
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return null
  const usual = {
    SessionStart: { source: 'startup' },
    PreToolUse: { tool_input: {} },
    PostToolUse: { tool_input: {}, tool_response: {} },
    SessionEnd: { reason: 'other' },
  }[event]
  const payload: Record<string, unknown> = { cwd: folder, ...usual, ...fields, ...said, hook_event_name: event }
  return typeof payload.session_id === 'string' && payload.session_id ? new TextEncoder().encode(JSON.stringify(payload)) : null
}

/** Only what the model is told, of an answer for a client. */
export function injectedTextIn(reply: string): string {
  const answer = JSON.parse(reply) as { hookSpecificOutput?: { additionalContext?: string } }
  return answer.hookSpecificOutput?.additionalContext ?? ''
}
