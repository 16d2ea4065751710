import { liveStreamReady } from './live.ts'

/** The worker's reply. `unreachable` is ordinary: the worker may be restarting. `signed-out`: the browser's cookie is missing or no longer valid. */
export type ViewerReply<T> =
  | { kind: 'answered'; value: T }
  | { kind: 'unreachable' }
  | { kind: 'signed-out' }
  | { kind: 'refused'; status: number; reason: string }

export async function get<T>(path: string, signal?: AbortSignal): Promise<ViewerReply<T>> {
  await liveStreamReady
  return request(path, signal ? { signal } : {})
}

/** Changes something. Other sites cannot send this header, so they cannot change anything. */
export const send = <T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: unknown = {}): Promise<ViewerReply<T>> =>
  request(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json', 'x-recollect': '1' } })

async function request<T>(path: string, init: RequestInit): Promise<ViewerReply<T>> {
  try {
    const response = await fetch(path, init)
    if (response.status === 401) return { kind: 'signed-out' }
    if (response.ok) return { kind: 'answered', value: (await response.json()) as T }
    const body = (await response.json().catch(() => ({}))) as { error?: string }
    return { kind: 'refused', status: response.status, reason: body.error ?? `The worker replied with status ${response.status}.` }
  } catch {
    return { kind: 'unreachable' }
  }
}

/** A sentence for the person: what failed and what to do. */
export function describeFailure(reply: Exclude<ViewerReply<unknown>, { kind: 'answered' }>): string {
  switch (reply.kind) {
    case 'unreachable':
      return 'The worker is not responding. The viewer keeps trying; to start the worker, run “recollect start”.'
    case 'signed-out':
      return 'This browser is signed out. To open the viewer again, run “recollect view”.'
    case 'refused':
      return reply.reason
  }
}

export const queryString = (query: Record<string, string | number | undefined>) =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]])),
  ).toString()
