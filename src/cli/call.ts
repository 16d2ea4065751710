import { type Home, homePaths } from '../platform/paths.ts'
import { type Caller, type FailedReply, type HttpRequest, openCaller, type ThrowingCaller, throwing } from '../wire/call.ts'
import { socketTransport } from '../wire/socket.ts'
import { ensureWorker } from '../wire/start.ts'
import { diagnoseUnresponsiveWorker } from '../wire/unresponsive-worker.ts'
import { CliError, EXIT, printNotice } from './print.ts'

/** How long a command waits for a worker to start, and for its answer. */
let timeouts = { startMs: 10_000, answerMs: 30_000 }

/** For commands that a hook waits for. */
export function shortenTimeouts(): void {
  timeouts = { startMs: 1000, answerMs: 5000 }
}

/** Calls a route of the worker, which is started if necessary. If no worker starts, routes that only read are answered from the disk. */
export const call: ThrowingCaller['call'] = async (name, ...args) =>
  (await openWorker(timeouts.answerMs, stripControlCharacters)).call(name, ...args)

/** The same for routes that answer with lines. The lines are not changed, because an export must be faithful. */
export const callLines: ThrowingCaller['callLines'] = async function* (name, ...args) {
  yield* (await openWorker(null)).callLines(name, ...args)
}

/** Calls the worker only if it is running, and returns failures instead of throwing them. */
export const callRunningWorker = (home: Home): Caller['call'] => openCaller(socketTransport(home), stripControlCharacters).call

/** A memory may contain control characters that a terminal would execute. */
export function stripControlCharacters(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(CONTROL_CHARACTERS, '') : value
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

async function openWorker(timeoutMs: number | null, reviver?: typeof stripControlCharacters): Promise<ThrowingCaller> {
  const home = homePaths()
  const missing = await startWorkerOrExplain(home)
  if (missing) return openDisk(missing, reviver)
  const send = socketTransport(home)
  const caller = openCaller((request) => send({ ...request, timeoutMs: request.timeoutMs ?? timeoutMs }), reviver)
  return throwing(caller, (failure) => errorFor(failure, home))
}

function errorFor(failure: FailedReply, home: Home): CliError {
  switch (failure.kind) {
    case 'refused':
      return new CliError(failure.reason, exitOf(failure.status))
    case 'late':
      return new CliError("the worker did not answer in time; try again, or run 'recollect doctor'", EXIT.timeout)
    case 'unreachable':
      return new CliError(`the worker stopped before it answered. Try again; its log is ${home.logs}/worker.log`)
  }
}

/** The worker answers 503 when its database fails. */
const exitOf = (status: number) => (status === 400 ? EXIT.invalid : status === 503 ? EXIT.database : EXIT.error)

/** Why no worker can be reached, in short and with what to do; and the exit code for a command that needs one. */
type MissingWorker = { reason: string; advice: string; exit: number }
let missing: MissingWorker | null = null

/** Null if a worker is running. A command that has waited in vain does not wait again. */
export async function startWorkerOrExplain(home: Home): Promise<MissingWorker | null> {
  if (missing || (await ensureWorker(home, timeouts.startMs))) return missing
  const advice = await diagnoseUnresponsiveWorker(home)
  const newer = advice ? null : (await import('../worker/offline-requests.ts')).newerDatabaseProblem(home.database)
  missing = advice
    ? { reason: 'the worker does not answer', advice, exit: EXIT.timeout }
    : newer
      ? { reason: 'the worker does not start', advice: newer, exit: EXIT.database }
      : {
          reason: 'the worker does not start',
          advice: `the worker does not start; run 'recollect doctor' to find out why (its log is ${home.logs}/worker.log)`,
          exit: EXIT.error,
        }
  return missing
}

/** Answers routes that only read from the disk. All others need a worker. */
function openDisk(missing: MissingWorker, reviver?: typeof stripControlCharacters): ThrowingCaller {
  // `openCaller` reduces an error to its message, and the exit code would be lost.
  let error: CliError | null = null
  const read = (request: HttpRequest) =>
    readFromDisk(missing, request).catch((cause: unknown) => {
      error = cause instanceof CliError ? cause : new CliError(String(cause))
      throw error
    })
  return throwing(openCaller(read, reviver), (failure) => error ?? errorFor(failure, homePaths()))
}

let isDiskReadReported = false

async function readFromDisk(missing: MissingWorker, request: HttpRequest): Promise<Response> {
  const { answerOffline, canOpenDatabase, isReadOnlyRequest, NewerDatabase } = await import('../worker/offline-requests.ts')
  if (!isReadOnlyRequest(request.method, request.path))
    throw new CliError(missing.advice, (await canOpenDatabase(homePaths().database)) ? missing.exit : EXIT.database)
  let response: Response | null
  try {
    response = await answerOffline(request)
  } catch (cause) {
    if (cause instanceof NewerDatabase) throw new CliError(cause.message, EXIT.database)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CliError(`${missing.advice}. The database cannot be read without it: ${reason}`, EXIT.database)
  }
  if (!response) throw new CliError(missing.advice, missing.exit)
  if (response.ok && !isDiskReadReported) {
    printNotice(`${missing.reason}, so this was read from the disk; run 'recollect doctor' to find out why`)
    isDiskReadReported = true
  }
  return response
}
