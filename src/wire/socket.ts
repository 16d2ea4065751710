import type { Home } from '../platform/paths.ts'

/** What came back from the worker. `unreachable` is ordinary: it may be starting, or switched off. */
export type WorkerReply =
  | { kind: 'answered'; body: string }
  | { kind: 'unreachable' }
  | { kind: 'late' }
  | { kind: 'refused'; status: number; body: string }

export type WorkerRequest = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  body?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
  timeoutMs?: number
}

/** Asks the worker over its socket. The socket is the person's own file, so no token is needed here. */
export async function askWorker(home: Home, path: string, question: WorkerRequest = {}): Promise<WorkerReply> {
  try {
    const answer = await openAnswer(home, path, question)
    const body = await answer.text()
    return answer.ok ? { kind: 'answered', body } : { kind: 'refused', status: answer.status, body }
  } catch (cause) {
    return (cause as Error).name === 'TimeoutError' ? { kind: 'late' } : { kind: 'unreachable' }
  }
}

/** The answer itself, for those that come in pieces. Throws when the worker is away. */
export function openAnswer(home: Home, path: string, question: WorkerRequest = {}): Promise<Response> {
  return fetch(`http://worker${path}`, {
    unix: home.socket,
    method: question.method ?? 'GET',
    ...(question.body === undefined ? {} : { body: question.body }),
    ...(question.headers ? { headers: question.headers } : {}),
    ...(question.timeoutMs ? { signal: AbortSignal.timeout(question.timeoutMs) } : {}),
  })
}
