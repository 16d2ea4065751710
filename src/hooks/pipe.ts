/**
 * The hook process: a pipe from the agent to the worker. It starts cold at every event and has a few dozen milliseconds, so it
 * forwards the raw payload and prints the reply; parsing lives in the worker. It knows only `wire`, `core` and `platform`, and
 * no npm package.
 *
 * This is the one place that swallows everything: memory must never stop a person's work. Whatever stdin holds and whatever the
 * worker does, it prints one JSON object and exits 0.
 */
import { MAX_PAYLOAD_BYTES } from '../core/limits.ts'
import { hookEnvironment } from '../platform/environment.ts'
import { homePaths } from '../platform/paths.ts'
import { askWorker, type WorkerReply } from '../wire/socket.ts'
import { ensureWorker, startWorker } from '../wire/start.ts'
import { eventNameIn, isTooLargeToSpool } from './payload-size.ts'

/** How long each event may hold up the client once its payload is there. Events that are not listed get the default. */
const DEADLINE_MS: Record<string, number> = { SessionStart: 1000, SessionEnd: 300, PreCompact: 500, PostCompact: 500 }
const DEFAULT_DEADLINE_MS = 200

/** How long the client may take to hand over the payload. One that never ends is not waited for: the transcript has what it said. */
const PAYLOAD_TIMEOUT_MS = 5000

/** These find a worker that is away worth starting, without waiting for it; SessionStart also waits. */
const EVENTS_STARTING_WORKER = new Set(['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd'])

/** `hook <agent> [event]`, or one of the other names for an event. Returns the exit code, which is 0 unless `--strict-exit` is there. */
export async function runHook(args: string[]): Promise<number> {
  let done: ForwardResult = { reply: '{}', exit: FAILED }
  try {
    done = await handleHook(args)
  } catch {
    // Said above: nothing that goes wrong here may reach the client.
  }
  await Bun.write(Bun.stdout, done.reply)
  return args.includes('--strict-exit') ? done.exit : 0
}

const AGENT = 'claude-code'

/** What a hook does not need as a rule is loaded only when it does. */
async function handleHook(args: string[]): Promise<ForwardResult> {
  const [agent = AGENT, ...rest] = args
  const event = rest[0]?.startsWith('-') ? undefined : rest[0]
  if (agent !== AGENT && (await import('./script-events.ts')).isScriptEventName(agent)) return forwardScriptEvent(args)
  if (args.includes('--plugin')) {
    const reply = (await import('./duplicate-install.ts')).replyIfInstalledTwice(event, hookEnvironment().projectFolder)
    if (reply !== null) return { reply, exit: DONE }
  }
  const payload = await readStdin()
  return payload ? forward(agent, event, payload, args.includes('--strict-exit')) : { reply: '{}', exit: LATE }
}

/** All of stdin; null when it does not end in time. */
function readStdin(): Promise<Uint8Array<ArrayBuffer> | null> {
  return Promise.race([Bun.stdin.bytes(), Bun.sleep(PAYLOAD_TIMEOUT_MS).then(() => null)])
}

/** What is printed, and the exit code for those who asked for one: 0 done, 1 error, 2 timeout, 3 database, 4 invalid input. */
type ForwardResult = { reply: string; exit: number }
const [DONE, FAILED, LATE, DATABASE, INVALID] = [0, 1, 2, 3, 4] as const

async function forwardScriptEvent(args: string[]): Promise<ForwardResult> {
  const { scriptEventPayload: payloadOf, parseScriptEvent: readForm, injectedTextIn: textIn } = await import('./script-events.ts')
  const form = readForm(args)
  const piped = form.readsStdin ? await readStdin() : new Uint8Array()
  const payload = piped && payloadOf(form, new TextDecoder().decode(piped), process.cwd())
  const done = payload ? await forward(AGENT, form.event, payload, form.strictExit) : { reply: '{}', exit: piped ? INVALID : LATE }
  return form.printsText ? { ...done, reply: textIn(done.reply) } : done
}

async function forward(
  agent: string,
  eventArgument: string | undefined,
  payload: Uint8Array<ArrayBuffer>,
  strict = false,
): Promise<ForwardResult> {
  const started = performance.now()
  const context = hookEnvironment()
  if (payload.length === 0) return { reply: '{}', exit: INVALID }
  if (context.ours) return { reply: '{}', exit: DONE }
  const event = eventArgument ?? eventNameIn(payload)
  const deadline = DEADLINE_MS[event] ?? DEFAULT_DEADLINE_MS
  const left = () => Math.max(1, Math.ceil(deadline - (performance.now() - started)))
  const home = homePaths()
  const delivery = crypto.randomUUID()
  const at = Date.now()
  const send = () =>
    askWorker(home, `/hook/${agent}`, {
      method: 'POST',
      body: payload,
      headers: {
        'content-type': 'application/json',
        'x-recollect-delivery': delivery,
        'x-recollect-wait': `${at} ${Date.now() + left()}`,
        'x-recollect-context': encodeURIComponent(JSON.stringify(context)),
        ...(strict ? { 'x-recollect-strict': '1' } : {}),
      },
      timeoutMs: left(),
    })

  let asked: WorkerReply = payload.length > MAX_PAYLOAD_BYTES ? { kind: 'late' } : await send()
  if (asked.kind === 'unreachable' && event === 'SessionStart' && (await ensureWorker(home, left()))) asked = await send()
  if (asked.kind === 'answered') return { reply: isJsonObject(asked.body) ? asked.body : '{}', exit: DONE }
  // Refused means the worker read it and wants none of it; anything else means it may not have it.
  if (asked.kind === 'refused') return { reply: '{}', exit: asked.status === 400 ? INVALID : asked.status === 503 ? DATABASE : FAILED }
  try {
    const { spoolPayload: keep } = await import('./spool-payload.ts')
    const { ours: _, ...around } = context
    keep(home, payload, isTooLargeToSpool(payload), { delivery, agent, at, context: around })
  } finally {
    if (asked.kind === 'unreachable' && EVENTS_STARTING_WORKER.has(event)) startWorker()
  }
  return { reply: '{}', exit: asked.kind === 'late' ? LATE : FAILED }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
