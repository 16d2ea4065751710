import { liveStreamReady } from './live.ts'

/** What came back from the worker. `unreachable` is ordinary: it may be restarting. `stranger` means that this browser must be let in again. */
export type ViewerReply<T> =
  | { kind: 'answered'; value: T }
  | { kind: 'unreachable' }
  | { kind: 'stranger' }
  | { kind: 'refused'; status: number; reason: string }

export async function get<T>(path: string, signal?: AbortSignal): Promise<ViewerReply<T>> {
  await liveStreamReady
  return request(path, signal ? { signal } : {})
}

/** Everything that changes something says so in a form that no other site can send. */
export const send = <T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: unknown = {}): Promise<ViewerReply<T>> =>
  request(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json', 'x-recollect': '1' } })

async function request<T>(path: string, init: RequestInit): Promise<ViewerReply<T>> {
  try {
    const answer = await fetch(path, init)
    if (answer.status === 401) return { kind: 'stranger' }
    if (answer.ok) return { kind: 'answered', value: (await answer.json()) as T }
    const said = (await answer.json().catch(() => ({}))) as { error?: string }
    return { kind: 'refused', status: answer.status, reason: said.error ?? `the worker said ${answer.status}` }
  } catch {
    return { kind: 'unreachable' }
  }
}

/** In words for the person, with what to do. */
export function describeFailure(asked: Exclude<ViewerReply<unknown>, { kind: 'answered' }>): string {
  switch (asked.kind) {
    case 'unreachable':
      return 'The worker does not answer. It is asked again by itself; “recollect start” starts it.'
    case 'stranger':
      return 'This browser has to be let in again: run “recollect view”.'
    case 'refused':
      return asked.reason
  }
}

export const queryString = (query: Record<string, string | number | undefined>) =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]])),
  ).toString()
