import type { Home } from '../platform/paths.ts'
import type { Transport } from './call.ts'

/** Sends requests over the worker's Unix socket. Only its owner can open the socket, so no token is needed. */
export function socketTransport(home: Home): Transport {
  return ({ method, path, body, headers, timeoutMs, signal }) => {
    const signals = [...(timeoutMs === null ? [] : [AbortSignal.timeout(timeoutMs)]), ...(signal ? [signal] : [])]
    return fetch(`http://worker${path}`, {
      unix: home.socket,
      method,
      headers,
      ...(body === null ? {} : { body }),
      ...(signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}),
    })
  }
}

/** What came back from the worker, unparsed. `unreachable` is ordinary: the worker may be starting, or switched off. */
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

/** Sends a request and returns the body as it is. For hooks, which pass payloads and replies through; other callers use `call`. */
export async function askWorker(home: Home, path: string, request: WorkerRequest = {}): Promise<WorkerReply> {
  try {
    const answer = await openAnswer(home, path, request)
    const body = await answer.text()
    return answer.ok ? { kind: 'answered', body } : { kind: 'refused', status: answer.status, body }
  } catch (cause) {
    return (cause as Error).name === 'TimeoutError' ? { kind: 'late' } : { kind: 'unreachable' }
  }
}

/** The response itself, for bodies that arrive in pieces. Throws when the worker cannot be reached. */
export function openAnswer(home: Home, path: string, request: WorkerRequest = {}): Promise<Response> {
  return fetch(`http://worker${path}`, {
    unix: home.socket,
    method: request.method ?? 'GET',
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(request.headers ? { headers: request.headers } : {}),
    ...(request.timeoutMs ? { signal: AbortSignal.timeout(request.timeoutMs) } : {}),
  })
}
