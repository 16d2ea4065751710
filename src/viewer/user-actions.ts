import { signal } from '@preact/signals'
import { dataVersion } from './live.ts'
import { describeFailure, send, type ViewerReply } from './worker-requests.ts'

/** What was just done, or why it could not be; and how to take it back. */
export type ToastMessage = { text: string; isError: boolean; undo: (() => Promise<ViewerReply<unknown>>) | null }
export const toast = signal<ToastMessage | null>(null)

let timer: ReturnType<typeof setTimeout> | undefined
const TOAST_MS = 12_000

function showToast(told: ToastMessage): void {
  toast.value = told
  clearTimeout(timer)
  timer = setTimeout(() => {
    toast.value = null
  }, TOAST_MS)
}

/** Does something and says so. What can be taken back says how. True when it was done. */
export async function runAction<T>(
  work: Promise<ViewerReply<T>>,
  text: string | ((done: T) => string),
  undo: ToastMessage['undo'] = null,
): Promise<T | null> {
  const asked = await work
  if (asked.kind !== 'answered') {
    showToast({ text: describeFailure(asked), isError: true, undo: null })
    return null
  }
  showToast({ text: typeof text === 'string' ? text : text(asked.value), isError: false, undo })
  dataVersion.value++
  return asked.value
}

export async function undoLastAction(): Promise<void> {
  const back = toast.value?.undo
  if (back) await runAction(back(), 'Taken back.')
}

export const forgetObservation = (id: number | string) =>
  runAction(send('DELETE', `/api/observations/${id}`), `Forgot #${id}.`, () => send('POST', `/api/observations/${id}/restore`))

export const forgetNote = (id: string) =>
  runAction(send('DELETE', `/api/notes/${id}`), 'Forgot the note.', () => send('POST', `/api/notes/${id}/restore`))
