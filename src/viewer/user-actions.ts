import { signal } from '@preact/signals'
import type { Reply } from '../wire/call.ts'
import { dataVersion } from './live.ts'
import { call, describeFailure } from './worker-requests.ts'

/** A short message about what was just done or why it failed, with a way to undo it. */
export type ToastMessage = { text: string; isError: boolean; undo: (() => Promise<Reply<unknown>>) | null }
export const toast = signal<ToastMessage | null>(null)

let timer: ReturnType<typeof setTimeout> | undefined
const TOAST_MS = 12_000

function showToast(message: ToastMessage): void {
  toast.value = message
  clearTimeout(timer)
  timer = setTimeout(() => {
    toast.value = null
  }, TOAST_MS)
}

/** Waits for a request and reports the result in a toast. Returns the answer, or null if the request failed. */
export async function runAction<T>(
  request: Promise<Reply<T>>,
  text: string | ((value: T) => string),
  undo: ToastMessage['undo'] = null,
): Promise<T | null> {
  const reply = await request
  if (reply.kind !== 'answered') {
    showToast({ text: describeFailure(reply), isError: true, undo: null })
    return null
  }
  showToast({ text: typeof text === 'string' ? text : text(reply.value), isError: false, undo })
  dataVersion.value++
  return reply.value
}

export async function undoLastAction(): Promise<void> {
  const undo = toast.value?.undo
  if (undo) await runAction(undo(), 'Undone.')
}

export const forgetObservation = (id: number | string) =>
  runAction(call('DELETE /api/observations/:id', { id }), `Forgot #${id}.`, () => call('POST /api/observations/:id/restore', { id }))

export const forgetNote = (id: string) =>
  runAction(call('DELETE /api/notes/:id', { id }), 'Forgot the note.', () => call('POST /api/notes/:id/restore', { id }))
