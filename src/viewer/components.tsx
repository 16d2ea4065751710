import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { CodeMark } from '../core/code-mark.ts'
import { asProjectKey } from '../core/ids.ts'
import { projectName } from '../core/project.ts'
import { formatAge } from '../core/time-format.ts'
import { describeOutcome, type WorkOutcome } from '../core/work-outcome.ts'
import type { MemoryListItem } from '../wire/contract/feed.ts'
import { splitAtHighlights } from './highlight.ts'
import { memoryHref } from './route.ts'

/** The title of a page and its controls. */
export function PageHead({ title, children }: { title: ComponentChildren; children?: ComponentChildren }) {
  return (
    <header class="head">
      <h1>{title}</h1>
      {children}
    </header>
  )
}

export function Tag({ type }: { type: string }) {
  return (
    <span class={`tag t-${type}`}>
      <i aria-hidden="true" />
      {type}
    </span>
  )
}

export function TimeAgo({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {formatAge(at, Date.now())}
    </time>
  )
}

export const nameOfProject = (project: string) => projectName(asProjectKey(project))

export const formatClockTime = (at: number) =>
  new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
export const formatDay = (at: number) => new Date(at).toLocaleDateString([], { year: 'numeric', month: 'short', day: 'numeric' })
export const formatCount = (n: number, singular: string, plural = `${singular}s`) => `${n.toLocaleString()} ${n === 1 ? singular : plural}`

export function formatBytes(n: number): string {
  if (n < 1024) return `${n} B`
  const [value, unit] = n < 1024 ** 2 ? [n / 1024, 'KB'] : n < 1024 ** 3 ? [n / 1024 ** 2, 'MB'] : [n / 1024 ** 3, 'GB']
  return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`
}

/** One memory in a list. */
export const describeCode = ({ text, isHistory }: CodeMark): string => (isHistory ? `History: ${text}` : `Outdated: ${text}`)

export function MemoryRow({
  row,
  words = [],
}: {
  row: MemoryListItem & { outcome?: WorkOutcome | null; code?: CodeMark | null }
  words?: string[]
}) {
  return (
    <>
      <Tag type={row.kind === 'summary' || row.kind === 'prompt' || row.kind === 'commit' ? row.kind : row.type || row.kind} />
      <span class="what">
        <b>
          <HighlightedText text={row.title} words={words} />
        </b>
        {row.snippet && (
          <span class="snip">
            <HighlightedText text={row.snippet} words={words} />
          </span>
        )}
        {row.code && <span class="snip code-mark">{describeCode(row.code)}</span>}
        {row.outcome && (
          <span class="snip outcome">
            → <HighlightedText text={describeOutcome(row.outcome)} words={words} />
          </span>
        )}
      </span>
      <span class="proj">{row.project && nameOfProject(row.project)}</span>
      {row.at > 0 ? <TimeAgo at={row.at} /> : <span />}
    </>
  )
}

export const hrefOfRow = (row: MemoryListItem) => memoryHref(row.kind, row.id)

function HighlightedText({ text, words }: { text: string; words: string[] }) {
  return <>{splitAtHighlights(text, words).map((piece) => (piece.isHit ? <mark>{piece.text}</mark> : piece.text))}</>
}

export function Chip({ on, onClick, children }: { on: boolean; onClick: () => void; children: ComponentChildren }) {
  return (
    <button type="button" class="chip" aria-pressed={on} onClick={onClick}>
      {children}
    </button>
  )
}

export function Dropdown({
  label,
  value,
  options,
  onChoose,
}: {
  label: string
  value: string
  options: { value: string; text: string }[]
  onChoose: (value: string) => void
}) {
  // A bookmarked address may contain a value that is no longer an option; show it anyway.
  const shown = value === '' || options.some((option) => option.value === value) ? options : [...options, { value, text: value }]
  return (
    <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {shown.map((option) => (
        <option value={option.value}>{option.text}</option>
      ))}
    </select>
  )
}

/** Shown instead of an empty list: why it is empty and what to do. */
export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <b>{title}</b>
      </p>
      {children}
    </div>
  )
}

export function ErrorMessage({ text, retry }: { text: string; retry?: () => void }) {
  if (!text) return null
  return (
    <div class="error" role="alert">
      <span>{text}</span>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Shown until the first answer arrives, or instead of it if the request failed. */
export function LoadingOrError({ fetched }: { fetched: { error: string; refetch(): void } }) {
  return fetched.error ? <ErrorMessage text={fetched.error} retry={fetched.refetch} /> : <Loading />
}

const Loading = () => <p class="loading">Loading…</p>

/** A modal dialog. Esc and the ✕ button close it. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const focusedBefore = document.activeElement
    dialog.current?.showModal()
    return () => (focusedBefore instanceof HTMLElement ? focusedBefore.focus() : undefined)
  }, [])
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose} onCancel={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  )
}

/** Names and values side by side. Pairs without a value are left out. */
export function FactList({ facts }: { facts: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
