/**
 * The hook process: a pipe from the agent to the worker. It starts cold at every event and has a few dozen milliseconds, so it
 * forwards the raw payload and prints the reply; parsing lives in the worker. It knows only `wire`, `core` and `platform`, and
 * no npm package.
 *
 * This is the one place that swallows everything: memory must never stop a person's work. Whatever stdin holds and whatever the
 * worker does, it prints one JSON object and exits 0.
 */
import { mapStrings, withoutPrivate } from '../core/privacy.ts'
import { hookEnvironment } from '../platform/environment.ts'
import { homePaths } from '../platform/paths.ts'
import { askWorker } from '../wire/socket.ts'
import { keepForLater } from '../wire/spool.ts'
import { ensureWorker, startWorker } from '../wire/start.ts'

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

  let asked = await send()
  if (asked.kind === 'unreachable' && event === 'SessionStart' && (await ensureWorker(home, left()))) asked = await send()
  if (asked.kind === 'answered') return isJsonObject(asked.body) ? asked.body : '{}'
  // Refused means the worker read it and wants none of it; anything else means it may not have it.
  if (asked.kind === 'refused') return '{}'
  try {
    keepForLater(home, { delivery, agent, at: Date.now(), context, payload: await hidden(JSON.parse(new TextDecoder().decode(payload))) })
  } finally {
    if (asked.kind === 'unreachable' && WAKES_WORKER.has(event)) startWorker()
  }
  return '{}'
}

/**
 * Without private parts and secrets. An empty part stays in the place of a private one: the worker must know of a private prompt
 * to keep its turn out. The rules for secrets are loaded only here, where nobody was there to be asked anyway.
 */
async function hidden(payload: unknown): Promise<unknown> {
  const { redactJson } = await import('../core/secrets.ts')
  const open = mapStrings(payload, (text) => {
    const seen = withoutPrivate(text)
    return seen.hidPrivate ? `${seen.text}<private/>` : seen.text
  })
  return redactJson(open)
}

/** The event's name without parsing twenty megabytes for it. The client writes it before anything a tool could have put there. */
function eventNameIn(payload: Uint8Array): string {
  const head = new TextDecoder().decode(payload.subarray(0, 8192))
  return /"hook_event_name"\s*:\s*"([A-Za-z]{1,40})"/.exec(head)?.[1] ?? ''
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
