/**
 * The hook process: a pipe from the agent to the worker. It starts cold on every event, so it forwards the raw payload over the worker's socket
 * and prints the reply; the worker does the parsing. It loads no npm package, and while the worker answers no `node:` module either: those
 * take longer to load than everything else here.
 *
 * This is the one place that swallows every error: memory must never stop a person's work. Whatever stdin contains and whatever the
 * worker does, it prints one JSON object and exits with 0.
 */
import { DEFAULT_AGENT } from '../core/agent.ts'
import { MAX_PAYLOAD_BYTES } from '../core/limits.ts'
import { eventNameIn, headFields } from '../core/payload-head.ts'
import { hookEnvironment, isSessionOff, minHookWaitMs } from '../platform/environment.ts'
import { homePaths } from '../platform/paths.ts'
import { askWorker, type WorkerReply } from '../wire/socket.ts'
import { isTooLargeToSpool } from './payload-size.ts'

/** How long each event may delay the client after its payload has arrived, unless the person allows more. Other events get the default. */
const DEADLINE_MS: Record<string, number> = { SessionStart: 1000, SessionEnd: 300, PreCompact: 500, PostCompact: 500 }
const DEFAULT_DEADLINE_MS = 200

/** How long to wait for the end of the payload. After that the hook gives up: the transcript has the same content. */
const PAYLOAD_TIMEOUT_MS = 5000

/** How long hooks write to the spool at once after a late answer, unless the worker removes the mark before. */
const LATE_MARK_LIFETIME_MS = 10_000

/** Handles `hook <agent> [event]` and `hooks <event name of another tool>`. Returns the exit code, which is 0 without `--strict-exit`. */
export async function runHook(args: string[]): Promise<number> {
  let result: ForwardResult = { reply: '{}', exit: FAILED }
  try {
    result = await handleHook(args)
  } catch {
    // No error may reach the client; see the top of this file.
  }
  await Bun.write(Bun.stdout, result.reply)
  return args.includes('--strict-exit') ? result.exit : 0
}

/** No name of an agent but Claude Code's has a dash. */
const MAY_BE_SCRIPT_EVENT = /^(?!claude).*-|^stop$/

/** Code for rare cases is loaded only when it is needed. */
async function handleHook(args: string[]): Promise<ForwardResult> {
  const [agent = DEFAULT_AGENT, ...rest] = args
  const event = rest[0]?.startsWith('-') ? undefined : rest[0]
  if (MAY_BE_SCRIPT_EVENT.test(agent) && (await import('./rare-cases.ts')).isScriptEventName(agent)) return forwardScriptEvent(args)
  if (args.includes('--plugin')) {
    const reply = (await import('./rare-cases.ts')).replyIfInstalledTwice(event, hookEnvironment().projectFolder)
    if (reply !== null) return { reply, exit: DONE }
  }
  const payload = await readStdin()
  return payload ? forward(agent, event, payload, args.includes('--strict-exit')) : { reply: '{}', exit: LATE }
}

/** All of stdin; null if it does not end in time. */
function readStdin(timeoutMs = PAYLOAD_TIMEOUT_MS): Promise<Uint8Array<ArrayBuffer> | null> {
  return Promise.race([Bun.stdin.bytes(), Bun.sleep(timeoutMs).then(() => null)])
}

/** The text to print, and the exit code for --strict-exit: 0 done, 1 error, 2 timeout, 3 database, 4 invalid input. */
type ForwardResult = { reply: string; exit: number }
const [DONE, FAILED, LATE, DATABASE, INVALID] = [0, 1, 2, 3, 4] as const

