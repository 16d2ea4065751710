import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { dataVersion } from './live.ts'
import { describeFailure, get } from './worker-requests.ts'

/** The latest answer for a page, null until the first arrives. It stays on the screen while a newer one is fetched. `isMissing`: the worker does not know the id. */
export type FetchState<T> = { value: T | null; error: string; isMissing: boolean; refetch(): void }

/** Fetches a path when it changes, and again when `dataVersion` does. Null fetches nothing. */
export function useFetch<T>(path: string | null): FetchState<T> {
  const state = useSignal<{ path: string | null; value: T | null; error: string; isMissing: boolean }>({
    path: null,
    value: null,
    error: '',
    isMissing: false,
  })
  const pending = useRef<AbortController | null>(null)
  const refetch = async () => {
    pending.current?.abort()
    if (path === null) return
    const controller = new AbortController()
    pending.current = controller
    const reply = await get<T>(path, controller.signal)
    if (controller.signal.aborted) return
    const previous = state.value.path === path ? state.value.value : null
    state.value =
      reply.kind === 'answered'
        ? { path, value: reply.value, error: '', isMissing: false }
        : { path, value: previous, error: describeFailure(reply), isMissing: reply.kind === 'refused' && [400, 404].includes(reply.status) }
  }
  const version = dataVersion.value
  useEffect(() => {
    void refetch()
    return () => pending.current?.abort()
  }, [path, version])
  const { value, error, isMissing } = state.value
  return { value: state.value.path === path ? value : null, error, isMissing, refetch: () => void refetch() }
}
