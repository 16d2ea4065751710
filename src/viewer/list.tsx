import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { pagesForRows, pagesToDrop, rowsInView, scrollTopToShow } from './visible-rows.ts'
import { describeFailure, get, queryString } from './worker-requests.ts'

const ROWS_PER_PAGE = 100
const MAX_CACHED_PAGES = 40
const MAX_PAGE_REQUESTS = 4
const SCROLL_PAUSE_MS = 60

/** Rows of a list that is fetched in pages, as they are looked at. */
export type PagedRows<T> = {
  total: number
  at(index: number): T | null
  /** Fetches what these rows need. */
  fetchRange(first: number, end: number): void
  error: string
  isLoaded: boolean
  refetch(): void
  /** What came with the first page. */
  first: unknown
}

type CachedList<T> = {
  pages: Map<number, T[]>
  total: number
  firstPage: unknown
  fetching: Set<number>
  /** Pages that may have changed: shown until they are fetched anew. */
  stale: Set<number>
  isCounted: boolean
}
/** The lists that were looked at last, so that coming back to one shows it at once and where it was. */
const recentLists = new Map<string, { kept: CachedList<unknown>; scrollTop: number; cursor: number }>()

/**
 * `key` names the list, another key is another list. `fresh` changes when it shall start anew; `mark` when what is in it may have
 * changed: then the rows on the screen are fetched again, in place, and nothing moves.
 */
export function usePagedRows<T, Answer>(
  key: string,
  path: string,
  query: Record<string, string | number | undefined>,
  read: (answer: Answer) => { rows: T[]; total: number | null; pin?: Record<string, number> },
  fresh: unknown,
  mark: unknown,
): PagedRows<T> {
  const version = useSignal(0)
  const trouble = useSignal('')
  const pinned = useRef<Record<string, number>>({})
  const soon = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const holder = useRef<{ key: string; kept: CachedList<T> }>({ key: '', kept: emptyList() })
  if (holder.current.key !== key) {
    const known = recentLists.get(key)
    holder.current = { key, kept: (known?.kept as CachedList<T> | undefined) ?? emptyList() }
    pinned.current = {}
  }
  const { kept } = holder.current
  const fetchPage = async (page: number, into: CachedList<T>) => {
    if (into.fetching.has(page)) return
    into.fetching.add(page)
    const count = into.isCounted ? { count: 0 } : {}
    into.isCounted = true
    const asked = await get<Answer>(
      `${path}?${queryString({ ...query, ...pinned.current, ...count, limit: ROWS_PER_PAGE, offset: page * ROWS_PER_PAGE })}`,
    )
    into.fetching.delete(page)
    if (holder.current.key !== key) return
    if (asked.kind !== 'answered') {
      trouble.value = describeFailure(asked)
      into.isCounted = false
      return
    }
    trouble.value = ''
    into.stale.delete(page)
    const { rows, total, pin } = read(asked.value)
    into.pages.set(page, rows)
    if (total !== null) into.total = total
    if (page === 0) into.firstPage = asked.value
    if (pin) pinned.current = pin
    holder.current.kept = into
    for (const far of pagesToDrop([...into.pages.keys()], page, MAX_CACHED_PAGES)) into.pages.delete(far)
    cacheList(key, into as CachedList<unknown>)
    version.value++
  }
  useEffect(() => {
    pinned.current = {}
    void fetchPage(0, emptyList<T>())
  }, [key, fresh])
  const seen = useRef(mark)
  useEffect(() => {
    if (seen.current === mark) return
    seen.current = mark
    const now = holder.current.kept
    now.stale = new Set(now.pages.keys())
    now.isCounted = false
    if (now.firstPage === undefined) void fetchPage(0, now)
    version.value++
  }, [mark])
  version.value
  return {
    total: kept.total,
    first: kept.firstPage,
    at: (index) => holder.current.kept.pages.get(Math.floor(index / ROWS_PER_PAGE))?.[index % ROWS_PER_PAGE] ?? null,
    fetchRange: (first, end) => {
      clearTimeout(soon.current)
      const now = holder.current.kept
      if (now.firstPage === undefined) return
      const missing = pagesForRows(first, end, ROWS_PER_PAGE).filter((page) => !now.pages.has(page) || now.stale.has(page))
      // Beside what is there, or again: at once. Far away, where a person may only be passing: when they stop.
      const isNear = (page: number) => now.stale.has(page) || now.pages.has(page - 1) || now.pages.has(page + 1)
      const near = missing.filter(isNear)
      for (const page of near) if (now.fetching.size < MAX_PAGE_REQUESTS) void fetchPage(page, now)
      if (near.length === missing.length) return
      soon.current = setTimeout(() => {
        for (const page of missing) void fetchPage(page, now)
      }, SCROLL_PAUSE_MS)
    },
    error: trouble.value,
    isLoaded: kept.firstPage !== undefined,
    refetch: () => void fetchPage(0, emptyList<T>()),
  }
}

