import { signal } from '@preact/signals'
import type { Reply } from '../wire/call.ts'
import type { RequestOf } from '../wire/contract/contract.ts'
import { dataVersion } from './live.ts'
import { call, callLines, describeFailure } from './worker-requests.ts'

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

/**
 * Forgets memories and reports the result in a toast, with a way to undo it. `changed`: something else would be deleted by now than the person saw, so
 * nothing was deleted.
 */
export async function forget(
  request: RequestOf<'POST /api/forget'>,
  name: string,
  onProgress: (text: string) => void,
): Promise<'done' | 'changed' | 'failed'> {
  const fail = (text: string) => {
    showToast({ text, isError: true, undo: null })
    return 'failed' as const
  }
  const reply = await callLines('POST /api/forget', request)
  if (reply.kind === 'refused' && reply.status === 409) return 'changed'
  if (reply.kind !== 'answered') return fail(describeFailure(reply))
  try {
    for await (const line of reply.value) {
      if (line.kind === 'progress') onProgress(line.what)
      else if (line.kind === 'failed') return fail(line.error)
      else {
        const ids = line.report.items.filter(({ because }) => because === 'chosen').map(({ id }) => id)
        // A longer list is not complete, so undoing would bring back only a part.
        const canUndo = !line.report.hard && line.report.items.length < MAX_ITEMS_IN_REPORT
        showToast({
          text: line.report.hard ? `Deleted ${name} for good.` : `Forgot ${name}.`,
          isError: false,
          undo: canUndo ? () => call('POST /api/restore', { ids }) : null,
        })
        dataVersion.value++
        return 'done'
      }
    }
  } catch {
    // The connection was lost; what follows is the same.
  }
  return fail('The worker stopped before it was done. Look again, and repeat it if necessary.')
}

const MAX_ITEMS_IN_REPORT = 500

export const restoreMemory = (id: string, name: string) => runAction(call('POST /api/restore', { ids: [id] }), `Restored ${name}.`)

/** Puts a text on the clipboard and says so. */
export async function copyText(text: string, message: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showToast({ text: message, isError: false, undo: null })
  } catch {
    showToast({ text: 'The browser did not allow copying. Select the text and copy it yourself.', isError: true, undo: null })
  }
}
