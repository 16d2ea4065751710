import { type Home, homePaths } from '../platform/paths.ts'
import { askWorker, openAnswer, type Question } from '../wire/socket.ts'
import { ensureWorker } from '../wire/start.ts'
import { CliError, EXIT } from './print.ts'

const START_MS = 10_000

/** Asks the worker, which is started when it is away, and reads its JSON. */
export async function ask<T>(path: string, question: Question = {}): Promise<T> {
  const home = await reachWorker()
  const asked = await askWorker(home, path, { timeoutMs: 30_000, ...question })
  switch (asked.kind) {
    case 'answered':
      return JSON.parse(asked.body) as T
    case 'refused':
      throw new CliError(reasonIn(asked.body), asked.status === 400 ? EXIT.invalid : EXIT.error)
    case 'late':
      throw new CliError('the worker did not answer within 30 seconds', EXIT.timeout)
    case 'unreachable':
      throw new CliError(`the worker went away; see ${home.logs}/worker.log, then try again`)
  }
}

/** The lines of a long answer, as they come. */
export async function* askLines<T>(path: string, question: Question = {}): AsyncGenerator<T> {
  const home = await reachWorker()
  const answer = await openAnswer(home, path, question)
  if (!answer.ok) throw new CliError(reasonIn(await answer.text()), answer.status === 400 ? EXIT.invalid : EXIT.error)
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of answer.body ?? []) {
    held += decoder.decode(chunk, { stream: true })
    const lines = held.split('\n')
    held = lines.pop() ?? ''
    for (const line of lines) if (line) yield JSON.parse(line) as T
  }
}

/** The home, with a worker that answers in it. */
async function reachWorker(): Promise<Home> {
  const home = homePaths()
  if (await ensureWorker(home, START_MS)) return home
  throw new CliError(`the worker does not start; 'recollect doctor' says why (its log is ${home.logs}/worker.log)`)
}

export const post = (body: unknown): Question => ({
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