const emptyList = <T,>(): CachedList<T> => ({
  pages: new Map(),
  total: 0,
  firstPage: undefined,
  fetching: new Set(),
  stale: new Set(),
  isCounted: false,
})

function cacheList(key: string, kept: CachedList<unknown>): void {
  const before = recentLists.get(key)
  recentLists.delete(key)
  recentLists.set(key, { kept, scrollTop: before?.scrollTop ?? 0, cursor: before?.cursor ?? -1 })
  for (const old of [...recentLists.keys()].slice(0, -4)) recentLists.delete(old)
}

/** Forgets where a list was, so that it starts at its top. */
export function resetScroll(key: string): void {
  const known = recentLists.get(key)
  if (known) recentLists.set(key, { ...known, scrollTop: 0, cursor: -1 })
}

/** Rows are one height, so that where each stands is a multiplication; on a narrow screen they have two lines. */
const rowHeight = () => (matchMedia('(max-width: 700px)').matches ? 58 : 34)

/** A list of any length of which only what is on the screen exists. */
export function List<T>({
  name,
  label,
  rows,
  href,
  current = -1,
  onMove,
  onDelete,
  children,
}: {
  name: string
  label: string
  rows: PagedRows<T>
  href: (row: T) => string
  /** Marks a row; used where something else decides which is looked at. */
  current?: number
  onMove?: (index: number) => void
  onDelete?: (row: T) => void
  children: (row: T, index: number) => ComponentChildren
}) {
  const box = useRef<HTMLDivElement>(null)
  const height = rowHeight()
  const known = recentLists.get(name)
  const view = useSignal({ top: known?.scrollTop ?? 0, height: 800 })
  const cursor = useSignal(known?.cursor ?? -1)
  const wantsFocus = useRef(false)
  const { first, end } = rowsInView(view.value.top, view.value.height, height, rows.total)

  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    element.scrollTop = recentLists.get(name)?.scrollTop ?? 0
    const measure = () => {
      view.value = { top: element.scrollTop, height: element.clientHeight }
    }
    measure()
    const sizes = new ResizeObserver(measure)
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [name, rows.isLoaded])

  useEffect(() => rows.fetchRange(first, end))
  useEffect(() => {
    if (!wantsFocus.current) return
    const row = box.current?.querySelector<HTMLElement>(`[data-index="${cursor.value}"]`)
    if (row) {
      wantsFocus.current = false
      row.focus({ preventScroll: true })
    }
  })
  useEffect(() => {
    if (current >= 0) show(current)
  }, [current])

  const show = (index: number) => {
    const element = box.current
    const to = element ? scrollTopToShow(index, element.scrollTop, element.clientHeight, height) : null
    if (element && to !== null) element.scrollTop = to
  }
  const move = (to: number) => {
    const index = Math.max(0, Math.min(rows.total - 1, to))
    cursor.value = index
    onMove?.(index)
    wantsFocus.current = onMove === undefined
    remember({ cursor: index })
    show(index)
  }
  const remember = (part: { cursor?: number; scrollTop?: number }) => {
    const before = recentLists.get(name)
    if (before) recentLists.set(name, { ...before, ...part })
  }
  const from = () => (current >= 0 ? current : cursor.value)
  const page = Math.max(1, Math.floor(view.value.height / height) - 1)
  const here = () => rows.at(from())
  useKeyBindings({
    j: () => move(from() + 1),
    k: () => move(from() - 1),
    ArrowDown: () => move(from() + 1),
    ArrowUp: () => move(from() - 1),
    PageDown: () => move(from() + page),
    PageUp: () => move(from() - page),
    Home: () => move(0),
    End: () => move(rows.total - 1),
    Enter: () => {
      const row = here()
      if (row) navigate(href(row))
    },
    ...(onDelete
      ? {
          x: () => {
            const row = here()
            if (row) onDelete(row)
          },
        }
      : {}),
  })

  const shown = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i)
  return (
    <div
      class="list"
      ref={box}
      onScroll={(event) => {
        const { scrollTop, clientHeight } = event.currentTarget
        remember({ scrollTop })
        view.value = { top: scrollTop, height: clientHeight }
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: rows that are not on the screen do not exist, so the list has to say how long it is */}
      <div role="list" aria-label={label} style={{ height: `${rows.total * height}px`, position: 'relative' }}>
        {shown.map((index) => {
          const row = rows.at(index)
          return (
            // biome-ignore lint/a11y/useSemanticElements: see the list
            <div
              role="listitem"
              key={index}
              class="slot"
              aria-setsize={rows.total}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${index * height}px)`, height: `${height}px` }}
            >
              {row === null ? (
                <span class="row waiting" />
              ) : (
                <a
                  class={`row ${index === current ? 'current' : ''}`}
                  href={href(row)}
                  data-index={index}
                  aria-current={index === current ? 'true' : undefined}
                  onFocus={() => {
                    cursor.value = index
                  }}
                >
                  {children(row, index)}
                </a>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}
