import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { dataVersion } from './live.ts'
import { describeFailure, get } from './worker-requests.ts'

/** What a page shows of an answer: nothing yet, the answer, or what is wrong. An answer stays on the screen while a newer one is fetched. */
export type FetchState<T> = { value: T | null; error: string; isMissing: boolean; refetch(): void }

/** Asks for a path whenever it changes, and again when anything may have changed unheard. Null asks for nothing. */
export function useFetch<T>(path: string | null): FetchState<T> {
  const state = useSignal<{ path: string | null; value: T | null; trouble: string; isMissing: boolean }>({
    path: null,
    value: null,
    trouble: '',
    isMissing: false,
  })
  const asking = useRef<AbortController | null>(null)
  const fetchIt = async () => {
    asking.current?.abort()
    if (path === null) return
    const mine = new AbortController()
    asking.current = mine
    const asked = await get<T>(path, mine.signal)
    if (mine.signal.aborted) return
    const kept = state.value.path === path ? state.value.value : null
    state.value =
      asked.kind === 'answered'
        ? { path, value: asked.value, trouble: '', isMissing: false }
        : { path, value: kept, trouble: describeFailure(asked), isMissing: asked.kind === 'refused' && asked.status === 404 }
  }
  const now = dataVersion.value
  // Asked again when the path or the epoch changes, and only then
  useEffect(() => {
    void fetchIt()
    return () => asking.current?.abort()
  }, [path, now])
  const { value, trouble, isMissing } = state.value
  return { value: state.value.path === path ? value : null, error: trouble, isMissing, refetch: () => void fetchIt() }
}
