import { jsonFields } from '../core/json-object.ts'

/** The event names of other memory tools, so their hook scripts work with our program. */
const CLIENT_EVENT_NAMES: Record<string, string> = {
  'session-start': 'SessionStart',
  'pre-tool': 'PreToolUse',
  'post-tool': 'PostToolUse',
  'prompt-submit': 'UserPromptSubmit',
  'user-prompt': 'UserPromptSubmit',
  'pre-compact': 'PreCompact',
  stop: 'Stop',
  'session-end': 'SessionEnd',
}

export const isScriptEventName = (name: string | undefined): name is string => name !== undefined && Object.hasOwn(CLIENT_EVENT_NAMES, name)

export type ScriptEvent = {
  event: string
  strictExit: boolean
  printsText: boolean
  readsStdin: boolean
  /** The flags say enough, so stdin may stay open without a payload. */
  isComplete: boolean
  fields: Record<string, unknown>
}

/** `hooks post-tool --session-id S --tool-name Bash …`. Unknown flags are ignored, because they must not cost an event. */
export function parseScriptEvent([name = '', ...args]: string[]): ScriptEvent {
  const flags: Record<string, string> = {}
  for (let i = 0; i < args.length; i++) {
    const [, flag, inlineValue] = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(args[i] ?? '') ?? []
    if (!flag) continue
    const next = args[i + 1]
    const isSeparate = inlineValue === undefined && next !== undefined && !next.startsWith('--')
    flags[flag] = inlineValue ?? (isSeparate ? next : 'true')
    if (isSeparate) i++
  }
  const fields = {
    session_id: flags['session-id'],
    tool_name: flags['tool-name'],
    tool_input: jsonOrText(flags['tool-input']),
    tool_response: jsonOrText(flags['tool-output']),
    prompt: flags.prompt,
    cwd: flags.cwd,
  }
  const isComplete = flags.stdin === undefined && fields.session_id !== undefined
  return {
    event: CLIENT_EVENT_NAMES[name] ?? '',
    strictExit: flags['strict-exit'] === 'true',
    printsText: flags.format === 'text',
    // A person at a terminal types no payload. Loaded here, because this module takes every hook without a worker five milliseconds.
    readsStdin: flags.stdin !== 'false' && !(isComplete && process.getBuiltinModule('node:tty').isatty(0)),
    isComplete,
    fields: Object.fromEntries(Object.entries(fields).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]]))),
  }
}

/** Long enough for a script that pipes a payload although its flags say enough. */
const OPTIONAL_PAYLOAD_TIMEOUT_MS = 1000

/** The payload that is piped into a script event; null if one is needed and does not come. */
export async function readPiped<Bytes>(
  { readsStdin, isComplete }: ScriptEvent,
  readStdin: (timeoutMs?: number) => Promise<Bytes | null>,
): Promise<Bytes | Uint8Array<ArrayBuffer> | null> {
  const piped = readsStdin ? await readStdin(isComplete ? OPTIONAL_PAYLOAD_TIMEOUT_MS : undefined) : null
  return piped ?? (isComplete || !readsStdin ? new Uint8Array() : null)
}

function jsonOrText(value: string | undefined): unknown {
  try {
    return value === undefined ? undefined : JSON.parse(value)
  } catch {
    return value
  }
}

/**
 * The payload that a client would send: the piped JSON, completed by the flags. Null if it is invalid or names no session. The scripts of Context
 * Graph put the client's fields into `payload.data`.
 */
export function scriptEventPayload({ event, fields }: ScriptEvent, text: string): Uint8Array<ArrayBuffer> | null {
  let fromStdin: unknown = {}
  try {
    fromStdin = text.trim() ? JSON.parse(text) : {}
  } catch {
    return null
  }
  if (typeof fromStdin !== 'object' || fromStdin === null || Array.isArray(fromStdin)) return null
  const { payload: envelope, ...piped } = jsonFields(fromStdin)
  const payload: Record<string, unknown> = { ...fields, ...piped, ...jsonFields(jsonFields(envelope).data), hook_event_name: event }
  return typeof payload.session_id === 'string' && payload.session_id ? new TextEncoder().encode(JSON.stringify(payload)) : null
}

/** The text for the model in a reply for the client. */
export function injectedTextIn(reply: string): string {
  const { hookSpecificOutput } = jsonFields(JSON.parse(reply))
  const { additionalContext } = jsonFields(hookSpecificOutput)
  return typeof additionalContext === 'string' ? additionalContext : ''
}
