import { type Home, homePaths } from '../platform/paths.ts'
import { askWorker, openAnswer, type WorkerRequest } from '../wire/socket.ts'
import { ensureWorker } from '../wire/start.ts'
import { diagnoseUnresponsiveWorker } from '../wire/unresponsive-worker.ts'
import { CliError, EXIT, printNotice } from './print.ts'

/** How long a person waits for a worker to start, and for its answer. */
let timeouts = { startMs: 10_000, answerMs: 30_000 }

/** For commands that somebody's hook waits for. */
export function shortenTimeouts(): void {
  timeouts = { startMs: 1000, answerMs: 5000 }
}

/** Asks the worker, which is started when it is away, and reads its JSON. Where none can be started, what only reads is read from the disk. */
export async function ask<T>(path: string, question: WorkerRequest = {}): Promise<T> {
  const home = homePaths()
  const missing = await startWorkerOrExplain(home)
  if (missing) return JSON.parse(await readWithoutWorker(missing, path, question), stripControlCharacters) as T
  const asked = await askWorker(home, path, { timeoutMs: timeouts.answerMs, ...question })
  switch (asked.kind) {
    case 'answered':
      return JSON.parse(asked.body, stripControlCharacters) as T
    case 'refused':
      throw refusedError(asked.status, asked.body)
    case 'late':
      throw new CliError(`the worker did not answer within ${timeouts.answerMs / 1000} seconds`, EXIT.timeout)
    case 'unreachable':
      throw new CliError(`the worker went away; see ${home.logs}/worker.log, then try again`)
  }
}

/** Why there is no worker to ask; what to do about it; and what a command that needs one ends with. */
type MissingWorker = { what: string; why: string; exit: number }
let missing: MissingWorker | null = null

/** Null when a worker is there. Who has waited for one in vain does not wait again in the same command. */
export async function startWorkerOrExplain(home: Home): Promise<MissingWorker | null> {
  if (missing || (await ensureWorker(home, timeouts.startMs))) return missing
  const silent = await diagnoseUnresponsiveWorker(home)
  const log = `${home.logs}/worker.log`
  missing = silent
    ? { what: 'the worker does not answer', why: silent, exit: EXIT.timeout }
    : {
        what: 'the worker does not start',
        why: `the worker does not start; 'recollect doctor' says why (its log is ${log})`,
        exit: EXIT.error,
      }
  return missing
}

/** What is remembered may hold what a terminal takes for orders. */
export function stripControlCharacters(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(CONTROL_CHARACTERS, '') : value
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are taken out
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** The lines of a long answer, as they come. */
export async function* askLines<T>(path: string, question: WorkerRequest = {}): AsyncGenerator<T> {
  const home = homePaths()
  const missing = await startWorkerOrExplain(home)
  if (missing) {
    for (const line of (await readWithoutWorker(missing, path, question)).split('\n')) if (line) yield JSON.parse(line) as T
    return
  }
  const answer = await openAnswer(home, path, question)
  if (!answer.ok) throw refusedError(answer.status, await answer.text())
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of answer.body ?? []) {
    held += decoder.decode(chunk, { stream: true })
    const lines = held.split('\n')
    held = lines.pop() ?? ''
    for (const line of lines) if (line) yield JSON.parse(line) as T
  }
}

let isDiskReadReported = false

/** The answer without a worker, by its own routes. What would change something has to wait for one. */
async function readWithoutWorker(missing: MissingWorker, path: string, question: WorkerRequest): Promise<string> {
  const { isReadOnlyRequest: isReading, NewerDatabase, answerWithoutWorker: readAlone } = await import('../worker/worker.ts')
  if (!isReading(question.method ?? 'GET', path)) throw new CliError(missing.why, missing.exit)
  try {
    const answer = await readAlone(path, question)
    if (!answer) throw new CliError(missing.why, missing.exit)
    if (answer.status !== 200) throw refusedError(answer.status, answer.body)
    if (!isDiskReadReported) printNotice(`${missing.what}, so this was read from the disk as it is; 'recollect doctor' says why`)
    isDiskReadReported = true
    return answer.body
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    if (cause instanceof NewerDatabase) throw new CliError(cause.message, EXIT.database)
    throw new CliError(`${missing.why}. Without it the database cannot be read either: ${(cause as Error).message}`, EXIT.database)
  }
}

const refusedError = (status: number, body: string) =>
  new CliError(reasonIn(body) || `the worker answered with ${status}`, status === 400 ? EXIT.invalid : EXIT.error)

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
