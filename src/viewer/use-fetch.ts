import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { CallArguments } from '../wire/call.ts'
import type { RequestOf, ResponseOf, ValueRoute } from '../wire/contract/contract.ts'
import { dataVersion } from './live.ts'
import { call, describeFailure } from './worker-requests.ts'

/** The latest response, null until the first arrives. It stays on the screen while a newer one is fetched. `isMissing`: the worker does not know the id. */
export type FetchState<T> = { value: T | null; error: string; isMissing: boolean; refetch(): void }

const NOTHING_FETCHED = { key: null, value: null, error: '', isMissing: false }

/** Fetches a route when the request changes, and again when `dataVersion` does. A null request fetches nothing. */
export function useFetch<Name extends ValueRoute>(route: Name, request: RequestOf<Name> | null): FetchState<ResponseOf<Name>> {
  const key = request === null ? null : JSON.stringify(request)
  const state = useSignal<{ key: string | null; value: ResponseOf<Name> | null; error: string; isMissing: boolean }>(NOTHING_FETCHED)
  const pending = useRef<AbortController | null>(null)
  const refetch = async () => {
    pending.current?.abort()
    if (request === null) return
    const controller = new AbortController()
    pending.current = controller
    // The compiler cannot see that a request and options always fit: the request may only be left out where nothing in it is required.
    const reply = await call(route, ...([request, { signal: controller.signal }] as unknown as CallArguments<Name>))
    if (controller.signal.aborted) return
    const previous = state.value.key === key ? state.value.value : null
    state.value =
      reply.kind === 'answered'
        ? { key, value: reply.value, error: '', isMissing: false }
        : { key, value: previous, error: describeFailure(reply), isMissing: reply.kind === 'refused' && [400, 404].includes(reply.status) }
  }
  const version = dataVersion.value
  useEffect(() => {
    void refetch()
    return () => pending.current?.abort()
  }, [key, version])
  const { value, error, isMissing } = state.value.key === key ? state.value : NOTHING_FETCHED
  return { value, error, isMissing, refetch: () => void refetch() }
}
