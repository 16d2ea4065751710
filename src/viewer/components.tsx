import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { AGENT_NAMES, AGENT_TITLES } from '../core/agent.ts'
import { formatAge } from '../core/time-format.ts'
import { describeOutcome, type WorkOutcome } from '../core/work-outcome.ts'
import type { MemoryListItem } from '../wire/contract/feed.ts'
import { splitAtHighlights } from './highlight.ts'
import { Icon, type IconName } from './icons.tsx'
import { splitMark } from './marked-title.ts'
import { Marks } from './marks.tsx'
import { nameOfProject } from './project-list.ts'
import { hrefOf, memoryHref } from './route.ts'
import { currentRoute } from './router.ts'

/** The bar above a page: its title, its controls, and the two things that are possible everywhere. `crumb` is for pages with their title in the text. */
export function PageHead({
  title,
  crumb,
  children,
  isForWriting = false,
}: {
  title?: ComponentChildren
  crumb?: ComponentChildren
  children?: ComponentChildren
  /** On the page of a new note, a button for a new note would be one too many. */
  isForWriting?: boolean
}) {
  const { page, query } = currentRoute.value
  return (
    <header class="head">
      <div class="head-main">
        {title !== undefined ? <h1>{title}</h1> : <span class="crumb">{crumb}</span>}
        {children}
      </div>
      <div class="head-end">
        {page !== 'search' && (
          <a class="find" href={hrefOf('search', '', { project: query.project })}>
            <Icon name="search" /> Search memories <kbd>/</kbd>
          </a>
        )}
        {!isForWriting && (
          <a class="button primary new-note" href={hrefOf('memory', 'new', { project: query.project })}>
            <Icon name="plus" />
            <span class="new-note-text">New note</span>
          </a>
        )}
      </div>
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

/** The choices of a dropdown for agents. */
export const agentOptions = () => [
  { value: '', text: 'All agents' },
  ...AGENT_NAMES.map((name) => ({ value: name, text: AGENT_TITLES[name] })),
]

export function TimeAgo({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {formatAge(at, Date.now())}
    </time>
  )
}

/** One memory in a list. */
export function MemoryRow({ row, words = [] }: { row: MemoryListItem & { outcome?: WorkOutcome | null }; words?: string[] }) {
  const { title, mark } = splitMark(row.title)
  return (
    <>
      <Tag type={row.kind === 'summary' || row.kind === 'prompt' || row.kind === 'commit' ? row.kind : row.type || row.kind} />
      <span class="what">
        <b>
          <HighlightedText text={title} words={words} />
        </b>{' '}
        <Marks marks={[mark]} />
        {row.snippet && (
          <span class="snippet">
            <HighlightedText text={row.snippet} words={words} />
          </span>
        )}
        {row.outcome && (
          <span class="snippet outcome">
            → <HighlightedText text={describeOutcome(row.outcome)} words={words} />
          </span>
        )}
      </span>
      <span class="place">{row.project && nameOfProject(row.project)}</span>
      {row.at > 0 ? <TimeAgo at={row.at} /> : <span />}
    </>
  )
}

export const hrefOfRow = (row: MemoryListItem) => memoryHref(row.kind, row.id)

export function HighlightedText({ text, words }: { text: string; words: string[] }) {
  return <>{splitAtHighlights(text, words).map((piece) => (piece.isHit ? <mark>{piece.text}</mark> : piece.text))}</>
}

/** Text in which `code` is set as code. For places that may contain no links, where markdown would be too much. */
export function TextWithCode({ text }: { text: string }) {
  return <>{text.split(/`([^`\n]+)`/).map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))}</>
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
export function EmptyState({
  title,
  icon = 'memory',
  isInline = false,
  children,
}: {
  title: string
  icon?: IconName
  isInline?: boolean
  children?: ComponentChildren
}) {
  return (
    <div class={`empty ${isInline ? 'inline' : ''}`}>
      <span class="picture">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** Switches between two or three views of a page. */
export function Segments<T extends string>({
  label,
  value,
  options,
  onChoose,
}: {
  label: string
  value: T
  options: { value: T; text: ComponentChildren }[]
  onChoose: (value: T) => void
}) {
  return (
    <fieldset class="segments" aria-label={label}>
      {options.map((option) => (
        <button type="button" aria-pressed={option.value === value} onClick={() => onChoose(option.value)}>
          {option.text}
        </button>
      ))}
    </fieldset>
  )
}

export type MenuItem = { text: string; isDanger?: boolean } & ({ onChoose: () => void } | { href: string; download: string })

/** Actions that are needed rarely, behind one button. */
export function Menu({ label, items }: { label: string; items: MenuItem[] }) {
  const isOpen = useSignal(false)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen.value) return
    box.current?.querySelector<HTMLElement>('li > *')?.focus()
    const closeOutside = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) isOpen.value = false
    }
    document.addEventListener('pointerdown', closeOutside)
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [isOpen.value])
  const close = () => {
    isOpen.value = false
    box.current?.querySelector<HTMLElement>('button')?.focus()
  }
  const move = (by: number) => {
    const entries = [...(box.current?.querySelectorAll<HTMLElement>('li > *') ?? [])]
    const at = entries.indexOf(document.activeElement as HTMLElement)
    entries[(at + by + entries.length) % entries.length]?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens for keys of the buttons inside it
    <div
      class="menu"
      ref={box}
      onKeyDown={(event) => {
        if (!isOpen.value || !['Escape', 'ArrowDown', 'ArrowUp'].includes(event.key)) return
        event.preventDefault()
        event.stopPropagation()
        if (event.key === 'Escape') close()
        else move(event.key === 'ArrowDown' ? 1 : -1)
      }}
    >
      <button
        type="button"
        class="plain"
        aria-label={label}
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value
        }}
      >
        <Icon name="more" />
      </button>
      {isOpen.value && (
        <ul>
          {items.map((item) => (
            <li>
              {'href' in item ? (
                <a class="button" href={item.href} download={item.download} onClick={close}>
                  {item.text}
                </a>
              ) : (
                <button
                  type="button"
                  class={item.isDanger ? 'danger' : ''}
                  onClick={() => {
                    close()
                    item.onChoose()
                  }}
                >
                  {item.text}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
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
export function Dialog({
  title,
  onClose,
  isWide = false,
  children,
}: {
  title: string
  onClose: () => void
  isWide?: boolean
  children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const focusedBefore = document.activeElement
    dialog.current?.showModal()
    return () => (focusedBefore instanceof HTMLElement ? focusedBefore.focus() : undefined)
  }, [])
  return (
    <dialog ref={dialog} class={isWide ? 'wide' : ''} aria-label={title} onClose={onClose} onCancel={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
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

/** A titled box of a page that shows several. */
export function Card({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card panel">
      <h2>{title}</h2>
      {children}
    </section>
  )
}
