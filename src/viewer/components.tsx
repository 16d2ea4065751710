import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { asProjectKey } from '../core/ids.ts'
import { projectName } from '../core/project.ts'
import { formatAge } from '../core/time-format.ts'
import type { MemoryListItem } from '../wire/view.ts'
import { splitAtHighlights } from './highlight.ts'
import { memoryHref } from './route.ts'

/** A page's head: what it is, and what one may choose on it. */
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
export const formatCount = (n: number, one: string, many = `${one}s`) => `${n.toLocaleString()} ${n === 1 ? one : many}`

export function formatBytes(n: number): string {
  if (n < 1024) return `${n} B`
  const [value, unit] = n < 1024 ** 2 ? [n / 1024, 'KB'] : n < 1024 ** 3 ? [n / 1024 ** 2, 'MB'] : [n / 1024 ** 3, 'GB']
  return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`
}

/** One memory in a list. */
export function MemoryRow({ row, words = [] }: { row: MemoryListItem; words?: string[] }) {
  return (
    <>
      <Tag type={row.kind === 'summary' || row.kind === 'prompt' ? row.kind : row.type || row.kind} />
      <span class="what">
        <b>
          <HighlightedText text={row.title} words={words} />
        </b>
        {row.snippet && (
          <span class="snip">
            <HighlightedText text={row.snippet} words={words} />
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
  // A kept address may name what is no choice any more; it is shown all the same.
  const known = value === '' || options.some((option) => option.value === value) ? options : [...options, { value, text: value }]
  return (
    <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {known.map((option) => (
        <option value={option.value}>{option.text}</option>
      ))}
    </select>
  )
}

/** What there is to do when there is nothing to see. */
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

export function ErrorMessage({ text, again }: { text: string; again?: () => void }) {
  if (!text) return null
  return (
    <div class="trouble" role="alert">
      <span>{text}</span>
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  )
}

export const Loading = () => <p class="loading">Loading…</p>

/** Something to be decided before anything else. Esc and the cross leave it. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => (before instanceof HTMLElement ? before.focus() : undefined)
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

/** Names and values side by side. */
export function FactList({ of }: { of: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {of
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
