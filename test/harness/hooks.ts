import { join } from 'node:path'
import { PINNED } from './client.ts'
import type { Hooks } from './sandbox.ts'

/** What the client gave a hook. Every event has these; the rest depends on the event. */
export type HookPayload = { hook_event_name: string; session_id: string; transcript_path: string; cwd: string; [key: string]: unknown }

/** One call of the recorder. */
export type RecordedHook = {
  payload: HookPayload
  /** Variables that the client set for the hook. */
  env: Record<string, string>
  pid: number
  at: number
}

export type Recording = {
  events: readonly string[]
  /** What the hook of an event prints: an object as JSON. */
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
 * The events of a client whose hooks change nothing by being there. An old client must not be given the newer ones: a name that
 * it does not know voids the whole settings file.
 */
export const eventsOf = (version: string) => (version === PINNED ? EVENTS : EVENTS_OF_OLD_CLIENTS)

/** Hooks that write every call down in `log`. In shell form, because old clients know no other. */
export function recordHooks(log: string, { events, output = {} }: Recording): Hooks {
  return Object.fromEntries(
    events.map((event) => {
      const said = output[event] ?? ''
      const words = [process.execPath, join(import.meta.dir, 'record-hook.ts'), log, typeof said === 'string' ? said : JSON.stringify(said)]
      return [event, [{ hooks: [{ type: 'command', command: words.map(shellQuote).join(' '), timeout: 30 }] }]]
    }),
  )
}

/** Output that puts text in front of the model. */
export function contextFor(event: string, text: string): object {
  return { hookSpecificOutput: { hookEventName: event, additionalContext: text } }
}

export type HookServer = { url: string; calls: HookPayload[]; close(): Promise<void> }

/** Stands at the other end of `http` hooks. An answer that is a `Response` goes out as it is, for servers that misbehave. */
export function startHookServer(answer: (payload: HookPayload) => object | Promise<object> = () => ({})): HookServer {
  const calls: HookPayload[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const payload = (await request.json()) as HookPayload
      calls.push(payload)
      const said = await answer(payload)
      return said instanceof Response ? said : Response.json(said)
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, calls, close: () => server.stop(true) }
}

export const shellQuote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
