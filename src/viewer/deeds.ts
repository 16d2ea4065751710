import { signal } from '@preact/signals'
import { type Asked, send, troubleIn } from './ask.ts'
import { epoch } from './live.ts'

/** What was just done, or why it could not be; and how to take it back. */
export type Deed = { text: string; isTrouble: boolean; undo: (() => Promise<Asked<unknown>>) | null }
export const deed = signal<Deed | null>(null)

let timer: ReturnType<typeof setTimeout> | undefined
const SHOWN_MS = 12_000

function say(told: Deed): void {
  deed.value = told
  clearTimeout(timer)
  timer = setTimeout(() => {
    deed.value = null
  }, SHOWN_MS)
}

/** Does something and says so. What can be taken back says how. True when it was done. */
export async function act<T>(work: Promise<Asked<T>>, text: string | ((done: T) => string), undo: Deed['undo'] = null): Promise<T | null> {
  const asked = await work
  if (asked.kind !== 'answered') {
    say({ text: troubleIn(asked), isTrouble: true, undo: null })
    return null
  }
  say({ text: typeof text === 'string' ? text : text(asked.value), isTrouble: false, undo })
  epoch.value++
  return asked.value
}

export async function undo(): Promise<void> {
  const back = deed.value?.undo
  if (back) await act(back(), 'Taken back.')
}

export const forgetObservation = (id: number | string) =>
  act(send('DELETE', `/api/observations/${id}`), `Forgot #${id}.`, () => send('POST', `/api/observations/${id}/restore`))

export const forgetNote = (id: string) =>
  act(send('DELETE', `/api/notes/${id}`), 'Forgot the note.', () => send('POST', `/api/notes/${id}/restore`))
