import { join } from 'node:path'
import { PINNED } from './client.ts'
import type { Hooks } from './sandbox.ts'

/** The payload that the client sent to a hook. Every event has these fields; the rest depends on the event. */
export type HookPayload = { hook_event_name: string; session_id: string; transcript_path: string; cwd: string; [key: string]: unknown }

/** One call of the recorder. */
export type RecordedHook = {
  payload: HookPayload
  /** Environment variables that the client set for the hook. */
  env: Record<string, string>
  pid: number
  at: number
}

export type Recording = {
  events: readonly string[]
  /** The output of the hook for an event; an object is printed as JSON. */
  output?: Record<string, string | object>
}

const EVENTS_OF_OLD_CLIENTS = [
  ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'Notification', 'UserPromptSubmit', 'SessionStart', 'SessionEnd', 'Stop'],
  ...['SubagentStart', 'SubagentStop', 'PreCompact', 'PermissionRequest', 'Setup', 'TeammateIdle', 'TaskCompleted'],
]
const EVENTS = [
  ...EVENTS_OF_OLD_CLIENTS,
  'ConfigChange',
  ...['PostToolBatch', 'UserPromptExpansion', 'StopFailure', 'PostCompact', 'PreModelSwitch', 'PostModelSwitch', 'PermissionDenied'],
  ...['TaskCreated', 'Elicitation', 'ElicitationResult', 'InstructionsLoaded', 'CwdChanged', 'DirectoryAdded', 'MessageDisplay'],
]

/**
 * The events of a client version for which a hook without output changes nothing. Old clients must not get newer events: an unknown name makes them
 * ignore the whole settings file.
 */
export const eventsOf = (version: string) => (version === PINNED ? EVENTS : EVENTS_OF_OLD_CLIENTS)

/** Hooks that append every call to `log`. In shell form, because old clients know no other. */
export function recordHooks(log: string, { events, output = {} }: Recording): Hooks {
  return Object.fromEntries(
    events.map((event) => {
      const reply = output[event] ?? ''
      const words = [
        process.execPath,
        join(import.meta.dir, 'record-hook.ts'),
        log,
        typeof reply === 'string' ? reply : JSON.stringify(reply),
      ]
      return [event, [{ hooks: [{ type: 'command', command: words.map(shellQuote).join(' '), timeout: 30 }] }]]
    }),
  )
}

/** Hook output that injects text. */
export function contextFor(event: string, text: string): object {
  return { hookSpecificOutput: { hookEventName: event, additionalContext: text } }
}

export type HookServer = { url: string; calls: HookPayload[]; close(): Promise<void> }

/** A server for `http` hooks. A `Response` is sent as it is, to play servers that misbehave. */
export function startHookServer(answer: (payload: HookPayload) => object | Promise<object> = () => ({})): HookServer {
  const calls: HookPayload[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const payload = (await request.json()) as HookPayload
      calls.push(payload)
      const reply = await answer(payload)
      return reply instanceof Response ? reply : Response.json(reply)
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, calls, close: () => server.stop(true) }
}

export const shellQuote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
