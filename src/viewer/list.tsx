import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Reply } from '../wire/call.ts'
import { navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { pagesForRows, pagesToDrop, rowsInView, scrollTopToShow } from './visible-rows.ts'
import { describeFailure } from './worker-requests.ts'

const ROWS_PER_PAGE = 100
const MAX_CACHED_PAGES = 40
const MAX_PAGE_REQUESTS = 4
const SCROLL_PAUSE_MS = 60

/** Rows of a list that is fetched page by page as the person scrolls. */
export type PagedRows<T> = {
  total: number
  /** Null until the row's page arrives. */
  at(index: number): T | null
  /** Fetches the pages of these rows if they are missing. */
  fetchRange(first: number, end: number): void
  error: string
  isLoaded: boolean
  refetch(): void
  /** The newest document of the list, if the list has a fixed end. */
  upTo?: number | undefined
}

/** `count`: the total is wanted, too. `upTo` comes from the first page, so that later pages continue the same list. */
export type PageRequest = { limit: number; offset: number; count: boolean; upTo: number | undefined }

type CachedList<T> = {
  pages: Map<number, T[]>
  total: number
  upTo: number | undefined
  isLoaded: boolean
  fetching: Set<number>
  /** Pages that may have changed: shown until they are fetched again. */
  stale: Set<number>
  isCounted: boolean
}
/** Going back to one of these lists shows it at once, scrolled to where it was. */
const recentLists = new Map<string, { list: CachedList<unknown>; scrollTop: number; cursor: number }>()
const MAX_RECENT_LISTS = 4

/**
 * Fetches the list called `key`. A new `generation` starts it again from the first page. A new `version` means that rows may have
 * changed: the visible ones are fetched again, in place, without scrolling.
 */
export function usePagedRows<T, Response>(
  key: string,
  requestPage: (page: PageRequest) => Promise<Reply<Response>>,
  read: (response: Response) => { rows: T[]; total: number | null; upTo?: number },
  generation: unknown,
  version: unknown,
): PagedRows<T> {
  const renders = useSignal(0)
  const error = useSignal('')
  const pauseTimer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const active = useRef<{ key: string; list: CachedList<T> }>({ key: '', list: emptyList() })
  if (active.current.key !== key) {
    const recent = recentLists.get(key)
    active.current = { key, list: (recent?.list as CachedList<T> | undefined) ?? emptyList() }
  }
  const { list } = active.current
  /** A list that starts again replaces the one on the screen when its first page is here. */
  const next = useRef<CachedList<T> | null>(null)
  const startAgain = () => {
    next.current = emptyList<T>()
    void fetchPage(0, next.current)
  }
  const fetchPage = async (page: number, into: CachedList<T>) => {
    if (into.fetching.has(page)) return
    into.fetching.add(page)
    const count = !into.isCounted
    into.isCounted = true
    const reply = await requestPage({ limit: ROWS_PER_PAGE, offset: page * ROWS_PER_PAGE, count, upTo: into.upTo })
    into.fetching.delete(page)
    const isWanted = into === active.current.list || into === next.current
    if (active.current.key !== key || !isWanted) return
    if (reply.kind !== 'answered') {
      error.value = describeFailure(reply)
      into.isCounted = false
      return
    }
    error.value = ''
    into.stale.delete(page)
    const { rows, total, upTo } = read(reply.value)
    into.pages.set(page, rows)
    if (total !== null) into.total = total
    if (page === 0) into.isLoaded = true
    into.upTo = upTo
    active.current.list = into
    for (const dropped of pagesToDrop([...into.pages.keys()], page, MAX_CACHED_PAGES)) into.pages.delete(dropped)
    cacheList(key, into as CachedList<unknown>)
    renders.value++
  }
  useEffect(startAgain, [key, generation])
  const lastVersion = useRef(version)
  useEffect(() => {
    if (lastVersion.current === version) return
    lastVersion.current = version
    const { list } = active.current
    list.stale = new Set(list.pages.keys())
    list.isCounted = false
    if (!list.isLoaded) void fetchPage(0, list)
    renders.value++
  }, [version])
  renders.value
  return {
    total: list.total,
    upTo: list.upTo,
    at: (index) => active.current.list.pages.get(Math.floor(index / ROWS_PER_PAGE))?.[index % ROWS_PER_PAGE] ?? null,
    fetchRange: (first, end) => {
      clearTimeout(pauseTimer.current)
      const { list } = active.current
      if (!list.isLoaded) return
      const missing = pagesForRows(first, end, ROWS_PER_PAGE).filter((page) => !list.pages.has(page) || list.stale.has(page))
      // Fetch stale pages and those next to a cached page at once; others only when the person stops scrolling.
      const isNear = (page: number) => list.stale.has(page) || list.pages.has(page - 1) || list.pages.has(page + 1)
      const near = missing.filter(isNear)
      for (const page of near) if (list.fetching.size < MAX_PAGE_REQUESTS) void fetchPage(page, list)
      if (near.length === missing.length) return
      pauseTimer.current = setTimeout(() => {
        for (const page of missing) void fetchPage(page, list)
      }, SCROLL_PAUSE_MS)
    },
    error: error.value,
    isLoaded: list.isLoaded,
    refetch: startAgain,
  }
}

const emptyList = <T,>(): CachedList<T> => ({
  pages: new Map(),
  total: 0,
  upTo: undefined,
  isLoaded: false,
  fetching: new Set(),
  stale: new Set(),
  isCounted: false,
})

function cacheList(key: string, list: CachedList<unknown>): void {
  const before = recentLists.get(key)
  recentLists.delete(key)
  recentLists.set(key, { list, scrollTop: before?.scrollTop ?? 0, cursor: before?.cursor ?? -1 })
  for (const oldest of [...recentLists.keys()].slice(0, -MAX_RECENT_LISTS)) recentLists.delete(oldest)
}

/** Makes a list start at its top the next time it is shown. */
export function resetScroll(key: string): void {
  const recent = recentLists.get(key)
  if (recent) recentLists.set(key, { ...recent, scrollTop: 0, cursor: -1 })
}

/** All rows have the same height, so a row's position is a multiplication. On a narrow screen a row has two lines. */
const rowHeight = () => (matchMedia('(max-width: 720px)').matches ? 58 : 34)

/** A list of any length. Only the rows near the screen exist in the document. */
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
  /** The selected row, if the page selects one itself. */
  current?: number
  onMove?: (index: number) => void
  onDelete?: (row: T) => void
  children: (row: T, index: number) => ComponentChildren
}) {
  const box = useRef<HTMLDivElement>(null)
  const height = rowHeight()
  const recent = recentLists.get(name)
  const view = useSignal({ top: recent?.scrollTop ?? 0, height: 800 })
  const cursor = useSignal(recent?.cursor ?? -1)
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
    const resizes = new ResizeObserver(measure)
    resizes.observe(element)
    return () => resizes.disconnect()
  }, [name, rows.isLoaded])

  useEffect(() => rows.fetchRange(first, end))
  // Read here, so that the list is rendered and the row focused when the cursor moves.
  cursor.value
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
    const scrollTop = element ? scrollTopToShow(index, element.scrollTop, element.clientHeight, height) : null
    if (element && scrollTop !== null) element.scrollTop = scrollTop
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
  const position = () => (current >= 0 ? current : cursor.value)
  const rowsPerScreen = Math.max(1, Math.floor(view.value.height / height) - 1)
  const selectedRow = () => rows.at(position())
  useKeyBindings({
    j: () => move(position() + 1),
    k: () => move(position() - 1),
    ArrowDown: () => move(position() + 1),
    ArrowUp: () => move(position() - 1),
    PageDown: () => move(position() + rowsPerScreen),
    PageUp: () => move(position() - rowsPerScreen),
    Home: () => move(0),
    End: () => move(rows.total - 1),
    Enter: () => {
      const row = selectedRow()
      if (row) navigate(href(row))
    },
    ...(onDelete
      ? {
          x: () => {
            const row = selectedRow()
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
      {/* biome-ignore lint/a11y/useSemanticElements: most rows are not in the document, so the list states its length */}
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
