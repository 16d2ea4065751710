import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { get, troubleIn } from './ask.ts'
import { epoch } from './live.ts'

/** What a page shows of an answer: nothing yet, the answer, or what is wrong. An answer stays on the screen while a newer one is fetched. */
export type Shown<T> = { value: T | null; trouble: string; isMissing: boolean; again(): void }

/** Asks for a path whenever it changes, and again when anything may have changed unheard. Null asks for nothing. */
export function useAsked<T>(path: string | null): Shown<T> {
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
        : { path, value: kept, trouble: troubleIn(asked), isMissing: asked.kind === 'refused' && asked.status === 404 }
  }
  const now = epoch.value
  // Asked again when the path or the epoch changes, and only then
  useEffect(() => {
    void fetchIt()
    return () => asking.current?.abort()
  }, [path, now])
  const { value, trouble, isMissing } = state.value
  return { value: state.value.path === path ? value : null, trouble, isMissing, again: () => void fetchIt() }
}