async function forwardScriptEvent(args: string[]): Promise<ForwardResult> {
  const { scriptEventPayload, parseScriptEvent, injectedTextIn, readPiped } = await import('./rare-cases.ts')
  const script = parseScriptEvent(args)
  const piped = await readPiped(script, readStdin)
  if (!piped) return { reply: script.printsText ? '' : '{}', exit: LATE }
  const payload = scriptEventPayload(script, new TextDecoder().decode(piped))
  // The worker records what it cannot use.
  const forwarded = await forward(DEFAULT_AGENT, script.event, payload ?? piped, script.strictExit)
  const result = payload ? forwarded : { ...forwarded, exit: INVALID }
  return script.printsText ? { ...result, reply: injectedTextIn(result.reply) } : result
}

async function forward(
  agent: string,
  eventArgument: string | undefined,
  payload: Uint8Array<ArrayBuffer>,
  strict = false,
): Promise<ForwardResult> {
  const started = Bun.nanoseconds()
  const context = hookEnvironment()
  if (context.ours) return { reply: '{}', exit: DONE }
  if (isSessionOff()) {
    const { rememberOffSession } = await import('./rare-cases.ts')
    rememberOffSession(homePaths(), headFields(payload).session_id ?? '')
    return { reply: '{}', exit: DONE }
  }
  const event = eventArgument ?? eventNameIn(payload)
  const deadline = Math.max(DEADLINE_MS[event] ?? DEFAULT_DEADLINE_MS, minHookWaitMs())
  const msLeft = () => Math.max(1, Math.ceil(deadline - (Bun.nanoseconds() - started) / 1e6))
  const home = homePaths()
  const delivery = crypto.randomUUID()
  const at = Date.now()
  const send = () =>
    askWorker(home, `/hook/${/^[a-z-]{1,40}$/.test(agent) ? agent : 'unknown'}`, {
      method: 'POST',
      body: payload,
      headers: {
        'content-type': 'application/json',
        'x-recollect-delivery': delivery,
        'x-recollect-wait': `${at} ${Date.now() + msLeft()}`,
        'x-recollect-context': encodeURIComponent(JSON.stringify(context)),
        ...(eventArgument ? { 'x-recollect-event': encodeURIComponent(eventArgument) } : {}),
        ...(strict ? { 'x-recollect-strict': '1' } : {}),
      },
      timeoutMs: msLeft(),
    })

  const isLateAnyway = Math.abs(Date.now() - Bun.file(home.late).lastModified) < LATE_MARK_LIFETIME_MS || payload.length > MAX_PAYLOAD_BYTES
  let reply: WorkerReply = isLateAnyway ? { kind: 'late' } : await send()
  if (reply.kind === 'unreachable' && event === 'SessionStart') {
    const { ensureWorker } = await import('./rare-cases.ts')
    if (await ensureWorker(home, msLeft())) reply = await send()
  }
  if (reply.kind === 'answered') return { reply: isJsonObject(reply.body) ? reply.body : '{}', exit: DONE }
  // A refused payload was read and rejected. In all other cases the worker may not have received or stored it, so it goes to the spool.
  if (reply.kind === 'refused' && reply.status !== 503) return { reply: '{}', exit: reply.status === 400 ? INVALID : FAILED }
  // The end of the tool is reported too.
  if (event === 'PreToolUse') return { reply: '{}', exit: LATE }
  const { markLate, spoolPayload, wakeWorker } = await import('./rare-cases.ts')
  let isReadable = true
  try {
    const { ours: _, ...spooledContext } = context
    const spooled = { delivery, agent, at, context: spooledContext, ...(eventArgument ? { event: eventArgument } : {}) }
    isReadable = spoolPayload(home, payload, isTooLargeToSpool(payload), spooled)
  } finally {
    if (reply.kind === 'unreachable') wakeWorker(home)
    else if (reply.kind === 'late' && !isLateAnyway) markLate(home)
  }
  return { reply: '{}', exit: isReadable ? SPOOLED_EXIT[reply.kind] : INVALID }
}

/** Refused with 503: the worker could not write to its database. */
const SPOOLED_EXIT = { late: LATE, refused: DATABASE, unreachable: FAILED } as const

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
