import { type Home, homePaths } from '../platform/paths.ts'
import { askWorker, openAnswer, type WorkerRequest } from '../wire/socket.ts'
import { ensureWorker } from '../wire/start.ts'
import { diagnoseUnresponsiveWorker } from '../wire/unresponsive-worker.ts'
import { CliError, EXIT, printNotice } from './print.ts'

/** How long a command waits for a worker to start, and for its answer. */
let timeouts = { startMs: 10_000, answerMs: 30_000 }

/** For commands that a hook waits for. */
export function shortenTimeouts(): void {
  timeouts = { startMs: 1000, answerMs: 5000 }
}

/** Sends a request to the worker, which is started if necessary, and parses its JSON. If no worker starts, reading requests are answered from the disk. */
export async function ask<T>(path: string, request: WorkerRequest = {}): Promise<T> {
  const home = homePaths()
  const missing = await startWorkerOrExplain(home)
  if (missing) return JSON.parse(await readWithoutWorker(missing, path, request), stripControlCharacters) as T
  const reply = await askWorker(home, path, { timeoutMs: timeouts.answerMs, ...request })
  switch (reply.kind) {
    case 'answered':
      return JSON.parse(reply.body, stripControlCharacters) as T
    case 'refused':
      throw refusedError(reply.status, reply.body)
    case 'late':
      throw new CliError(
        `the worker did not answer within ${timeouts.answerMs / 1000} seconds; try again, or run 'recollect doctor'`,
        EXIT.timeout,
      )
    case 'unreachable':
      throw new CliError(`the worker stopped before it answered. Try again; its log is ${home.logs}/worker.log`)
  }
}

/** Why no worker can be reached, in short and with what to do; and the exit code for a command that needs one. */
type MissingWorker = { reason: string; advice: string; exit: number }
let missing: MissingWorker | null = null

/** Null if a worker is running. A command that has waited in vain does not wait again. */
export async function startWorkerOrExplain(home: Home): Promise<MissingWorker | null> {
  if (missing || (await ensureWorker(home, timeouts.startMs))) return missing
  const advice = await diagnoseUnresponsiveWorker(home)
  missing = advice
    ? { reason: 'the worker does not answer', advice, exit: EXIT.timeout }
    : {
        reason: 'the worker does not start',
        advice: `the worker does not start; run 'recollect doctor' to find out why (its log is ${home.logs}/worker.log)`,
        exit: EXIT.error,
      }
  return missing
}

/** A memory may contain control characters that a terminal would execute. */
export function stripControlCharacters(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(CONTROL_CHARACTERS, '') : value
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Yields the lines of a long answer as they arrive. */
export async function* askLines<T>(path: string, request: WorkerRequest = {}): AsyncGenerator<T> {
  const home = homePaths()
  const missing = await startWorkerOrExplain(home)
  if (missing) {
    for (const line of (await readWithoutWorker(missing, path, request)).split('\n')) if (line) yield JSON.parse(line) as T
    return
  }
  const answer = await openAnswer(home, path, request)
  if (!answer.ok) throw refusedError(answer.status, await answer.text())
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of answer.body ?? []) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line) yield JSON.parse(line) as T
  }
}

let isDiskReadReported = false

/** Answers a reading request from the disk. A request that changes something needs a worker. */
async function readWithoutWorker(missing: MissingWorker, path: string, request: WorkerRequest): Promise<string> {
  const { answerWithoutWorker, isReadOnlyRequest, NewerDatabase } = await import('../worker/worker.ts')
  if (!isReadOnlyRequest(request.method ?? 'GET', path)) throw new CliError(missing.advice, missing.exit)
  try {
    const answer = await answerWithoutWorker(path, request)
    if (!answer) throw new CliError(missing.advice, missing.exit)
    if (answer.status !== 200) throw refusedError(answer.status, answer.body)
    if (!isDiskReadReported) printNotice(`${missing.reason}, so this was read from the disk; run 'recollect doctor' to find out why`)
    isDiskReadReported = true
    return answer.body
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    if (cause instanceof NewerDatabase) throw new CliError(cause.message, EXIT.database)
    throw new CliError(`${missing.advice}. The database cannot be read without it: ${(cause as Error).message}`, EXIT.database)
  }
}

const refusedError = (status: number, body: string) =>
  new CliError(
    reasonIn(body) || `the worker answered with status ${status}; see 'recollect doctor'`,
    status === 400 ? EXIT.invalid : EXIT.error,
  )

export const post = (body: unknown): WorkerRequest => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})

function reasonIn(body: string): string {
  try {
    return (JSON.parse(body) as { error?: string }).error ?? body
  } catch {
    return body
  }
}
