/**
 * The hook process: a pipe from the agent to the worker. It starts cold at every event and has a few dozen milliseconds, so it
 * forwards the raw payload and prints the reply; parsing lives in the worker. It knows only `wire`, `core` and `platform`, and
 * no npm package.
 *
 * This is the one place that swallows everything: memory must never stop a person's work. Whatever stdin holds and whatever the
 * worker does, it prints one JSON object and exits 0.
 */
import { hookEnvironment } from '../platform/environment.ts'
import { homePaths } from '../platform/paths.ts'
import { type Asked, askWorker } from '../wire/socket.ts'
import { ensureWorker, startWorker } from '../wire/start.ts'
import { eventNameIn, isTooMuchToKeep, MOST_SENT } from './size.ts'

/** How long each event may hold up the client, in all. Events that are not listed get the default. */
const DEADLINE_MS: Record<string, number> = { SessionStart: 1000, SessionEnd: 300, PreCompact: 500, PostCompact: 500 }
const DEFAULT_DEADLINE_MS = 200

/** These find a worker that is away worth starting, without waiting for it; SessionStart also waits. */
const WAKES_WORKER = new Set(['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd'])

export async function pipe(agent: string, eventArgument: string | undefined): Promise<void> {
  let reply = '{}'
  try {
    reply = await forward(agent, eventArgument)
  } catch {
    // Said above: nothing that goes wrong here may reach the client.
  }
  await Bun.write(Bun.stdout, reply)
}

async function forward(agent: string, eventArgument: string | undefined): Promise<string> {
  const started = performance.now()
  const payload = await Bun.stdin.bytes()
  const context = hookEnvironment()
  if (payload.length === 0 || context.ours) return '{}'
  const event = eventArgument ?? eventNameIn(payload)
  const deadline = DEADLINE_MS[event] ?? DEFAULT_DEADLINE_MS
  const left = () => Math.max(1, Math.ceil(deadline - (performance.now() - started)))
  const home = homePaths()
  const delivery = crypto.randomUUID()
  const send = () =>
    askWorker(home, `/hook/${agent}`, {
      method: 'POST',
      body: payload,
      headers: {
        'content-type': 'application/json',
        'x-recollect-delivery': delivery,
        'x-recollect-context': encodeURIComponent(JSON.stringify(context)),
      },
      timeoutMs: left(),
    })

  let asked: Asked = payload.length > MOST_SENT ? { kind: 'late' } : await send()
  if (asked.kind === 'unreachable' && event === 'SessionStart' && (await ensureWorker(home, left()))) asked = await send()
  if (asked.kind === 'answered') return isJsonObject(asked.body) ? asked.body : '{}'
  // Refused means the worker read it and wants none of it; anything else means it may not have it.
  if (asked.kind === 'refused') return '{}'
  try {
    const { keep } = await import('./keep.ts')
    const { ours: _, ...around } = context
    keep(home, payload, isTooMuchToKeep(payload), { delivery, agent, at: Date.now(), context: around })
  } finally {
    if (asked.kind === 'unreachable' && WAKES_WORKER.has(event)) startWorker()
  }
  return '{}'
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
