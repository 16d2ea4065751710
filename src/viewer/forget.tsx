import { signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Session } from '../core/memory.ts'
import { type MemoryKind, memoryId, shortMemoryId } from '../core/memory-kinds.ts'
import type { RequestOf } from '../wire/contract/contract.ts'
import type { ForgetPreview } from '../wire/contract/forget.ts'
import { Dialog, ErrorMessage, Tag } from './components.tsx'
import { describeCounts, formatCount } from './formats.ts'
import { useFetch } from './use-fetch.ts'
import { forget } from './user-actions.ts'

/** The memories that a person wants to forget: by id, or everything that matches a query. */
type ForgetTarget = { name: string; selection: RequestOf<'POST /api/forget/preview'>; onDone: () => void }
const target = signal<ForgetTarget | null>(null)

/** Opens the dialog for one memory. */
export const askToForgetMemory = (kind: MemoryKind, id: string | number) =>
  askToForget(`${kind} ${shortMemoryId(kind, id)}`, { ids: [memoryId(kind, id)] })

/** Opens the dialog for a session and everything that was made of it. */
export const askToForgetSession = (session: Pick<Session, 'id' | 'contentSessionId' | 'title'>, onDone?: () => void) =>
  askToForget(`session “${session.title ?? session.id}”`, { ids: [session.contentSessionId] }, onDone)

/** Opens the dialog that shows what is deleted along and asks how. Nothing is deleted before the person confirms. */
export function askToForget(name: string, selection: ForgetTarget['selection'], onDone = () => {}): void {
  target.value = { name, selection, onDone }
}

/** The dialog, if a person asked for it. */
export function ForgetDialog() {
  if (!target.value) return null
  const close = () => {
    target.value = null
  }
  return <OpenForgetDialog key={JSON.stringify(target.value.selection)} target={target.value} onClose={close} />
}

/** A person types it before anything is deleted for good. */
const CONFIRMATION = 'delete'

function OpenForgetDialog({ target, onClose }: { target: ForgetTarget; onClose: () => void }) {
  const isHard = useSignal(false)
  const typed = useSignal('')
  const progress = useSignal('')
  const hasChanged = useSignal(false)
  const fetched = useFetch('POST /api/forget/preview', { ...target.selection, hard: isHard.value })
  const last = useRef<ForgetPreview | null>(null)
  if (fetched.value) last.current = fetched.value
  const preview = last.current
  const submit = useRef<HTMLButtonElement>(null)
  useEffect(() => submit.current?.focus(), [preview !== null])
  const isEmpty = preview !== null && Object.values(preview.counts).every((count) => count === 0)
  const isReady = fetched.value !== null && !isEmpty && progress.value === '' && (!isHard.value || typed.value.trim() === CONFIRMATION)
  const confirm = async () => {
    if (!fetched.value) return
    hasChanged.value = false
    progress.value = 'Working…'
    const request = { ...target.selection, hard: isHard.value, fingerprint: fetched.value.fingerprint }
    const outcome = await forget(request, target.name, (text) => {
      progress.value = text
    })
    progress.value = ''
    if (outcome === 'changed') {
      hasChanged.value = true
      fetched.refetch()
      return
    }
    onClose()
    if (outcome === 'done') target.onDone()
  }
  return (
    <Dialog title={`Forget ${target.name}?`} onClose={onClose}>
      <form
        class="forget"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) void confirm()
        }}
      >
        <ErrorMessage text={fetched.error} retry={fetched.refetch} />
        {hasChanged.value && <p role="alert">Memories have changed since this was shown. Look at the new list and confirm again.</p>}
        {!preview && !fetched.error && <p class="loading">Loading…</p>}
        {isEmpty && <p>No memories match, so there is nothing to forget.</p>}
        {preview && !isEmpty && (
          <>
            <PreviewList preview={preview} />
            <fieldset>
              <legend class="sr">How</legend>
              <label class="check">
                <input type="radio" name="how" checked={!isHard.value} onChange={() => (isHard.value = false)} />
                <span>
                  <b>Forget.</b> It no longer appears anywhere, and you can restore it for a while.
                </span>
              </label>
              <label class="check">
                <input type="radio" name="how" checked={isHard.value} onChange={() => (isHard.value = true)} />
                <span>
                  <b>Delete for good.</b> No byte is left on this machine, and nothing can bring it back.
                </span>
              </label>
            </fieldset>
            {isHard.value && (
              <>
                <RemainingCopies preview={preview} />
                <label>
                  Type “{CONFIRMATION}” to confirm
                  <input value={typed.value} autoComplete="off" onInput={(event) => (typed.value = event.currentTarget.value)} />
                </label>
              </>
            )}
          </>
        )}
        <p class="dim" role="status">
          {progress.value}
        </p>
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          {!isEmpty && (
            <button type="submit" class="danger" ref={submit} aria-disabled={!isReady}>
              {isHard.value ? 'Delete for good' : 'Forget'}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

const MAX_ITEMS_SHOWN = 50

/** Everything that goes, and the notes that are written again. */
function PreviewList({ preview }: { preview: ForgetPreview }) {
  const { items, rewritten, counts } = preview
  const shown = items.slice(0, MAX_ITEMS_SHOWN)
  const all = counts.sessions + counts.prompts + counts.observations + counts.summaries + counts.notes + counts.commits
  return (
    <>
      <p>
        This deletes <b>{describeCounts(counts)}</b>.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must be able to scroll it */}
      <ul class="goes" tabIndex={0} aria-label="What is deleted">
        {shown.map((item) => (
          <li>
            <Tag type={item.kind} />
            <span class="what">{item.title || item.id}</span>
            {item.because === 'derived' && <span class="dim">made from it</span>}
          </li>
        ))}
        {all > shown.length && <li class="dim">and {formatCount(all - shown.length, 'more memory', 'more memories')}</li>}
      </ul>
      {rewritten.length > 0 && <p>Written again without it: {rewritten.map(({ title }) => title).join(', ')}.</p>}
    </>
  )
}

/** Copies that only the person can remove. */
function RemainingCopies({ preview }: { preview: ForgetPreview }) {
  if (preview.remaining.length === 0) return null
  return (
    <section>
      <h3>Copies that stay elsewhere</h3>
      <ul>
        {preview.remaining.map(({ what, where, how }) => (
          <li>
            {what}: {how.includes(where) ? '' : <code>{where}</code>} {how}
          </li>
        ))}
      </ul>
    </section>
  )
}
