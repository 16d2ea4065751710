import { type FailedReply, openCaller, type Transport } from '../wire/call.ts'
import { liveStreamReady } from './live.ts'

const transport: Transport = async ({ method, path, body, headers, signal }) => {
  // Data that is read before live events are connected could miss a change.
  if (method === 'GET') await liveStreamReady
  // The worker requires both headers for changes. Other sites cannot send them, so they cannot change anything.
  const changeHeaders = { 'content-type': 'application/json', 'x-recollect': '1' }
  const response = await fetch(path, { method, body, headers: { ...headers, ...(method === 'GET' ? {} : changeHeaders) }, signal })
  return { status: response.status, text: () => response.text(), body: response.body && chunksOf(response.body) }
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

/** Calls a route of the worker that served the page. */
export const { call, callLines } = openCaller(transport)

/** A sentence for the person: what failed and what to do. */
export function describeFailure(failure: FailedReply): string {
  if (failure.kind !== 'refused')
    return 'The worker is not responding. The viewer keeps trying; to start the worker, run “recollect start”.'
  return failure.status === 401 ? 'This browser is signed out. To open the viewer again, run “recollect view”.' : failure.reason
}

/** A filter from the address; empty means no filter. */
export const filterValue = (text: string) => text || undefined
